import Digests
import Foundation
import Quran
import TestSupport
import Testing
import Text

@testable import Editions

struct FormatTests {
  @Test(arguments: EditionFormat.allCases, Packing.allCases)
  func eachFormatGivesTheSameText(_ format: EditionFormat, _ packing: Packing) throws {
    let fixture = EditionFixture.bundled
    let editions = try ParsedEdition.parse(packing.pack(fixture.bytes(format)))
    let edition = try #require(editions.first)
    #expect(edition.format == format)
    #expect(editions.count == ([.quranEncJSON, .phoneAppJSON].contains(format) ? 2 : 1))
    for (ayah, expected) in zip(AyahID.first...AyahID.last, fixture.ayahs) {
      let isEqual = sameBytes(edition.content.text(of: ayah), expected.text)
      #expect(isEqual, "\(ayah)")
      let footnotes = EditionFixture.hasFootnotes(format) ? fixture.footnotes[ayah] : nil
      #expect(sameBytes(edition.content.footnotes[ayah], footnotes))
    }
  }

  @Test(arguments: [EditionFormat.quranEncJSON, .phoneAppJSON])
  func theArabicOfTheSameFileIsAnEditionToo(_ format: EditionFormat) throws {
    let editions = try ParsedEdition.parse(EditionFixture.short.bytes(format))
    #expect(
      editions.map(\.info.language) == (format == .phoneAppJSON ? ["vi", "ar"] : ["", "ar"]))
    #expect(editions.map(\.info.direction) == [.leftToRight, .rightToLeft])
    for ayah in AyahID.first...AyahID.last {
      #expect(editions[1].content.text(of: ayah) == "عربي \(ayah.surah) \(ayah.ayah)")
    }
  }

  @Test(arguments: [EditionFormat.quranEncCSV, .quranEncXML, .quranEncJSON, .chapterVerseJSON])
  func anAyahMayHaveLineBreaks(_ format: EditionFormat) throws {
    var fixture = EditionFixture.short
    fixture.edit("2:282") { _ in "một\nhai\r\n\r\nba,\n\"bốn\"\n" }
    let content = try #require(ParsedEdition.parse(fixture.bytes(format)).first).content
    #expect(sameBytes(content.text(of: AyahID("2:282")!), "một\nhai\r\n\r\nba,\n\"bốn\"\n"))
  }

  @Test func responsesForAllSurahsAreOneText() throws {
    let fixture = EditionFixture.bundled
    let surahs = Dictionary(grouping: fixture.ayahs, by: \.surah).sorted { $0.key < $1.key }
    let responses = try surahs.map {
      try fixture.json($0.value.map(fixture.quranEncRow), wrapped: "result")
    }
    let list = [UInt8(ascii: "[")] + responses.joined(separator: [UInt8(ascii: ",")]) + [0x5D]
    let rows = try JSONSerialization.data(withJSONObject: fixture.ayahs.map(fixture.quranEncRow))
    for bytes in [list, Array(responses.joined()), Array(rows)] {
      let content = try #require(ParsedEdition.parse(bytes).first).content
      for (ayah, expected) in zip(AyahID.first...AyahID.last, fixture.ayahs) {
        #expect(sameBytes(content.text(of: ayah), expected.text))
      }
    }
    // One response twice.
    let repeated = EditionFaults(repeated: Array(SurahNumber.first.ayahs))
    #expect(throws: EditionFailure.faults(repeated)) {
      try ParsedEdition.parse(Array((responses + responses[..<1]).joined()))
    }
  }

  @Test func responsesAreCollectedSurahBySurah() throws {
    let fixture = EditionFixture.bundled
    func response(_ surah: SurahNumber, without ayah: Int = 0) throws -> [UInt8] {
      let rows = fixture.ayahs.filter { $0.surah == surah.rawValue && $0.ayah != ayah }
      return try fixture.json(rows.map(fixture.quranEncRow), wrapped: "result")
    }
    var download = QuranEncDownload()
    for surah in SurahNumber.all.reversed().dropLast() {
      try download.add(response(surah), of: surah)
    }
    // A response without exactly the ayahs of the surah is refused, and changes nothing.
    for (bytes, failure) in [
      (try response(.first, without: 3), EditionFailure.faults(.init(missing: [AyahID("1:3")!]))),
      (
        try response(SurahNumber(108)!),
        .faults(
          .init(
            missing: Array(SurahNumber.first.ayahs),
            extra: (1...3).map { .init(surah: 108, ayah: $0) }))
      ),
      (Array("<html></html>".utf8), .invalidJSON(path: "")),
      (Array("{\"quran\":[]}".utf8), .unknownFormat),
      (Array("{}".utf8), .unknownFormat),
    ] {
      #expect(throws: failure) { try download.add(bytes, of: .first) }
    }
    #expect(throws: EditionFailure.faults(.init(missing: Array(SurahNumber.first.ayahs)))) {
      try download.editions(key: "vietnamese_rwwad", title: "", version: "")
    }
    #expect(download.surahs.count == 113)
    try download.add(response(.first), of: .first)
    let editions = try download.editions(
      key: "vietnamese_rwwad", title: "Tên", version: "1.0.5")
    // A second response for the same surah is ignored.
    try download.add(response(.first) + [0x0A], of: .first)
    let again = try download.editions(key: "vietnamese_rwwad", title: "Tên", version: "1.0.5")
    #expect(again.map(\.info) == editions.map(\.info))
    #expect(editions.map(\.info.id) == ["vi.rwwad", "ar.hafs"])
    #expect(editions[0].info.version == "1.0.5")
    #expect(editions[0].info.sourceChecksum.count == 64)
    for (ayah, expected) in zip(AyahID.first...AyahID.last, fixture.ayahs) {
      #expect(sameBytes(editions[0].content.text(of: ayah), expected.text))
      #expect(sameBytes(editions[0].content.footnotes[ayah], fixture.footnotes[ayah]))
    }
  }

  @Test func ayahNumbersMayBeXMLElements() throws {
    let rows = EditionFixture.short.ayahs.map {
      """
      <row><id>7</id><sura>\($0.surah)</sura><aya>\($0.ayah)</aya>
      <translation>\($0.text)</translation><footnotes></footnotes></row>
      """
    }
    let edition = try #require(
      ParsedEdition.parse(Array("<rows>\(rows.joined())</rows>".utf8)).first)
    #expect(edition.format == .quranEncXML)
    for ayah in AyahID.first...AyahID.last {
      #expect(edition.content.text(of: ayah) == "text \(ayah)")
    }
  }

  @Test func allTextsOfAZipFileAreFound() throws {
    let archive = Packing.zip([
      ("a.txt", try EditionFixture.short.bytes(.tanzilText)), ("empty", []),
      ("b.json", try EditionFixture.bundled.bytes(.chapterVerseJSON)),
    ])
    let editions = try ParsedEdition.parse(archive)
    #expect(editions.map(\.format) == [.tanzilText, .chapterVerseJSON])
  }

  // MARK: Faults

  /// The formats in which every ayah has its number. Ayah lines have no numbers, and a mushaf only
  /// has the number of ayahs of each surah.
  private static let numberedFormats = EditionFormat.allCases.filter {
    $0 != .ayahLines && $0 != .mushafJSON
  }

  @Test(arguments: numberedFormats)
  func faultsAreReportedCompletely(_ format: EditionFormat) throws {
    var fixture = EditionFixture.short
    for ayah in ["1:1", "2:7", "9:129"] { fixture.edit(ayah) { _ in "" } }
    fixture.edit("3:5") { _ in " \u{A0}" }
    let kept = fixture.ayahs[6235]
    fixture.ayahs.remove(at: 6235)
    fixture.ayahs.remove(at: AyahID("2:255")!.index - 1)
    fixture.ayahs += [
      (115, 1, "a"), (2, 287, "b"), (1, 0, "c"), (9999, 9999, "d"), (5, 5, "e"), (5, 5, "f"),
      (112, 1, "g"), (0, 1, "h"),
    ]
    let expected = EditionFaults(
      missing: [AyahID("2:255")!, AyahID("114:6")!],
      extra: [(0, 1), (1, 0), (2, 287), (115, 1), (9999, 9999)].map {
        EditionFaults.ExtraAyah(surah: $0, ayah: $1)
      },
      repeated: [AyahID("5:5")!, AyahID("112:1")!],
      empty: ["1:1", "2:7", "3:5", "9:129"].map { AyahID($0)! })
    #expect(throws: EditionFailure.faults(expected)) {
      try ParsedEdition.parse(fixture.bytes(format))
    }
    fixture = .short
    fixture.ayahs.append(kept)
    #expect(throws: EditionFailure.faults(EditionFaults(repeated: [.last]))) {
      try ParsedEdition.parse(fixture.bytes(format))
    }
  }

  @Test func faultsInAyahLinesAreFoundByPosition() throws {
    var fixture = EditionFixture.short
    fixture.edit("2:255") { _ in "" }
    fixture.ayahs.removeLast(2)
    let missing = EditionFaults(
      missing: [AyahID("114:5")!, .last], empty: [AyahID("2:255")!])
    #expect(throws: EditionFailure.faults(missing)) {
      try ParsedEdition.parse(fixture.bytes(.ayahLines))
    }
    fixture = .short
    fixture.ayahs += [(0, 0, "a"), (0, 0, "b")]
    let extra = EditionFaults(extra: [.init(surah: 114, ayah: 7), .init(surah: 114, ayah: 8)])
    #expect(throws: EditionFailure.faults(extra)) {
      try ParsedEdition.parse(fixture.bytes(.ayahLines))
    }
  }

  @Test func aMushafWithAnotherAyahNumberingIsRefused() throws {
    var fixture = EditionFixture.short
    fixture.ayahs.remove(at: 3)
    fixture.ayahs.append((114, 7, "x"))
    #expect {
      try ParsedEdition.parse(fixture.bytes(.mushafJSON))
    } throws: { error in
      error as? EditionFailure
        == .faults(
          EditionFaults(missing: [AyahID("1:7")!], extra: [.init(surah: 114, ayah: 7)]))
    }
  }

  @Test func theVersionOfAMushafIsReadFromTheNameOfItsPackage() {
    for (name, version) in [
      ("UthmanicHafs-v-3.0.zip", "3.0"), ("UthmanicHafs_v2-0.zip", "2.0"), ("text v12.zip", "12"),
      ("UthmanicHafs_v2.1.zip", "2.1"), ("Uthmanic-verse-2.zip", "Uthmanic-verse-2.zip"),
      ("hafs-v.zip", "hafs-v.zip"), ("hafs", "hafs"), ("", ""),
    ] {
      #expect(MushafFile.version(ofPackage: name) == version)
    }
  }

  @Test(arguments: numberedFormats)
  func aTextWithTooManyAyahsIsRefused(_ format: EditionFormat) throws {
    var fixture = EditionFixture.short
    fixture.ayahs += Array(repeating: (1, 1, "x"), count: EditionFormat.ayahLimit)
    #expect(throws: EditionFailure.tooManyAyahs(limit: EditionFormat.ayahLimit)) {
      try ParsedEdition.parse(fixture.bytes(format))
    }
  }

  // MARK: Metadata

  @Test func metadataOfQuranEncFilesIsRead() throws {
    var csv = String(decoding: EditionFixture.short.csv(), as: UTF8.self)
    csv = """
      # Translation of the meanings of the Noble Qur'an
      # Language: English
      # Translation ID: english_saheeh
      # Source: https://quranenc.com
      # URL: https://quranenc.com/en/browse/english_saheeh
      # Last update: 2025-06-24 16:37:27 (v1.1.2-csv.1)

      """ + csv
    let bytes = Array(csv.utf8)
    var info = try #require(ParsedEdition.parse(bytes).first).info
    #expect(
      info.notes.hasPrefix(
        "Translation of the meanings of the Noble Qur'an\nLanguage: English\n"))
    #expect(info.notes.hasSuffix("\nInfo:\nmore"))
    #expect(info.quranEncKey == "english_saheeh")
    info.notes = ""
    #expect(
      info
        == Edition.Info(
          id: "en.saheeh", language: "en", direction: .leftToRight,
          title: "Translation of the meanings of the Noble Qur'an", publisher: "QuranEnc.com",
          source: "https://quranenc.com/en/browse/english_saheeh", version: "v1.1.2-csv.1",
          licence: "QuranEnc", isRecognised: true, sourceChecksum: SHA256.hex(of: bytes)))
  }

  @Test func notesAreSanitizedAndLimited() throws {
    let lines = (1...190).map { "# \($0) \u{1B}[31m \(String(repeating: "ế", count: 900))\n" }
    let bytes = Array(lines.joined().utf8) + EditionFixture.short.csv()
    let folder = try TemporaryDirectory()
    var edition = try #require(ParsedEdition.parse(bytes).first)
    edition.info.id = "vi.x"
    #expect(edition.info.notes.unicodeScalars.count == SourceNotes.scalarLimit)
    #expect(edition.info.notes.hasPrefix("1 [31m ế"))
    let editions = InstalledEditions(directory: folder.path)
    #expect(try editions.install(edition, at: 1).info.notes == edition.info.notes)
  }

  @Test func theQuranEncKeyIsReadFromTheSourceURL() {
    var info = Edition.bundled.info
    info.isRecognised = true
    for (source, key) in [
      ("https://quranenc.com/en/browse/english_saheeh", "english_saheeh"),
      ("https://quranenc.com/vi/browse/vietnamese_hassan/", "vietnamese_hassan"),
      ("https://quranenc.com", nil), ("https://quranenc.com/../../x", nil),
      ("https://example.org/english_saheeh", nil), ("https://quranenc.com/a?b_c", nil),
    ] {
      info.source = source
      #expect(info.quranEncKey == key, "\(source)")
    }
    #expect(
      RecognisedTranslation.all.map(\.info.quranEncKey) == RecognisedTranslation.all.map(\.key))
    // A text under another ID has no key.
    info = RecognisedTranslation.all[0].info
    info.id = "vi.old"
    info.isRecognised = false
    #expect(info.quranEncKey == nil)
  }

  @Test func recognisedTranslationsGetTheirMetadata() throws {
    let xml = String(decoding: try EditionFixture.short.bytes(.quranEncXML), as: UTF8.self)
      .replacing(
        "<quran>",
        with: """
          <quran><meta><id>vietnamese_rwwad</id><title>Bản dịch</title>
          <updated_at>2025-01-01 (v1.0.5-xml.1)</updated_at></meta>
          """)
    let info = try #require(ParsedEdition.parse(Array(xml.utf8)).first).info
    #expect(info.id == "vi.rwwad")
    #expect(info.language == "vi")
    #expect(info.translator == "Rowwad Translation Center")
    #expect(info.publisher == "QuranEnc.com")
    #expect(info.version == "v1.0.5-xml.1")
    #expect(info.isRecognised)
    #expect(info.kind == .translation)
  }

  @Test func metadataOfTanzilFilesIsRead() throws {
    let header = """
      #  Name: Ti\u{1B}[31mtle
      #  Translator: Người dịch
      #  Language: English
      #  ID: en.test
      #  Last Update: July 12, 2010
      #  Source: Tanzil.net

      """
    for format in [EditionFormat.tanzilText, .ayahLines] {
      let text = String(decoding: try EditionFixture.short.bytes(format), as: UTF8.self)
      let bytes = Array((header + text.drop { $0 == "\u{FEFF}" }).utf8)
      let info = try #require(ParsedEdition.parse(bytes).first).info
      #expect(info.id == "en.test")
      #expect(info.language == "en")
      #expect(info.title == "Ti[31mtle")
      #expect(info.translator == "Người dịch")
      #expect(info.publisher == "Tanzil.net")
      #expect(info.version == "July 12, 2010")
      #expect(info.isRecognised)
    }
  }

  @Test func theKindFollowsFromTheTranslationID() throws {
    for (id, kind) in [
      ("vietnamese_mokhtasar", Edition.Kind.commentary), ("en.transliteration", .transliteration),
      ("vietnamese_hassan", .translation),
    ] {
      let bytes = Array("# Translation ID: \(id)\n".utf8) + EditionFixture.short.csv()
      #expect(try #require(ParsedEdition.parse(bytes).first).info.kind == kind)
    }
  }

  @Test func aTextWithoutANameOrWithTheIDOfTheBundledTextIsNotRecognised() throws {
    let info = try #require(
      ParsedEdition.parse(EditionFixture.short.bytes(.chapterVerseJSON)).first
    ).info
    #expect(info.id == "")
    #expect(!info.isRecognised)
    // Another text cannot have the ID of the bundled text.
    let xml = String(decoding: try EditionFixture.short.bytes(.tanzilXML), as: UTF8.self)
      .replacing("# Name: Thử", with: "# ID: vi.quranvi")
    let other = try #require(ParsedEdition.parse(Array(xml.utf8)).first).info
    #expect(other.id == "" && !other.isRecognised)
  }
}
