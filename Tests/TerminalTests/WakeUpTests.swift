import Testing

@testable import Terminal

struct WakeUpTests {
  @Test func drainReturnsAllWakeUps() {
    let wakeUp = WakeUp()
    #expect(wakeUp.drain() == [])
    wakeUp.wake()
    wakeUp.wake()
    #expect(wakeUp.drain() == [0, 0])
    #expect(wakeUp.drain() == [])
  }

  @Test func wakingDoesNotBlockIfThePipeIsFull() {
    let wakeUp = WakeUp()
    for _ in 0..<100_000 { wakeUp.wake() }
    #expect(!wakeUp.drain().isEmpty)
  }
}
