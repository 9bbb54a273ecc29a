import CZlib
import Foundation
import LegacyImport
import Quran
import TestSupport
import Testing

/// Malicious and damaged files.
struct HostileTests {
  private static let codes = [
    "archive-chain.plist": "nothing-understood: unreadable-damaged",
    "archive-cycle.plist": "nothing-understood: unreadable-cyclic",
    "archive-doubled-references.plist": "too-many-values",
    "archive-outside.plist": "nothing-understood: unreadable-damaged",
    "archive-text-of-text.plist": "nothing-understood: unreadable-too-deep",
    "archive-wide-references.plist": "too-many-values",
    "archive-without-keys.plist": "nothing-understood: unreadable-damaged",
    "array-over-end.plist": "damaged",
    "billion-laughs.plist": "has-entities",
    "blank.txt": "not-recognised",
    "comment.json": "damaged",
    "concatenated.json": "damaged",
    "control-character.json": "damaged",
    "count-huge.plist": "damaged",
    "count-most.plist": "damaged",
    "crossed-tags.plist": "damaged",
    "cycle.plist": "cyclic",
    "deep-wraps.plist": "nothing-understood: unreadable-too-deep",
    "deep.json": "too-deep",
    "deep.plist": "too-deep",
    "deep.txt": "too-deep",
    "doubled-references.plist": "too-deep",
    "empty.txt": "not-recognised",
    "external-entity.plist": "has-entities",
    "half-digit.txt": "damaged",
    "key-is-list.plist": "damaged",
    "key-without-value.plist": "damaged",
    "latin-1.plist": "unknown-encoding",
    "lines.json": "damaged",
    "list.json": "no-legacy-keys",
    "lone-surrogate.json": "damaged",
    "nan.json": "damaged",
    "no-keys.json": "no-legacy-keys",
    "no-semicolon.txt": "damaged",
    "odd-utf16.json": "damaged",
    "offset-in-header.plist": "damaged",
    "offset-outside.plist": "damaged",
    "open-comment.txt": "damaged",
    "prose.txt": "not-recognised",
    "reference-outside.plist": "damaged",
    "self.plist": "cyclic",
    "short.plist": "damaged",
    "shortened-classic.txt": "shortened",
    "shortened-one.txt": "shortened",
    "shortened.txt": "shortened",
    "single-quotes.json": "damaged",
    "size-is-text.plist": "damaged",
    "string-huge.plist": "damaged",
    "string-over-end.plist": "damaged",
    "table-in-trailer.plist": "damaged",
    "table-outside.plist": "damaged",
    "top-outside.plist": "damaged",
    "trailing-comma.json": "damaged",
    "trailing-garbage.json.gz": "damaged",
    "truncated.json.gz": "damaged",
    "twice.json.gz": "not-recognised",
    "two-values.plist": "damaged",
    "undeclared-entity.plist": "damaged",
    "unknown-marker.plist": "damaged",
    "unreadable.json": "nothing-understood: unreadable-not-recognised wrong-type",
    "utf16-over-end.plist": "damaged",
    "value-without-key.plist": "damaged",
    "wide-doubled-references.plist": "too-many-values",
    "widths-zero.plist": "damaged",
    "wrong-sum.json.gz": "damaged",
  ]

  @Test func everyFileIsRefusedForItsReason() throws {
    #expect(Fixtures.names("hostile") == Self.codes.keys.sorted().map { "hostile/\($0)" })
    for (name, code) in Self.codes {
      let failure = failure(of: try Fixtures.bytes("hostile/\(name)"))
      var found = failure?.code
      if case .nothingUnderstood(let problems)? = failure {
        found? += ": " + problems.map(\.reason.code).joined(separator: " ")
      }
      #expect(found == code, "\(name)")
    }
  }

