import Editions
import Foundation
import Library
import Messages
import Quran
import Testing

@testable import Commands

struct FavoriteCommandTests {
  private struct Entry: Decodable, Equatable {
    let ayah: String
    let surah: Int
    let number: Int
    let favoritedAt: Int64
    let edition: String
    let text: String
  }

  private struct Changed: Decodable, Equatable {
    let ayah: String
    let favorite: Bool
    let favoritedAt: Int64?
    let changed: Bool
  }

  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  @Test func ayahsAndRangesAreAdded() throws {
    let output = try fixture.favorite(.add, "2:255-257", "1", "ya", "sin", "1:7")
    #expect(output.lines == ["♥ Added to favourites: 1:1-7, 2:255-257, 36:1-83"])
    #expect(try fixture.snapshot().favoriteCount == 7 + 3 + 83)
    #expect(fixture.warnings.isEmpty)
  }

  @Test func existingFavoritesAreReported() throws {
    try fixture.favorite(.add, "2:255")
    fixture.now += 1000
    let output = try fixture.favorite(.add, "2:255", "2:256")
    #expect(
      output.lines == ["♥ Added to favourites: 2:256", "Favourites already: 2:255"])
    #expect(try fixture.snapshot().favoritedAt(try ayah("2:255")) == fixture.now - 1000)
    #expect(try fixture.favorite(.add, "2:255").lines == ["Favourites already: 2:255"])
  }

  @Test func jsonListsEveryAyahAndWhetherItChanged() throws {
    try fixture.favorite(.add, "2:255")
    let time = fixture.now
    fixture.now += 5
    #expect(
      try fixture.favorite(.add, "2:256", "2:255", asJSON: true).decoded([Changed].self) == [
        Changed(ayah: "2:255", favorite: true, favoritedAt: time, changed: false),
        Changed(ayah: "2:256", favorite: true, favoritedAt: time + 5, changed: true),
      ])
    #expect(
      try fixture.favorite(.remove, "2:256-257", asJSON: true).decoded([Changed].self) == [
        Changed(ayah: "2:256", favorite: false, favoritedAt: nil, changed: true),
        Changed(ayah: "2:257", favorite: false, favoritedAt: nil, changed: false),
      ])
  }

  @Test func removingANonFavoriteExitsWithStatus1() throws {
    try fixture.favorite(.add, "2:255-256")
    #expect(
      try fixture.favorite(.remove, "2:250-255").lines == ["No longer favourites: 2:255"])
    let failure = try failure { try fixture.favorite(.remove, "2:255", "3:1") }
    #expect(failure == CommandFailure(.notFound, "Not among the favourites: 2:255, 3:1"))
    #expect(try fixture.snapshot().favorites.map { "\($0.ayah)" } == ["2:256"])
  }

  @Test func theListIsInTheOrderOfTheBook() throws {
    try fixture.favorite(.add, "114:6", "1:1")
    let text = Edition.bundled.text(of:)
    #expect(
      try fixture.favorite(.list).lines == ["1:1  \(text(.first))", "114:6  \(text(.last))"])
    #expect(try fixture.favorite(.list, "juz 30").lines == ["114:6  \(text(.last))"])
    #expect(
      try fixture.favorite(.list, asJSON: true).decoded([Entry].self).last
        == Entry(
          ayah: "114:6", surah: 114, number: 6, favoritedAt: fixture.now, edition: "vi.quranvi",
          text: text(.last)))
  }

  @Test func anEmptyListIsNoFailureAndMakesNoLibrary() throws {
    #expect(try fixture.favorite(.list).text == "")
    #expect(try fixture.favorite(.list, asJSON: true).text == "[]\n")
    #expect(fixture.warnings == [fixture.messages.noFavoritesToList])
    #expect(try fixture.isEmpty)
  }

  @Test func listingWithoutResultsExitsWithStatus1() throws {
    try fixture.favorite(.add, "2:255")
    for asJSON in [false, true] {
      let output = Output()
      let failure = try failure {
        try fixture.favorite(.list, "3", asJSON: asJSON, in: output)
      }
      #expect(failure.status == .notFound)
      #expect(output.text == (asJSON ? "[]\n" : ""))
    }
  }

  @Test func invalidReferencesChangeNothing() throws {
    for references in [["2:300"], ["abc"], [""]] {
      let failure = try failure {
        try fixture.context().addFavorites(["1:1"] + references)
      }
      #expect(failure.status == .usage)
    }
    #expect(try failure { try fixture.favorite(.add) }.message == fixture.messages.noAyahNamed)
    #expect(try failure { try fixture.favorite(.remove) }.status == .usage)
    #expect(try fixture.isEmpty)
  }

  // MARK: Unusable libraries

  @Test func anUnusableLibraryPathExitsWithStatus3() throws {
    for path in [nil, "/dev/null/x", "/proc/library.sqlite"] {
      let failure = try failure {
        try fixture.favorite(.add, "1:1", path: .some(path))
      }
      #expect(failure.status == .badData, "\(path ?? "nil")")
    }
  }

  @Test func aForeignDatabaseIsNotChanged() throws {
    let foreign = "SQLite format 3\0" + String(repeating: "x", count: 200)
    let path = try fixture.file("x.sqlite", foreign)
    let bytes = try Data(contentsOf: URL(filePath: path))
    for action in [CommandFixture.FavoriteAction.list, .add] {
      let failure = try failure {
        try fixture.favorite(action, "1:1", path: path)
      }
      #expect(
        failure
          == CommandFailure(.badData, fixture.messages.explain(LibraryFailure.foreign(path: path))))
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test func aDamagedLibraryIsReportedOnStandardError() throws {
    try fixture.favorite(.add, "2:255")
    // A backup shows that the file is a library.
    let library = try Library.open(fixture.path, at: 1).library
    _ = try library.backUp(at: 1)
    library.close()
    try Data("no database".utf8).write(to: URL(filePath: fixture.path))
    // A command that only reads does not set the damaged file aside.
    #expect(
      try failure { try fixture.favorite(.list) }
        == CommandFailure(
          .badData, fixture.messages.explain(LibraryFailure.damaged(path: fixture.path))))
    #expect(fixture.warnings == [])
    try fixture.favorite(.add, "2:255")
    #expect(fixture.warnings.count == 1)
    #expect(fixture.warnings[0].hasPrefix("The library was damaged; it is kept unchanged at "))
  }

  // MARK: Ranges

  @Test func ayahsAreWrittenAsRanges() throws {
    func ranges(_ ayahs: String...) throws -> String { try ayahs.map(ayah).ranges }
    #expect(try ranges() == "")
    #expect(try ranges("2:255") == "2:255")
    #expect(try ranges("1:1", "1:2", "1:4") == "1:1-2, 1:4")
    #expect(try ranges("1:6", "1:7", "2:1", "114:6") == "1:6-2:1, 114:6")
  }
}
