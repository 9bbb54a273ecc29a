import Foundation
import TestSupport
import Testing

/// The output and the exit status of the sync commands.
@Suite(.serialized) struct SyncCommandTests {
  private let home: Home

  init() throws {
    home = try Home()
  }

  private func object(_ outcome: Outcome) throws -> [String: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(outcome.outputBytes))
    return try #require(value as? [String: Any], "\(outcome)")
  }

  private func status() throws -> [String: Any] {
    try object(home.quranVi("sync", "status", "--json"))
  }

  // MARK: With a real service

  @Test func anUnreachableServiceIsReported() throws {
    let service = try Service()
    try service.connect(home)
    #expect(try status()["isReachable"] as? Bool == true)
    try service.stop()
    _ = try home.quranVi("favorite", "add", "2:255")
    let stopped = try home.quranVi("sync", "now")
    #expect(stopped.ending == .exited(4) && stopped.output.contains("1"), "\(stopped)")
    let told = try object(home.quranVi("sync", "now", "--json"))
    #expect((told["failure"] as? [String: Any])?["code"] as? String == "unreachable")
    #expect((told["left"] as? [String: Any])?["pending"] as? Int == 1)
    let away = try status()
    #expect(away["isReachable"] as? Bool == false)
    #expect(away["isSignedIn"] as? Bool == true)
    #expect((away["failure"] as? [String: Any])?["code"] as? String == "unreachable")
    #expect(away["failingSince"] as? Int != nil && away["syncedAt"] as? Int != nil)
    #expect(away["pending"] as? Int == 1)
    let said = try home.quranVi("sync", "status").output
    #expect(said.contains("Không đến được dịch vụ (kết nối bị từ chối)"), "\(said)")
    #expect(said.contains("(từ 20"), "\(said)")
    try service.start()
    #expect(try home.quranVi("sync", "now").ending == .exited(0))
    let back = try status()
    #expect(back["isReachable"] as? Bool == true && back["failure"] == nil)
  }

  @Test func anExpiredSignInIsReported() throws {
    let service = try Service()
    try service.connect(home)
    #expect(try status()["isSignedIn"] as? Bool == true)
    try service.endSessions()
    #expect(try home.quranVi("sync", "now").ending == .exited(5))
    let ended = try status()
    #expect(ended["isSignedIn"] as? Bool == false && ended["isReachable"] as? Bool == true)
    let said = try home.quranVi("sync", "status").output
    #expect(said.contains("Phiên đăng nhập đã hết hạn"), "\(said)")
    try service.connect(home)
    #expect(try status()["isSignedIn"] as? Bool == true)
  }

  @Test func aWrongSignInCodeIsReported() throws {
    let service = try Service()
    let outcome = try home.quranVi(
      "sync", "connect", service.origin, "--paste", "--yes",
      input: .text("\(service.apiToken)\nsai\n"))
    #expect(outcome.ending == .exited(5), "\(outcome)")
    #expect(outcome.errors.contains("Mã đăng nhập sai"), "\(outcome)")
  }

  @Test func replacingTheServiceRequiresTheMergeOption() throws {
    let (former, other) = (try Service(), try Service())
    try former.connect(home)
    _ = try home.quranVi("favorite", "add", "2:255")
    func connect(_ options: String..., code: String? = nil) throws -> Outcome {
      try home.quranVi(
        ["sync", "connect", other.origin, "--paste"] + options,
        input: .text(code ?? other.secrets()))
    }
    // Without a terminal to ask on; with `--yes`, which does not merge; with an empty code.
    for outcome in [
      try connect(), try connect("--yes"), try connect("--yes", code: "\(other.apiToken)\n\n"),
    ] {
      #expect(outcome.ending == .exited(2), "\(outcome)")
      #expect(try status()["service"] as? String == former.origin)
    }
    #expect(try connect("--yes").errors.contains("--merge"))
    #expect(try home.quranVi("sync", "now").output.contains("gửi 1"))
    #expect(try connect("--merge").ending == .exited(0))
    #expect(try status()["service"] as? String == other.origin)
    #expect(try other.recordCount() == 2)
  }

  @Test func anEmptyAccountTransfersNothing() throws {
    let service = try Service()
    let done = "Đã đồng bộ: gửi 0, nhận 0, xóa 0.\n"
    // The account has a profile, which is not counted.
    let connected = try service.connect(home)
    #expect(connected.output.hasSuffix(done), "\(connected)")
    let outcome = try home.quranVi("sync", "now")
    #expect(outcome.output == done, "\(outcome)")
  }

  @Test func connectingToAnUnreachableServiceFails() throws {
    let service = try Service()
    try service.stop()
    let outcome = try home.quranVi(
      "sync", "connect", service.origin, "--paste", "--yes", input: .text("a\nb\n"))
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains("chưa kết nối"), "\(outcome)")
    #expect(!outcome.errors.contains("được giữ lại"), "\(outcome)")
  }

  /// The lock file is replaced by a directory, so the logout fails as on a read-only disk.
  @Test func aFailedLogoutKeepsTheSignIn() throws {
    let service = try Service()
    try service.connect(home)
    let lock = "\(home.path)/data/quran-vi/library.sqlite.credentials.lock"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    let refused = try home.quranVi("sync", "logout")
    #expect(refused.ending == .exited(3), "\(refused)")
    try FileManager.default.removeItem(atPath: lock)
    #expect(try home.quranVi("sync", "now").ending == .exited(0))
    #expect(try home.quranVi("sync", "logout").ending == .exited(0))
    #expect(try status()["isSignedIn"] as? Bool == false)
  }

  @Test func signingOutSaysWhatWasNotSentAndKeepsIt() throws {
    let service = try Service()
    try service.connect(home)
    let records = try service.recordCount()
    _ = try home.quranVi("favorite", "add", "2:255-256")
    let said = try home.quranVi("sync", "logout", "--lang", "en")
    #expect(said.ending == .exited(0), "\(said)")
    #expect(said.output.contains("2 changes were not sent; they are kept here"), "\(said)")
    #expect(try status()["pending"] as? Int == 2)
    try service.connect(home)
    #expect(try service.recordCount() == records + 2)
    let again = try home.quranVi("sync", "logout", "--lang", "en")
    #expect(again.output == "Signed out; your data stays on this device.\n", "\(again)")
  }

  // MARK: Without a service

  @Test func theStatusWithoutAServiceIsJSONToo() throws {
    let outcome = try home.quranVi("sync", "status", "--json", "--lang", "en")
    #expect(outcome.ending == .exited(5), "\(outcome)")
    #expect(outcome.errors.contains("Not connected to a service"), "\(outcome)")
    let told = try object(outcome)
    #expect(told["isSignedIn"] as? Bool == false && told["service"] == nil, "\(told)")
    #expect(told["pending"] as? Int == 0 && (told["parked"] as? [Any])?.isEmpty == true)
  }

  // MARK: With a fake service

  @Test func jsonOutputHasNoSentences() throws {
    let server = try FakeServer()
    let connected = try home.quranVi(
      "sync", "connect", server.origin, "--paste", "--yes", "--json",
      input: .text("api\ntoken\n"))
    #expect(connected.ending == .exited(0), "\(connected)")
    #expect(try object(connected)["sent"] as? Int == 0)
    #expect(connected.errors.contains("Đã kết nối với \(server.origin)."), "\(connected)")
    #expect(connected.errors.contains("Đã đăng nhập với tài khoản"), "\(connected)")
    let ended = try home.quranVi("sync", "logout", "--json")
    #expect(ended.output.isEmpty && ended.errors.contains("Đã đăng xuất"), "\(ended)")
  }

  @Test func anAccountThatIsNotConfirmedLeavesNoSession() throws {
    let server = try FakeServer()
    func endedSessions() -> Int {
      server.requestedRoutes.count { $0 == "production/end" }
    }
    // There is no terminal on which the user can be asked.
    let refused = try home.quranVi(
      "sync", "connect", server.origin, "--paste", input: .text("api\ntoken\n"))
    #expect(refused.ending == .exited(2), "\(refused)")
    #expect(endedSessions() == 1)
    let terminal = try PseudoTerminal(reader: ["sync", "login", "--paste"], in: home)
    try terminal.read(until: "Dán mã đăng nhập: ")
    try terminal.type("token\n")
    try terminal.read(until: "[c/K]")
    try terminal.type("k\n")
    #expect(try terminal.end() == .exited(0))
    #expect(endedSessions() == 2)
  }

  @Test func unsentChangesAreReportedOnTheOutput() throws {
    let server = try FakeServer()
    let reason = String(repeating: "không ", count: 20_000)
    // Without `retryAfter`, a random pause after an attempt may be over before the round is.
    server.refuse("FavoriteAyah", "NOT_FOUND", reason: reason, retryAfter: 600)
    let connected = try server.connect(home)
    #expect(connected.ending == .exited(0), "\(connected)")
    _ = try home.quranVi("favorite", "add", "2:255")
    for attempt in 1...8 {
      let before = server.requestedRoutes.count { $0 == "records/modify" }
      let outcome = try home.quranVi("sync", "now")
      #expect(outcome.ending == .exited(4), "\(outcome)")
      #expect(outcome.output.contains("Dịch vụ chưa có chỗ cho loại bản ghi này"), "\(outcome)")
      #expect(outcome.outputBytes.count < 1500)
      #expect(
        outcome.output.contains("Đang chờ gửi: \(attempt < 8 ? 1 : 0)\n"), "\(outcome)")
      #expect(server.requestedRoutes.count { $0 == "records/modify" } == before + 1)
    }
    // Every explicit sync tries the parked change again, and the JSON output reports it.
    let outcome = try home.quranVi("sync", "now", "--json")
    #expect(outcome.ending == .exited(4), "\(outcome)")
    let left = try #require(try object(outcome)["left"] as? [String: Any])
    #expect(left["pending"] as? Int == 1)
    #expect(left["pendingUntil"] as? Int != nil)
    #expect((left["lastError"] as? [String: Any])?["code"] as? String == "recordNotCreated")
    #expect(outcome.outputBytes.count < 1500)
  }

  @Test func theRetryAfterOfAServiceIsRespected() throws {
    let server = try FakeServer()
    #expect(try server.connect(home).ending == .exited(0))
    server.answer { route, _ in
      guard route == "changes/zone" else { return nil }
      return (429, ["serverErrorCode": "THROTTLED", "reason": "slow", "retryAfter": 3600])
    }
    #expect(try home.quranVi("sync", "now").ending == .exited(4))
    let asked = server.requestedRoutes
    let outcome = try home.quranVi("sync", "now")
    #expect(outcome.ending == .exited(4))
    #expect(outcome.errors.contains("Dịch vụ đang bận (THROTTLED: slow)"), "\(outcome)")
    #expect(outcome.output.contains("Dịch vụ yêu cầu không hỏi lại trước"), "\(outcome)")
    #expect(server.requestedRoutes == asked)
    let now = try object(home.quranVi("sync", "now", "--json"))
    #expect(now["waitsUntil"] as? Int != nil)
    #expect(
      try home.quranVi("sync", "status").output.contains("Dịch vụ yêu cầu không hỏi lại trước"))
    let told = try status()
    #expect((told["failure"] as? [String: Any])?["code"] as? String == "THROTTLED")
    #expect(told["waitsUntil"] as? Int != nil && told["isReachable"] as? Bool == true)
  }

  @Test func anEndlessFeedIsAborted() throws {
    let server = try FakeServer()
    #expect(try server.connect(home).ending == .exited(0))
    server.answer { route, _ in
      guard route == "changes/zone" else { return nil }
      let zone: [String: Any] = [
        "zoneID": ["zoneName": "_defaultZone"], "records": [Any](), "moreComing": true,
        "syncToken": UUID().uuidString,
      ]
      return (200, ["zones": [zone]])
    }
    let outcome = try home.quranVi("sync", "now")
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains("100 trang liền"), "\(outcome)")
    #expect(server.requestedRoutes.count { $0 == "changes/zone" } <= 110)
  }
}
