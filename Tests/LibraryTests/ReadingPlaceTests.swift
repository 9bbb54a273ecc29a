import Quran
import Testing

@testable import Library

@Suite struct ReadingPlaceTests {
  private func readingPlace(at name: String) -> ReadingPlace {
    var place = ReadingPlace()
    place.load(ayah(name), cursor: nil)
    return place
  }

  @Test func readingMovesThePlace() {
    var place = readingPlace(at: "20:50")
    for name in ["20:51", "20:52", "20:51"] {
      place.read(to: ayah(name), rows: 1, page: 20)
      #expect(place.ayah == ayah(name))
    }
    #expect(!place.isJumpPending)
  }

  @Test func aJumpDoesNotMoveThePlace() {
    var place = readingPlace(at: "20:53")
    place.jump(to: ayah("2:67"))
    place.read(to: ayah("2:68"), rows: 1, page: 20)
    place.read(to: ayah("2:69"), rows: 1, page: 20)
    #expect(place.isJumpPending && place.ayah == ayah("20:53"))
    // Another jump restarts the count.
    place.jump(to: ayah("2:71"))
    place.read(to: ayah("2:73"))
    #expect(place.isJumpPending && place.ayah == ayah("20:53"))
    place.jump(to: ayah("20:53"))
    #expect(!place.isJumpPending)
  }

  @Test func readingThreeAyahsAfterAJumpMovesThePlace() {
    var place = readingPlace(at: "20:53")
    place.jump(to: ayah("2:285"))
    for name in ["2:286", "2:285", "2:286", "2:285", "2:286", "3:1"] {
      place.read(to: ayah(name))
      #expect(place.ayah == ayah("20:53"))
    }
    place.read(to: ayah("3:2"))
    #expect(place.ayah == ayah("3:2") && !place.isJumpPending)
  }

  @Test func readingAPageAfterAJumpMovesThePlace() {
    var place = readingPlace(at: "20:53")
    place.jump(to: ayah("2:282"))
    place.read(to: ayah("2:282"), rows: 9, page: 19)
    place.read(to: ayah("2:282"), rows: -9, page: 19)
    place.read(to: ayah("2:282"), rows: 9, page: 19)
    place.read(to: ayah("2:282"), rows: 9, page: 19)
    #expect(place.isJumpPending)
    place.read(to: ayah("2:282"), rows: 1, page: 19)
    #expect(place.ayah == ayah("2:282"))
  }

  @Test func confirmingAJumpMovesThePlace() {
    var place = readingPlace(at: "20:53")
    place.jump(to: ayah("2:69"))
    place.confirm(at: ayah("2:69"))
    #expect(place.ayah == ayah("2:69") && !place.isJumpPending)
  }

  @Test func readingBackToThePlaceEndsTheJump() {
    var place = readingPlace(at: "20:53")
    place.jump(to: ayah("20:51"))
    place.read(to: ayah("20:52"))
    place.read(to: ayah("20:53"))
    #expect(!place.isJumpPending && place.ayah == ayah("20:53"))
  }

  @Test func withoutAStoredPlaceAJumpSetsIt() {
    var place = ReadingPlace()
    place.load(nil, cursor: nil)
    place.jump(to: ayah("36:1"))
    #expect(place.ayah == ayah("36:1") && !place.isJumpPending)
  }

  /// The text may be open before the library is.
  @Test(arguments: [
    // Stored place, opened ayah, cursor; expected place, whether a jump is pending
    ("20:53", "2:255", "2:256", "20:53", true), ("20:53", "2:255", "2:258", "2:258", false),
    ("2:256", "2:255", "2:256", "2:256", false), (nil, "2:255", "2:256", "2:256", false),
  ])
  func thePlaceMayBeLoadedAfterAJump(
    stored: String?, opened: String, cursor: String, expected: String, isJumpPending: Bool
  ) {
    var place = ReadingPlace()
    place.jump(to: ayah(opened))
    #expect(place.ayah == nil && !place.isJumpPending)
    place.read(to: ayah(cursor))
    place.load(stored.map(ayah), cursor: ayah(cursor))
    #expect(place.ayah == ayah(expected) && place.isJumpPending == isJumpPending)
  }
}
