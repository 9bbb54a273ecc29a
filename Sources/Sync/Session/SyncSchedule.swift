import Library

/// When a library is synced next. It decides, and does nothing.
///
/// Times are milliseconds of a clock that nobody sets.
struct SyncSchedule: Hashable, Sendable {
  /// What calls for a round.
  private struct Unsent: Hashable {
    /// Which changes they are.
    var generations: Int
    let first: Int64
    var last: Int64
    var pause: Pause
  }

  /// How long nothing is changed before changes are sent, and how long they wait at most.
  private struct Pause: Hashable {
    let calm: Int64
    let longest: Int64
  }

  /// One does not see a heart go: it is sent with what follows it.
  private static let changes = Pause(calm: 300, longest: 2000)
  /// Reading goes on and on.
  private static let progress = Pause(calm: 700, longest: 10_000)
  /// What nobody tells of is found so often.
  static let interval: Int64 = 300_000

  /// How often another network is worth a look at most.
  static let glance: Int64 = 60_000

  private var unsent: Unsent?
  /// When others' changes are looked for in any case.
  private var fetch: Int64
  /// When the last round began.
  private var beganAt: Int64
  /// Not before: the service or the way to it failed.
  private var pausedUntil: Int64 = .min
  /// Whether only a person can make it go on.
  private var isStopped = false
  /// Whether somebody waits for a round.
  private var isAsked = false

  /// - Parameter now: a round is due then.
  init(at now: Int64) {
    fetch = now
    beganAt = now
  }

  /// When the next round is due; nil for only when asked.
  var due: Int64? {
    if isAsked { return .min }
    guard !isStopped else { return nil }
    var due = fetch
    if let unsent {
      due = min(due, unsent.last + unsent.pause.calm, unsent.first + unsent.pause.longest)
    }
    return max(due, pausedUntil)
  }

  /// Somebody wants it now, whatever failed before.
  mutating func asked() { isAsked = true }

  /// Another device changed something.
  mutating func pushed(at now: Int64) { fetch = min(fetch, now) }

  /// The network is another one, or one again.
  ///
  /// - Parameter isWayBack: whether the last round did not get to the service. A pause that the
  ///   service asked for is kept.
  mutating func reconnected(at now: Int64, isWayBack: Bool) {
    if isWayBack { pausedUntil = .min }
    fetch = min(fetch, isWayBack ? now : max(now, beganAt + Self.glance))
  }

  /// Takes what waits in the outbox.
  ///
  /// - Parameter wait: how long that may not be sent yet, by the outbox, in milliseconds.
  mutating func waiting(_ outbox: OutboxSummary, for wait: Int64, at now: Int64) {
    guard outbox.count > 0 else {
      unsent = nil
      return
    }
    guard wait <= 0 else {
      unsent = nil
      fetch = min(fetch, now + wait)
      return
    }
    guard unsent?.generations != outbox.generations else { return }
    unsent = Unsent(
      generations: outbox.generations, first: unsent?.first ?? now, last: now,
      pause: outbox.otherThanProgress > 0 ? Self.changes : Self.progress)
  }

  /// A round begins.
  mutating func began(at now: Int64) {
    isAsked = false
    unsent = nil
    fetch = now + Self.interval
    beganAt = now
  }

  /// A round did what it had to.
  mutating func succeeded() {
    isStopped = false
    pausedUntil = .min
  }

  /// It failed, and is tried again.
  ///
  /// - Parameter delay: in milliseconds.
  mutating func failed(at now: Int64, delay: Int64) {
    isStopped = false
    pausedUntil = now + delay
    fetch = pausedUntil
  }

  /// It failed, and a person has to do something.
  mutating func stopped() { isStopped = true }
}
