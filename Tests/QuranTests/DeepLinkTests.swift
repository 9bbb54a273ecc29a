import Quran
import Testing

struct DeepLinkTests {
  @Test func everyAyahHasALinkThatIsReadBack() throws {
    for ayah in AyahID.first...AyahID.last {
      #expect(try DeepLink(parsing: DeepLink(ayah).description).ayah == ayah)
    }
  }

  @Test(arguments: [
    ("quranvn://surah/2/ayah/255", "2:255"),
    ("QuranVN://surah/2/ayah/255", "2:255"),
    ("quranvn://surah/2", "2:1"),
    ("quranvn://surah/2/ayah/255/", "2:255"),
    ("quranvn://surah/2/ayah/0", "2:1"),
    ("quranvn://surah/2/ayah/-7", "2:1"),
    ("quranvn://surah/2/ayah/287", "2:286"),
    ("quranvn://surah/112/ayah/99999999999999999999999", "112:4"),
    ("quranvn://surah/112/ayah/-99999999999999999999999", "112:1"),
  ])
  func ayahNumbersAreClampedToTheSurah(_ link: String, ayah: String) throws {
    #expect(try DeepLink(parsing: link).ayah.description == ayah)
  }

  @Test(arguments: [
    ("quranvn://surah/0", 0), ("quranvn://surah/115/ayah/1", 115), ("quranvn://surah/200", 200),
    ("quranvn://surah/-1", -1),
  ])
  func aSurahOutsideTheBookIsReported(_ link: String, surah: Int) {
    #expect(throws: DeepLink.Failure.noSuchSurah(surah)) { try DeepLink(parsing: link) }
  }

  @Test(arguments: [
    "", "quranvn", "quranvn:", "quranvn://", "quranvn://surah", "quranvn://surah/",
    "quranvn://surah/x", "quranvn://surah/-", "quranvn://surah/2x", "quranvn://surah/+2",
    "quranvn://surah/٢", "quranvn://surah/2/ayah", "quranvn://surah/2/ayah/",
    "quranvn://surah/2/ayah/x", "quranvn://surah/2/verse/5", "quranvn://juz/2",
    "quranvn://surah/2/ayah/5/6", "quranvn://surah/2/ayah/5//", "quranvn:/surah/2",
    "quranvn://x/surah/2", "https://surah/2", " quranvn://surah/2", "quranvn://surah/2 ",
    "quranvn://surah/2?ayah=5", "quranvn://surah/2.5",
  ])
  func malformedLinksAreRefusedWithTheirText(_ link: String) {
    #expect(throws: DeepLink.Failure.malformed(link)) { try DeepLink(parsing: link) }
  }
}
