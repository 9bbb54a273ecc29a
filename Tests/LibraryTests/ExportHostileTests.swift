import Foundation
import Quran
import TestSupport
import Testing
import Text

@testable import Library

/// Malicious documents, and documents that are not exports.
struct ExportHostileTests {
  private let small = Array(
    """
    {"format":"quran-vi","version":1,"favorites":[{"ayah":"1:1","favoritedAt":1.0e1}],
     "x":[true,false,null,"\\u00e9\\n",-0.5E-3,{},[]],"notes":[]} 
    """.utf8)

  @Test func theSmallDocumentIsImported() throws {
    let library = try Library.inMemory()
    #expect(try Export.load(small, into: library).total.imported == 1)
    #expect(try library.snapshot().favoritedAt(.first) == 10)
  }

  @Test func aDocumentTruncatedAnywhereIsRefused() throws {
    let text = small.dropLast()
    for end in 0..<text.count {
      #expect(try Export.failure(Array(text[..<end])) != nil, "\(end)")
    }
  }

  @Test func randomlyChangedDocumentsAreReadOrRefused() throws {
    var generator = SeededGenerator(seed: 7)
    let library = try Library.inMemory()
    var refused = 0
    for _ in 0..<3000 {
      var bytes = small
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(contentsOf: Array(bytes[place...].prefix(5)), at: place)
        }
      }
      do {
        try Export.load(bytes, into: library)
      } catch is ExportDocument.Failure {
        refused += 1
      }
    }
    #expect(refused > 1000 && refused < 3000)
  }

  @Test(arguments: [
    ("{", 1, ExportDocument.Expected.key), ("{\"a\" 1}", 5, .colon), ("{\"a\":}", 5, .value),
    ("{\"a\":1 2}", 7, .commaOrBrace), ("{\"a\":[1 2]}", 8, .commaOrBracket),
    ("{\"a\":1,}", 7, .key),
    ("{\"a\":[1,]}", 8, .value), ("{\"notes\":[{},]}", 13, .value), ("{\"a\":tru}", 8, .value),
    ("{\"a\":01}", 6, .commaOrBrace), ("{\"a\":1.}", 7, .digit), ("{\"a\":-}", 6, .digit),
    ("{\"a\":1e}", 7, .digit), ("{\"a\":+1}", 5, .value), ("{\"a\":NaN}", 5, .value),
    ("{\"a\":\"\u{1}\"}", 6, .character), ("{\"a\":\"\\x\"}", 7, .escape),
    ("{\"a\":\"\\u12G4\"}", 10, .escape), ("{\"a\":\"", 6, .endOfString), ("{a:1}", 1, .key),
    ("{'a':1}", 1, .key), ("{} {}", 3, .end), ("{\"a\":[}", 6, .value), ("{\"a\":{]", 6, .key),
    ("{\"a\":[}]", 6, .value), ("{\"a\":/**/1}", 5, .value),
  ])
  func syntaxErrorsHaveAnOffset(_ text: String, offset: Int, expected: ExportDocument.Expected)
    throws
  {
    #expect(
      try Export.failure(text) == .syntax(offset: offset, line: 1, expected: expected), "\(text)")
  }

  @Test func syntaxErrorsHaveALineNumber() throws {
    #expect(
      try Export.failure("{\r\n\n \"a\":\n?}") == .syntax(offset: 10, line: 4, expected: .value))
  }

  @Test func documentsThatAreNotExportsAreRefused() throws {
    for text in [
      "", " ", "[]", "null", "x", "{}", #"{"version":1}"#, #"{"format":"quran-vi"}"#,
      #"{"format":"other","version":1}"#, #"{"format":1,"version":1}"#,
      #"{"format":"quran-vi","version":"1"}"#, #"{"format":"quran-vi","version":0}"#,
      #"{"format":"quran-vi","version":1.5}"#, #"{"format":"quran-vi","version":1e99}"#,
      #"{"format":"quran-vi","version":1,"format":"other"}"#, "\u{FEFF}", "<?xml version='1.0'?>",
      "bplist00", "SQLite format 3\0",
    ] {
      #expect(try Export.failure(text) == .notAnExport, "\(text)")
    }
    #expect(try Export.failure([0xFF, 0xFE, 0x7B, 0]) == .notAnExport)
    #expect(try Export.failure([0xEF, 0xBB]) == .notAnExport)
  }

  @Test func aNewerVersionIsReportedAndNotImported() throws {
    let favorite = #""favorites":[{"ayah":"1:1","favoritedAt":1}]"#
    for text in [
      #"{"format":"quran-vi","version":2,\#(favorite)}"#,
      #"{\#(favorite),"version":2,"format":"quran-vi"}"#,
      #"{"version":2,\#(favorite),"version":1,"format":"quran-vi"}"#,
    ] {
      #expect(try Export.failure(text) == .newer(version: 2))
    }
  }

  @Test func depthIsBounded() throws {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ depth: Int) -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      }
      let library = try Library.inMemory()
      let report = try Export.load(
        Export.document("\"x\":\(nested(31)),\"notes\":[\(nested(30))]"), into: library)
      #expect(report[.notes].skipped == 1)
      for deep in ["\"x\":\(nested(32))", "\"notes\":[\(nested(31))]", "\"x\":\(nested(100_000))"] {
        let failure = try Export.failure(Export.document(deep))
        guard case .tooDeep = failure else {
          Issue.record("\(String(describing: failure))")
          continue
        }
      }
    }
  }

  @Test func manySmallInvalidElementsAreLeftOut() throws {
    let element = Array("{\"a\":1},".utf8)
    var bytes = Array(Export.document("\"notes\":[").utf8.dropLast())
    for _ in 0..<(1 << 20) / element.count { bytes += element }
    bytes += Array("{}]}".utf8)
    let report = try Export.load(bytes, into: try .inMemory())
    #expect(report[.notes].skipped == (1 << 20) / element.count + 1)
    let inspection = try ExportDocument.inspect(Export.source(bytes))
    #expect(inspection.count == report.total.found)
  }

  @Test func largeElementsAreLeftOut() throws {
    let favorite = #"{"ayah":"1:1","favoritedAt":1}"#
    let long = String(repeating: "x", count: 9 << 20)
    let wide = Array(repeating: "1", count: 2000).joined(separator: ",")
    let digits = String(repeating: "9", count: 1 << 20)
    let report = try Export.load(
      Export.document(
        #""favorites":[{"ayah":"\#(long)"},{"x":[\#(wide)],"ayah":"1:2","favoritedAt":1},"#
          + #"{"ayah":"1:3","favoritedAt":\#(digits)},\#(favorite)],"y":"\#(long)","#
          + #""z":\#(digits)"#), into: try .inMemory())
    #expect(report.skips.map(\.reason) == [.tooLarge, .tooLarge, .tooLarge])
    #expect(report[.favorites].imported == 1)
  }

  @Test func duplicateKeysAreBothRead() throws {
    let library = try Library.inMemory()
    let report = try Export.load(
      Export.document(
        #""favorites":[{"ayah":"1:1","ayah":"1:2","favoritedAt":1}],"#
          + #""favorites":[{"ayah":"1:3","favoritedAt":1}],"format":"quran-vi""#), into: library)
    #expect(report[.favorites].imported == 2)
  }

  @Test func elementsThatAreNotUTF8AreLeftOut() throws {
    var bytes = Array(Export.document(#""favorites":[{"ayah":"1:1","favoritedAt":1,"x":"#).utf8)
    bytes.removeLast()
    bytes += [UInt8(ascii: "\""), 0xC3, 0x28, UInt8(ascii: "\"")]
    bytes += Array("},{\"ayah\":\"1:2\",\"favoritedAt\":1}]}".utf8)
    let report = try Export.load(bytes, into: try .inMemory())
    #expect(report.skips.map(\.reason) == [.notText])
    #expect(report[.favorites].imported == 1)
  }

  @Test func anInspectionAgreesWithTheImport() throws {
    let json = Array(try Export.json(try Export.filledLibrary()).utf8)
    let inspection = try ExportDocument.inspect(Export.source(json))
    #expect(inspection.version == 1)
    let report = try Export.load(json, into: try .inMemory())
    #expect(inspection.elements == report.counts.mapValues(\.found))
    let newer = "{\"format\":\"quran-vi\",\"version\":9}"
    for text in ["", "{}", "{\"format\":1}", newer, "{\"a\":}"] {
      let failure = try Export.failure(text)
      #expect(
        #expect(throws: ExportDocument.Failure.self) {
          try ExportDocument.inspect(Export.source(Array(text.utf8)))
        } == failure)
    }
  }
}
