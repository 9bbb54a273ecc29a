import TestSupport
import Testing
import Text

@Suite(
  .enabled(
    if: PublishedFiles.phoneApp != nil,
    "the published Arabic is neither in $QURAN_TEST_DATA nor beside the checkout"))
struct PublishedArabicTests {
  @Test func everyClusterTakesOneOrTwoColumns() throws {
    let ayahs = try PublishedArabic.ayahs()
    #expect(ayahs.count == 6236)
    for cluster in Set(ayahs.joined(separator: " ")) where !(1...2).contains(cluster.columns) {
      Issue.record("\(cluster.unicodeScalars.map(\.value)) takes \(cluster.columns)")
    }
  }

  @Test func sanitizingDoesNotChangeTheArabic() throws {
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
