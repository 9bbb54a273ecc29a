import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing

@testable import Commands

/// The path of a library that an argument specifies can be misspelt.
struct SpecifiedLibraryTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.isLibrarySpecified = true
  }

  @Test func commandsThatAddNothingRefuseALibraryThatDoesNotExist() throws {
    let commands: [() throws -> Output] = [
      { try fixture.favorite(.list) }, { try fixture.favorite(.remove, "1:1") },
      { try fixture.note(.list) }, { try fixture.note(.remove, "1:1") },
      { try fixture.note(.edit(.given("a")), "1:1") }, { try fixture.note(.restore) },
      { try fixture.note(.restore, "1:1") }, { try fixture.progress(.show) },
      { try fixture.settings(.list) }, { try fixture.settings(.get("width")) },
      { try fixture.export() }, { try fixture.export(to: "\(fixture.directory.path)/x") },
      { try fixture.backup(.list) }, { try fixture.backup(.make) },
    ]
    for command in commands {
      let failure = try failure(command)
      #expect(failure.status == .notFound)
      #expect(failure.message == fixture.messages.noSuchFile(fixture.path))
    }
    let status = try failure { try fixture.context().syncStatus() }
    #expect(status.message == fixture.messages.noSuchFile(fixture.path))
    #expect(fixture.warnings.isEmpty)
    #expect(try fixture.isEmpty)
  }

  @Test func aLibraryThatIsGoneIsRefusedWithTheHintAtItsBackups() throws {
    try fixture.commit(.setFavorite(.first, true))
    try fixture.backup(.make)
    try FileManager.default.removeItem(atPath: fixture.path)
    let failure = try failure { try fixture.favorite(.list) }
    #expect(failure.status == .notFound && failure.message == fixture.messages.libraryIsGone)
    #expect(try fixture.backup(.list).lines.count == 1)
  }

  @Test func commandsThatAddCreateTheLibraryInADirectoryThatExists() throws {
    let failure = try failure { try fixture.favorite(.add, "1:1") }
    #expect(failure.message == fixture.messages.fileNotWritten(fixture.path, ENOENT))
    #expect(try fixture.isEmpty)
    try FileManager.default.createDirectory(
      atPath: "\(fixture.directory.path)/data", withIntermediateDirectories: false)
    try fixture.favorite(.add, "1:1")
    #expect(try fixture.favorite(.list).lines.count == 1)
  }

  @Test func aDryRunOfAnImportDoesNotRequireTheLibrary() throws {
    let other = try CommandFixture()
    try other.commit(.setFavorite(.first, true))
    let path = "\(fixture.directory.path)/export.json"
    try other.export(to: path)
    #expect(throws: Never.self) { try fixture.load(path, isDryRun: true) }
    #expect(try fixture.directory.contents == ["export.json"])
  }
}
