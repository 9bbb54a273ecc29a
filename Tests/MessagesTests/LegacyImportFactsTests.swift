import LegacyImport
import Library
import Messages
import Testing
import Text

struct LegacyImportFactsTests {
  private let hostile = "a\u{1B}[31m\nb\u{202E}"

  /// A file of which nothing is understood, for three reasons.
  private var nothing: LegacyFailure {
    let text = #"{"ayahNotes":"x","favoriteAyahs":"[","ReadingProgressStore.progress":5}"#
    do throws(LegacyFailure) {
      _ = try LegacyDump(Array(text.utf8))
      return .unknownFormat
    } catch {
      return error
    }
  }

  private var failures: [LegacyFailure] {
    [
      .shortened(.notes), .noLegacyKeys(found: []), .noLegacyKeys(found: [hostile]),
      .unknownFormat, .damaged(.json, offset: nil), .damaged(.gzip, offset: 12),
      .unknownEncoding(hostile), .tooLarge(limit: 16 << 20), .tooLargeUnpacked(limit: 16 << 20),
      .tooDeep(limit: 32), .tooManyValues(limit: 200_000), .hasEntities, .cyclic,
      nothing, .cancelled,
    ]
  }

  private var reasons: [LegacyProblem.Reason] {
    [
      .noSuchAyah(hostile), .malformedAyah(hostile), .noSuchSurah(hostile),
      .malformedSurah(hostile), .note(.empty), .note(.tooLong(excess: 1)),
      .tooManyMarks(limit: 100), .missingField("lastReadAyah"), .notANumber(hostile),
      .missingValue, .invalidUnicode,
    ] + LegacyProblem.Kind.allCases.map { .wrongType(found: $0) } + failures.map { .unreadable($0) }
  }

  @Test(arguments: [Language.vietnamese, .english])
  func everyReasonHasADistinctSentence(language: Language) {
    let messages = Messages(language)
    let sentences =
      failures.map { messages.explain($0, in: hostile) } + reasons.map(messages.explain)
    #expect(Set(sentences).count == sentences.count)
    for sentence in sentences {
      #expect(!sentence.isEmpty)
      #expect(
        !sentence.unicodeScalars.contains {
          $0.properties.generalCategory == .control || $0 == "\u{202E}"
        }, "\(sentence)")
    }
  }

  @Test func reasonsInAListEndWithoutAFullStop() {
    #expect(
      Messages(.english).explain(nothing, in: "x")
        == "Nothing in “x” can be understood: favoriteAyahs – its content (JSON) is broken at byte"
        + " 1; ayahNotes – its content is not a property list or JSON, compressed with gzip or not;"
        + " ReadingProgressStore.progress – it is of the wrong type: a number.")
    for language in [Language.vietnamese, .english] {
      for reason in reasons { #expect(Messages(language).explain(reason).last != ".") }
    }
  }

  @Test func codesOfReasonsAreDistinct() {
    #expect(Set(failures.map(\.code)).count == failures.count - 2)
    // All kinds of `wrongType` have one code, and two codes of failures occur twice.
    #expect(
      Set(reasons.map(\.code)).count == reasons.count - (LegacyProblem.Kind.allCases.count - 1) - 2)
  }

  @Test func truncatedDataIsExplainedWithAdvice() {
    for language in [Language.vietnamese, .english] {
      #expect(
        Messages(language).explain(.shortened(.favorites), in: "dump.txt")
          .contains("defaults export com.Donald.Quranvn"))
    }
  }

  @Test func formatsAndShapesHaveNames() {
    let messages = Messages(.english)
    #expect(Set(LegacyDump.Step.allCases.map(messages.name(of:))).count == 11)
    #expect(messages.name(of: LegacyDump.Shape([.data, .json])) == "Data › JSON")
    #expect(messages.name(of: LegacyDump.Shape([])) == "plain value")
    for step in LegacyDump.Step.allCases {
      #expect(!messages.name(of: LegacyDump.Shape([step])).isEmpty)
    }
  }
}
