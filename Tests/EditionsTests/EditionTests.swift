import Editions
import Foundation
import Quran
import TestSupport
import Testing

struct EditionTests {
  @Test func theBundledTextEqualsTheResourceByteForByte() throws {
    let data = try Data(
      contentsOf: checkout.appending(path: "Resources/quran/vi.quranvi.txt"))
    #expect(Data(Edition.bundled.fileBytes) == data)
    let lines = data.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
    #expect(lines.count == AyahID.count)
    for (line, ayah) in zip(lines, AyahID.first...AyahID.last) {
      let text = Edition.bundled.text(of: ayah)
      #expect(Data("\(ayah.surah)|\(ayah.ayah)|\(text)".utf8) == Data(line))
      #expect(Data(Edition.bundled.bytes(of: ayah)) == Data(text.utf8))
    }
  }

  @Test func theBundledTextIsComposedAndNotEmpty() {
    for ayah in AyahID.first...AyahID.last {
      let text = Edition.bundled.text(of: ayah)
      #expect(!text.isEmpty)
      let composed = text.precomposedStringWithCanonicalMapping
      #expect(Array(text.utf8) == Array(composed.utf8))
    }
  }

  @Test func theBundledTextIsNotRecognised() {
    #expect(Edition.bundled.info.id == "vi.quranvi")
    #expect(Edition.bundled.info.language == "vi")
    #expect(!Edition.bundled.info.isRecognised)
    #expect(Edition.bundled.info.isBundled && !Edition.bundled.hasFootnotes)
  }

  @Test func commentsMayComeFirst() throws {
    let edition = try Edition(lines: ["# one", "# 1|1|two"] + Self.lines)
    #expect(edition.text(of: .first) == "text 1:1")
    #expect(edition.text(of: .last) == "text 114:6")
  }

  @Test func theLastLineNeedsNoLineFeed() throws {
    let edition = try Edition(text: Self.lines.joined(separator: "\n"))
    #expect(edition.text(of: .last) == "text 114:6")
    #expect(edition.text(of: .first) == "text 1:1")
  }

  @Test func anAyahMayBeEmpty() throws {
    var lines = Self.lines
    lines[6235] = "114|6|"
    #expect(try Edition(lines: lines).text(of: .last) == "")
  }

  @Test(arguments: [1, 2, 8, 262, 6236])
  func aMissingAyahIsReported(_ index: Int) throws {
    var lines = Self.lines
    lines.remove(at: index - 1)
    let missing = try #require(AyahID(index: index))
    #expect(throws: Edition.Failure.expected(missing)) { try Edition(lines: lines) }
  }

  @Test(arguments: [2, 8, 262, 6236])
  func anAyahGivenTwiceIsRefused(_ index: Int) throws {
    var lines = Self.lines
    lines.insert(lines[index - 2], at: index - 1)
    let expected = try #require(AyahID(index: index))
    #expect(throws: Edition.Failure.expected(expected)) { try Edition(lines: lines) }
  }

  @Test func anythingAfterTheLastAyahIsRefused() {
    for extra in ["114|6|text", "114|7|text", "", "# comment"] {
      #expect(throws: Edition.Failure.trailingLines) { try Edition(lines: Self.lines + [extra]) }
    }
  }

  @Test func ayahsOutOfOrderAreRefused() throws {
    var lines = Self.lines
    lines.swapAt(10, 11)
    let expected = try #require(AyahID(index: 11))
    #expect(throws: Edition.Failure.expected(expected)) { try Edition(lines: lines) }
  }

  @Test(arguments: [0, 1, 3, 4, 12, 5000])
  func aTruncatedTextReportsTheFirstMissingAyah(_ count: Int) throws {
    let bytes = Array(Self.lines.joined(separator: "\n").utf8)
    #expect {
      try Edition(bytes: bytes.prefix(count))
    } throws: { error in
      // An ayah truncated in its text is accepted; one truncated in its prefix is missing.
      let cut = String(decoding: bytes.prefix(count), as: UTF8.self)
      let whole = cut.split(separator: "\n").count { $0.count { $0 == "|" } == 2 }
      return error as? Edition.Failure == AyahID(index: whole + 1).map(Edition.Failure.expected)
    }
  }

  @Test(arguments: [
    "1:1|text", "1|1", "01|1|text", "1|01|text", " 1|1|text", "\u{FEFF}1|1|text", "1|2|text", "",
  ])
  func aLineWithAWrongPrefixIsRefused(_ line: String) {
    #expect(throws: Edition.Failure.expected(.first)) {
      try Edition(lines: [line] + Self.lines.dropFirst())
    }
  }

  private static let lines = (AyahID.first...AyahID.last).map {
    "\($0.surah)|\($0.ayah)|text \($0)"
  }
}
