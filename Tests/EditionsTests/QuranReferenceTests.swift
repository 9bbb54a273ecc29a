import Editions
import Foundation
import Quran
import TestSupport
import Testing

struct QuranReferenceTests {
  @Test(arguments: [
    ("2:255", "2:255", "2:255"), ("2 255", "2:255", "2:255"), ("2.255", "2:255", "2:255"),
    ("2:255-257", "2:255", "2:257"), ("2:255 – 257", "2:255", "2:257"),
    ("2:255—2:257", "2:255", "2:257"), ("2 255-257", "2:255", "2:257"),
    ("2:255-255", "2:255", "2:255"), ("1:1-114:6", "1:1", "114:6"), ("2:286-3:1", "2:286", "3:1"),
    ("  2 :  255 ", "2:255", "2:255"), ("002:0255", "2:255", "2:255"),
    ("٢:٢٥٥", "2:255", "2:255"), ("२:२५५", "2:255", "2:255"), ("２：２５５", "2:255", "2:255"),
    ("112-114", "112:1", "114:6"), ("2-3:4", "2:1", "3:4"),
    ("baqarah 255", "2:255", "2:255"), ("al-baqarah:255", "2:255", "2:255"),
    ("al-Baqarah 255-257", "2:255", "2:257"), ("baqarah 286-3:1", "2:286", "3:1"),
    ("البقرة ٢٥٥", "2:255", "2:255"), ("chương 2 255", "2:255", "2:255"),
    ("surah al-baqarah 255", "2:255", "2:255"), ("baqarah255", "2:255", "2:255"),
    ("juz 1-2", "1:1", "2:252"), ("\u{200F}2:255\u{200E}", "2:255", "2:255"),
    ("quranvn://surah/2/ayah/255", "2:255", "2:255"), ("QURANVN://surah/2", "2:1", "2:1"),
    ("quranvn://surah/2/ayah/900", "2:286", "2:286"),
  ])
  func ayahsAndRangesAreRead(_ text: String, first: String, last: String) throws {
    let range = try #require(AyahID(first))...(try #require(AyahID(last)))
    #expect(try QuranReference(parsing: text) == .ayahs(range))
    #expect(try QuranReference(parsing: text).ayahs == range)
  }

  @Test(arguments: [
    ("36", 36), (" 1 ", 1), ("١١٤", 114), ("chương 2", 2), ("surah 2", 2), ("Sura 2", 2),
    ("سورة ٢", 2), ("surah al-baqarah", 2), ("baqarah", 2), ("al baqarah", 2), ("AlBaqarah", 2),
    ("ya sin", 36), ("yasin", 36), ("Ya-Sin", 36), ("con bo cai", 2), ("Con Bò Cái", 2),
    ("Mở Đầu", 1), ("mo dau", 1), ("baqa", 2), ("البقرة", 2), ("بقره", 2), ("يس", 36),
    ("ٱلْبَقَرَةِ", 2), ("آل عمران", 3), ("ali imran", 3), ("al imran", 3), ("abasa", 80),
    ("ʿAbasa", 80), ("‘abasa", 80), ("an nisa", 4), ("al-nisa'", 4), ("nisa", 4),
    // A whole name precedes names that begin with it.
    ("saff", 61), ("sad", 38), ("fil", 105), ("tin", 95), ("hud", 11), ("ta ha", 20),
  ])
  func surahsAreRead(_ text: String, surah: Int) throws {
    let expected = QuranReference.surah(try #require(SurahNumber(surah)))
    #expect(try QuranReference(parsing: text) == expected)
    #expect(try QuranReference(parsing: text.decomposedStringWithCanonicalMapping) == expected)
    #expect(try QuranReference(parsing: text.uppercased()) == expected)
    #expect(try QuranReference(parsing: text).ayahs == SurahNumber(surah)?.ayahs)
  }

  @Test(arguments: SurahNumber.all)
  func everyNameFindsItsSurah(_ number: SurahNumber) throws {
    let surah = number.surah
    for name in [surah.transliteration, surah.vietnameseName, surah.arabicName] {
      #expect(try QuranReference(parsing: name) == .surah(number))
      #expect(
        try QuranReference(parsing: name + " 1") == .ayahs(number.firstAyah...number.firstAyah))
      let spelled = name.replacing("-", with: " ").replacing("'", with: "’").lowercased()
      #expect(try QuranReference(parsing: spelled) == .surah(number))
    }
    #expect(try QuranReference(parsing: "\(number)") == .surah(number))
  }

