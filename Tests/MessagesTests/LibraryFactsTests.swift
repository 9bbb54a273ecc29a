import Foundation
import Messages
import Quran
import Testing
import Text

@testable import Library

/// Sentences about the library.
struct LibraryFactsTests {
  private static let failures: [LibraryFailure] = [
    .noHomeDirectory, .readOnly, .unreadable(path: "/x\u{1B}[31m", code: 13), .diskFull, .busy,
    .newer(path: "/x"), .foreign(path: "/x"), .damagedInUse(path: "/x"), .damaged(path: "/x"),
    .changedMeanwhile(.favorite(.first)), .changedMeanwhile(.note(UUID())),
    .changedMeanwhile(.progress(.first)), .changedMeanwhile(.setting("theme")),
    .missing(.favorite(.last)), .note(.empty), .note(.tooLong(excess: 5)),
    .database(code: 1, message: "no\nsuch table"),
  ]

  private static let notices: [Notice] = [
    .setAside(path: "/x", salvaged: 12, hasBackup: true),
    .setAside(path: "/x", salvaged: 0, hasBackup: false), .unchangeable(.readOnly), .damaged,
    .gone(wal: "/x", hasBackup: true), .gone(wal: nil, hasBackup: true),
  ]

  @Test func eachFailureAndNoticeHasADistinctSentence() {
    let all = Language.allCases.flatMap { language in
      let messages = Messages(language)
      return Self.failures.map(messages.explain)
        + Self.notices.filter { $0 != .unchangeable(.readOnly) }.map(messages.explain)
    }
    #expect(Set(all).count == all.count)
    for sentence in all {
      #expect(!sentence.contains { $0.isNewline || $0 == "\u{1B}" }, "\(sentence)")
      #expect(sentence.count > 15)
    }
  }

  @Test func sentencesContainTheRelevantFacts() {
    let messages = Messages(.english)
    #expect(messages.explain(LibraryFailure.note(.tooLong(excess: 5))).contains("5 bytes"))
    #expect(messages.explain(Self.notices[0]).contains("backup restore"))
    #expect(!messages.explain(Self.notices[1]).contains("backup"))
    #expect(messages.explain(Self.notices[2]) == messages.explain(LibraryFailure.readOnly))
    #expect(
      Messages(.vietnamese).explain(.changedMeanwhile(.favorite(.first)))
        == "Không hoàn tác được: dấu yêu thích ở 1:1 đã thay đổi sau đó.")
  }
}
