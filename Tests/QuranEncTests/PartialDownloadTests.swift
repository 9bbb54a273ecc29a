import Foundation
import Quran
import TestSupport
import Testing

@testable import QuranEnc

struct PartialDownloadTests {
  private let folder: TemporaryDirectory
  private let entry = CatalogEntry(
    key: "vietnamese_rwwad", version: "1", title: "A\n\u{1B}", description: "b")
  private let responses: [(Int, String)] = [(2, "hai"), (114, ""), (1, "một\n2 3\n{}\n")]

  init() throws {
    folder = try TemporaryDirectory()
  }

  private var path: String { folder.path + "/x" }

  private func contents(_ entry: CatalogEntry? = nil) throws -> [String] {
    try PartialDownload(path: path, entry: entry ?? self.entry).responses.map {
      "\($0.surah) \(String(decoding: $0.bytes, as: UTF8.self))"
    }
  }

  private func fill() throws {
    let partial = try PartialDownload(path: path, entry: entry)
    for (surah, text) in responses {
      try partial.append(Array(text.utf8), of: try #require(SurahNumber(surah)))
    }
  }

  @Test func savedResponsesAreReadAgain() throws {
    #expect(try contents() == [])
    try fill()
    #expect(try contents() == responses.map { "\($0.0) \($0.1)" })
    #expect(try permissions(of: path) == 0o600)
  }

  @Test func completeResponsesOfATruncatedFileAreUsed() throws {
    try fill()
    let file = try Data(contentsOf: URL(filePath: path))
    let all = try contents()
    var counts: Set<Int> = []
    for end in 0...file.count {
      try file.prefix(end).write(to: URL(filePath: path))
      let left = try contents()
      #expect(left == Array(all.prefix(left.count)), "\(end)")
      counts.insert(left.count)
      // A new response is stored after the complete ones.
      try PartialDownload(path: path, entry: entry).append([0x78], of: .last)
      #expect(try contents() == left + ["114 x"])
    }
    #expect(counts == [0, 1, 2, 3])
  }

  @Test func anAppendOverwritesATruncatedResponse() throws {
    try fill()
    let file = try Data(contentsOf: URL(filePath: path))
    try file.dropLast(3).write(to: URL(filePath: path))
    do {
      let partial = try PartialDownload(path: path, entry: entry)
      try partial.append(Array("ba".utf8), of: try #require(SurahNumber(3)))
    }
    #expect(try contents() == ["2 hai", "114 ", "3 ba"])
  }

  @Test func responsesOfAnotherVersionAreDiscarded() throws {
    try fill()
    var newer = entry
    newer.version = "2"
    #expect(try contents(newer) == [])
    #expect(try contents() == [])
  }

  @Test func damagedFilesGiveNoWrongResponses() throws {
    try fill()
    let file = try Data(contentsOf: URL(filePath: path))
    let start = try #require(file.firstIndex(of: 0x0A)) + 1
    for text in ["x", "2", "2 \n", "2 -1\n", "0 1\na\n", "115 1\na\n", "2 99999999999999999999\n"] {
      try (file.prefix(start) + Data(text.utf8)).write(to: URL(filePath: path))
      #expect(try contents() == [], "\(text)")
    }
    for garbage in [Data(), Data([0]), Data(repeating: 0x0A, count: 50)] {
      try garbage.write(to: URL(filePath: path))
      #expect(try contents() == [])
    }
  }

  @Test func aSymbolicLinkIsNotFollowed() throws {
    symlink(folder.path + "/target", path)
    #expect(throws: DownloadFailure.storage(code: ELOOP)) { try contents() }
    #expect(try folder.contents == ["x"])
  }

  @Test func aFileIsLockedWhileItIsUsed() throws {
    let first = try PartialDownload(path: path, entry: entry)
    #expect(throws: DownloadFailure.busy) { try contents() }
    first.delete()
    #expect(try contents() == [])
  }
}
