import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

struct StateFileTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let file: StateFile
  private let state = SavedState(
    position: "2:255", theme: "sepia", layout: "flow", showsArabicNames: false)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/a/b/state.json"
    file = StateFile(path: path)
  }

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory.path + "/a/b", withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test func whatIsSavedIsLoaded() throws {
    try file.save(state)
    #expect(file.load() == state)
    try file.save(SavedState())
    #expect(file.load() == SavedState())
  }

  @Test func nothingSavedIsTheDefault() {
    #expect(file.load() == SavedState())
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/a"))
  }

  @Test func withoutAPlaceNothingIsKept() throws {
    let nowhere = StateFile(path: nil)
    try nowhere.save(state)
    try nowhere.update(from: SavedState(), to: state)
    #expect(nowhere.load() == SavedState())
  }

  @Test func aDamagedFileIsTheDefaultAndIsReplaced() throws {
    for text in ["", "{", "[]", "{\"position\": 5}", "null", "\u{0}", "{\"position\":\"2:255\""] {
      try write(text)
      #expect(file.load() == SavedState(), "\(text)")
      try file.save(state)
      #expect(file.load() == state)
    }
  }

  @Test func whatThisVersionDoesNotKnowIsNoDamage() throws {
    try write("{\"position\":\"2:255\",\"theme\":\"nobody's\",\"later\":{\"a\":1}}")
    #expect(file.load() == SavedState(position: "2:255", theme: "nobody's"))
  }

  @Test func aPlaceThatIsNotInTheBookIsNone() {
    #expect(SavedState(position: "2:287").ayah == nil)
    #expect(SavedState(position: "x").ayah == nil)
    #expect(SavedState().ayah == nil)
    #expect(state.ayah == AyahID("2:255"))
  }

  @Test func onlyItsOwnerMayLook() throws {
    try file.save(state)
    #expect(try permissions(of: path) == 0o600)
    #expect(try permissions(of: directory.path + "/a") == 0o700)
    #expect(try permissions(of: directory.path + "/a/b") == 0o700)
    chmod(path, 0o644)
    try file.save(state)
    #expect(try permissions(of: path) == 0o600)
  }

  @Test func nothingIsLeftBesideIt() throws {
    try file.save(state)
    try file.save(state)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/a/b")
        == ["state.json"])
  }

  @Test func aPlaceThatCannotBeWrittenThrows() throws {
    try "x".write(toFile: directory.path + "/a", atomically: false, encoding: .utf8)
    #expect(throws: (any Error).self) { try file.save(state) }
    #expect(try directory.contents == ["a"])
  }

  @Test func aFileThatCannotBeReplacedThrowsAndLeavesNothing() throws {
    // A directory with something in it stands where the file should.
    try FileManager.default.createDirectory(
      atPath: path + "/x", withIntermediateDirectories: true)
    #expect(throws: (any Error).self) { try file.save(state) }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/a/b")
        == ["state.json"])
  }

  @Test func aFullDiskThrowsLeavesNothingAndKeepsTheOldFile() throws {
    try file.save(state)
    // What is written to the new file's name finds no room.
    symlink("/dev/full", "\(path).\(getpid()).new")
    #expect(throws: (any Error).self) { try file.save(SavedState(position: "1:1")) }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/a/b")
        == ["state.json"])
    #expect(file.load() == state)
  }
}

struct PathsTests {
  @Test func everythingLiesWhereXDGSays() {
    let paths = Paths(environment: [
      "HOME": "/home/a", "XDG_STATE_HOME": "/s", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c",
    ])
    #expect(paths.state == "/s/quran-vi")
    #expect(paths.data == "/d/quran-vi")
    #expect(paths.config == "/c/quran-vi")
    #expect(paths.stateFile == "/s/quran-vi/state.json")
  }

  @Test func whatIsUnsetEmptyOrRelativeIsUnderHome() {
    for value in [nil, "", "relative", "./x", "~/x"] {
      var environment = ["HOME": "/home/a"]
      for name in ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        environment[name] = value
      }
      let paths = Paths(environment: environment)
      #expect(paths.state == "/home/a/.local/state/quran-vi")
      #expect(paths.data == "/home/a/.local/share/quran-vi")
      #expect(paths.config == "/home/a/.config/quran-vi")
    }
  }

  @Test func onlyAnAbsoluteHomeCounts() {
    for environment in [[:], ["HOME": ""], ["HOME": "relative"], ["HOME": "./x"]] {
      let paths = Paths(environment: environment) { "/home/of-user" }
      #expect(paths.state == "/home/of-user/.local/state/quran-vi")
    }
    #expect(Paths(environment: ["HOME": "/h"]) { "/x" }.config == "/h/.config/quran-vi")
  }

  @Test func withoutAHomeThereIsNoPlace() {
    for home in [nil, "", "relative"] {
      let paths = Paths(environment: ["HOME": "x", "XDG_DATA_HOME": "/d"]) { home }
      #expect(paths.state == nil)
      #expect(paths.stateFile == nil)
      #expect(paths.config == nil)
      #expect(paths.data == "/d/quran-vi")
    }
  }
}
