import TestSupport
import Testing

@testable import RecordClient

struct BackoffTests {
  @Test func theCeilingDoublesToFiveMinutes() {
    let backoff = Backoff()
    #expect(
      (1...10).map { backoff.ceiling(attempt: $0) } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
    for attempt in [0, -1, .min] { #expect(backoff.ceiling(attempt: attempt) == 1) }
    for attempt in [62, 1000, .max] { #expect(backoff.ceiling(attempt: attempt) == 300) }
  }

  @Test(arguments: 1..<UInt64(51))
  func delaysAreWithinTheirBounds(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let backoff = Backoff()
    for _ in 0..<200 {
      let attempt = Int.random(in: 1...40, using: &generator)
      let free = backoff.delay(attempt: attempt, using: &generator)
      #expect((0...backoff.ceiling(attempt: attempt)).contains(free))
      let asked = Double.random(in: 0.001...1000, using: &generator)
      let delay = backoff.delay(attempt: attempt, retryAfter: asked, using: &generator)
      #expect(delay >= asked)
      #expect(delay <= max(backoff.ceiling(attempt: attempt), asked * 1.1))
    }
  }

  @Test func delaysAreSpreadOverTheWholeRange() {
    var generator = SeededGenerator(seed: 1)
    let delays = (0..<1000).map { _ in Backoff().delay(attempt: 20, using: &generator) }
    #expect(delays.count { $0 < 30 } > 50)
    #expect(delays.count { $0 > 270 } > 50)
    let asked = (0..<1000).map { _ in
      Backoff().delay(attempt: 1, retryAfter: 100, using: &generator)
    }
    #expect(asked.count { $0 < 101 } > 50)
    #expect(asked.count { $0 > 109 } > 50)
  }

  @Test(arguments: [86_400, 86_401, 1e18, Double.greatestFiniteMagnitude])
  func retryAfterIsLimitedToADay(_ retryAfter: Double) {
    var generator = SeededGenerator(seed: 1)
    let delay = Backoff().delay(attempt: 1, retryAfter: retryAfter, using: &generator)
    #expect((86_400...95_040).contains(delay))
  }

  @Test(arguments: [0, -1, -Double.infinity, .infinity, .nan])
  func invalidRetryAfterValuesAreIgnored(_ retryAfter: Double) {
    var generator = SeededGenerator(seed: 1)
    let delay = Backoff().delay(attempt: 1, retryAfter: retryAfter, using: &generator)
    #expect((0...1).contains(delay))
  }
}
