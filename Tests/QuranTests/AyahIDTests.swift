import Quran
import Testing

struct AyahIDTests {
  @Test func everyIndexIsConvertedBothWays() throws {
    var previous: AyahID?
    for index in 1...AyahID.count {
      let ayah = try #require(AyahID(index: index))
      #expect(ayah.index == index)
      #expect(AyahID(surah: ayah.surah.rawValue, ayah: ayah.ayah) == ayah)
      #expect(AyahID(ayah.description) == ayah)
      #expect(ayah.previous == previous)
      if let previous {
        #expect(previous < ayah)
        #expect(previous.next == ayah)
        #expect(!(ayah < previous))
      }
      previous = ayah
    }
    #expect(previous == AyahID.last)
    #expect(previous?.next == nil)
  }

  @Test func indicesOutsideTheBookAreNil() {
    for index in [Int.min, -1, 0, 6237, Int.max] { #expect(AyahID(index: index) == nil) }
  }

  @Test(arguments: [(0, 1), (115, 1), (1, 0), (1, 8), (2, 287), (-2, 5), (Int.max, Int.max)])
  func ayahsOutsideTheBookAreNil(surah: Int, ayah: Int) {
    #expect(AyahID(surah: surah, ayah: ayah) == nil)
  }

  @Test func nextAndPreviousCrossSurahs() {
    #expect(AyahID(surah: 1, ayah: 7)?.next == AyahID(surah: 2, ayah: 1))
    #expect(AyahID(surah: 3, ayah: 1)?.previous == AyahID(surah: 2, ayah: 286))
  }

  @Test func arithmeticCrossesSurahsAndStaysInTheBook() throws {
    let throneVerse = try #require(AyahID(surah: 2, ayah: 255))
    #expect(throneVerse.advanced(by: 32) == AyahID(surah: 3, ayah: 1))
    #expect(throneVerse.advanced(by: -255) == AyahID(surah: 1, ayah: 7))
    #expect(throneVerse.advanced(by: 0) == throneVerse)
    for far in [100_000, Int.max] {
      #expect(throneVerse.advanced(by: far) == AyahID.last)
      #expect(throneVerse.advanced(by: -far) == AyahID.first)
    }
    #expect(throneVerse.advanced(by: Int.min) == AyahID.first)
    #expect(AyahID.first.distance(to: .last) == AyahID.count - 1)
    #expect(AyahID.last.distance(to: .first) == 1 - AyahID.count)
  }

  @Test func aRangeCoversTheWholeBook() {
    #expect((AyahID.first...AyahID.last).count == AyahID.count)
    #expect((AyahID.first...AyahID.last).map(\.index) == Array(1...AyahID.count))
  }

  @Test(arguments: [
    "", ":", "2", "2:", ":5", "2:287", "115:1", "0:1", "02:5", "2:05", "+2:5", " 2:5", "2:5 ",
    "2:5:1", "٢:٥", "2：5", "99999999999999999999:1",
  ])
  func onlyTheCanonicalFormIsRead(_ text: String) {
    #expect(AyahID(text) == nil)
  }
}

struct SurahNumberTests {
  @Test func surahsAreNumberedFrom1To114() {
    #expect(SurahNumber.all.map(\.rawValue) == Array(1...114))
    for number in [Int.min, 0, 115, Int.max] { #expect(SurahNumber(number) == nil) }
    #expect(SurahNumber.first.previous == nil)
    #expect(SurahNumber.last.next == nil)
    #expect(SurahNumber(2)?.next == SurahNumber(3))
    #expect(SurahNumber(3)?.previous == SurahNumber(2))
  }

  @Test func surahsCoverTheBookWithoutGapsOrOverlaps() {
    #expect(SurahNumber.all.flatMap { Array($0.ayahs) } == Array(AyahID.first...AyahID.last))
    for surah in SurahNumber.all {
      #expect(surah.ayahs.count == surah.ayahCount)
      #expect(surah.ayahs.allSatisfy { $0.surah == surah })
    }
  }

  @Test func anAyahNumberIsClampedToItsSurah() {
    for surah in SurahNumber.all {
      #expect(surah.ayah(clamping: .min) == surah.firstAyah)
      #expect(surah.ayah(clamping: 0) == surah.firstAyah)
      #expect(surah.ayah(clamping: 2).ayah == 2)
      #expect(surah.ayah(clamping: surah.ayahCount + 1) == surah.lastAyah)
      #expect(surah.ayah(clamping: .max) == surah.lastAyah)
    }
  }
}
