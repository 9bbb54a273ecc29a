import Foundation
import Quran
import TestSupport
import Testing

@testable import Editions

struct HostileFileTests {
  @Test(arguments: EditionFormat.allCases)
  func aTruncatedFileIsRefused(_ format: EditionFormat) throws {
    let fixture = EditionFixture.short
    let bytes = try fixture.bytes(format)
    for count in stride(from: 0, to: bytes.count, by: bytes.count / 100) {
      do {
        let editions = try ParsedEdition.parse(Array(bytes[..<count]))
        // Only a footer may have been cut off.
        for ayah in AyahID.first...AyahID.last {
          #expect(editions[0].content.text(of: ayah) == "text \(ayah)")
        }
      } catch {
        continue
      }
    }
  }

  @Test(arguments: [Packing.gzip, .zip, .stored])
  func aTruncatedContainerIsRefused(_ packing: Packing) throws {
    let bytes = packing.pack(try EditionFixture.bundled.bytes(.tanzilText))
    for count in stride(from: 0, to: bytes.count, by: bytes.count / 100) {
      #expect(throws: EditionFailure.self) { try ParsedEdition.parse(Array(bytes[..<count])) }
    }
  }

  @Test(arguments: EditionFormat.allCases, [Packing.plain, .zip])
  func aDamagedFileDoesNotCrash(_ format: EditionFormat, _ packing: Packing) throws {
    let bytes = packing.pack(try EditionFixture.short.bytes(format))
    var random = SeededGenerator(seed: 1)
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? ParsedEdition.parse(damaged)
    }
  }

  @Test(arguments: EditionFormat.allCases)
  func invalidUTF8IsReportedWithItsPosition(_ format: EditionFormat) throws {
    var bytes = try EditionFixture.short.bytes(format)
    let place = try #require(bytes.firstRange(of: Array("text 2:255".utf8))).lowerBound
    bytes[place] = 0xC3
    let line = 1 + bytes[..<place].count { $0 == 0x0A }
    #expect(throws: EditionFailure.notUTF8(offset: place, line: line)) {
      try ParsedEdition.parse(bytes)
    }
    #expect(throws: EditionFailure.notUTF8(offset: place, line: line)) {
      try ParsedEdition.parse(Packing.zip.pack(bytes))
    }
  }

  @Test(arguments: EditionFormat.allCases)
  func controlCharactersAreRefusedWithTheirAyah(_ format: EditionFormat) throws {
    for control in ["\u{1B}", "\u{7F}", "\u{9B}", "\u{85}", "\u{8}", "\r"] as [Unicode.Scalar] {
      var fixture = EditionFixture.short
      fixture.edit("2:255") { $0 + "\(control)[2J" }
      #expect(throws: EditionFailure.controlCharacter(AyahID("2:255")!, control)) {
        try ParsedEdition.parse(fixture.bytes(format))
      }
    }
    guard EditionFixture.hasFootnotes(format) else { return }
    var fixture = EditionFixture.short
    fixture.footnotes = [AyahID("3:7")!: "a\u{1B}]0;b"]
    #expect(throws: EditionFailure.controlCharacter(AyahID("3:7")!, "\u{1B}")) {
      try ParsedEdition.parse(fixture.bytes(format))
    }
  }

  @Test func aReferenceToAControlCharacterIsRefused() throws {
    let xml = String(decoding: try EditionFixture.short.bytes(.tanzilXML), as: UTF8.self)
      .replacing("text 2:255", with: "text &#x1b;[31m")
    #expect(throws: EditionFailure.controlCharacter(AyahID("2:255")!, "\u{1B}")) {
      try ParsedEdition.parse(Array(xml.utf8))
    }
  }

  @Test(arguments: EditionFormat.allCases)
  func oneMegabyteInAnAyahIsRefused(_ format: EditionFormat) throws {
    var fixture = EditionFixture.short
    fixture.edit("55:13") { $0 + String(repeating: "x", count: 1 << 20) }
    let failure = EditionFailure.ayahTooLong(AyahID("55:13")!, limit: 1 << 16)
    #expect(throws: failure) { try ParsedEdition.parse(fixture.bytes(format)) }
  }

  @Test(arguments: [
    "", " ", "hello", "{}", "[]", "{", "[[1]]", "null", "\"x\"", "{\"quran\":3}",
    "{\"format\":\"x\"}",
    "<a/>", "<quran></quran>", "<a>", "<a></b>",
    "<!DOCTYPE x [<!ENTITY a \"b\">]><quran>&a;</quran>",
    "1|1", "1|1|x\nfoo", "id,sura,aya,translation,footnotes", "PK", "\u{0}\u{0}", "[{\"a\":1}]",
    "{\"result\":[]}", "{\"surahs\":[]}", "{\"quran\":[]}", "id,sura,aya,translation\n1,1,1,\"x",
    "<quran><sura index='1'><aya index='1' text='&lol;'/></sura></quran>",
    "<quran><sura index='x'><aya index='1' text='a'/></sura></quran>",
    "<quran><aya index='1' text='a'/></quran>", "<quran/><quran/>", "{\"quran\":[]} x",
    "{\"quran\":[{\"chapter\":1,\"verse\":1e99,\"text\":\"a\"}]}",
    "{\"result\":[{\"sura\":\"a\"}]}",
  ])
  func unknownOrMalformedContentIsRefused(_ text: String) {
    #expect(throws: EditionFailure.self) { try ParsedEdition.parse(Array(text.utf8)) }
  }

  @Test func failuresHaveTheLineOrTheJSONPath() throws {
    let cases: [(String, EditionFailure)] = [
      ("hello", .unknownFormat), ("{\"a\":1}", .unknownFormat),
      ("1|1|a\n# b\n\n1|x|c", .malformed(.tanzilText, line: 4)),
      ("id,sura,aya,translation\n1,1,1,a\n\"2\",1", .malformed(.quranEncCSV, line: 3)),
      ("<quran>\n\n<sura index='1'></aya></quran>", .malformed(.tanzilXML, line: 3)),
      (
        "<a><sura>1</sura><aya>1</aya>\n<translation>b <i>c</i> d</translation></a>",
        .malformed(.quranEncXML, line: 2)
      ),
      (
        "<a><translation>b</translation><footnotes>\n[1] c<br/>d</footnotes></a>",
        .malformed(.quranEncXML, line: 2)
      ),
      ("{\"quran\":[{\"chapter\":1,\"verse\":1}]}", .invalidJSON(path: "quran.0.text")),
      ("{\"quran\":[{\"chapter\":1,\"verse\":1,\"text\":2}]}", .invalidJSON(path: "quran.0.text")),
    ]
    for (text, failure) in cases {
      #expect(throws: failure) { try ParsedEdition.parse(Array(text.utf8)) }
    }
  }

  @Test func deepNestingIsRefused() {
    for text in ["[", "{\"quran\":["] {
      let bytes = Array(String(repeating: text, count: 100_000).utf8)
      #expect(throws: EditionFailure.tooDeep(limit: JSONLimits.depth)) {
        try ParsedEdition.parse(bytes)
      }
    }
    let xml = Array(String(repeating: "<a>", count: 100_000).utf8)
    #expect(throws: EditionFailure.tooDeep(limit: XMLScanner.depthLimit)) {
      try ParsedEdition.parse(xml)
    }
  }

  @Test func tooManyValuesAreRefused() {
    let bytes = Array(("[" + String(repeating: "0,", count: 500_001) + "0]").utf8)
    #expect(throws: EditionFailure.tooManyValues(limit: JSONLimits.values)) {
      try ParsedEdition.parse(bytes)
    }
  }

  @Test func tooLargeFilesAreRefused() {
    let limit = EditionFormat.byteLimit
    #expect(throws: EditionFailure.tooLarge(limit: limit)) {
      try ParsedEdition.parse([UInt8](repeating: 0x20, count: limit + 1))
    }
  }

  @Test func decompressionBombsAreRefused() {
    let limit = EditionFormat.byteLimit
    let zeros = [UInt8](repeating: 0, count: limit + 1)
    #expect(throws: EditionFailure.tooLargeUnpacked(limit: limit)) {
      try ParsedEdition.parse(Packing.gzip(zeros))
    }
    #expect(throws: EditionFailure.tooLargeUnpacked(limit: limit)) {
      try ParsedEdition.parse(Packing.zip([("a", zeros)]))
    }
    // The limit applies to the sum of all entries.
    let half = Array(zeros[..<(limit / 2 + 1)])
    #expect(throws: EditionFailure.tooLargeUnpacked(limit: limit)) {
      try ParsedEdition.parse(Packing.zip([("a", half), ("b", half)]))
    }
    #expect(throws: EditionFailure.damagedArchive) {
      try ParsedEdition.parse(Packing.zip([("a", [1, 2, 3])], size: 2))
    }
  }

  /// Small entries with the same data could take hours to decompress.
  @Test func entriesThatOverlapAreRefused() throws {
    let text = try EditionFixture.short.bytes(.tanzilText)
    #expect(throws: EditionFailure.damagedArchive) {
      try ParsedEdition.parse(Packing.zip([("a", text)], copies: 2))
    }
  }

  /// If the word were copied for each sign, this would take minutes.
  @Test func manySignsBeforeOneWordAreJoinedOnce() throws {
    let file = try Data(EditionFixture.short.bytes(.mushafJSON))
    var mushaf = try #require(JSONSerialization.jsonObject(with: file) as? [String: Any])
    mushaf["mark_types"] = [["side": "before", "sign": String(repeating: "x", count: 15)]]
    mushaf["marks"] = [[Int]](repeating: [0, 0], count: 150_000)
    let bytes = Array(try JSONSerialization.data(withJSONObject: mushaf))
    let failure = EditionFailure.ayahTooLong(.first, limit: EditionFormat.ayahByteLimit)
    #expect(throws: failure) { try ParsedEdition.parse(bytes) }
  }

  @Test func unsupportedArchivesAreRefused() throws {
    let text = try EditionFixture.short.bytes(.tanzilText)
    for archive in [
      Packing.zip([("a", text)], flags: 1), Packing.zip([("a", text)], method: 12),
      Packing.zip([("a", text)], size: 0xFFFF_FFFF),
      Packing.zip(Array(repeating: ("a", [1]), count: ZipArchive.entryLimit + 1), method: 0),
    ] {
      #expect(throws: EditionFailure.unsupportedArchive) { try ParsedEdition.parse(archive) }
    }
  }

  @Test func aWrongChecksumOfAnEntryIsRefused() throws {
    let text = try EditionFixture.short.bytes(.tanzilText)
    var archive = Packing.zip([("a", text)], method: 0)
    let place = try #require(archive.firstRange(of: Array("text 2:255".utf8))).lowerBound
    archive[place] = UInt8(ascii: "T")
    #expect(throws: EditionFailure.damagedArchive) { try ParsedEdition.parse(archive) }
  }
}
