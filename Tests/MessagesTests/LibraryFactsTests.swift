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
    .note(.empty), .note(.tooLong(excess: 5)),
    .database(code: 1, message: "no\nsuch table"), .strangeSchema(path: "/x"),
    .damagedBehindLink(path: "/x"), .damagedBackup(path: "/x"), .replaced(path: "/x"),
  ]

  private static let notices: [Notice] = [
    .setAside(path: "/x", salvaged: 12, hasBackup: true),
    .setAside(path: "/x", salvaged: 0, hasBackup: false), .unchangeable(.readOnly), .damaged,
    .gone(wal: "/x", hasBackup: true), .gone(wal: nil, hasBackup: true), .walSetAside(path: "/x"),
    .replaced(former: "/x"), .replaced(former: nil), .removed,
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
    }
  }

  @Test func reasonsForLeavingOutAnEntryEndWithoutAFullStop() {
    let reasons: [ImportReport.Reason] = [
      .notAList, .wrongType(field: nil), .wrongType(field: "text"), .missing(field: "text"),
      .invalidValue(field: "text"), .noSuchAyah("2:300"), .noSuchSurah(115), .badID("x"),
      .note(.empty), .note(.tooLong(excess: 1)), .tooLarge, .notText,
    ]
    for language in Language.allCases {
      let sentences = reasons.map(Messages(language).explain)
      #expect(Set(sentences).count == sentences.count)
      for sentence in sentences { #expect(sentence.last != ".") }
    }
  }

  @Test func countsOfOneAreSingular() {
    let messages = Messages(.english)
    #expect(messages.explain(NoteText.Problem.tooLong(excess: 1)).contains(" 1 byte too long"))
    #expect(
      messages.explain(Notice.setAside(path: "/x", salvaged: 1, hasBackup: false))
        .contains("1 entry was saved"))
    #expect(messages.planDue(1, of: 2, left: 1) == "day 1 of 2: 1 ayah left today")
    #expect(messages.planAhead(1) == "1 ayah ahead" && messages.planBehind(1) == "1 ayah behind")
    let plan = KhatmPlan(start: Day(containing: 0), days: 1, readCount: 0)
    #expect(plan.map(messages.description(of:))?.hasPrefix("1 day (") == true)
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
