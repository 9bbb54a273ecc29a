import LegacyImport
import Quran
import Testing

struct LegacyNumberTests {
  @Test(arguments: [
    ("2:255", "2:255"), (" 2 : 255 ", "2:255"), ("\t2:255\n", "2:255"), ("002:0255", "2:255"),
    ("２:２５５", "2:255"), ("٢:٢٥٥", "2:255"), ("२:२५५", "2:255"), ("114:6", "114:6"),
    ("\u{A0}1:\u{3000}1", "1:1"),
  ])
  func idsOfAyahsAreRead(text: String, ayah: String) throws {
    #expect(
      try LegacyDump(#"{"favoriteAyahs":["\#(text.escaped)"]}"#).favorites.map(\.description) == [
        ayah
      ])
  }

  @Test(arguments: [
    ("5", 5), ("-5", 0), ("0", 0), ("5.0", 5), ("5e0", 5), ("300", 286), ("1e300", 286),
    ("-1e300", 0),
    ("99999999999999999999", 286), ("-99999999999999999999", 0), (#""5""#, 5), (#"" 5 ""#, 5),
    (#""-5""#, 0),
    (#""５""#, 5), (#""5.0""#, 5), (#""99999999999999999999""#, 286), ("286", 286), ("287", 286),
  ])
  func numbersAreReadAsTheAppDoes(json: String, last: Int) throws {
    for text in [
      #"{"ReadingProgressStore.progress":{"2":{"lastReadAyah":\#(json),"totalAyahs":[]}}}"#,
      #"{"ReadingProgressStore.progress":[2,{"lastReadAyah":\#(json)}]}"#,
    ] {
      #expect(try LegacyDump(text).progress.map(\.lastReadAyah) == [last])
    }
  }

  @Test(arguments: [
    "5.5", "null", "true", "[]", "{}", #""""#, #""five""#, #""0x5""#, #""nan""#, #""5 5""#,
    #""5.5""#,
    #""+-5""#, #""1e999""#,
  ])
  func whatIsNoNumberIsTold(json: String) throws {
    let dump = try LegacyDump(
      #"{"ReadingProgressStore.progress":{"2":{"lastReadAyah":\#(json)}}}"#)
    #expect(dump.problems.map(\.reason.code) == ["not-a-number"])
  }

  @Test func aListReadFromOpenStepHasItsNumbersAsTexts() throws {
    let dump = try LegacyDump("{\"ReadingProgressStore.progress\" = (2, {lastReadAyah = 45;});}")
    #expect(dump.progress.map(\.lastReadAyah) == [45])
  }
}

extension String {
  fileprivate var escaped: String {
    replacing("\t", with: "\\t").replacing("\n", with: "\\n")
  }
}
