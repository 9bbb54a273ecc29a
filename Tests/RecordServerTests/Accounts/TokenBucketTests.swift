import CloudRecords
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct TokenBucketTests {
  @Test func aUserHasABurstAndThenTwoHundredASecond() {
    var bucket = TokenBucket(.user, at: 0)
    for _ in 0..<100 {
      let wait = bucket.consume(200, at: 0)
      #expect(wait == nil)
    }
    let empty = bucket.consume(1, at: 0)
    #expect(empty == 0.005)
    let whole = bucket.consume(200, at: 0)
    #expect(whole == 1)
    let tooEarly = bucket.consume(200, at: 999)
    #expect(tooEarly == 0.001)
    let afterASecond = bucket.consume(200, at: 1000)
    #expect(afterASecond == nil)
    let again = bucket.consume(1, at: 1000)
    #expect(again == 0.005)
  }

  @Test func aBucketHoldsAtMostItsBurst() {
    var bucket = TokenBucket(.user, at: 0)
    let first = bucket.consume(20_000, at: 1_000_000_000)
    #expect(first == nil)
    let second = bucket.consume(1, at: 1_000_000_000)
    #expect(second != nil)
    let isFullTooEarly = bucket.isFull(at: 1_000_099_999)
    #expect(!isFullTooEarly)
    let isFull = bucket.isFull(at: 1_000_100_000)
    #expect(isFull)
  }

  @Test func refusedOperationsAreNotCharged() {
    var bucket = TokenBucket(.init(perSecond: 1, burst: 10), at: 0)
    _ = bucket.consume(9, at: 0)
    for _ in 0..<5 {
      let wait = bucket.consume(2, at: 0)
      #expect(wait == 1)
    }
    let one = bucket.consume(1, at: 0)
    #expect(one == nil)
  }

  @Test func workIsChargedAfterwards() {
    var bucket = TokenBucket(.init(perSecond: 1, burst: 10), at: 0)
    bucket.owe(4, at: 0)
    let rest = bucket.consume(6, at: 0)
    #expect(rest == nil)
    bucket.owe(5, at: 0)
    let wait = bucket.consume(1, at: 0)
    #expect(wait == 6)
    let later = bucket.consume(1, at: 6000)
    #expect(later == nil)
    // A client owes at most one burst, and gets a full bucket again.
    bucket.owe(.max, at: 6000)
    let longest = bucket.consume(1, at: 6000)
    #expect(longest == 11)
    let isFull = bucket.isFull(at: 6000 + 20_000)
    #expect(isFull)
  }

  @Test func operationsAboveTheBurstCountAsTheBurst() {
    var bucket = TokenBucket(.init(perSecond: 1, burst: 10), at: 0)
    let wait = bucket.consume(.max, at: 0)
    #expect(wait == nil)
    let next = bucket.consume(.max, at: 0)
    #expect(next == 10)
  }

  @Test func aClockSetBackNeitherFillsNorEmpties() {
    var bucket = TokenBucket(.init(perSecond: 1, burst: 10), at: 1_000_000)
    _ = bucket.consume(10, at: 1_000_000)
    let wait = bucket.consume(1, at: 0)
    #expect(wait == 1)
    let later = bucket.consume(1, at: 1000)
    #expect(later == nil)
    let extreme = bucket.consume(1, at: .max)
    #expect(extreme == nil)
  }

  /// A client that waits for `retryAfter` is served, and no client gets more than the rate allows.
  @Test(arguments: 0..<100) func theRateIsNeverExceeded(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let rate = TokenBucket.Rate(
      perSecond: .random(in: 1...300, using: &generator),
      burst: .random(in: 1...1000, using: &generator))
    var bucket = TokenBucket(rate, at: 0)
    var now: Int64 = 0
    var served: Int64 = 0
    for _ in 0..<300 {
      let operations = Int.random(in: 1...Int(rate.burst), using: &generator)
      if let wait = bucket.consume(operations, at: now) {
        #expect(wait > 0)
        now += Int64((wait * 1000).rounded())
        let second = bucket.consume(operations, at: now)
        #expect(second == nil, "seed \(seed)")
      }
      served += Int64(operations)
      #expect(served * 1000 <= rate.burst * 1000 + now * rate.perSecond, "seed \(seed)")
      now += Int64.random(in: 0...2000, using: &generator)
    }
  }

  @Test func requestersAreLimitedSeparately() throws {
    let clock = AccountFixture.Clock()
    let limits = RateLimits { clock.now }
    let address = ClientAddress("192.0.2.1")
    for _ in 0..<30 { try limits.consume(by: .signIn(address)) }
    #expect(throws: ServiceError(.throttled, cause: .tooManyRequests, retryAfter: 1)) {
      try limits.consume(by: .signIn(address))
    }
    try limits.consume(by: .signIn(ClientAddress("192.0.2.2")))
    try limits.consume(by: .anonymous(address))
    try limits.consume(20_000, by: .user(1))
    try limits.consume(20_000, by: .user(2))
    #expect(throws: ServiceError(.throttled, cause: .tooManyRequests, retryAfter: 0.5)) {
      try limits.consume(100, by: .user(1))
    }
    clock.advance(500)
    try limits.consume(100, by: .user(1))
    try limits.consume(400, by: .anonymous(ClientAddress("2001:db8::1")))
    #expect(throws: ServiceError(.throttled, cause: .tooManyRequests, retryAfter: 0.05)) {
      try limits.consume(by: .anonymous(ClientAddress("2001:db8::2")))
    }
  }

  @Test func theLimitOfAccountsCanBeChosen() throws {
    let clock = AccountFixture.Clock()
    let rate = TokenBucket.Rate(perSecond: 10, burst: 300)
    let limits = RateLimits(accountRate: rate) { clock.now }
    try limits.consume(300, by: .user(1))
    #expect(throws: ServiceError(.throttled, cause: .tooManyRequests, retryAfter: 0.1)) {
      try limits.consume(by: .user(1))
    }
    clock.advance(100)
    try limits.consume(by: .user(1))
    limits.charge(20, to: .user(1))
    #expect(throws: ServiceError(.throttled, cause: .tooManyRequests, retryAfter: 2.1)) {
      try limits.consume(by: .user(1))
    }
    // Without a limit for accounts, the other limits remain.
    let unlimited = RateLimits(accountRate: nil) { clock.now }
    for _ in 0..<10 {
      try unlimited.consume(1_000_000, by: .user(1))
      unlimited.charge(1_000_000, to: .user(1))
    }
    let address = ClientAddress("192.0.2.1")
    for _ in 0..<30 { try unlimited.consume(by: .signIn(address)) }
    #expect(throws: ServiceError.self) { try unlimited.consume(by: .signIn(address)) }
  }

  @Test func theNumberOfEntriesIsLimited() {
    var buckets = BoundedDictionary<Int, TokenBucket>(limit: 100)
    let rate = TokenBucket.Rate(perSecond: 1, burst: 10)
    for key in 0..<1000 {
      _ = buckets.update(
        key, new: TokenBucket(rate, at: 0), isSpent: { $0.isFull(at: 0) }, { $0.consume(5, at: 0) })
      #expect(buckets.count <= 100)
      #expect(buckets[key] != nil)
    }
  }

  @Test func spentEntriesAreRemovedFirst() {
    var buckets = BoundedDictionary<Int, TokenBucket>(limit: 100)
    let rate = TokenBucket.Rate(perSecond: 1, burst: 10)
    for key in 0..<100 {
      let cost = key < 40 ? 10 : 0
      _ = buckets.update(
        key, new: TokenBucket(rate, at: 0), isSpent: { $0.isFull(at: 0) },
        { $0.consume(cost, at: 0) })
    }
    _ = buckets.update(
      100, new: TokenBucket(rate, at: 0), isSpent: { $0.isFull(at: 0) }, { $0.consume(1, at: 0) })
    #expect(buckets.count == 41)
    #expect((0..<40).allSatisfy { buckets[$0] != nil })
  }
}
