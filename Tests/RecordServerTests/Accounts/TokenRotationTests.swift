import TestSupport
import Testing

@testable import RecordServer

/// The newest web auth token of a session is replaced when it is ten minutes old; the previous one
/// stays valid for a while, because a response may be lost.
struct TokenRotationTests {
  let minute: Int64 = 60_000
  let lifetime: Int64 = 14 * 86_400_000

  func session() -> TokenRotation { TokenRotation(lifetime: lifetime, at: 0) }

  @Test func theFirstTokenStaysTheNewestForTenMinutes() {
    var rotation = session()
    let isGood = rotation.use(1, at: 10 * minute - 1)
    #expect(isGood)
    #expect(rotation.newest == 1)
    let isStillGood = rotation.use(1, at: 10 * minute)
    #expect(isStillGood)
    #expect(rotation.newest == 2)
    #expect(rotation.issuedAt == 10 * minute)
  }

  @Test func thePreviousTokenEndsAMinuteAfterTheNewestIsUsed() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    let beforeUse = rotation.use(1, at: 500 * minute)
    #expect(beforeUse)
    #expect(rotation.newest == 2, "its use makes no new one")
    let newest = rotation.use(2, at: 500 * minute)
    #expect(newest)
    #expect(rotation.accepts(1, at: 501 * minute - 1))
    #expect(!rotation.accepts(1, at: 501 * minute))
  }

  @Test func noTokenIsIssuedWhileThePreviousIsValid() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    _ = rotation.use(2, at: 30 * minute)
    #expect(rotation.newest == 2, "requests with the first may still be on their way")
    _ = rotation.use(2, at: 31 * minute - 1)
    #expect(rotation.newest == 2)
    _ = rotation.use(2, at: 31 * minute)
    #expect(rotation.newest == 3)
    #expect(rotation.accepts(2, at: 31 * minute))
    #expect(!rotation.accepts(1, at: 31 * minute))
  }

  @Test func invalidTokenNumbersAreRefused() {
    var rotation = session()
    for number: Int64 in [-1, 0, .min + 1] {
      let before = rotation
      let isGood = rotation.use(number, at: minute)
      #expect(!isGood)
      #expect(rotation == before)
    }
  }

  @Test func aSessionExpiresUnlessItIsUsed() {
    var rotation = TokenRotation(lifetime: 30 * minute, at: 0)
    #expect(rotation.accepts(1, at: 30 * minute - 1))
    #expect(!rotation.accepts(1, at: 30 * minute))
    let isGood = rotation.use(1, at: 29 * minute)
    #expect(isGood)
    #expect(rotation.expiresAt == 59 * minute)
    let isTooLate = rotation.use(2, at: 59 * minute)
    #expect(!isTooLate)
  }

  @Test func useWithinAThirtiethOfTheLifetimeChangesNothing() {
    var rotation = TokenRotation(lifetime: 30 * minute, at: 0)
    _ = rotation.use(1, at: 1)
    let before = rotation
    _ = rotation.use(1, at: minute - 1)
    #expect(rotation == before)
    _ = rotation.use(1, at: minute)
    #expect(rotation.expiresAt == 31 * minute)
  }

  @Test func aClockSetBackKeepsTokensValid() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    _ = rotation.use(2, at: 11 * minute)
    let isNewestGood = rotation.use(2, at: 0)
    #expect(isNewestGood)
    #expect(rotation.accepts(1, at: 0))
    #expect(rotation.newest == 2)
  }

  @Test func aClockSetBackDoesNotStopTheRotation() {
    var rotation = session()
    _ = rotation.use(1, at: 1000 * minute)
    _ = rotation.use(2, at: 1000 * minute)
    _ = rotation.use(2, at: 991 * minute)
    #expect(rotation.newest == 2, "set back by less than ten minutes")
    _ = rotation.use(2, at: 0)
    #expect(rotation.newest == 2, "requests with the first may still be on their way")
    #expect(rotation.accepts(1, at: minute - 1))
    _ = rotation.use(2, at: minute)
    #expect(rotation.newest == 3)
    #expect(rotation.issuedAt == minute)
    #expect(rotation.accepts(2, at: minute))
    #expect(!rotation.accepts(1, at: minute))
    #expect(rotation.expiresAt == 1000 * minute + lifetime, "the expiry is not earlier")
    // The rotation continues when the clock is right again.
    _ = rotation.use(3, at: 1000 * minute)
    _ = rotation.use(3, at: 1001 * minute)
    #expect(rotation.newest == 4)
  }

  // MARK: Files that were put back

  @Test func aHigherNumberMovesTheRotationForward() {
    var rotation = session()
    let isGood = rotation.use(7, issuedAt: 70 * minute, at: 75 * minute)
    #expect(isGood)
    #expect(rotation.newest == 7)
    #expect(rotation.issuedAt == 70 * minute)
    #expect(rotation.firstUsedAt == 75 * minute)
    // From here on the usual rules apply.
    #expect(rotation.accepts(6, at: 76 * minute - 1))
    #expect(!rotation.accepts(6, at: 76 * minute))
    for old: Int64 in 1...5 { #expect(!rotation.accepts(old, at: 75 * minute)) }
    _ = rotation.use(7, at: 80 * minute - 1)
    #expect(rotation.newest == 7)
    _ = rotation.use(7, at: 80 * minute)
    #expect(rotation.newest == 8)
  }

  @Test func aHigherTokenIsReplacedAfterAMinuteAtTheEarliest() {
    var rotation = session()
    _ = rotation.use(7, issuedAt: minute, at: 75 * minute)
    #expect(rotation.newest == 7, "requests with the previous one may still be on their way")
    _ = rotation.use(7, issuedAt: minute, at: 76 * minute)
    #expect(rotation.newest == 8)
  }

  @Test func theTimeInATokenExtendsAnExpiredSession() {
    let ended = TokenRotation(lifetime: 30 * minute, at: 0)
    #expect(!ended.accepts(1, issuedAt: 0, at: 30 * minute))
    #expect(!ended.accepts(5, issuedAt: 40 * minute, at: 70 * minute))
    var rotation = ended
    let isGood = rotation.use(5, issuedAt: 40 * minute, at: 70 * minute - 1)
    #expect(isGood)
    #expect(rotation.expiresAt == 100 * minute - 1)
  }

  /// The time of issue in a token never extends a session, unless the files were put back.
  @Test(arguments: 0..<50) func noTokenOutlivesTheStoredExpiry(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = TokenRotation(lifetime: 30 * minute, at: 0)
    var now: Int64 = 0
    for step in 0..<200 {
      now += Int64.random(in: 0...29 * minute, using: &generator)
      _ = rotation.use(rotation.newest, issuedAt: rotation.issuedAt, at: now)
      #expect(rotation.expiresAt >= rotation.issuedAt + rotation.lifetime, "step \(step)")
    }
  }

  @Test func aTokenIssuedInTheFutureIsValid() {
    var rotation = session()
    let isGood = rotation.use(7, issuedAt: 70 * minute, at: minute)
    #expect(isGood)
    #expect(rotation.newest == 7)
    _ = rotation.use(7, issuedAt: 70 * minute, at: 2 * minute)
    #expect(rotation.newest == 8)
    #expect(rotation.accepts(7, at: 2 * minute))
  }

  // MARK: Reordered and lost requests

  /// A client that sends many requests at a time, each with the token that it has at that moment.
  /// The answers come late, in any order, or never.
  struct Client {
    struct Flight {
      var sent: Int64
      /// The number of the token in the answer; nil until the server has seen the request.
      var answer: Int64?
    }
    var held: Int64 = 1
    var flights: [Flight] = []
  }

  /// A client that takes a new token only in place of the one that its request carried is
  /// never locked out, even if requests or answers are lost or late.
  @Test(arguments: 0..<400) func aCarefulClientIsNeverLockedOut(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = session()
    var client = Client()
    var now: Int64 = 0
    var issued: [Int64] = [0]
    for step in 0..<400 {
      // The pauses are too short for the session to expire.
      let pauses: [Int64] = [0, 0, 0, 1, 500, 20_000, 59_999, 60_000, 600_000, 3_600_000]
      now += pauses.randomElement(using: &generator)!
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        let burst = Int.random(in: 0..<10, using: &generator) == 0 ? 50 : 1
        client.flights += Array(repeating: .init(sent: client.held, answer: nil), count: burst)
      case 4..<7:
        // The server receives any of the requests. It may refuse one that was sent long ago with a
        // token that has become invalid since.
        guard let index = client.flights.indices.randomElement(using: &generator),
          client.flights[index].answer == nil
        else { continue }
        let sent = client.flights[index].sent
        let before = rotation.newest
        if rotation.use(sent, at: now) {
          client.flights[index].answer = rotation.newest
        } else {
          #expect(sent < client.held, "seed \(seed), step \(step): the token it holds is dead")
          client.flights.remove(at: index)
        }
        if rotation.newest != before { issued.append(now) }
      case 7..<9:
        guard let index = client.flights.indices.randomElement(using: &generator) else { continue }
        let flight = client.flights.remove(at: index)
        if let answer = flight.answer, client.held == flight.sent { client.held = answer }
      default:
        // The request or its answer is lost.
        guard let index = client.flights.indices.randomElement(using: &generator) else { continue }
        client.flights.remove(at: index)
      }
      guard rotation.accepts(client.held, at: now) else {
        Issue.record("seed \(seed), step \(step)")
        return
      }
    }
    for (former, next) in zip(issued, issued.dropFirst()) {
      #expect(next - former >= TokenRotation.interval, "seed \(seed)")
    }
  }

  /// A client that takes the token of every answer, in the order in which the answers come, as
  /// CloudKit JS does, may end up with the previous token. Fifty requests at the moment of
  /// rotation, some of them lost, do not lock it out, as long as it sends another request before
  /// the minute of grace is over.
  @Test(arguments: 0..<100) func aNaiveClientIsNotLockedOutWithinTheGrace(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = session()
    var client = Client()
    var now: Int64 = 0
    for round in 0..<20 {
      now += [0, 60_000, 600_000, 3_600_000].randomElement(using: &generator)!
      client.flights = Array(repeating: .init(sent: client.held, answer: nil), count: 50)
      // Fifty more are sent meanwhile. The whole round takes at most 40 seconds.
      var more = 50
      while !client.flights.isEmpty {
        now += Int64.random(in: 0...200, using: &generator)
        let index = client.flights.indices.randomElement(using: &generator)!
        if client.flights[index].answer == nil {
          guard rotation.use(client.flights[index].sent, at: now) else {
            Issue.record("seed \(seed), round \(round)")
            return
          }
          client.flights[index].answer = rotation.newest
        } else {
          let flight = client.flights.remove(at: index)
          let isLost = Int.random(in: 0..<4, using: &generator) == 0
          if !isLost { client.held = flight.answer! }
          if more > 0, Bool.random(using: &generator) {
            more -= 1
            client.flights.append(.init(sent: client.held, answer: nil))
          }
        }
      }
      let isGood = rotation.use(client.held, at: now)
      #expect(isGood, "seed \(seed), round \(round)")
      client.held = rotation.newest
    }
  }

  @Test func theGraceBeginsAtTheFirstUse() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    _ = rotation.use(2, at: 10 * minute + 1)
    #expect(rotation.accepts(1, at: 10 * minute + TokenRotation.grace))
    #expect(!rotation.accepts(1, at: 10 * minute + 1 + TokenRotation.grace))
  }
}
