import Digests
import Foundation
import Glibc
import Quran
import TestSupport
import Testing

@testable import Editions

struct EditionFileTests {
  private static func parsed(
    _ fixture: EditionFixture, _ format: EditionFormat = .quranEncCSV, id: String = "vi.test"
  ) throws -> ParsedEdition {
    var edition = try ParsedEdition.parse(fixture.bytes(format))[0]
    edition.info.id = id
    edition.info.language = "vi"
    return edition
  }

  private static func file(_ fixture: EditionFixture) throws -> [UInt8] {
    let edition = try parsed(fixture)
    return try EditionFile.encode(edition.info, edition.content)
  }

  private static func withChecksum(_ file: [UInt8]) -> [UInt8] {
    let content = file.dropLast(SHA256.byteCount)
    return content + content.withUnsafeBytes(SHA256.digest)
  }

  private static func failure(_ file: [UInt8]) -> EditionFileFailure.Reason? {
    file.withUnsafeBytes { bytes in
      do throws(EditionFileFailure.Reason) {
        _ = try EditionFile.validate(bytes)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func anInstalledEditionHasTheTextOfItsSource() throws {
    let fixture = EditionFixture.bundled
    let edition = try Edition(file: Self.file(fixture))
    #expect(edition.info.id == "vi.test")
    for (ayah, expected) in zip(AyahID.first...AyahID.last, fixture.ayahs) {
      #expect(sameBytes(edition.text(of: ayah), expected.text))
      #expect(edition.bytes(of: ayah).elementsEqual(expected.text.utf8))
      #expect(sameBytes(edition.footnoteText(of: ayah), fixture.footnotes[ayah]))
      #expect(sameBytes(edition.textWithoutBasmala(of: ayah), expected.text))
    }
    #expect(
      edition.footnotes(of: AyahID("2:255")!)
        == [Footnote(number: 7, text: "Một “chú thích”, \"hai\" & <ba>\n\nbốn")])
    #expect(edition.footnotes(of: .first).isEmpty)
    #expect(SurahNumber.all.allSatisfy { edition.basmala(before: $0) == nil })
  }

  @Test func aSearchFindsTheInstalledText() throws {
    let index = SearchIndex(try Edition(file: Self.file(.bundled)))
    let query = SearchQuery("dang rat muc")
    let (found, expected) = (index.search(query), SearchIndex(.bundled).search(query))
    #expect(!found.ayahs.isEmpty && found.ayahs == expected.ayahs)
    #expect(found.exactCount == expected.exactCount)
  }

  @Test(arguments: [
    "bismi lahi", "Nhân danh Allah, Đấng Nhân Từ.", "بِٱسْمِ مَدْرَسَةٍ كَبِيرَةٍ جِدًّا",
  ])
  func aBasmalaBeforeAnAyahIsRecognised(_ basmala: String) throws {
    var plain = EditionFixture.short
    plain.edit("1:1") { _ in basmala }
    var inLine = plain
    var attributes = plain
    attributes.basmala = basmala
    for surah in SurahNumber.all where surah.surah.isHeadedByBasmala {
      inLine.edit("\(surah):1") { "\(basmala) \($0)" }
    }
    let editions = try [(plain, .tanzilText), (inLine, .tanzilText), (attributes, .tanzilXML)].map {
      let parsed = try Self.parsed($0, $1)
      return try Edition(file: EditionFile.encode(parsed.info, parsed.content))
    }
    for ayah in AyahID.first...AyahID.last {
      for edition in editions {
        #expect(
          edition.textWithoutBasmala(of: ayah) == editions[0].text(of: ayah), "\(edition) \(ayah)")
      }
      #expect(sameBytes(editions[1].text(of: ayah), inLine.ayahs[ayah.index - 1].text))
    }
    for surah in SurahNumber.all {
      let isHeaded = surah.surah.isHeadedByBasmala
      #expect(editions.map { $0.leadingBasmalaCount(surah) > 0 } == [false, isHeaded, false])
      #expect(editions[0].basmala(before: surah) == nil)
      #expect(sameBytes(editions[1].basmala(before: surah), isHeaded ? basmala + " " : nil))
      #expect(sameBytes(editions[2].basmala(before: surah), isHeaded ? basmala : nil))
      for edition in editions {
        #expect(sameBytes(edition.heading(of: surah), isHeaded ? basmala : nil))
      }
    }
  }

  @Test func headingsHaveNoFootnoteMarks() throws {
    var fixture = EditionFixture.short
    fixture.edit("1:1") { _ in "[1] Nhân danh[2] Allah [13] " }
    let edition = try Edition(file: Self.file(fixture))
    let heading = try #require(SurahNumber(2).flatMap(edition.heading(of:)))
    #expect(heading == " Nhân danh Allah")
    #expect(edition.heading(of: .first) == nil)
  }

  /// A commentary on 1:1 is not a basmala.
  @Test func commentariesHaveNoHeadings() throws {
    var parsed = try Self.parsed(.short)
    parsed.info.kind = .commentary
    let edition = try Edition(file: EditionFile.encode(parsed.info, parsed.content))
    #expect(SurahNumber.all.allSatisfy { edition.heading(of: $0) == nil })
  }

  @Test func aBasmalaMayBeSpelledDifferently() {
    let basmala = "بِٱسْمِ مَدْرَسَةٍ كَبِيرَةٍ جِدًّا"
    // Tanzil's text has another mark on the first letter before two surahs.
    let text = "بِّٱسْمِ مَدْرَسَةٍ كَبِيرَةٍ جِدًّا وَكِتَابٌ"
    let count = LeadingBasmala.length(in: text, basmala: basmala)
    #expect(String(decoding: text.utf8.dropFirst(count), as: UTF8.self) == "وَكِتَابٌ")
    #expect(LeadingBasmala.length(in: basmala, basmala: basmala) == 0)
    #expect(LeadingBasmala.length(in: "مَدْرَسَةٍ", basmala: basmala) == 0)
    #expect(LeadingBasmala.length(in: "", basmala: "") == 0)
    #expect(LeadingBasmala.length(in: "a", basmala: "…") == 0)
    #expect(LeadingBasmala.length(in: "In the name. (Alif)", basmala: "In the name") == 13)
    #expect(LeadingBasmala.length(in: "In the name[1]. (Alif)", basmala: "In [2] the name") == 16)
  }

  @Test func theBundledTextHasNoLeadingBasmala() {
    for surah in SurahNumber.all where surah.surah.isHeadedByBasmala {
      let text = Edition.bundled.text(of: surah.firstAyah)
      #expect(LeadingBasmala.length(in: text, basmala: Edition.bundled.text(of: .first)) == 0)
      #expect(Edition.bundled.leadingBasmalaCount(surah) == 0)
    }
  }

  // MARK: Damaged files

  @Test func aTruncatedFileIsRefused() throws {
    let file = try Self.file(.bundled)
    #expect(Self.failure(file) == nil)
    for count in stride(from: 0, to: file.count, by: 997) {
      let expected: EditionFileFailure.Reason =
        count == 0 ? .notAnEdition : .wrongSize(count, expected: file.count)
      #expect(Self.failure(Array(file[..<count])) == expected)
    }
    #expect(Self.failure(file + [0]) == .wrongSize(file.count + 1, expected: file.count))
  }

  @Test func aChangedByteIsDetected() throws {
    let file = try Self.file(.short)
    var random = SeededGenerator(seed: 2)
    for _ in 0..<3_000 {
      var changed = file
      let place = Int.random(in: 0..<file.count, using: &random)
      changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      #expect(Self.failure(changed) != nil)
    }
  }

  /// Files with a forged checksum: each is refused, or all of its text can be read.
  @Test func aFileWithAForgedChecksumDoesNotCrash() throws {
    let file = try Self.file(.short)
    var random = SeededGenerator(seed: 3)
    var accepted = 0
    for round in 0..<3_000 {
      var changed = file
      // Half of the changes are in the header and the tables.
      let end = round % 2 == 0 ? file.count - SHA256.byteCount : 51_000
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 8..<end, using: &random)
        changed[place] = UInt8.random(in: 0...255, using: &random)
      }
      changed = Self.withChecksum(changed)
      guard Self.failure(changed) == nil else { continue }
      accepted += 1
      let edition = try Edition(file: changed)
      for ayah in AyahID.first...AyahID.last {
        let text = edition.text(of: ayah)
        #expect(!text.isEmpty)
        #expect(edition.bytes(of: ayah).elementsEqual(text.utf8))
        #expect(text.firstForbiddenControl == nil)
        _ = edition.textWithoutBasmala(of: ayah)
        _ = edition.footnotes(of: ayah)
        _ = edition.basmala(before: ayah.surah)
      }
      guard accepted < 20 else { break }
    }
    #expect(accepted > 0)
  }

  /// Compares `isPlainText` with an exact check, for every byte followed by two bytes at the edges
  /// of UTF-8's ranges.
  @Test func plainTextIsUTF8WithoutControls() {
    func isPlainText(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { $0.isPlainText } }
    func isExpected(_ bytes: [UInt8]) -> Bool {
      guard let text = String(validating: bytes, as: UTF8.self) else { return false }
      return text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
      }
    }
    var wrong: [[UInt8]] = []
    let edges: [UInt8] = [
      0x0A, 0x1B, 0x61, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xF0,
    ]
    for first in UInt8.min...UInt8.max {
      for second in edges {
        for third in edges {
          let bytes = [0x61, first, second, third]
          if isPlainText(bytes) != isExpected(bytes) { wrong.append(bytes) }
        }
      }
    }
    #expect(wrong.isEmpty)
    #expect(isPlainText([]))
    // All scalars from U+00A0 that two or three bytes encode.
    let scalars = (0xA0...0xFFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    #expect(scalars.allSatisfy { isPlainText(Array(String($0).utf8)) })
    #expect(!isPlainText(Array("\u{10000}".utf8)))
  }

  @Test func lineBreaksAndScalarsOfFourBytesAreAccepted() throws {
    var fixture = EditionFixture.short
    fixture.edit("2:255") { _ in "một\r\nhai 😀 \u{1E900}\u{A0}" }
    let edition = try Edition(file: Self.file(fixture))
    #expect(edition.text(of: AyahID("2:255")!) == "một\r\nhai 😀 \u{1E900}\u{A0}")
  }

  /// CR and LF are a line break only in the same ayah. Otherwise CR is a control character.
  @Test func theEndOfAnAyahIsNotPartOfALineBreak() throws {
    var fixture = EditionFixture.short
    fixture.edit("2:255") { _ in "một\r\n" }
    fixture.edit("2:256") { _ in "hai" }
    var file = try Self.file(fixture)
    #expect(Self.failure(file) == nil)
    // The table of positions has the end of 2:255, which is also the beginning of 2:256.
    let end = 28 + 4 * AyahID("2:255")!.index
    file[end] -= 1
    #expect(Self.failure(Self.withChecksum(file)) == .controlCharacter)
  }

  @Test func refusalsHaveTheirReason() throws {
    let file = try Self.file(.short)
    func changed(_ place: Int, _ byte: UInt8, updatesChecksum: Bool = true) -> [UInt8] {
      var file = file
      file[place] = byte
      return updatesChecksum ? Self.withChecksum(file) : file
    }
    let text = try #require(file.firstRange(of: Array("text 2:255".utf8))).lowerBound
    let metadata = try #require(file.firstRange(of: Array("{\"".utf8))).lowerBound
    #expect(Self.failure(changed(0, 0)) == .notAnEdition)
    #expect(Self.failure(changed(8, 2)) == .otherVersion(2, supported: 1))
    #expect(Self.failure(changed(8, 0)) == .otherVersion(0, supported: 1))
    #expect(Self.failure(changed(text, 0x54, updatesChecksum: false)) == .wrongChecksum)
    #expect(Self.failure(changed(text, 0xFF)) == .notUTF8)
    #expect(Self.failure(changed(text, 0x1B)) == .controlCharacter)
    #expect(Self.failure(changed(metadata, 0x20)) == .wrongMetadata)
    #expect(Self.failure(changed(28 + 4 * 10 + 3, 1)) == .wrongTable)
    #expect(Self.failure(changed(14, 0xFF)) == .wrongMetadata)
    #expect(Self.failure(Array("# Tanzil\n1|1|text of this ayah and more".utf8)) == .notAnEdition)
    // An ayah without text.
    var empty = file
    empty.replaceSubrange(32..<36, with: [0, 0, 0, 0])
    #expect(Self.failure(Self.withChecksum(empty)) == .emptyAyah(.first))
  }
}

struct FootnoteTests {
  @Test func marksAreFound() {
    let text = "a[1]b [All] c[23] [x1] [] [12345] [4"
    let marks = FootnoteMark.marks(in: text)
    #expect(marks.map(\.number) == [1, 23])
    #expect(marks.map { String(text[$0.range]) } == ["[1]", "[23]"])
    #expect(FootnoteMark.marks(in: "").isEmpty)
    #expect(FootnoteMark.marks(in: "[[7]]").map(\.number) == [7])
  }

  @Test(arguments: [
    ("[1] a", [Footnote(number: 1, text: "a")]),
    (
      "[1] a [3] b\r\n\r\n [2] c\nd ",
      [Footnote(number: 1, text: "a [3] b"), Footnote(number: 2, text: "c\nd")]
    ),
    ("x\n[1]a", [Footnote(number: nil, text: "x"), Footnote(number: 1, text: "a")]),
    ("x", [Footnote(number: nil, text: "x")]), (" \n", []), ("[1]", []), ("", []),
  ])
  func footnotesAreSeparated(_ text: String, _ footnotes: [Footnote]) {
    #expect(Footnote.parse(text) == footnotes)
  }
}
