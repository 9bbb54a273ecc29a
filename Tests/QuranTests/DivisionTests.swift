import Quran
import Testing

struct DivisionTests {
  @Test(arguments: [
    (Division.juz, 30), (.hizb, 60), (.hizbQuarter, 240), (.manzil, 7), (.ruku, 556), (.page, 604),
  ])
  func everyDivisionHasItsNumberOfParts(_ division: Division, count: Int) {
    #expect(division.count == count)
  }

  @Test(arguments: Division.allCases)
  func partsCoverTheBookWithoutGapsOrOverlaps(_ division: Division) throws {
    var covered: [AyahID] = []
    for number in 1...division.count {
      let ayahs = try #require(division.ayahs(of: number))
      covered += ayahs
      #expect(ayahs.allSatisfy { division.number(of: $0) == number })
    }
    #expect(covered == Array(AyahID.first...AyahID.last))
  }

  @Test(arguments: Division.allCases)
  func numbersOutsideTheDivisionAreNil(_ division: Division) {
    for number in [Int.min, -1, 0, division.count + 1, Int.max] {
      #expect(division.ayahs(of: number) == nil)
    }
  }

  @Test func partNumbersOfAnAyah() throws {
    let throneVerse = try #require(AyahID(surah: 2, ayah: 255))
    #expect(throneVerse.juz == 3)
    #expect(throneVerse.hizb == 5)
    #expect(Division.hizbQuarter.number(of: throneVerse) == 17)
    #expect(Division.manzil.number(of: throneVerse) == 1)
    #expect(throneVerse.page == 42)
    #expect(AyahID.last.page == 604)
    #expect(AyahID.last.ruku == 556)
    for ayah in AyahID.first...AyahID.last {
      #expect(ayah.hizb == (Division.hizbQuarter.number(of: ayah) + 3) / 4)
      #expect(ayah.juz == (ayah.hizb + 1) / 2)
    }
  }
}