  @Test func theOffsetOfDamageIsReported() throws {
    #expect(failure(of: #"{"favoriteAyahs":[NaN]}"#) == .damaged(.json, offset: 18))
    #expect(failure(of: "\u{FEFF}{\"a\" 1}") == .damaged(.json, offset: 8))
    #expect(
      failure(of: "<plist><dict></array></dict></plist>")
        == .damaged(.xmlPropertyList, offset: 15))
    #expect(failure(of: "{a = 1}") == .damaged(.openStepPropertyList, offset: 6))
    #expect(
      failure(of: try Fixtures.bytes("hostile/offset-outside.plist"))
        == .damaged(.binaryPropertyList, offset: 30))
  }

  @Test func withoutLegacyKeysTheFoundKeysAreReported() {
    #expect(
      failure(of: #"{"b":1,"a":{"favoriteAyahs":[]},"b":2}"#) == .noLegacyKeys(found: ["a", "b"]))
  }

  // MARK: Depth

  private static func nested(_ depth: Int) -> [(String, String)] {
    let (open, close) = (
      String(repeating: "[", count: depth), String(repeating: "]", count: depth)
    )
    let tags = (
      String(repeating: "<array>", count: depth), String(repeating: "</array>", count: depth)
    )
    let brackets = (
      String(repeating: "(", count: depth), String(repeating: ")", count: depth)
    )
    return [
      ("JSON", "{\"favoriteAyahs\":\(open)\(close)}"),
      ("XML", "<plist><dict><key>favoriteAyahs</key>\(tags.0)\(tags.1)</dict></plist>"),
      ("OpenStep", "{favoriteAyahs=\(brackets.0)\(brackets.1);}"),
      ("JSON, unclosed", "{\"favoriteAyahs\":\(open)"),
      ("XML, unclosed", "<plist><dict><key>favoriteAyahs</key>\(tags.0)"),
      ("OpenStep, unclosed", "{favoriteAyahs=\(brackets.0)"),
      ("JSON, dictionaries", String(repeating: "{\"favoriteAyahs\":", count: depth + 1)),
      ("OpenStep, dictionaries", String(repeating: "{favoriteAyahs=", count: depth + 1)),
    ]
  }

  @Test func thirtyTwoLevelsAreRead() throws {
    for (name, text) in Self.nested(31).prefix(3) {
      let dump = try LegacyDump(text)
      #expect(dump.problems.map(\.reason) == [.wrongType(found: .list)], "\(name)")
    }
    for (name, text) in Self.nested(32) {
      #expect(failure(of: text) == .tooDeep(limit: 32), "\(name)")
    }
  }

  @Test func tenThousandLevelsAreRefused() {
    for (name, text) in Self.nested(10_000) {
      #expect(failure(of: text) == .tooDeep(limit: 32), "\(name)")
    }
  }

  @Test func depthIsCountedIntoInnerContainers() throws {
    func dump(_ depth: Int) throws -> LegacyDump {
      let inner = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let encoded = Data(inner.utf8).base64EncodedString()
      return try LegacyDump(
        #"{"favoriteAyahs":"\#(encoded)","ReadingProgressStore.progress":{}}"#)
    }
    #expect(try dump(31).problems.map(\.reason) == [.wrongType(found: .list)])
    #expect(try dump(32).problems.map(\.reason) == [.unreadable(.tooDeep(limit: 32))])
  }

  /// Threads of a pool have a stack of 512 kB.
  @Test func aSmallStackIsEnough() throws {
    let inputs =
      Self.nested(31).prefix(3).map { Array($0.1.utf8) }
      + [try Fixtures.bytes("hostile/archive-text-of-text.plist")]
    nonisolated(unsafe) var codes: [String?] = []
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      codes = inputs.map { failure(of: $0)?.code }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    #expect(codes == [nil, nil, nil, "nothing-understood"])
  }

  // MARK: Numbers and sizes

  @Test func twoHundredThousandValuesAreRead() throws {
    // The dictionary and the list are values, too.
    func text(_ count: Int) -> String {
      "{\"favoriteAyahs\":[\(String(repeating: "\"1:1\",", count: count - 3))\"1:1\"]}"
    }
    #expect(try LegacyDump(text(200_000)).favorites.count == 199_998)
    #expect(failure(of: text(200_001)) == .tooManyValues(limit: 200_000))
  }

  @Test func valuesAreCountedOverAllKeys() {
    let inner = "[" + String(repeating: "1,", count: 110_000) + "1]"
    let encoded = Data(inner.utf8).base64EncodedString()
    #expect(
      failure(of: #"{"favoriteAyahs":"\#(encoded)","ayahNotes":"\#(encoded)"}"#)
        == .tooManyValues(limit: 200_000))
  }

  @Test func manySmallDictionariesAreRefused() {
    let many = String(repeating: "{\"a\":1},", count: 1 << 20)
    #expect(failure(of: "[\(many){}]") == .tooManyValues(limit: 200_000))
    #expect(failure(of: many) == .damaged(.json, offset: 7))
  }

  @Test func sixteenMegabytesAreRead() throws {
    let text = Array(#"{"favoriteAyahs":["1:1"]}"#.utf8)
    let room = [UInt8](repeating: 0x20, count: (16 << 20) - text.count)
    #expect(try LegacyDump(text + room).favorites.count == 1)
    #expect(failure(of: text + room + [0x20]) == .tooLarge(limit: 16 << 20))
  }

  @Test func aTextThatIsReferredToOftenIsRefused() throws {
    // {ayahNotes = {"1:1" = (text, text, …)}}
    func list(_ count: Int) -> [UInt8] {
      let objects: [[UInt8]] = [
        [0xD1, 1, 2], [0x59] + Array("ayahNotes".utf8), [0xD1, 3, 4], [0x53] + Array("1:1".utf8),
        [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 0xFF)] + Array(repeating: 5, count: count),
        [0x5F, 0x12, 0, 1, 0, 0] + Array(repeating: 0x61, count: 1 << 16),
      ]
      var bytes = Array("bplist00".utf8)
      var offsets: [UInt8] = []
      for object in objects {
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        bytes += object
      }
      let table = [
        UInt8(bytes.count >> 16), UInt8(bytes.count >> 8 & 0xFF), UInt8(bytes.count & 0xFF),
      ]
      return bytes + offsets + [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, 6]
        + Array(repeating: 0, count: 8) + [0, 0, 0, 0, 0] + table
    }
    #expect(try LegacyDump(list(255)).notes.count == 255)
    #expect(failure(of: list(256)) == .tooLargeUnpacked(limit: 16 << 20))
  }

  // MARK: Files that expand

  @Test(arguments: [
    ("archive-wide-object.plist", LegacyFailure.tooManyValues(limit: 200_000)),
    ("doubled-gzip.json", .tooLargeUnpacked(limit: 48 << 20)),
    ("doubled-gzip.plist", .tooLargeUnpacked(limit: 48 << 20)),
    ("doubled-utf16.json", .tooLargeUnpacked(limit: 48 << 20)),
    ("overlapping-texts.plist", .tooLargeUnpacked(limit: 48 << 20)),
  ])
  func filesThatExpandTooMuchAreRefused(name: String, expected: LegacyFailure) throws {
    #expect(Fixtures.names("large").count == 5)
    #expect(failure(of: try Fixtures.bytes("large/\(name)")) == expected)
  }

  @Test func onlyThreeKeysOfTheLargestSizeAreRead() throws {
    let data = gzip(Array("[]".utf8) + [UInt8](repeating: 0x20, count: (15 << 20)))
    let encoded = Data(data).base64EncodedString()
    func text(_ count: Int) -> String {
      let members = Array(repeating: "\"favoriteAyahs\":\"\(encoded)\"", count: count)
      return "{\(members.joined(separator: ","))}"
    }
    #expect(try LegacyDump(text(3)).shapes[.favorites]?.code == "base64+gzip+json")
    #expect(failure(of: text(4)) == .tooLargeUnpacked(limit: 48 << 20))
  }

  @Test func notesOfAllKeysTogetherHaveALimit() {
    let note = String(repeating: "a", count: 900_000)
    let notes = "{\"1:1\":[\(Array(repeating: "\"\(note)\"", count: 10).joined(separator: ","))]}"
    let encoded = Data(gzip(Array(notes.utf8))).base64EncodedString()
    let inner = #"{"ayahNotes":"\#(encoded)","ayahNotes":\#(notes)}"#
    #expect(failure(of: inner) == .tooLargeUnpacked(limit: 16 << 20))
  }

  @Test func keysOfManyMarksAreSortedByTheirBytes() throws {
    var generator = SeededGenerator(seed: 3)
    let marks = ["\u{300}", "\u{316}", "\u{327}", "\u{345}", "\u{31B}"]
    let names = (0..<1000).map { _ in
      (0..<90).map { _ in marks.randomElement(using: &generator)! }.joined()
    }
    let members = (names + names).map { "\"\($0)\":1" }.joined(separator: ",")
    let dump = try LegacyDump("{\(members),\"favoriteAyahs\":[]}")
    #expect(dump.unknownKeyCount == 1000)
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(dump.unknownKeys.map { Array($0.utf8) } == sorted.prefix(300).map { Array($0.utf8) })
    guard case .noLegacyKeys(let found)? = failure(of: "{\(members)}") else {
      Issue.record("there are keys of the app")
      return
    }
    #expect(found.count == 100)
  }

  @Test func textsOfAMalformedAyahAreReportedOneByOne() throws {
    let id = String(repeating: "\u{10000}", count: 200)
    let texts = Array(repeating: "\"x\"", count: 50_000).joined(separator: ",")
    let dump = try LegacyDump("{\"ayahNotes\":{\"\(id)\":[\(texts)]}}")
    #expect(dump.entryCount(of: .notes) == 50_000)
    let shown = String(repeating: "\u{10000}", count: 100) + "…"
    #expect(dump.problems.last?.place == "ayahNotes[\(shown)][50000]")
    #expect(dump.problems.last?.reason == .malformedAyah(shown))
    #expect(MemoryLayout<LegacyProblem>.stride <= 64)
  }

  // MARK: Nested containers

  @Test(arguments: [(6, true), (7, false)])
  func sixNestedContainersAreRead(count: Int, isRead: Bool) throws {
    func list(_ value: Any) throws -> Data {
      try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }
    var value = try list(["1:1"])
    for _ in 1..<count { value = try list(value) }
    let bytes = Array(try list(["favoriteAyahs": value]))
    if isRead {
      let dump = try LegacyDump(bytes)
      #expect(dump.favorites.map(\.description) == ["1:1"])
      #expect(dump.shapes[.favorites]?.steps.count == 2 * count)
    } else {
      guard case .nothingUnderstood(let problems)? = failure(of: bytes) else {
        Issue.record("it was read")
        return
      }
      #expect(problems.map(\.reason) == [.unreadable(.tooDeep(limit: 6))])
    }
  }

  // MARK: gzip

  @Test func aGzipBombOfTenGigabytesIsRefused() throws {
    let member = gzip([UInt8](repeating: 0, count: 100 << 20))
    let bomb = Array(repeatElement(member, count: 100).joined())
    #expect(bomb.count < 16 << 20)
    #expect(failure(of: bomb) == .tooLargeUnpacked(limit: 16 << 20))
    #expect(failure(of: member) == .tooLargeUnpacked(limit: 16 << 20))
  }

  @Test func sixteenUnpackedMegabytesAreRead() throws {
    let text = Array(#"{"favoriteAyahs":["1:1"]}"#.utf8)
    let room = [UInt8](repeating: 0x20, count: (16 << 20) - text.count)
    #expect(try LegacyDump(gzip(text + room)).favorites.count == 1)
    #expect(failure(of: gzip(text + room + [0x20])) == .tooLargeUnpacked(limit: 16 << 20))
    // Each member is within the limit by itself.
    #expect(failure(of: gzip(text + room) + gzip([0x20])) == .tooLargeUnpacked(limit: 16 << 20))
  }

  private func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var output = [UInt8](repeating: 0, count: bytes.count / 100 + 1000)
    var stream = z_stream()
    return withUnsafeMutablePointer(to: &stream) { stream in
      deflateInit2_(
        stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
      let count = bytes.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_in = input.baseAddress
          stream.pointee.avail_in = UInt32(input.count)
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(output.count)
          #expect(deflate(stream, Z_FINISH) == Z_STREAM_END)
          return output.count - Int(stream.pointee.avail_out)
        }
      }
      deflateEnd(stream)
      return Array(output[..<count])
    }
  }

  // MARK: Truncated and changed files

  /// Expects that the result is sorted and complete if the file can be read.
  private func expectOrdered(_ bytes: [UInt8], _ comment: Comment) -> LegacyDump? {
    guard let dump = try? LegacyDump(bytes) else { return nil }
    #expect(!dump.shapes.isEmpty, comment)
    let (ayahs, surahs) = (dump.notes.map(\.ayah), dump.progress.map(\.surah))
    #expect(ayahs == ayahs.sorted() && surahs == surahs.sorted(), comment)
    #expect(dump.unknownKeyCount == dump.unknownKeys.count, comment)
    #expect(dump.problems.allSatisfy { $0.place.hasPrefix($0.key.rawValue) }, comment)
    return dump
  }

  /// The files with a complete dump that is followed by other bytes.
  private static let filesWithTrailingBytes = [
    "hostile/concatenated.json", "hostile/lines.json", "hostile/odd-utf16.json",
    "hostile/trailing-garbage.json.gz",
  ]

  @Test(arguments: Fixtures.all)
  func filesTruncatedAnywhereAreReadOrRefused(name: String) throws {
    let bytes = try Fixtures.bytes(name)
    for end in 0..<bytes.count {
      let dump = expectOrdered(Array(bytes[..<end]), "\(name) \(end)")
      // A container is complete only at its last character that is not white space.
      if !Self.filesWithTrailingBytes.contains(name) {
        #expect(dump == nil || bytes[end...].allSatisfy { $0 == 0x0A || $0 == 0 }, "\(name) \(end)")
      }
    }
  }

  @Test(arguments: Fixtures.all)
  func filesWithChangedBytesAreReadOrRefused(name: String) throws {
    let original = try Fixtures.bytes(name)
    guard !original.isEmpty else { return }
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<60 {
      var bytes = original
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(place..<min(place + 3, bytes.count))
        default: bytes.insert(contentsOf: Array(bytes[place...].prefix(5)), at: place)
        }
        if bytes.isEmpty { break }
      }
      _ = expectOrdered(bytes, "\(name)")
    }
  }

  @Test func readingCanBeCancelled() throws {
    let bytes = Array("{\"favoriteAyahs\":[\(String(repeating: "1,", count: 10_000))1]}".utf8)
    var asked = 0
    #expect(throws: LegacyFailure.cancelled) {
      try LegacyDump(bytes) {
        asked += 1
        return asked == 3
      }
    }
    #expect(asked == 3)
  }
}
