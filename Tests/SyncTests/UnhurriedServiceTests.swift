import Testing

@testable import Sync

/// How long requests of a round wait for the keys to rest.
@Suite struct UnhurriedServiceTests {
  private let start = ContinuousClock.now

  private func time(_ milliseconds: Int) -> ContinuousClock.Instant {
    start + .milliseconds(milliseconds)
  }

  private func pause(at now: Int, asked: Int, lastKey: Int) -> ContinuousClock.Instant? {
    UnhurriedService.pause(
      at: time(now), asked: time(asked), lastKey: time(lastKey), start: start)
  }

  @Test func aShortRoundWaitsForNothing() {
    #expect(pause(at: 100, asked: 100, lastKey: 99) == nil)
    #expect(pause(at: 200, asked: 200, lastKey: 199) == nil)
  }

  @Test func aLongOneWaitsUntilTheKeysRest() {
    #expect(pause(at: 1000, asked: 1000, lastKey: 990) == time(1140))
    #expect(pause(at: 1140, asked: 1000, lastKey: 990) == nil)
    #expect(pause(at: 1140, asked: 1000, lastKey: 1100) == time(1250))
  }

  @Test func keysThatGoOnDoNotKeepItWaiting() {
    #expect(pause(at: 2990, asked: 1000, lastKey: 2989) == time(3000))
    #expect(pause(at: 3000, asked: 1000, lastKey: 2999) == nil)
  }

  @Test func whereNoKeyWasPressedForLongItGoesOn() {
    #expect(pause(at: 9000, asked: 9000, lastKey: 500) == nil)
  }
}
