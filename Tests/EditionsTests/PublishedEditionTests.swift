import Digests
import Foundation
import Quran
import TestSupport
import Testing
import Text

@testable import Editions

@Suite(
  .enabled(
    if: PublishedFiles.phoneApp != nil,
    "the phone app's file is neither in $QURAN_TEST_DATA nor beside the checkout"))
struct PhoneAppFileTests {
  private struct Book: Decodable {
    struct Surah: Decodable {
      let number: Int
      let ayahs: [Ayah]
    }
    struct Ayah: Decodable {
      let number: Int
      let arabic: String
      let vietnamese: String
    }
    let surahs: [Surah]
  }

  @Test func bothEditionsEqualTheirSource() throws {
    let data = try Data(contentsOf: try #require(PublishedFiles.phoneApp))
    let book = try JSONDecoder().decode(Book.self, from: data)
    let folder = try TemporaryDirectory()
    let editions = InstalledEditions(directory: folder.path)
    for edition in try ParsedEdition.parse(Array(data)) { try editions.install(edition, at: 5) }
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.hafs", "vi.rwwad"])
    #expect(editions.defaultEdition(language: "vi").info.id == "vi.rwwad")
    let arabic = try editions.edition("ar.hafs")
    let vietnamese = try editions.edition("vi.rwwad")
    var count = 0
    var marks = 0
    for surah in book.surahs {
      for ayah in surah.ayahs {
        let id = try #require(AyahID(surah: surah.number, ayah: ayah.number))
        #expect(sameBytes(arabic.text(of: id), ayah.arabic))
        #expect(sameBytes(vietnamese.text(of: id), ayah.vietnamese))
        marks += FootnoteMark.marks(in: ayah.vietnamese).count
        count += 1
      }
    }
    #expect(count == 6236)
    #expect(marks == 175)
    #expect((AyahID.first...AyahID.last).allSatisfy { vietnamese.footnotes(of: $0).isEmpty })
    #expect(arabic.info.direction == .rightToLeft)
    #expect(arabic.info.kind == .original)
    #expect(vietnamese.info.publisher == "QuranEnc.com")
    #expect(vietnamese.info.version == "2025-10-31")
    #expect(SurahNumber.all.allSatisfy { arabic.leadingBasmalaCount($0) == 0 })
  }
}

@Suite(
  .enabled(
    if: PublishedFiles.wheel != nil,
    "the wheel of quran-text is neither $QURAN_TEXT_WHEEL nor in $QURAN_TEST_DATA"))
struct QuranTextWheelTests {
  @Test func theArabicEqualsTheTextOfThePackage() throws {
    let data = try Data(contentsOf: try #require(PublishedFiles.wheel))
    let editions = try ParsedEdition.parse(Array(data))
    #expect(editions.map(\.info.id) == ["ar.hafs"])
    let edition = try #require(editions.first)
    #expect(edition.info.licence == "CC-BY-4.0")
    #expect(edition.info.version == "3.0")
    // The SHA-256 of `"\n".join(a.render(marks=True) for a in Mushaf.hafs().ayahs)`.
    let text = (AyahID.first...AyahID.last).map(edition.content.text).joined(separator: "\n")
    #expect(
      SHA256.hex(of: Array(text.utf8))
        == "00d532c88ad524599391471289f4988e52b086c4d162399328cc6cd40117be8f")
  }

  @Test(
    .enabled(if: PublishedFiles.phoneApp != nil, "the phone app's file is not at hand"))
  func theArabicEqualsThatOfThePhoneApp() throws {
    let wheel = try ParsedEdition.parse(
      Array(Data(contentsOf: try #require(PublishedFiles.wheel))))[0]
    let phone = try ParsedEdition.parse(
      Array(Data(contentsOf: try #require(PublishedFiles.phoneApp))))[1]
    // Release 3 of the text has its own code points for the tanween, and a space after ۞.
    let changes: [Unicode.Scalar: Unicode.Scalar] = [
      "\u{8F0}": "\u{657}", "\u{8F1}": "\u{65E}", "\u{8F2}": "\u{656}", "\u{A0}": " ",
    ]
    func plain(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.map { changes[$0] ?? $0 } }
    let different = (AyahID.first...AyahID.last).filter {
      plain(wheel.content.text(of: $0)) != plain(phone.content.text(of: $0))
    }
    #expect(different.count == 5)
  }
}
