import CZlib
import Foundation
import Quran

@testable import Editions

/// A text with footnotes, which can be written in each of the formats.
struct EditionFixture {
  var ayahs: [(surah: Int, ayah: Int, text: String)]
  var footnotes: [AyahID: String] = [:]
  /// The basmala in the attributes of Tanzil's XML.
  var basmala = ""

  /// The bundled text with characters that the formats must escape.
  static let bundled: EditionFixture = {
    var fixture = EditionFixture { Edition.bundled.text(of: $0) }
    fixture.edit("1:3") { $0.decomposedStringWithCanonicalMapping }
    fixture.edit("2:255") { $0 + " & <b> \"x\", 'y'; {z} \\u0041 | c\t[7] " }
    fixture.edit("3:1") { "\u{A0}" + $0 + "\u{301}" }
    fixture.edit("114:6") { $0 + "[12]" }
    fixture.footnotes = [
      AyahID("2:255")!: "[7] Một “chú thích”, \"hai\" & <ba>\n\nbốn",
      AyahID("114:6")!: "[12] Cuối",
    ]
    return fixture
  }()

  /// Short texts, so that a test can parse them often.
  static let short = EditionFixture { "text \($0)" }

  init(_ text: (AyahID) -> String) {
    ayahs = (AyahID.first...AyahID.last).map { ($0.surah.rawValue, $0.ayah, text($0)) }
  }

  mutating func edit(_ ayah: String, _ change: (String) -> String) {
    let index = AyahID(ayah)!.index - 1
    ayahs[index].text = change(ayahs[index].text)
  }

  private func footnote(_ ayah: (surah: Int, ayah: Int, text: String)) -> String {
    AyahID(surah: ayah.surah, ayah: ayah.ayah).flatMap { footnotes[$0] } ?? ""
  }

  // MARK: Formats

  /// Whether a format has footnotes.
  static func hasFootnotes(_ format: EditionFormat) -> Bool {
    [.quranEncCSV, .quranEncXML, .quranEncJSON].contains(format)
  }

  func bytes(_ format: EditionFormat) throws -> [UInt8] {
    switch format {
    case .tanzilText:
      Array(
        "\u{FEFF}# Name: Thử\r\n\r\n\(lines { "\($0.surah)|\($0.ayah)|\($0.text)" })\r\n\r\n# end"
          .utf8)
    case .ayahLines: Array("# Name: Thử\r\n\r\n\(lines(\.text))\r\n\r\n\r\n# end\r\n".utf8)
    case .tanzilXML: xml(tanzilElements)
    case .quranEncXML: xml(quranEncElements)
    case .quranEncCSV: csv()
    case .quranEncJSON: try json(ayahs.map(quranEncRow), wrapped: "result")
    case .phoneAppJSON: try phoneApp()
    case .mushafJSON: try mushaf()
    case .chapterVerseJSON:
      try json(
        ayahs.map { ["chapter": $0.surah, "verse": $0.ayah, "text": $0.text] }, wrapped: "quran")
    }
  }

  private func lines(_ line: ((surah: Int, ayah: Int, text: String)) -> String) -> String {
    ayahs.map(line).joined(separator: "\r\n")
  }

