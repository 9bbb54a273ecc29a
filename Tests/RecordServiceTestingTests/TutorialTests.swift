import Foundation
import Testing

/// The page that shows how to test an app.
struct TutorialTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The tests of the example run with ours, so the code on the page works.
  @Test func theSwiftCodeOfThePageIsThatOfTheExample() throws {
    let page = try Self.text("Resources/record-service/testing.md")
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks == [try Self.text("Examples/notes/Tests/NotesTests/NoteStoreTests.swift")])
  }
}