  @Test(arguments: [
    ("juz 30", Division.juz, 30), ("Juz' 1", .juz, 1), ("juz30", .juz, 30), ("جزء ٣٠", .juz, 30),
    ("trang 604", .page, 604), ("TRANG 604", .page, 604), ("page 1", .page, 1),
    ("hizb 5", .hizb, 5), ("ruku 3", .ruku, 3), ("Rukūʿ 556", .ruku, 556), ("manzil 2", .manzil, 2),
    ("quarter 240", .hizbQuarter, 240), ("  juz   7 ", .juz, 7),
  ])
  func partsAreRead(_ text: String, division: Division, number: Int) throws {
    #expect(
      try QuranReference(parsing: text)
        == .part(try #require(QuranReference.Part(division, number))))
    #expect(try QuranReference(parsing: text).ayahs == division.ayahs(of: number))
  }

  @Test func aPartOutsideItsDivisionIsNil() {
    for division in Division.allCases {
      for number in [Int.min, -1, 0, division.count + 1, .max] {
        #expect(QuranReference.Part(division, number) == nil)
      }
      #expect(QuranReference.Part(division, 1)?.ayahs.lowerBound == .first)
      #expect(QuranReference.Part(division, division.count)?.ayahs.upperBound == .last)
    }
  }

  @Test(arguments: [
    ("", QuranReference.Failure.empty), (" \n\t", .empty), ("\u{200F}", .empty),
    ("115", .noSuchSurah(115)), ("0", .noSuchSurah(0)), ("115:1", .noSuchSurah(115)),
    ("chương 115", .noSuchSurah(115)), ("1:1-115:1", .noSuchSurah(115)),
    ("112-115", .noSuchSurah(115)),
    ("99999999999999999999999", .noSuchSurah(.max)),
    ("juz 31", .noSuchPart(.juz, 31)), ("juz 0", .noSuchPart(.juz, 0)),
    ("trang 605", .noSuchPart(.page, 605)), ("juz 1-31", .noSuchPart(.juz, 31)),
    ("hizb 99999999999999999999", .noSuchPart(.hizb, .max)),
    ("quranvn://surah/200", .link(.noSuchSurah(200))),
    ("quranvn://surah", .link(.malformed("quranvn://surah"))),
    ("quranvn:2:255", .link(.malformed("quranvn:2:255"))),
  ])
  func invalidReferencesAreReported(_ text: String, failure: QuranReference.Failure) {
    #expect(throws: failure) { try QuranReference(parsing: text) }
  }

  @Test(arguments: [
    ("2:300", 2, 300), ("2:287", 2, 287), ("2:0", 2, 0), ("1:1-8", 1, 8), ("1:1-2:287", 2, 287),
    ("baqarah 287", 2, 287), ("1-2:287", 2, 287), ("2:99999999999999999999", 2, Int.max),
  ])
  func aMissingAyahIsReportedWithItsSurah(_ text: String, surah: Int, ayah: Int) throws {
    let failure = QuranReference.Failure.noSuchAyah(try #require(SurahNumber(surah)), ayah)
    #expect(throws: failure) { try QuranReference(parsing: text) }
  }

  @Test(arguments: [
    ("2:5-3", "2:5", "2:3"), ("3:1-2:1", "3:1", "2:1"), ("114-112", "114:1", "112:4"),
    ("juz 2-1", "2:142", "2:141"),
  ])
  func backwardsRangesAreRefused(_ text: String, first: String, last: String) throws {
    let failure = QuranReference.Failure.backwards(
      try #require(AyahID(first)), try #require(AyahID(last)))
    #expect(throws: failure) { try QuranReference(parsing: text) }
  }

  @Test(arguments: [
    ("dang", "dang", [35, 40, 55, 87]), ("Con 5", "Con", [2, 29, 76, 105]),
    ("  Đấng ", "Đấng", [35, 40, 55, 87]),
    ("q", "q", [28, 32, 45, 50, 54, 68, 75, 95, 97, 101, 106]),
  ])
  func aPrefixOfSeveralNamesIsAmbiguous(_ text: String, name: String, surahs: [Int]) {
    let failure = QuranReference.Failure.ambiguous(name, surahs.compactMap(SurahNumber.init))
    #expect(throws: failure) { try QuranReference(parsing: text) }
  }

  @Test(arguments: [
    "abc", "yaseen", "juz", "trang", "surah", "-5", "2:-5", "2::5", "2:", "2:5-", "2:5-6-7",
    "2:5:6", "5 abc", "baqarah 2:5", "juz 30:5", "²", ":", "-", "👍", "ayah 5", "2,255", "80|1",
    "80 | 1", "ya|sin", "\"ya sin\"", "36 |",
  ])
  func unrecognizedTextIsUnknown(_ text: String) {
    #expect(throws: QuranReference.Failure.unknown(text)) { try QuranReference(parsing: text) }
  }

  @Test func randomTextGivesAValidRangeOrAFailure() {
    var random = SeededGenerator(seed: 2)
    let alphabet = Array("0129 ٣:.-–٠abđấ'ـ\u{301}\u{200F}👍juzلا\n")
    for _ in 0..<5000 {
      let text = String(
        (0..<Int.random(in: 0...10, using: &random)).map { _ in
          alphabet.randomElement(using: &random)!
        })
      do {
        let ayahs = try QuranReference(parsing: text).ayahs
        #expect(ayahs.lowerBound <= ayahs.upperBound)
      } catch .empty {
        #expect(text.allSatisfy { $0.isWhitespace || $0.unicodeScalars.contains("\u{200F}") })
      } catch {}
    }
  }
}
