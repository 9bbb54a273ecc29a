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

  private let desktop: LibraryDesktop

  init() throws {
    desktop = try LibraryDesktop()
  }

  @Test func ayahsAndRangesAreAdded() throws {
    let output = try desktop.favorite(.add, "2:255-257", "1", "ya", "sin", "1:7")
    #expect(output.lines == ["♥ Added to favourites: 1:1-7, 2:255-257, 36:1-83"])
    #expect(try desktop.snapshot().favoriteCount == 7 + 3 + 83)
    #expect(desktop.warnings.isEmpty)
  }

  @Test func whatIsThereAlreadyIsSaid() throws {
    try desktop.favorite(.add, "2:255")
    desktop.now += 1000
    let output = try desktop.favorite(.add, "2:255", "2:256")
    #expect(
      output.lines == ["♥ Added to favourites: 2:256", "Favourites already: 2:255"])
    #expect(try desktop.snapshot().favoritedAt(try ayah("2:255")) == desktop.now - 1000)
    #expect(try desktop.favorite(.add, "2:255").lines == ["Favourites already: 2:255"])
  }

  @Test func scriptsAreToldOfEveryAyah() throws {
    try desktop.favorite(.add, "2:255")
    let time = desktop.now
    desktop.now += 5
    #expect(
      try desktop.favorite(.add, "2:256", "2:255", asJSON: true).decoded([Changed].self) == [
        Changed(ayah: "2:255", favorite: true, favoritedAt: time, changed: false),
        Changed(ayah: "2:256", favorite: true, favoritedAt: time + 5, changed: true),
      ])
    #expect(
      try desktop.favorite(.remove, "2:256-257", asJSON: true).decoded([Changed].self) == [
        Changed(ayah: "2:256", favorite: false, favoritedAt: nil, changed: true),
        Changed(ayah: "2:257", favorite: false, favoritedAt: nil, changed: false),
      ])
  }

  @Test func removingWhatIsNoFavoriteIsStatusOne() throws {
    try desktop.favorite(.add, "2:255-256")
    #expect(
      try desktop.favorite(.remove, "2:250-255").lines == ["No longer favourites: 2:255"])
    let failure = try failure { try desktop.favorite(.remove, "2:255", "3:1") }
    #expect(failure == CommandFailure(.notFound, "Not among the favourites: 2:255, 3:1"))
    #expect(try desktop.snapshot().favorites.map { "\($0.ayah)" } == ["2:256"])
  }

  @Test func theListIsInTheOrderOfTheBook() throws {
    try desktop.favorite(.add, "114:6", "1:1")
    let text = Edition.bundled.text(of:)
    #expect(
      try desktop.favorite(.list).lines == ["1:1  \(text(.first))", "114:6  \(text(.last))"])
    #expect(try desktop.favorite(.list, "juz 30").lines == ["114:6  \(text(.last))"])
    #expect(
      try desktop.favorite(.list, asJSON: true).decoded([Entry].self).last
        == Entry(
          ayah: "114:6", surah: 114, number: 6, favoritedAt: desktop.now, edition: "vi.quranvi",
          text: text(.last)))
  }

  @Test func anEmptyListIsNoFailureAndMakesNoLibrary() throws {
    #expect(try desktop.favorite(.list).text == "")
    #expect(try desktop.favorite(.list, asJSON: true).text == "[]\n")
    #expect(
      try desktop.favorite(.list, isTerminal: true).lines == [desktop.messages.noFavoritesToList])
    #expect(try desktop.isEmpty)
  }

  @Test func askingForWhatIsNotThereIsStatusOne() throws {
    try desktop.favorite(.add, "2:255")
    for asJSON in [false, true] {
      let output = Output()
      let failure = try failure {
        try desktop.favorite(.list, "3", asJSON: asJSON, in: output)
      }
      #expect(failure.status == .notFound)
      #expect(output.text == (asJSON ? "[]\n" : ""))
    }
  }

  @Test func referencesThatLeadNowhereChangeNothing() throws {
    for references in [["2:300"], ["abc"], [""]] {
      let failure = try failure {
        try desktop.context().addFavorites(["1:1"] + references)
      }
      #expect(failure.status == .usage)
    }
    #expect(try failure { try desktop.favorite(.add) }.message == desktop.messages.noAyahNamed)
    #expect(try failure { try desktop.favorite(.remove) }.status == .usage)
    #expect(try desktop.isEmpty)
  }

  // MARK: Libraries that are not as they should be

  @Test func aPlaceWithoutALibraryIsStatusThree() throws {
    for path in [nil, "/dev/null/x", "/proc/library.sqlite"] {
      let failure = try failure {
        try desktop.favorite(.add, "1:1", path: .some(path))
      }
      #expect(failure.status == .badData, "\(path ?? "nil")")
    }
  }

  @Test func anotherProgramsDatabaseIsLeftAsItIs() throws {
    let foreign = "SQLite format 3\0" + String(repeating: "x", count: 200)
    let path = try desktop.file("x.sqlite", foreign)
    let bytes = try Data(contentsOf: URL(filePath: path))
    for action in [LibraryDesktop.FavoriteAction.list, .add] {
      let failure = try failure {
        try desktop.favorite(action, "1:1", path: path)
      }
      #expect(
        failure
          == CommandFailure(.badData, desktop.messages.explain(LibraryFailure.foreign(path: path))))
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test func whatOpeningFoundIsToldOnStandardError() throws {
    try desktop.favorite(.add, "2:255")
    // A backup shows that the file is a library.
    let library = try Library.open(desktop.path, at: 1).library
    _ = try library.backUp(at: 1)
    library.close()
    try Data("no database".utf8).write(to: URL(filePath: desktop.path))
    // What only reads sets nothing aside.
    #expect(
      try failure { try desktop.favorite(.list) }
        == CommandFailure(
          .badData, desktop.messages.explain(LibraryFailure.damaged(path: desktop.path))))
    #expect(desktop.warnings == [])
    try desktop.favorite(.add, "2:255")
    #expect(desktop.warnings.count == 1)
    #expect(desktop.warnings[0].hasPrefix("The library was damaged; it lies untouched at "))
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
