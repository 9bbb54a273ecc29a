import CloudRecords
import Foundation
import Testing
import Text

struct BoundsTests {
  private static let small = JSONBounds(bytes: 1000, depth: 4, values: 10, numberBytes: 8)

  private func problem(
    _ json: String, _ bounds: JSONBounds = JSONBounds(bytes: 1 << 20)
  ) -> JSONBounds.Problem? {
    problem(Data(json.utf8), bounds)
  }

  private func problem(_ json: Data, _ bounds: JSONBounds) -> JSONBounds.Problem? {
    do {
      try bounds.check(json.span)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1.5e+10", "1E5", #""""#, #""a\u0000\"\\\/\b\f\n\r\t""#,
    #""\ud83d\ude00""#, #""\uD83D\uDE00 \u00e9""#, "{}", "[]", " \t\r\n[ ] ", "[1,[2,{}],\"é😀\"]",
    #"{"a":1,"b":[],"a":{"":null}}"#, #" { "a" : [ 1 , 2 ] } "#,
  ])
  func validJSONPasses(_ json: String) {
    #expect(problem(json) == nil)
  }

  @Test(arguments: [
    ("", JSONBounds.Expected.value, 0), ("   ", .value, 3), ("nul", .value, 3),
    ("True", .value, 0), ("truee", .end, 4), ("1 2", .end, 2), ("[", .value, 1),
    ("[1", .commaOrBracket, 2), ("[1,", .value, 3), ("[1,]", .value, 3), ("[,1]", .value, 1),
    ("[1 2]", .commaOrBracket, 3), ("[1}", .commaOrBracket, 2), ("{", .key, 1),
    ("{,}", .key, 1), ("{1:2}", .key, 1), (#"{"a"}"#, .colon, 4), (#"{"a":}"#, .value, 5),
    (#"{"a":1,}"#, .key, 7), (#"{"a":1]"#, .commaOrBrace, 6), (#"{"a":1 "b":2}"#, .commaOrBrace, 7),
    ("]", .value, 0), ("}", .value, 0), ("[]]", .end, 2), ("-", .digit, 1), ("01", .end, 1),
    ("1.", .digit, 2), (".5", .value, 0), ("1e", .digit, 2), ("1e+", .digit, 3), ("+1", .value, 0),
    ("NaN", .value, 0), ("Infinity", .value, 0), ("'a'", .value, 0), (#"""#, .endOfString, 1),
    (#""a"#, .endOfString, 2), ("\"\n\"", .character, 1), (#""\x""#, .escape, 2),
    (#""\"#, .escape, 2), (#""\u12""#, .escape, 5), (#""\u12g4""#, .escape, 5),
    (#""\ud83d""#, .surrogate, 7), (#""\ud83d\n""#, .surrogate, 7), (#""\ude00""#, .surrogate, 7),
    (#""\ud83d\u0041""#, .surrogate, 13), ("/* */1", .value, 0), ("\u{FEFF}1", .value, 0),
  ])
  func syntaxErrorsAreReportedWithTheirOffset(
    _ json: String, _ expected: JSONBounds.Expected, offset: Int
  ) {
    #expect(problem(json) == .syntax(expected, offset: offset))
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0xFE, 0xFF, 0x00, 0x31],
    ] as [[UInt8]])
  func invalidUTF8IsReportedWithItsOffset(_ bytes: [UInt8]) {
    let offset = bytes[0] == 0x22 ? 1 : 0
    #expect(problem(Data(bytes), JSONBounds(bytes: 100)) == .notUTF8(offset: offset))
  }

  @Test func boundsAreExact() {
    #expect(problem(#"[[[[]]]]"#, Self.small) == nil)
    #expect(problem(#"[[[[[]]]]]"#, Self.small) == .tooDeep(limit: 4, offset: 4))
    #expect(problem(#"{"a":{"a":{"a":{"a":{}}}}}"#, Self.small) == .tooDeep(limit: 4, offset: 20))
    #expect(problem("[1,2,3,4,5,6,7,8,9]", Self.small) == nil)
    #expect(
      problem("[1,2,3,4,5,6,7,8,9,0]", Self.small) == .tooManyValues(limit: 10, offset: 19))
    #expect(problem("12345678", Self.small) == nil)
    #expect(problem("-1.5e+678", Self.small) == .numberTooLong(limit: 8, offset: 0))
    #expect(problem("\"" + String(repeating: "a", count: 998) + "\"", Self.small) == nil)
    #expect(
      problem("\"" + String(repeating: "a", count: 999) + "\"", Self.small)
        == .tooLong(limit: 1000))
  }