  func csv() -> [UInt8] {
    func quoted(_ text: String) -> String {
      "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
    let rows = ayahs.enumerated().map { index, ayah in
      "\(index + 1),\(ayah.surah),\(ayah.ayah),\(quoted(ayah.text)),\(quoted(footnote(ayah)))\r\n"
    }
    let preamble = "# A \"title\r\n# Language: Vietnamese\r\n\r\n\"Info:\n# more\",,,,\r\n"
    let header = "id,sura,aya,translation,footnotes\r\n"
    return Array((preamble + header + rows.joined()).utf8)
  }

  private func xml(_ elements: ([(surah: Int, ayah: Int, text: String)]) -> String) -> [UInt8] {
    let surahs = Dictionary(grouping: ayahs, by: \.surah).sorted { $0.key < $1.key }
    return Array(
      ("<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<!--\n# Name: Thử\n-->\n<quran>\n"
        + surahs.map { elements($0.value) }.joined(separator: "\n") + "</quran>\n").utf8)
  }

  private func tanzilElements(_ ayahs: [(surah: Int, ayah: Int, text: String)]) -> String {
    let elements = ayahs.map { ayah in
      let isHeaded = ayah.ayah == 1 && SurahNumber(ayah.surah)?.surah.isHeadedByBasmala ?? false
      let extra = isHeaded && !basmala.isEmpty ? " bismillah='\(Self.escaped(basmala))'" : ""
      return "<aya index=\"\(ayah.ayah)\" text=\"\(Self.escaped(ayah.text))\"\(extra) />"
    }
    return "<sura index=\"\(ayahs[0].surah)\" name='x'>\n\(elements.joined(separator: "\n"))</sura>"
  }

  private func quranEncElements(_ ayahs: [(surah: Int, ayah: Int, text: String)]) -> String {
    let elements = ayahs.map { ayah in
      """
      <aya number="\(ayah.ayah)">
      <translation>
        <![CDATA[\(ayah.text)]]>
      </translation><footnotes>\(Self.escaped(footnote(ayah)))</footnotes>
      </aya>
      """
    }
    return "<sura number=\"\(ayahs[0].surah)\">\n\(elements.joined(separator: "\n"))</sura>"
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&#34;").replacingOccurrences(of: "'", with: "&#x27;")
  }

  func quranEncRow(_ ayah: (surah: Int, ayah: Int, text: String)) -> [String: Any] {
    [
      "id": "\(ayah.surah)", "sura": "\(ayah.surah)", "aya": ayah.ayah,
      "arabic_text": "عربي \(ayah.surah) \(ayah.ayah)", "translation": ayah.text,
      "footnotes": footnote(ayah),
    ]
  }

  func json(_ rows: [[String: Any]], wrapped key: String) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: [key: rows]))
  }

  private func phoneApp() throws -> [UInt8] {
    let surahs = Dictionary(grouping: ayahs, by: \.surah).map { surah, ayahs in
      [
        "number": surah,
        "ayahs": ayahs.map {
          [
            "id": "\($0.surah):\($0.ayah)", "number": $0.ayah, "vietnamese": $0.text,
            "arabic": "عربي \($0.surah) \($0.ayah)",
          ] as [String: Any]
        },
      ] as [String: Any]
    }
    let metadata =
      ["generatedAt": "2025-10-31", "vietnameseSource": ["name": "thu_nghiem"]] as [String: Any]
    return Array(
      try JSONSerialization.data(withJSONObject: ["metadata": metadata, "surahs": surahs]))
  }

  /// Each text is a single word, so that its spaces are preserved. Some words are written as marks.
  private func mushaf() throws -> [UInt8] {
    var words: [String] = []
    var marks: [[Int]] = []
    var signs: [[String: String]] = []
    for (index, ayah) in ayahs.enumerated() {
      if index % 100 == 0, let space = ayah.text.firstIndex(of: " "),
        space < ayah.text.indices.last!
      {
        marks += [[index, signs.count], [index, signs.count + 1]]
        signs.append(["side": "before", "sign": String(ayah.text[..<space])])
        signs.append(["side": "after", "sign": String(ayah.text.suffix(1))])
        words.append(String(ayah.text[ayah.text.index(after: space)...].dropLast()))
      } else {
        words.append(ayah.text)
      }
    }
    var surahs: [[String: Int]] = []
    for (index, ayah) in ayahs.enumerated() {
      if surahs.last?["number"] == ayah.surah {
        surahs[surahs.count - 1]["ayah_count"]! += 1
      } else {
        surahs.append(["number": ayah.surah, "first_ayah": index, "ayah_count": 1])
      }
    }
    return Array(
      try JSONSerialization.data(
        withJSONObject: [
          "format": "quran-mushaf", "words": words, "marks": marks, "mark_types": signs,
          "surahs": surahs, "ayah_starts": Array(words.indices),
        ] as [String: Any]))
  }
}

// MARK: - Containers

/// How a file is packed.
enum Packing: String, CaseIterable {
  case plain, gzip, zip, stored

  func pack(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .plain: bytes
    case .gzip: Self.gzip(bytes)
    case .zip: Self.zip([("note.txt", Array("not a text".utf8)), ("../../a", bytes)])
    case .stored: Self.zip([("/etc/b", bytes)], method: 0)
    }
  }

  /// The raw deflate stream of some bytes.
  static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    let status = compress2(&output, &count, bytes, UInt(bytes.count), 6)
    precondition(status == Z_OK)
    // Without the header and the checksum of zlib.
    return Array(output[2..<(Int(count) - 4)])
  }

  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflate(bytes) + word(Int(crc(bytes)))
      + word(bytes.count)
  }

  /// - Parameter copies: The number of directory entries for each given entry.
  static func zip(
    _ entries: [(name: String, content: [UInt8])], method: Int = 8, flags: Int = 0,
    size: Int? = nil, copies: Int = 1
  ) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let data = method == 8 ? deflate(entry.content) : entry.content
      let name = Array(entry.name.utf8)
      let common =
        half(20) + half(flags) + half(method) + word(0) + word(Int(crc(entry.content)))
        + word(data.count) + word(size ?? entry.content.count) + half(name.count) + half(0)
      let record =
        word(0x0201_4B50) + half(20) + common + half(0) + half(0) + half(0) + word(0)
        + word(file.count) + name
      for _ in 0..<copies { directory += record }
      file += word(0x0403_4B50) + common + name + data
    }
    let offset = file.count
    let count = half(entries.count * copies)
    return file + directory + word(0x0605_4B50) + word(0) + count + count + word(directory.count)
      + word(offset) + half(2) + [0x20, 0x20]
  }

  static func half(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
  static func word(_ value: Int) -> [UInt8] { half(value & 0xFFFF) + half(value >> 16) }
  private static func crc(_ bytes: [UInt8]) -> UInt { crc32(0, bytes, UInt32(bytes.count)) }
}

/// Compares strings by their bytes, because `==` ignores the normalization form.
func sameBytes(_ a: String?, _ b: String?) -> Bool {
  a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
}
