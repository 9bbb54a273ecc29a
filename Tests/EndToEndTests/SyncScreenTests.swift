import Foundation
import TestSupport
import Testing

/// How the sync screen of the reader explains changes that a service refuses.
@Suite(.serialized) struct SyncScreenTests {
  private let home: Home
  private let server: FakeServer

  init() throws {
    home = try Home()
    server = try FakeServer()
  }

  /// Connects the library and adds a note, which the service refuses with an error code.
  private func refuse(_ code: String, reason: String) throws {
    server.refuse("AyahNote", code, reason: reason)
    #expect(try server.connect(home).ending == .exited(0))
    #expect(try home.quranVi("note", "add", "2:255", "-m", "một").ending == .exited(0))
    #expect(try home.quranVi("sync", "now").ending == .exited(4))
  }

  /// Opens the reader and its sync screen.
  ///
  /// - Returns: the screen once it shows a text, with its wrapped lines joined.
  private func syncScreen(_ language: String, showing text: String) throws -> String {
    let reader = try Tmux(
      reader: ["2:255"], in: home, with: ["LANG": language], size: Size(100, 40))
    try reader.wait(for: "the ayah") { $0.contains("255") }
    try reader.type("S")
    func sentences(_ screen: Screen) -> String {
      screen.rows.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }
    let screen = try reader.wait(for: "“\(text)”") { sentences($0).shows(text) }
    try reader.close()
    return sentences(screen)
  }

  @Test(arguments: [
    (
      "vi_VN.UTF-8", "Không gửi được: 1",
      "ghi chú 2:255: Bản ghi trái với một quy tắc của dịch vụ (VALIDATING_REFERENCE_ERROR: lý do); "
        + "sửa nội dung rồi lưu lại, hoặc hỏi người quản lý dịch vụ."
    ),
    (
      "C", "Cannot be sent: 1",
      "note of 2:255: The record breaks a rule of the service (VALIDATING_REFERENCE_ERROR: lý do); "
        + "change and save it again, or ask the service's operator."
    ),
  ])
  func theReasonOfARefusedChangeIsShown(language: String, title: String, reason: String) throws {
    try refuse("VALIDATING_REFERENCE_ERROR", reason: "lý do")
    let screen = try syncScreen(language, showing: reason)
    #expect(screen.shows(title))
  }

  /// The reader sends the change again when it starts; then the change waits or is parked.
  @Test(arguments: [
    ("vi_VN.UTF-8", "Dịch vụ chưa có chỗ cho loại bản ghi này (no such type); người quản lý cần"),
    ("C", "The service has no place for records of this type (no such type); its operator has to"),
  ])
  func theReasonOfAWaitingChangeIsShown(language: String, reason: String) throws {
    try refuse("NOT_FOUND", reason: "no such type")
    _ = try syncScreen(language, showing: reason)
  }
}
