import Messages
import Quran
import QuranEnc
import RecordClient
import Testing
import Text

@testable import Editions

/// Sentences about texts of the Quran.
struct EditionFactsTests {
  private static let failures: [EditionFailure] =
    [
      .unknownFormat, .tooLarge(limit: 1 << 26), .tooLargeUnpacked(limit: 1 << 26),
      .damagedArchive, .unsupportedArchive, .notUTF8(offset: 7, line: 2), .invalidJSON(path: ""),
      .invalidJSON(path: "quran.\u{1B}1"), .tooDeep(limit: 16), .tooManyValues(limit: 9),
      .tooManyAyahs(limit: 9), .controlCharacter(.first, "\u{1B}"),
      .ayahTooLong(.last, limit: 1 << 16), .faults(EditionFaults(missing: [.first])),
    ] + EditionFormat.allCases.map { .malformed($0, line: 3) }

  private static let reasons: [EditionFileFailure.Reason] = [
    .notFound, .invalidID, .bundled, .shared, .noDirectory, .system(code: 13), .notRegularFile,
    .notAnEdition, .otherVersion(2, supported: 1), .tooLarge(limit: 1 << 26),
    .wrongSize(1, expected: 2), .wrongChecksum, .wrongMetadata, .otherID("vi.b\u{1B}"),
    .wrongTable, .emptyAyah(.first), .notUTF8, .controlCharacter,
  ]

  private static let downloads: [DownloadFailure] = [
    .address(.notSecure), .environment(.certificateAuthorities(variable: "X", path: "/x")),
    .unreachable(.hostNotFound), .interrupted(.connectionClosed), .status(500),
    .unexpectedResponse, .unreadableCatalog, .notListed(key: "a_b\u{1B}"),
    .unusableResponse(.first, .unknownFormat), .changed, .busy, .storage(code: 28), .cancelled,
  ]

  @Test func eachFailureHasADistinctSentenceInBothLanguages() {
    let all = Language.allCases.flatMap { language -> [String] in
      let messages = Messages(language)
      return Self.failures.map { messages.explain($0, in: "a\u{1B}\nb") }
        + Self.reasons.map {
          messages.explain(EditionFileFailure(file: "vi.a\u{1B}.edition", $0))
        } + Self.downloads.map { messages.explain(EditionInstallFailure.download($0)) }
    }
    #expect(Set(all).count == all.count)
    for sentence in all {
      #expect(!sentence.contains { $0.isNewline || $0 == "\u{1B}" }, "\(sentence)")
      #expect(sentence.count > 10)
    }
    #expect(all.allSatisfy { $0.last == "." || $0.contains("quran-vi text") })
  }

  @Test func allFaultsAreListed() {
    let faults = EditionFaults(
      missing: Array(AyahID("2:254")!...AyahID("3:2")!) + [.last],
      extra: [.init(surah: 1, ayah: 8), .init(surah: 1, ayah: 9), .init(surah: 115, ayah: 1)],
      repeated: [.first], empty: [AyahID("5:1")!, AyahID("5:3")!])
    let text = Messages(.vietnamese).explain(.faults(faults), in: "x")
    #expect(
      text
        == "“x” không phải đúng 6236 câu của Kinh Quran: thiếu 2:254-3:2, 114:6; thừa 1:8-9, 115:1;"
        + " lặp lại 1:1; trống 5:1, 5:3.")
  }

  @Test func failuresAreExplainedWithARemedy() {
    let messages = Messages(.english)
    let curl = messages.explain(DownloadFailure.unreachable(.curlUnavailable))
    #expect(curl.contains("apt-get install libcurl4"))
    for isPartKept in [false, true] {
      let failure = EditionInstallFailure.download(.interrupted(.timedOut), isPartKept: isPartKept)
      #expect(messages.explain(failure).contains("continues") == isPartKept)
    }
    let damaged = EditionFileFailure(file: "vi.a.edition", .wrongChecksum)
    #expect(messages.explain(damaged).contains("quran-vi text install"))
    #expect(messages.explain(damaged).contains("“vi.a”"))
  }

  @Test func theArabicTextIsNamedInTheLanguageOfTheInterface() {
    var info = Edition.bundled.info
    info.id = "ar.hafs"
    info.title = "عربي"
    info.publisher = ""
    info.version = "3.0"
    #expect(Messages(.vietnamese).credit(of: info) == "Nguyên văn Ả Rập · Hafs, bản 3.0")
    for (language, title) in [
      (Language.english, "Arabic original · Hafs"), (.vietnamese, "Nguyên văn Ả Rập · Hafs"),
    ] {
      let messages = Messages(language)
      #expect(messages.title(of: info) == title && messages.fullTitle(of: info) == title)
      #expect(messages.provenance(of: info, hasFootnotes: false).first?.text == title)
    }
    info.id = "ar.own"
    #expect(Messages(.english).title(of: info) == "عربي")
  }

  @Test func publishersAreCredited() {
    let messages = Messages(.english)
    var info = RecognisedTranslation.all[0].info
    info.version = "1.0.5"
    #expect(messages.credit(of: info) == "Rowwad Translation Center, QuranEnc.com, version 1.0.5")
    #expect(
      messages.credit(of: Edition.bundled.info) == "Bundled rendering – not reviewed by scholars")
    #expect(messages.terms(of: info).hasPrefix("QuranEnc.com: the text is not changed"))
    info.licence = ""
    #expect(messages.terms(of: info) == "unknown")
    #expect(messages.terms(of: Edition.bundled.info) == "CC0-1.0")
    info.title = ""
    #expect(messages.title(of: info) == "vi.rwwad")
    let names = messages.provenance(of: info, hasFootnotes: true).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(!names.contains("Notes") && names.contains("Footnotes"))
  }
}
