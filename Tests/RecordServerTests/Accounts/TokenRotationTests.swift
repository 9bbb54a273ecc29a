import TestSupport
import Testing

@testable import RecordServer

/// A web auth token is replaced by every request that uses it; the previous one stays valid for a
/// while, since a response may be lost.
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

  @Test func theFormerTokenLivesUntilItsSuccessorWasUsedForAMinute() {
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

  @Test func thereIsNoThirdTokenWhileTheFormerLives() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    _ = rotation.use(2, at: 30 * minute)
    #expect(rotation.newest == 2, "the first is on its way yet")
    _ = rotation.use(2, at: 31 * minute - 1)
    #expect(rotation.newest == 2)
    _ = rotation.use(2, at: 31 * minute)
    #expect(rotation.newest == 3)
    #expect(rotation.accepts(2, at: 31 * minute))
    #expect(!rotation.accepts(1, at: 31 * minute))
  }

  @Test func numbersThatNeverWereAreRefused() {
    var rotation = session()
    for number: Int64 in [-1, 0, .min + 1] {
      let before = rotation
      let isGood = rotation.use(number, at: minute)
      #expect(!isGood)
      #expect(rotation == before)
    }
  }

  @Test func useProlongsASessionAndItsAbsenceEndsIt() {
    var rotation = TokenRotation(lifetime: 30 * minute, at: 0)
    #expect(rotation.accepts(1, at: 30 * minute - 1))
    #expect(!rotation.accepts(1, at: 30 * minute))
    let isGood = rotation.use(1, at: 29 * minute)
    #expect(isGood)
    #expect(rotation.expiresAt == 59 * minute)
    #expect(rotation.lastUsedAt == 29 * minute)
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

  @Test func aClockSetBackLocksNobodyOut() {
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
    #expect(rotation.newest == 2, "by less than ten minutes")
    _ = rotation.use(2, at: 0)
    #expect(rotation.newest == 2, "the first may be on its way yet")
    #expect(rotation.accepts(1, at: minute - 1))
    _ = rotation.use(2, at: minute)
    #expect(rotation.newest == 3)
    #expect(rotation.issuedAt == minute)
    #expect(rotation.accepts(2, at: minute))
    #expect(!rotation.accepts(1, at: minute))
    #expect(rotation.expiresAt == 1000 * minute + lifetime, "its life is not cut short")
    // And on again, when the clock is right.
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
    // The rules are as ever from here.
    #expect(rotation.accepts(6, at: 76 * minute - 1))
    #expect(!rotation.accepts(6, at: 76 * minute))
    for old: Int64 in 1...5 { #expect(!rotation.accepts(old, at: 75 * minute)) }
    _ = rotation.use(7, at: 80 * minute - 1)
    #expect(rotation.newest == 7)
    _ = rotation.use(7, at: 80 * minute)
    #expect(rotation.newest == 8)
  }

  @Test func oneThatWasLongInUseIsReplacedAfterAMinuteAtTheEarliest() {
    var rotation = session()
    _ = rotation.use(7, issuedAt: minute, at: 75 * minute)
    #expect(rotation.newest == 7, "the one before may be on its way")
    _ = rotation.use(7, issuedAt: minute, at: 76 * minute)
    #expect(rotation.newest == 8)
  }

  @Test func aSessionLivesAsLongAsItsNewestTokenProves() {
    let ended = TokenRotation(lifetime: 30 * minute, at: 0)
    #expect(!ended.accepts(1, issuedAt: 0, at: 30 * minute))
    #expect(!ended.accepts(5, issuedAt: 40 * minute, at: 70 * minute))
    var rotation = ended
    let isGood = rotation.use(5, issuedAt: 40 * minute, at: 70 * minute - 1)
    #expect(isGood)
    #expect(rotation.expiresAt == 100 * minute - 1)
  }

  /// What `accepts` concludes from the time in a token never prolongs a session whose files were
  /// not put back.
  @Test(arguments: 0..<50) func noTokenOutlivesTheStoredEnd(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = TokenRotation(lifetime: 30 * minute, at: 0)
    var now: Int64 = 0
    for step in 0..<200 {
      now += Int64.random(in: 0...29 * minute, using: &generator)
      _ = rotation.use(rotation.newest, issuedAt: rotation.issuedAt, at: now)
      #expect(rotation.expiresAt >= rotation.issuedAt + rotation.lifetime, "step \(step)")
    }
  }

  @Test func aTokenFromTheFutureOfAClockThatWasSetBackIsGood() {
    var rotation = session()
    let isGood = rotation.use(7, issuedAt: 70 * minute, at: minute)
    #expect(isGood)
    #expect(rotation.newest == 7)
    _ = rotation.use(7, issuedAt: 70 * minute, at: 2 * minute)
    #expect(rotation.newest == 8)
    #expect(rotation.accepts(7, at: 2 * minute))
  }

  // MARK: Any order, any loss

  /// A client as it may be: many requests at a time, each with the token it has then;
  /// answers come late, in any order, or never.
  struct Client {
    struct Flight {
      var sent: Int64
      /// What the answer says; nil until the server has seen the request.
      var answer: Int64?
    }
    var held: Int64 = 1
    var flights: [Flight] = []
  }

  /// A client that takes a new token only in place of the one that its request carried is
  /// never locked out, whatever is lost or late.
  @Test(arguments: 0..<400) func aCarefulClientIsNeverLockedOut(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = session()
    var client = Client()
    var now: Int64 = 0
    var issued: [Int64] = [0]
    for step in 0..<400 {
      // Seldom so long that the session itself would be over.
      let pauses: [Int64] = [0, 0, 0, 1, 500, 20_000, 59_999, 60_000, 600_000, 3_600_000]
      now += pauses.randomElement(using: &generator)!
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        let burst = Int.random(in: 0..<10, using: &generator) == 0 ? 50 : 1
        client.flights += Array(repeating: .init(sent: client.held, answer: nil), count: burst)
      case 4..<7:
        // The server sees one of those on their way, in whatever order. One that was sent
        // long ago with a token that died since may be refused: it was overtaken.
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
        // Lost, on the way there or back.
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

  /// A client that takes whatever token an answer carries, in whatever order they come, as
  /// CloudKit JS does, may end with the former one. Fifty requests at the moment of rotation,
  /// some of them lost, do not lock it out, as long as one more comes before the minute of
  /// grace is over.
  @Test(arguments: 0..<100) func aNaiveClientIsNotLockedOutWithinTheGrace(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rotation = session()
    var client = Client()
    var now: Int64 = 0
    for round in 0..<20 {
      now += [0, 60_000, 600_000, 3_600_000].randomElement(using: &generator)!
      client.flights = Array(repeating: .init(sent: client.held, answer: nil), count: 50)
      // As many again, while others are on their way: at most 40 seconds.
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

  @Test func theGraceIsForRequestsOnTheirWay() {
    var rotation = session()
    _ = rotation.use(1, at: 10 * minute)
    _ = rotation.use(2, at: 10 * minute + 1)
    #expect(rotation.accepts(1, at: 10 * minute + TokenRotation.grace))
    #expect(!rotation.accepts(1, at: 10 * minute + 1 + TokenRotation.grace))
  }
}
