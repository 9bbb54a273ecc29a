import Foundation
import LegacyImport
import Library
import Quran

/// The test files, which `Fixtures/make.py` generates.
enum Fixtures {
  private static let directory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// The number of entries of each key in the files of `wrong/`, in the order of `LegacyKey`. They
  /// were counted by hand in make.py.
  static func counts() throws -> [String: [Int]] {
    try JSONDecoder().decode([String: [Int]].self, from: Data(try bytes("counts.json")))
  }

  /// The names of the files in a folder, such as `same/xml-data.plist`.
  static func names(_ folder: String) -> [String] {
    let path = directory.appendingPathComponent(folder).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { "\(folder)/\($0)" }
  }

  /// The files that are small enough to be truncated at every byte.
  static var all: [String] { ["same", "wrong", "hostile"].flatMap(names) }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appendingPathComponent(name)))
  }
}

/// The content of every file of `same/`. make.py contains the same.
enum Sample {
  static let favorites = [
    "2:255", "1:1", "114:6", "36:1", "2:286", "18:10", "55:13", "112:1", "9:129", "1:7", "67:2",
    "3:200",
  ].compactMap { AyahID($0) }

  static let notes = [
    note("1:1", "Mở đầu – \"bắt đầu\" với 'ngoặc' & <dấu>"),
    note("2:255", "Đọc mỗi tối"), note("2:255", "Đọc mỗi tối"),
    note("2:255", "Học thuộc\nđến hết tuần"),
    note("18:10", "Hang động 🌙"), note("18:10", "C:\\sách\\18"),
    note("36:1", "Nghe lại\n\n  lần hai"),
    note("112:1", "Đọc mỗi tối"),
    note("114:6", "Hết. ﷽ 𐤀"),
  ]

  static let progress = [
    (1, 7), (2, 45), (18, 0), (36, 83), (67, 12), (112, 4), (114, 6),
  ].map { LegacyProgress(SurahNumber($0)!, lastReadAyah: $1) }
}

func note(_ ayah: String, _ text: String) -> LegacyNote {
  try! LegacyNote(ayah: AyahID(ayah)!, text: NoteText(text))
}

/// The failure of reading a dump; nil if it succeeds.
func failure(of bytes: [UInt8]) -> LegacyFailure? {
  do throws(LegacyFailure) {
    _ = try LegacyDump(bytes)
    return nil
  } catch {
    return error
  }
}

func failure(of text: String) -> LegacyFailure? { failure(of: Array(text.utf8)) }

extension LegacyDump {
  init(_ text: String) throws(LegacyFailure) { try self.init(Array(text.utf8)) }
}
