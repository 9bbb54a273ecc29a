import Foundation
import Quran
import Testing

/// The compiled tables equal the resources from which they were generated.
struct TablesTests {
  @Test func surahsEqualTheResource() throws {
    let rows = try Resources.surahs()
    #expect(rows.count == SurahNumber.count)
    for (row, number) in zip(rows, SurahNumber.all) {
      let surah = number.surah
      #expect(surah.number == number)
      #expect(number.ayahCount == surah.ayahCount)
      let compiled = [
        String(number.rawValue), String(surah.ayahCount), String(surah.rukuCount),
        surah.revelation.rawValue, String(surah.revelationOrder), surah.arabicName,
        surah.transliteration, surah.vietnameseName,
      ]
      // As bytes: equal strings may differ in their normalization.
      #expect(compiled.map { Array($0.utf8) } == row.map { Array($0.utf8) })
    }
  }

  @Test(arguments: [
    (Division.juz, "juz"), (.hizbQuarter, "hizb_quarters"), (.manzil, "manzil"), (.ruku, "ruku"),
    (.page, "pages"),
  ])
  func divisionsEqualTheResource(_ division: Division, key: String) throws {
    let starts = try #require(try Resources.divisions()[key] as? [[Int]])
    #expect(division.count == starts.count)
    let compiled = (1...division.count).map { number in
      division.ayahs(of: number).map { [$0.lowerBound.surah.rawValue, $0.lowerBound.ayah] }
    }
    #expect(compiled == starts.map { $0 })
  }

  @Test func sajdasEqualTheResource() throws {
    let entries = try #require(try Resources.divisions()["sajda"] as? [[Any]])
    let expected = try entries.map { entry in
      let surah = try #require(entry[0] as? Int)
      let ayah = try #require(entry[1] as? Int)
      let kind = try #require(entry[2] as? String)
      return "\(surah):\(ayah) \(kind)"
    }
    let found = (AyahID.first...AyahID.last).compactMap { ayah in
      ayah.sajda.map { "\(ayah) \($0.rawValue)" }
    }
    #expect(found == expected)
    #expect(expected.count == 15)
  }

  @Test func revelationOrdersAreDistinctAndFrom1To114() {
    #expect(Set(SurahNumber.all.map(\.surah.revelationOrder)) == Set(1...114))
  }

  @Test func rukusOfTheSurahsAddUpToThoseOfTheBook() {
    #expect(SurahNumber.all.map(\.surah.rukuCount).reduce(0, +) == Division.ruku.count)
  }

  @Test func allSurahsButTwoAreHeadedByTheBasmala() {
    #expect(
      SurahNumber.all.filter { !$0.surah.isHeadedByBasmala }.map(\.rawValue) == [1, 9])
  }
}

enum Resources {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Resources/quran")

  /// The rows of surahs.tsv without its heading.
  static func surahs() throws -> [[String]] {
    let text = try String(contentsOf: folder.appending(path: "surahs.tsv"), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  static func divisions() throws -> [String: Any] {
    let data = try Data(contentsOf: folder.appending(path: "divisions.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
