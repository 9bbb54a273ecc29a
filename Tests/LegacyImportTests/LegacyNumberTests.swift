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
  func invalidNumbersAreReported(json: String) throws {
    let dump = try LegacyDump(
      #"{"ReadingProgressStore.progress":{"2":{"lastReadAyah":\#(json)}}}"#)
    #expect(dump.problems.map(\.reason.code) == ["not-a-number"])
  }

  @Test(arguments: ["9", " "])
  func numbersHaveAtMost100Characters(character: String) throws {
    func progress(_ count: Int) throws -> LegacyDump {
      let text = String(repeating: character, count: count)
      return try LegacyDump(
        #"{"ReadingProgressStore.progress":{"2":{"lastReadAyah":"\#(text)9"}}}"#)
    }
    #expect(try progress(99).progress.count == 1)
    #expect(try progress(100).problems.map(\.reason.code) == ["not-a-number"])
  }

  @Test func longNumbersAreInvalidExceptXMLIntegers() throws {
    let digits = String(repeating: "9", count: 100_000)
    func xml(_ name: String) -> String {
      "<plist><dict><key>ReadingProgressStore.progress</key><dict><key>2</key><dict>"
        + "<key>lastReadAyah</key><\(name)>\(digits)</\(name)></dict></dict></dict></plist>"
    }
    for text in [
      #"{"ReadingProgressStore.progress":{"2":{"lastReadAyah":\#(digits)}}}"#, xml("real"),
    ] {
      #expect(try LegacyDump(text).problems.map(\.reason.code) == ["not-a-number"])
    }
    #expect(try LegacyDump(xml("integer")).progress.map(\.lastReadAyah) == [286])
  }

  /// The tables agree with those of the standard library.
  @Test func digitsAndSpacesAreThoseOfUnicode() throws {
    let scalars = (0x80...0x1FFFF).compactMap(Unicode.Scalar.init(_:))
    let ids = scalars.map { "\"1:\($0)1\"" }.joined(separator: ",")
    let dump = try LegacyDump("{\"favoriteAyahs\":[\(ids)]}")
    // With a digit before the 1, the number may be higher than 7, the number of ayahs of the surah.
    let expected = scalars.compactMap { scalar -> String? in
      if scalar.properties.isWhitespace { return "1:1" }
      return scalar.properties.numericType == .decimal && scalar.properties.numericValue == 0
        ? "1:1" : nil
    }
    #expect(dump.favorites.map(\.description) == expected)
    let tooMany = dump.problems.count { $0.reason.code == "no-such-ayah" }
    let digits = scalars.count { $0.properties.numericType == .decimal }
    #expect(tooMany == digits / 10 * 9)
  }

  @Test func numbersInOpenStepListsAreRead() throws {
    let dump = try LegacyDump("{\"ReadingProgressStore.progress\" = (2, {lastReadAyah = 45;});}")
    #expect(dump.progress.map(\.lastReadAyah) == [45])
  }
}

extension String {
  fileprivate var escaped: String {
    replacing("\t", with: "\\t").replacing("\n", with: "\\n")
  }
}
