import Foundation
import Glibc
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct ServerKeyTests {
  /// A value that differs between keys.
  func fingerprint(_ key: ServerKey) -> [UInt8] { key.seal([1], purpose: "a test") }

  @Test func aKeyIsCreatedOnceAndReadableOnlyByItsOwner() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/key"
    let randomness = AccountFixture.Randomness()
    let key = try ServerKey.load(path: path) { randomness.bytes($0) }
    #expect(try permissions(of: path) == 0o600)
    #expect(try directory.contents == ["key"])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let again = try ServerKey.load(path: path) { _ in
      Issue.record("there is one")
      return []
    }
    #expect(fingerprint(again) == fingerprint(key))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    let other = try ServerKey.load(path: directory.path + "/other") { randomness.bytes($0) }
    #expect(fingerprint(other) != fingerprint(key))
  }

  @Test func concurrentLoadsGetTheSameKey() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/key"
    let randomness = AccountFixture.Randomness()
    let fingerprints = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<16 {
        group.addTask { fingerprint(try ServerKey.load(path: path) { randomness.bytes($0) }) }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(fingerprints.count == 1)
    #expect(try directory.contents == ["key"])
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o602])
  func aKeyFileThatOthersCanAccessIsRefused(_ mode: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/key"
    _ = try ServerKey.load(path: path) { Array(repeating: 1, count: $0) }
    chmod(path, mode_t(mode))
    #expect(throws: ServerKeyFailure.exposed(path: path)) {
      try ServerKey.load(path: path) { Array(repeating: 1, count: $0) }
    }
  }

  @Test(arguments: [
    "", "\n", "00\n", String(repeating: "0", count: 64), String(repeating: "0", count: 66) + "\n",
    String(repeating: "g", count: 64) + "\n", String(repeating: "0", count: 64) + "\n\n",
  ])
  func aDamagedKeyFileIsRefusedAndNotChanged(_ text: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/key"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o600)
    #expect(throws: ServerKeyFailure.damaged(path: path)) {
      try ServerKey.load(path: path) { Array(repeating: 1, count: $0) }
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func aKeyPathThatCannotBeUsedIsReported() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/none/key"
    #expect(throws: ServerKeyFailure.cannotCreate(path: path, code: ENOENT)) {
      try ServerKey.load(path: path) { Array(repeating: 1, count: $0) }
    }
    #expect(throws: ServerKeyFailure.exposed(path: directory.path)) {
      try ServerKey.load(path: directory.path) { Array(repeating: 1, count: $0) }
    }
  }

  @Test func aKeyIsNeverPrinted() {
    let key = ServerKey(bytes: Array(repeating: 0xAB, count: 32))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.lowercased().contains("ab ab"))
      #expect(!text.lowercased().contains("abab"))
      #expect(!text.contains("171"))
    }
  }

  @Test func sealsDifferByPurposeAndContent() {
    let key = ServerKey(bytes: Array(0..<32))
    let seal = key.seal([1, 2], purpose: "a")
    #expect(key.isSeal(seal, of: [1, 2], purpose: "a"))
    #expect(!key.isSeal(seal, of: [1, 2], purpose: "b"))
    #expect(!key.isSeal(seal, of: [1], purpose: "a"))
    #expect(!key.isSeal([], of: [1, 2], purpose: "a"))
    #expect(!key.isSeal(Array(seal.dropLast()), of: [1, 2], purpose: "a"))
    #expect(key.seal(Array("b".utf8), purpose: "a") != key.seal([], purpose: "ab"))
  }

  @Test func secretsForOtherUsesDifferByKeyAndUse() {
    let key = ServerKey(bytes: Array(0..<32))
    #expect(key.secret(for: "records") == ServerKey(bytes: Array(0..<32)).secret(for: "records"))
    let others = [
      key.secret(for: "records"), key.secret(for: "others"),
      ServerKey(bytes: Array(1..<33)).secret(for: "records"), Array(0..<32),
    ]
    #expect(Set(others).count == 4)
    #expect(others.allSatisfy { $0.count == 32 })
  }

  @Test func longSealsDifferByKeyPurposeAndParts() {
    let key = ServerKey(bytes: Array(0..<32))
    let seals = [
      key.longSeal([[1], [2]], purpose: "a"), key.longSeal([[1, 2]], purpose: "a"),
      key.longSeal([[1], [2]], purpose: "b"), key.longSeal([[1], [2], []], purpose: "a"),
      ServerKey(bytes: Array(1..<33)).longSeal([[1], [2]], purpose: "a"),
    ]
    #expect(Set(seals).count == 5)
    #expect(seals.allSatisfy { $0.count == ServerKey.longSealLength })
    #expect(seals[0] == key.longSeal([[1], [2]], purpose: "a"))
  }
}
