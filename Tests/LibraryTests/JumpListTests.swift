import Quran
import Testing

@testable import Library

@Suite struct JumpListTests {
  private func list(_ names: String...) -> JumpList {
    var jumps = JumpList()
    for name in names { jumps.leave(ayah(name)) }
    return jumps
  }

  @Test func backAndForwardVisitTheJumps() {
    var jumps = list("20:53", "2:69")
    #expect(jumps.previous(of: ayah("3:1")) == ayah("2:69"))
    #expect(jumps.back(from: ayah("3:1")) == ayah("2:69"))
    // The user read on before going back again.
    #expect(jumps.back(from: ayah("2:71")) == ayah("20:53"))
    #expect(jumps.back(from: ayah("20:53")) == nil)
    #expect(jumps.forward(from: ayah("20:53")) == ayah("2:71"))
    #expect(jumps.forward(from: ayah("2:71")) == ayah("3:1"))
    #expect(jumps.forward(from: ayah("3:1")) == nil)
  }

  @Test func aNewJumpClearsTheForwardEntries() {
    var jumps = list("20:53")
    _ = jumps.back(from: ayah("2:69"))
    jumps.leave(ayah("20:53"))
    #expect(jumps.forward(from: ayah("9:1")) == nil)
    #expect(jumps.stored == "20:53")
  }

  @Test func theAyahUnderTheCursorIsSkipped() {
    var jumps = list("20:53", "2:69")
    #expect(jumps.previous(of: ayah("2:69")) == ayah("20:53"))
    #expect(jumps.back(from: ayah("2:69")) == ayah("20:53"))
    #expect(list("2:69").previous(of: ayah("2:69")) == nil)
  }

  @Test func anAyahIsKeptOnce() {
    #expect(list("20:53", "2:69", "20:53").stored == "2:69 20:53")
  }

  @Test func onlyTheAyahBeforeASeriesOfStepsIsKept() {
    var jumps = list("1:1")
    jumps.step(from: ayah("20:53"), to: ayah("21:1"))
    jumps.step(from: ayah("21:1"), to: ayah("22:1"))
    jumps.step(from: ayah("22:1"), to: ayah("23:1"))
    #expect(jumps.stored == "1:1 20:53")
    // The user read on from the target of the last step.
    jumps.step(from: ayah("23:2"), to: ayah("24:1"))
    #expect(jumps.stored == "1:1 20:53 23:2")
    jumps.leave(ayah("24:1"))
    #expect(jumps.stored == "1:1 20:53 23:2 24:1")
  }

  @Test func lastLeftAyahIsTheMostRecentOne() {
    var jumps = JumpList()
    #expect(jumps.lastLeftAyah == nil)
    jumps.leave(ayah("20:53"))
    #expect(jumps.lastLeftAyah == ayah("20:53"))
    _ = jumps.back(from: ayah("2:69"))
    #expect(jumps.lastLeftAyah == ayah("2:69"))
    _ = jumps.forward(from: ayah("20:53"))
    #expect(jumps.lastLeftAyah == ayah("20:53"))
  }

  @Test func storedAyahsComeBeforeNewOnes() {
    var jumps = list("2:69")
    jumps.load("1:7 9:999 x 3:1", place: ayah("20:53"))
    #expect(jumps.stored == "1:7 3:1 20:53 2:69")
    #expect(jumps.lastLeftAyah == ayah("2:69"))
    var loaded = JumpList()
    loaded.load(jumps.stored, place: nil)
    #expect(loaded.stored == jumps.stored && loaded.lastLeftAyah == ayah("2:69"))
  }

  @Test func onlyTheNewestAyahsAreKept() {
    var jumps = JumpList()
    for index in 1...JumpList.limit + 7 { jumps.leave(AyahID(index: index)!) }
    let ayahs = jumps.stored.split(separator: " ")
    #expect(ayahs.count == JumpList.limit)
    #expect(ayahs.first.map(String.init) == AyahID(index: 8)!.description)
  }
}
