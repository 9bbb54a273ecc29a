import Library

/// Decides when a library is synced next.
///
/// Times are milliseconds of a monotonic clock.
struct SyncSchedule: Hashable, Sendable {
  /// Changes in the outbox that make a round due.
  private struct Unsent: Hashable {
    /// The sum of the changes' generations, which differs after every change.
    var generations: Int
    let first: Int64
    var last: Int64
    var pause: Pause
  }

  /// How long changes wait: `calm` after the last one, but no longer than `longest` after the first.
  private struct Pause: Hashable {
    let calm: Int64
    let longest: Int64
  }

  private static let changes = Pause(calm: 300, longest: 2000)
  /// Reading changes the progress all the time.
  private static let progress = Pause(calm: 700, longest: 10_000)
  /// The time between fetches without a notification.
  static let interval: Int64 = 300_000

  /// The minimum time between fetches after changes of the network.
  static let networkInterval: Int64 = 60_000

  private var unsent: Unsent?
  /// When the changes of other devices are fetched next.
  private var fetch: Int64
  /// When the last round began.
  private var beganAt: Int64
  /// The end of the pause after a failed round.
  private var pausedUntil: Int64 = .min
  /// Whether the next round must be asked for.
  private var isStopped = false
  /// Whether the user asked for a round.
  private var isAsked = false

  /// A schedule with a round that is due now.
  init(at now: Int64) {
    fetch = now
    beganAt = now
  }

  /// When the next round is due; nil if it must be asked for.
  var due: Int64? {
    if isAsked { return .min }
    guard !isStopped else { return nil }
    var due = fetch
    if let unsent {
      due = min(due, unsent.last + unsent.pause.calm, unsent.first + unsent.pause.longest)
    }
    return max(due, pausedUntil)
  }

  /// Makes a round due immediately, regardless of previous failures.
  mutating func requestRound() { isAsked = true }

  /// Makes a fetch due, because another device changed something.
  mutating func notificationReceived(at now: Int64) { fetch = min(fetch, now) }

  /// Makes a fetch due, because the network changed.
  ///
  /// - Parameter wasUnreachable: Whether the last round did not reach the service: then the pause
  ///   after it ends. A pause that the service asked for continues.
  mutating func reconnected(at now: Int64, wasUnreachable: Bool) {
    if wasUnreachable { pausedUntil = .min }
    fetch = min(fetch, wasUnreachable ? now : max(now, beganAt + Self.networkInterval))
  }

  /// Makes a round due for the changes in the outbox.
  ///
  /// - Parameter wait: The milliseconds until the first of them may be sent; 0 or less for none.
  mutating func outboxChanged(_ outbox: OutboxSummary, wait: Int64, at now: Int64) {
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

  /// Is called when a round begins.
  mutating func began(at now: Int64) {
    isAsked = false
    unsent = nil
    fetch = now + Self.interval
    beganAt = now
  }

  /// Is called when a round succeeded.
  mutating func succeeded() {
    isStopped = false
    pausedUntil = .min
  }

  /// Is called when a round failed that is tried again.
  ///
  /// - Parameter delay: The pause before the next round, in milliseconds.
  mutating func failed(at now: Int64, delay: Int64) {
    isStopped = false
    pausedUntil = now + delay
    fetch = pausedUntil
  }

  /// Is called when a round failed and the user must act.
  mutating func stop() { isStopped = true }
}
