import Foundation
import Testing
import Text

/// The published Arabic text, which is not part of the project.
enum PublishedArabic {
  static let file: URL? = {
    let folder =
      ProcessInfo.processInfo.environment["QURAN_TEST_DATA"].map { URL(filePath: $0) }
      ?? URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "shared/quran")
    let file = folder.appending(path: "published/phone-app-quran.json")
    return FileManager.default.fileExists(atPath: file.path()) ? file : nil
  }()

  struct Book: Decodable {
    struct Surah: Decodable { let ayahs: [Ayah] }
    struct Ayah: Decodable { let arabic: String }
    let surahs: [Surah]
  }

  static func ayahs() throws -> [String] {
    let book = try JSONDecoder().decode(Book.self, from: Data(contentsOf: try #require(file)))
    return book.surahs.flatMap(\.ayahs).map(\.arabic)
  }
}

@Suite(
  .enabled(
    if: PublishedArabic.file != nil,
    "the published Arabic is neither in $QURAN_TEST_DATA nor beside the checkout"))
struct PublishedArabicTests {
  @Test func everyClusterTakesOneOrTwoColumns() throws {
    let ayahs = try PublishedArabic.ayahs()
    #expect(ayahs.count == 6236)
    for cluster in Set(ayahs.joined(separator: " ")) where !(1...2).contains(cluster.columns) {
      Issue.record("\(cluster.unicodeScalars.map(\.value)) takes \(cluster.columns)")
    }
  }

  @Test func nothingIsLostOnItsWayToTheScreen() throws {
    for ayah in try PublishedArabic.ayahs() where ayah.sanitizedForTerminal.scalars != ayah.scalars
    {
      Issue.record("\(ayah)")
    }
  }

  @Test func foldingLeavesOnlyLettersAndSigns() throws {
    let left = try PublishedArabic.ayahs().joined().folded.unicodeScalars.filter {
      !$0.properties.isAlphabetic && !$0.properties.isWhitespace
    }
    #expect(Set(left) == ["۞", "۩"])
  }
}
