import Foundation
import TestSupport
import Testing

@testable import LegacyImport

/// The readers of the formats, compared with those of Foundation.
struct ReaderTests {
  private func budget() -> Budget {
    var budget = Budget { false }
    budget.begin(level: 0, depth: 0)
    return budget
  }

  private func json(_ text: String) throws -> LegacyValue {
    var (reader, budget) = (JSONReader(Array(text.utf8)), budget())
    return try reader.read(&budget)
  }

  private func xml(_ text: String) throws -> LegacyValue {
    var (reader, budget) = (XMLPropertyListReader(Array(text.utf8)), budget())
    return try reader.read(&budget)
  }

  private func openStep(_ text: String) throws -> LegacyValue {
    var (reader, budget) = (OpenStepReader(Array(text.utf8)), budget())
    return try reader.read(&budget)
  }

  private func binary(_ bytes: [UInt8]) throws -> LegacyValue {
    var (reader, budget) = (try BinaryReader(bytes), budget())
    return try reader.read(&budget)
  }

  // MARK: JSON

  @Test(arguments: [
    ("0", LegacyValue.integer(0)), ("-0", .integer(0)), (" 12 ", .integer(12)),
    ("-1.5e2", .real(-150)), ("1E+2", .real(100)), ("9223372036854775808", .real(0x1p63)),
    ("1e999", .real(.infinity)), ("true", .bool(true)), ("false", .bool(false)), ("null", .null),
    (#""""#, .string("")), (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
    (#""\u1ea7\ud83c\udf19""#, .string("ầ🌙")), (#""\u0000""#, .string("\0")),
    (#""\ud83c""#, .invalidUnicode(#"\ud83c"#)),
    (#""\udf19\ud83c""#, .invalidUnicode(#"\udf19\ud83c"#)),
    ("[]", .array([])), ("[ ]", .array([])), ("{ }", .dictionary([])),
    ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])),
    (
      #"{"b":1,"a":2,"b":3}"#,
      .dictionary([
        .init(key: .string("b"), value: .integer(1)), .init(key: .string("a"), value: .integer(2)),
        .init(key: .string("b"), value: .integer(3)),
      ])
    ),
  ])
  func jsonIsRead(text: String, value: LegacyValue) throws {
    #expect(try json(text) == value)
  }

  @Test(arguments: [
    "", " ", "01", "1.", ".5", "+1", "1e", "0x1", "-", "NaN", "Infinity", "tru", "nul", "'a'", "\"",
    "\"\\x\"", "\"\\u12g4\"", "\"\t\"", "[", "]", "[,]", "[1,]", "[1 2]", "{", "{1:2}", "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{\"a\":1]", "[1}", "1 2", "[]]", "//\n1", "\u{B}1", "\u{A0}1",
  ])
  func invalidJSONIsRefused(text: String) {
    #expect(throws: LegacyFailure.self) { try json(text) }
  }

  // MARK: XML

  @Test(arguments: [
    (
      "<string>a&amp;&lt;&gt;&quot;&apos;&#7847;&#x1F319;</string>", LegacyValue.string("a&<>\"'ầ🌙")
    ),
    ("<string><![CDATA[<a>&b]]>c</string>", .string("<a>&bc")), ("<string/>", .string("")),
    ("<string></string>", .string("")), ("<string>a<!-- b -->c</string>", .string("ac")),
    ("<string> a\n</string>", .string(" a\n")), ("<string >a</string >", .string("a")),
    ("<integer>12</integer>", .integer(12)), ("<integer> -12 </integer>", .integer(-12)),
    ("<integer>0x1F</integer>", .integer(31)), ("<integer>+5</integer>", .integer(5)),
    ("<integer>99999999999999999999</integer>", .real(.greatestFiniteMagnitude)),
    ("<real>1.5</real>", .real(1.5)), ("<true/>", .bool(true)), ("<false/>", .bool(false)),
    ("<true></true>", .bool(true)), ("<date>2024-01-01T00:00:00Z</date>", .date),
    ("<data>\n\taGVs\n\tbG8=\n</data>", .data(Array("hello".utf8))), ("<data/>", .data([])),
    ("<array/>", .array([])), ("<dict></dict>", .dictionary([])),
    ("<!-- a --><array><!-- b --><true/></array>", .array([.bool(true)])),
    ("<string>&#xD800;</string>", .invalidUnicode("\u{FFFD}")),
  ])
  func xmlIsRead(text: String, value: LegacyValue) throws {
    for whole in [
      text, "<plist>\(text)</plist>",
      "<?xml version='1.0' encoding='utf-8'?>\n<plist>\(text)</plist>\n",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(text)
      </plist>
      """,
    ] {
      #expect(try xml(whole) == value, "\(whole)")
    }
  }

  @Test(arguments: [
    "<plist/>", "<plist></plist>", "<plist><array/>", "<array/></plist>", "<plist><a/></plist>",
    "<plist>text</plist>", "<string>a</data>", "<string>a", "<string>&nope;</string>",
    "<string>&#;</string>", "<string>&amp</string>", "<integer></integer>", "<integer>1a</integer>",
    "<integer>--1</integer>", "<real>x</real>", "<data>@</data>", "<true>x</true>", "<dict><key>a",
    "<dict><key>a</key><key>b</key></dict>", "<array><key>a</key></array>", "<array></dict>",
    "<array><array/>", "<!-- a", "<?xml version='1.0'", "<plist><plist><array/></plist></plist>",
    "<array/><!DOCTYPE plist>", "<string a=",
  ])
  func invalidXMLPropertyListsAreRefused(text: String) {
    #expect(throws: LegacyFailure.self) { try xml(text) }
  }

  @Test(arguments: [
    "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><array/></plist>", "<!DOCTYPE plist []><array/>",
    "<!DOCTYPE plist SYSTEM 'a' [ ]><array/>", "<!ENTITY a 'b'><array/>",
  ])
  func declarationsOfEntitiesAreRefused(text: String) {
    #expect(throws: LegacyFailure.hasEntities) { try xml(text) }
  }

  // MARK: Base64

  @Test(
    arguments: [
      ("", []), ("QUJD", [65, 66, 67]), (" Q\r\nU\tJ D ", [65, 66, 67]), ("QUI=", [65, 66]),
      ("QUI", [65, 66]), ("QQ==", [65]), ("QQ", [65]), ("Q Q = =", [65]),
      ("+/+/", [251, 255, 191]),
      // The unused bits of the last digit are not zero.
      ("QR==", [65]), ("QR", [65]), ("QUL=", [65, 66]),
      // Wrong padding, one digit too many, and what is not a digit.
      ("QQ=", nil), ("QUI==", nil), ("QUJD=", nil), ("QUJD====", nil), ("====", nil), ("=", nil),
      ("QQ==QQ==", nil), ("QQ=Q", nil), ("=QUI", nil), ("Q", nil), ("QUJDQ", nil), ("QUJ-", nil),
      ("QUJ_", nil), ("QUJ.", nil), ("QUJé", nil),
    ] as [(String, [UInt8]?)])
  func base64IsRead(text: String, bytes: [UInt8]?) {
    #expect(Base64.decode(Array(text.utf8)) == bytes)
  }

  // MARK: OpenStep

  @Test(arguments: [
    ("a", LegacyValue.string("a")), ("a_b$c/d:e.f-g0", .string("a_b$c/d:e.f-g0")),
    ("\"\"", .string("")), ("'a\"b'", .string("a\"b")), ("\"ầ🌙\"", .string("ầ🌙")),
    (#""\a\b\t\n\v\f\r\"\'\\\q""#, .string("\u{7}\u{8}\t\n\u{B}\u{C}\r\"'\\q")),
    (#""\U1ea7\Ud83c\Udf19""#, .string("ầ🌙")), (#""\101\0601""#, .string("A01")),
    (#""\Ud83c""#, .invalidUnicode("\u{FFFD}")), (#""\Ud83cx""#, .invalidUnicode("\u{FFFD}x")),
    (#""\304""#, .invalidUnicode("\u{FFFD}")),
    ("()", .array([])), ("( a , b, )", .array([.string("a"), .string("b")])),
    ("{}", .dictionary([])),
    ("{ a = b; }", .dictionary([.init(key: .string("a"), value: .string("b"))])),
    ("{a;}", .dictionary([.init(key: .string("a"), value: .string("a"))])),
    ("/* x */ ( // y\n a )", .array([.string("a")])),
    ("<68656c6c 6f>", .data(Array("hello".utf8))), ("<>", .data([])),
    ("{length = 5, bytes = 0x68656c6c6f}", .data(Array("hello".utf8))),
    ("{length = 5, bytes = 0x68656c6c 6f }", .data(Array("hello".utf8))),
    ("{length = 0, bytes = 0x}", .data([])),
    ("{length = 9, bytes = 0x6865 ... 6c6f }", .shortened), ("<6865 ... 6c6f>", .shortened),
    ("{length = 9, bytes = 0x68656c6c}", .shortened),
    (
      "{length = 5; bytes = 0x68;}",
      .dictionary([
        .init(key: .string("length"), value: .string("5")),
        .init(key: .string("bytes"), value: .string("0x68")),
      ])
    ),
  ])
  func openStepIsRead(text: String, value: LegacyValue) throws {
    #expect(try openStep(text) == value)
  }

  @Test(arguments: [
    "", "(", ")", "(a", "(a b)", "(,)", "{", "{a", "{a=", "{a=b", "{a=b}", "{=b;}", "\"a", "\"a\\",
    "\"\\U12\"", "<6>", "<zz>", "<68", "a b", "/* a", "{length = 1, bytes = 0x6868}",
    "{length = 1, bytes = 0x6}", "{length = , bytes = 0x}",
    "{length = 99999999999999999999, bytes = 0x}",
  ])
  func invalidOpenStepPropertyListsAreRefused(text: String) {
    #expect(throws: LegacyFailure.self) { try openStep(text) }
  }

  @Test func doubledBackslashesAreDetected() {
    #expect(PrintedEscapes.areDoubled(Array(#"a\\U1ea7\\\\b\\"c"#.utf8)))
    for text in ["abc", #"a\b"#, #"\\\"#, #"\\a\n"#, #"\\ ầ"#] {
      #expect(!PrintedEscapes.areDoubled(Array(text.utf8)), "\(text)")
    }
    #expect(PrintedEscapes.haveCodes(Array(#"\\Ux \\U1EA7"#.utf8)))
    #expect(!PrintedEscapes.haveCodes(Array(#"C:\\Users \\U12"#.utf8)))
    #expect(PrintedEscapes.halved(Array(#"a\\\\b\\"c"#.utf8)) == Array(#"a\\b\"c"#.utf8))
  }

  @Test func doublyEscapedQuotationMarksAreRead() throws {
    let dump = try LegacyDump(#"{ayahNotes = {"1:1" = ("say \\"a\\"", "b\\nc");};}"#)
    #expect(dump.notes == [note("1:1", "say \"a\""), note("1:1", "b\nc")])
    let plain = try LegacyDump(#"{ayahNotes = {"1:1" = ("C:\\new");};}"#)
    #expect(plain.notes == [note("1:1", "C:\\new")])
  }

  /// The places in the content without the doubled backslashes are not those in the file.
  @Test func damageAfterDoubledBackslashesHasNoOffset() {
    for (text, offset) in [
      (#"{ayahNotes = ("C\\U00e2u""#, nil), (#"{ayahNotes = ("a\\nb""#, nil),
      (#"{ayahNotes = ("a""#, 17),
    ] as [(String, Int?)] {
      #expect(failure(of: text) == .damaged(.openStepPropertyList, offset: offset), "\(text)")
    }
  }

  // MARK: Binary

  /// A property list with one object.
  private func list(_ object: [UInt8]) -> [UInt8] {
    Array("bplist00".utf8) + object + [8] + [0, 0, 0, 0, 0, 0, 1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)
      + [0, 0, 0, 0, 0, 0, 0, UInt8(8 + object.count)]
  }

  @Test(
    arguments: [
      ([0x00], LegacyValue.null), ([0x08], .bool(false)), ([0x09], .bool(true)),
      ([0x10, 0xFF], .integer(255)), ([0x11, 1, 0], .integer(256)),
      ([0x12, 0, 1, 0, 0], .integer(65536)),
      ([0x13] + Array(repeating: 0xFF, count: 8), .integer(-1)),
      ([0x14] + Array(repeating: 0, count: 15) + [7], .integer(7)),
      ([0x14] + Array(repeating: 0xFF, count: 16), .integer(-1)),
      ([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8), .real(0x1p64)),
      ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .real(1.5)),
      ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], .date), ([0x42, 1, 2], .data([1, 2])),
      ([0x52, 0x61, 0x62], .string("ab")), ([0x61, 0x1E, 0xA7], .string("ầ")),
      ([0x62, 0xD8, 0x3C, 0xDF, 0x19], .string("🌙")), ([0x61, 0xD8, 0x3C], .invalidUnicode("")),
      ([0x51, 0xFF], .invalidUnicode("\u{FFFD}")), ([0x72, 0xC3, 0xA9], .string("é")),
      ([0x5F, 0x10, 1, 0x61], .string("a")), ([0x80, 5], .uid(5)), ([0x81, 1, 0], .uid(256)),
      ([0xA0], .array([])), ([0xB0], .array([])), ([0xC0], .array([])), ([0xD0], .dictionary([])),
    ] as [([UInt8], LegacyValue)])
  func binaryObjectsAreRead(object: [UInt8], value: LegacyValue) throws {
    #expect(try binary(list(object)) == value)
  }

  @Test(
    arguments: [
      [0x01], [0x0F], [0x15, 0], [0x20], [0x21, 0, 0], [0x24], [0x32, 0, 0, 0, 0], [0x90], [0xE0],
      [0xF0], [0x11, 1], [0x42, 1], [0x61, 0], [0x5F], [0x5F, 0x51], [0x5F, 0x14, 0], [0xA1],
      [0xA1, 1], [0xD1, 0], [0x8F, 0],
    ] as [[UInt8]])
  func invalidBinaryObjectsAreRefused(object: [UInt8]) {
    #expect(throws: LegacyFailure.self) { try binary(list(object)) }
  }

  @Test func aListThatContainsItselfIsRefused() {
    #expect(throws: LegacyFailure.cyclic) { try binary(list([0xA1, 0])) }
    #expect(throws: LegacyFailure.cyclic) { try binary(list([0xC1, 0])) }
  }

  // MARK: Against Foundation

  private static let texts: [any Sendable] = [
    "", "a", "2:255", "ầ🌙", "a\n\"b\"\\'c'", "<&>", " x ", "1.5", "\u{7}é\t", "\\u00e9",
  ]
  private static let data: [any Sendable] = [
    Data(), Data([0]), Data([1, 2, 3, 255]), Data((0..<100).map { UInt8($0) }),
  ]
  private static let numbers: [any Sendable] = [
    0, 1, -1, 127, 128, 255, 256, 65535, 65536, Int.max, Int.min, 0.5, -1.25, 1e300, true, false,
  ]

  /// A random tree of lists, dictionaries and scalars.
  private func anything(
    _ depth: Int, _ leaves: [any Sendable], _ generator: inout SeededGenerator
  ) -> Any {
    switch Int.random(in: 0..<(depth > 0 ? 3 : 1), using: &generator) {
    case 1:
      return (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
        anything(depth - 1, leaves, &generator)
      }
    case 2:
      let keys = (0..<Int.random(in: 0..<8, using: &generator)).map {
        "\($0)\(Self.texts.randomElement(using: &generator) ?? "")"
      }
      return keys.reduce(into: [String: Any]()) {
        $0[$1] = anything(depth - 1, leaves, &generator)
      }
    default: return leaves.randomElement(using: &generator) ?? ""
    }
  }

  /// The result of Foundation as a `LegacyValue`, with sorted members.
  private func value(_ object: Any) -> LegacyValue {
    switch object {
    case let text as String: .string(text)
    case let data as Data: .data(Array(data))
    case let list as [Any]: .array(list.map(value))
    case let dictionary as [String: Any]:
      .dictionary(
        dictionary.keys.sorted().map { .init(key: .string($0), value: value(dictionary[$0]!)) })
    case let truth as Bool where Mirror(reflecting: object).subjectType == Bool.self: .bool(truth)
    case let number as Int where Mirror(reflecting: object).subjectType == Int.self:
      .integer(number)
    case let number as Double: .real(number)
    default: .null
    }
  }

  private func sorted(_ value: LegacyValue) -> LegacyValue {
    switch value {
    case .array(let values): .array(values.map(sorted))
    case .dictionary(let members):
      .dictionary(
        members.map { .init(key: $0.key, value: sorted($0.value)) }.sorted {
          $0.key.shown < $1.key.shown
        })
    default: value
    }
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func propertyListsOfFoundationAreRead(format: PropertyListSerialization.PropertyListFormat)
    throws
  {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let object = anything(4, Self.texts + Self.data + Self.numbers, &generator)
      let data = try PropertyListSerialization.data(
        fromPropertyList: object, format: format, options: 0)
      let read =
        format == .xml ? try xml(String(decoding: data, as: UTF8.self)) : try binary(Array(data))
      #expect(sorted(read) == sorted(value(object)))
    }
  }

  @Test func jsonOfFoundationIsRead() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let object = [anything(4, Self.texts + Self.numbers, &generator)]
      let data = try JSONSerialization.data(withJSONObject: object)
      #expect(sorted(try json(String(decoding: data, as: UTF8.self))) == sorted(value(object)))
    }
  }

  /// The value as an OpenStep property list in ASCII.
  private func printed(_ object: Any) -> String {
    switch object {
    case let text as String:
      let escaped = text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\n": "\\n"
        case _ where scalar.isASCII: String(scalar)
        default:
          scalar.utf16.map { "\\U" + String(UInt32($0) + 0x10000, radix: 16).suffix(4) }.joined()
        }
      }
      return "\"\(escaped.joined())\""
    case let data as Data:
      return
        "<\(data.map { String($0 + 0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }.joined())>"
    case let list as [Any]: return "(\(list.map(printed).joined(separator: ",\n")))"
    case let dictionary as [String: Any]:
      return "{\(dictionary.map { "\(printed($0.key)) = \(printed($0.value));\n" }.joined())}"
    default: return "x"
    }
  }

  @Test func openStepIsReadAsFoundationReadsIt() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let text = printed(["a": anything(4, Self.texts + Self.data, &generator)])
      let object = try PropertyListSerialization.propertyList(
        from: Data(text.utf8), options: [], format: nil)
      #expect(sorted(try openStep(text)) == sorted(value(object)), "\(text)")
    }
  }
}
