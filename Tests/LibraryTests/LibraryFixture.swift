import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

/// The files of a library for tests of damage. Its newest changes are only in its WAL.
struct LibraryFixture {
  let bytes: Data
  let wal: Data
  /// The entries of the file with its WAL.
  let everything: [String]
  /// The entries of the file without its WAL.
  let older: [String]
  /// The numbers of the pages, by table and kind of page, as in `note leaf`.
  private let pages: [String: [Int]]
  /// The pages that the WAL has too.
  private let inWAL: Set<Int>

  static let pageSize = 4096
  private static let made = Result { try LibraryFixture() }

  static func make() throws -> LibraryFixture { try made.get() }

  private init() throws {
    let place = try TemporaryLibrary()
    older = try place.using { library in
      try Self.fill(library)
      return try library.everything()
    }
    let library = try place.open()
    defer { library.close() }
    let kinds = try library.rows(
      "SELECT name || ' ' || pagetype || ' ' || pageno FROM dbstat ORDER BY name, pageno")
    try library.database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    // These notes are near each other, so most pages of the file are not in the WAL.
    for number in 401...440 { try Self.write(number, at: 5000 + number, in: library) }
    everything = try library.everything()
    // Another process copies the files, because they are open here: see `OpenFile`.
    for suffix in ["", "-wal"] {
      let copy = try WriterProcess(
        [place.path + suffix, place.path + ".copy" + suffix], program: "/bin/cp")
      guard copy.wait() == 0 else { throw Failure("no copy") }
    }
    bytes = try place.bytes(".copy")
    wal = try place.bytes(".copy-wal")
    // https://www.sqlite.org/fileformat.html, 4.1.
    var inWAL: Set<Int> = []
    for frame in stride(from: 32, to: wal.count - Self.pageSize, by: 24 + Self.pageSize) {
      inWAL.insert(wal[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) })
    }
    self.inWAL = inWAL
    pages = Dictionary(
      grouping: kinds.map { $0.split(separator: " ") }, by: { "\($0[0]) \($0[1])" }
    ).mapValues { $0.compactMap { Int($0[2]) } }
  }

  private static func fill(_ library: Library) throws {
    for number in 1...400 { try write(number, at: number * 12, in: library) }
    // Several pages of favourites.
    try library.commit(
      try (1...6236).filter { $0 / 120 % 2 == 0 }.map {
        .setFavorite(try #require(AyahID(index: $0)), true)
      }, at: 1)
    try library.setDeviceValues(["position": "2:255"])
    try library.save(
      Draft(
        id: .numbered(9999), noteID: .numbered(9999), ayah: .last, base: nil, text: "nháp",
        changedAt: 5))
    var reading = ReadingChanges()
    reading.ayahsRead = [Day(number: 20_000): 5]
    _ = try library.save(reading, at: 1)
  }

  private static func write(_ number: Int, at index: Int, in library: Library) throws {
    let ayah = try #require(AyahID(index: index))
    // Every fiftieth note is longer than a page.
    let length = number % 50 == 0 ? 2000 : number % 90 + 1
    try library.commit(
      [
        .setFavorite(ayah, true), .advance(ayah.surah, to: ayah.ayah),
        .addNote(
          .numbered(number), ayah,
          try NoteText(String(repeating: "Ghi chú \(number). ", count: length))),
        .set("key\(number % 5)", "\(number)"),
      ], at: Int64(number))
  }

  /// The numbers of the pages of a kind, as `note leaf` or `favorite internal`.
  ///
  /// - Parameter all: Whether pages that are also in the WAL are included.
  func pages(_ kind: String, all: Bool = false) -> [Int] {
    (pages[kind] ?? []).filter { all || !inWAL.contains($0) }
  }

  /// The number of rows on a leaf page.
  func rowCount(ofLeaf page: Int) -> Int {
    let start = (page - 1) * Self.pageSize + 3
    return bytes[start..<start + 2].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Writes the files of the library to a directory, with some pages overwritten.
  func write(to place: TemporaryLibrary, damaging pages: [Int] = []) throws {
    var bytes = bytes
    for page in pages {
      let start = (page - 1) * Self.pageSize
      bytes.replaceSubrange(
        start..<start + Self.pageSize, with: repeatElement(0xAA, count: Self.pageSize))
    }
    try place.write(bytes)
    try place.write(Data(), ".lock")
    try place.write(wal, "-wal")
  }
}