  @Test func theDepthBoundIsAtMost64() {
    #expect(JSONBounds(bytes: 10, depth: 1000).depth == 64)
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(problem(deep, JSONBounds(bytes: 1000, depth: 64)) == nil)
  }

  @Test func hostileBodiesEndInAnError() {
    for opening in ["[", #"{"a":"#, #"[{"a":"#] {
      #expect(bodyProblem(JSONValue.self, String(repeating: opening, count: 10_000)) != nil)
    }
    let closed = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(bodyProblem(JSONValue.self, closed) == .json(.tooDeep(limit: 32, offset: 32)))
    let many = "[" + String(repeating: #"{"a":1},"#, count: 1_000_000) + "1]"
    guard case .json(.tooManyValues(limit: 250_000, _)) = bodyProblem(JSONValue.self, many) else {
      Issue.record("too many values are decoded")
      return
    }
    let long = "\"" + String(repeating: "a", count: Limits.requestBytes) + "\""
    #expect(bodyProblem(String.self, long) == .json(.tooLong(limit: 8_388_608)))
    let digits = String(repeating: "1", count: 1_000_000)
    #expect(bodyProblem(Double.self, digits) == .json(.numberTooLong(limit: 400, offset: 0)))
  }

  @Test func onlyTooLargeBodiesAreLimitExceeded() throws {
    let long = "\"" + String(repeating: "a", count: Limits.requestBytes) + "\""
    #expect(throws: BodyDecodingError.json(.tooLong(limit: Limits.requestBytes))) {
      try request(String.self, long)
    }
    let tooLong = BodyDecodingError.json(.tooLong(limit: 1)).serviceError
    #expect(tooLong.code == .limitExceeded)
    let broken = BodyDecodingError.json(.syntax(.colon, offset: 4)).serviceError
    #expect(
      broken == ServiceError(.badRequest, cause: .malformedBody(.json(.syntax(.colon, offset: 4)))))
  }

  /// A body that passes the bounds is decoded, unless Double cannot hold one of its numbers.
  @Test func mutatedBodiesEndInAValueOrAnError() throws {
    var counts = (read: 0, refused: 0)
    for seed in seeds(3000) {
      var arbitrary = Arbitrary(seed: seed)
      var bytes = Array(try text(arbitrary.result()).utf8)
      for _ in 0..<arbitrary.int(1...3) where !bytes.isEmpty {
        let place = arbitrary.int(0...bytes.count - 1)
        switch arbitrary.int(0...3) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(UInt8(arbitrary.int(0...255)), at: place)
        case 2: bytes[place] = arbitrary.one(of: Array(#"{}[]",:\0e-u"#.utf8))
        default: bytes.removeSubrange(place...)
        }
      }
      do {
        _ = try Wire.decode(JSONValue.self, from: Data(bytes), as: .request)
        counts.read += 1
        #expect(problem(Data(bytes), .request) == nil, "seed \(seed)")
      } catch .json(let reported) {
        counts.refused += 1
        #expect(reported == problem(Data(bytes), .request), "seed \(seed)")
      } catch {
        // The only other error is a number beyond the range of Double.
        #expect(
          error == .shape(path: "", mismatch: .expected(.representableNumbers)), "seed \(seed)")
      }
      // Decoding as anything else must not crash.
      for role in [Wire.Role.request, .response] {
        _ = try? Wire.decode(RecordResult.self, from: Data(bytes), as: role)
        _ = try? Wire.decode(RecordsModify.Request.self, from: Data(bytes), as: role)
      }
    }
    #expect(counts.read > 100 && counts.refused > 100, "\(counts)")
  }
}
