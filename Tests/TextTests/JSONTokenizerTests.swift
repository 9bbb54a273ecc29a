import Testing
import Text

struct JSONTokenizerTests {
  private struct Read: Equatable {
    var tokens: [String] = []
    var problem: JSONTokenizer.Problem?
  }

  /// The kinds and bytes of the tokens.
  private func read(
    _ json: String, chunk size: Int = .max,
    _ tokenizer: JSONTokenizer = JSONTokenizer(requiresSurrogatePairs: true)
  ) -> Read {
    var (tokenizer, read, rest) = (tokenizer, Read(), Array(json.utf8)[...])
    var (chunk, bytes) = ([UInt8](), [UInt8]())
    do {
      while true {
        let token = try tokenizer.next(in: chunk.span, isLast: chunk.isEmpty && rest.isEmpty)
        if tokenizer.tokenBeginsInChunk { bytes = [] }
        bytes += chunk[tokenizer.tokenRange]
        if let token {
          #expect(tokenizer.tokenSize == bytes.count)
          #expect(Array(json.utf8)[tokenizer.tokenOffset...].starts(with: bytes))
          read.tokens.append("\(token) \(String(decoding: bytes, as: UTF8.self))")
          continue
        }
        if chunk.isEmpty, rest.isEmpty { break }
        chunk = Array(rest.prefix(size))
        rest = rest.dropFirst(chunk.count)
        tokenizer.beginChunk()
      }
      #expect(tokenizer.isComplete)
    } catch {
      read.problem = error
    }
    return read
  }

  private static let document = #"""
    {"a" : [1, -0.5E+3,0, "\u00e9\n\ud83d\ude00é", {}, [] ],
     "a":true,"":{"b":null , "c":false}}
    """#

  @Test func tokensHaveTheirBytes() {
    #expect(
      read(Self.document)
        == Read(tokens: [
          "beginObject {", #"key "a""#, "beginArray [", "number 1", "number -0.5E+3", "number 0",
          #"string "\u00e9\n\ud83d\ude00é""#, "beginObject {", "endObject }", "beginArray [",
          "endArray ]", "endArray ]", #"key "a""#, "true true", #"key """#, "beginObject {",
          #"key "b""#, "null null", #"key "c""#, "false false", "endObject }", "endObject }",
        ]))
  }

  @Test func chunksMayEndAnywhere() {
    for size in 1...Self.document.utf8.count {
      #expect(read(Self.document, chunk: size) == read(Self.document))
    }
  }

  @Test func aTruncatedDocumentIsMalformedAtItsEnd() {
    for count in 0..<Self.document.utf8.count {
      let json = String(decoding: Self.document.utf8.prefix(count), as: UTF8.self)
      let (whole, parts) = (read(json), read(json, chunk: 3))
      #expect(whole == parts, "\(count)")
      #expect(whole.problem?.offset ?? 0 >= json.utf8.count - 2, "\(count)")
    }
  }

  @Test(arguments: [
    ("", JSONTokenizer.Expected.value, 0), ("[1,]", .value, 3), ("[1 2]", .commaOrBracket, 3),
    (#"{"a":1 "b"}"#, .commaOrBrace, 7), (#"{"a" 1}"#, .colon, 5), ("{1:2}", .key, 1),
    (#"{"a":1,}"#, .key, 7), ("[1}", .commaOrBracket, 2), ("01", .end, 1), ("-", .digit, 1),
    ("1.e", .digit, 2), ("1e+", .digit, 3), ("tru", .value, 3), ("nulL", .value, 3),
    ("\"\t\"", .character, 1), (#""\x""#, .escape, 2), (#""\u12g4""#, .escape, 5),
    (#""a"#, .endOfString, 2), (#""\ud83d""#, .surrogate, 7), (#""\ud83d\n""#, .surrogate, 7),
    (#""\ude00""#, .surrogate, 7), (#""\ud83d\ud83d""#, .surrogate, 13), ("1 2", .end, 2),
  ])
  func malformedJSONIsReported(_ json: String, _ expected: JSONTokenizer.Expected, offset: Int) {
    for size in 1...4 {
      #expect(read(json, chunk: size).problem == .syntax(expected, offset: offset))
    }
  }

  @Test(arguments: [#""\ud83d""#, #""\ud83dx""#, #""\ude00\ud83d""#])
  func unpairedSurrogatesCanBeAllowed(_ json: String) {
    #expect(read(json, JSONTokenizer()).problem == nil)
    #expect(read(json).problem != nil)
  }

  @Test func limitsAreExact() {
    let deep = JSONTokenizer(maximumDepth: 2)
    #expect(read("[{}]", deep).problem == nil)
    #expect(read(#"[{"a":[]}]"#, deep).problem == .tooDeep(offset: 6))
    let nested = String(repeating: "[", count: 65)
    #expect(read(nested, JSONTokenizer(maximumDepth: 1000)).problem == .tooDeep(offset: 64))
    let short = JSONTokenizer(maximumValues: 3)
    #expect(read(#"[1,{"a":2}]"#, short).problem == .tooManyValues(offset: 8))
    #expect(read(#"[1,{}]"#, short).problem == nil)
  }

  @Test func aDocumentMayBeginAtAnOffset() throws {
    var tokenizer = JSONTokenizer(from: 3)
    let bytes = Array("\u{FEFF}\n\n \"\\n\"".utf8)
    #expect(try tokenizer.next(in: bytes.span) == .string)
    #expect(tokenizer.tokenOffset == 6)
    #expect(tokenizer.line == 3)
    #expect(tokenizer.tokenHasEscapes)
    #expect(try tokenizer.next(in: bytes.span) == nil)
    #expect(tokenizer.isComplete)
  }
}
