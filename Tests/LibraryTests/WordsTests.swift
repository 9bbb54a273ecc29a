import Foundation
import Quran
import Testing
import Words

@testable import Library

/// Sentences about the library.
struct WordsTests {
  private static let failures: [LibraryFailure] = [
    .noPlace, .readOnly, .unreadable(path: "/x\u{1B}[31m", code: 13), .diskFull, .busy,
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

  @Test func everythingHasASentenceOfItsOwnInBothLanguages() {
    let all = Language.allCases.flatMap { language in
      let words = Words(language)
      return Self.failures.map(words.explain)
        + Self.notices.filter { $0 != .unchangeable(.readOnly) }.map(words.explain)
    }
    #expect(Set(all).count == all.count)
    for sentence in all {
      #expect(!sentence.contains { $0.isNewline || $0 == "\u{1B}" }, "\(sentence)")
      #expect(sentence.count > 15)
    }
  }

  @Test func whatMattersIsInThem() {
    let words = Words(.english)
    #expect(words.explain(LibraryFailure.note(.tooLong(excess: 5))).contains("5 bytes"))
    #expect(words.explain(Self.notices[0]).contains("backup restore"))
    #expect(!words.explain(Self.notices[1]).contains("backup"))
    #expect(words.explain(Self.notices[2]) == words.explain(LibraryFailure.readOnly))
    #expect(
      Words(.vietnamese).explain(.changedMeanwhile(.favorite(.first)))
        == "Không hoàn tác được: dấu yêu thích ở 1:1 đã thay đổi sau đó.")
  }
}
