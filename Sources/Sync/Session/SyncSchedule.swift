import Library

/// Decides when a library is synced next.
///
/// Times are milliseconds of a monotonic clock.
struct SyncSchedule: Hashable, Sendable {
  /// Changes in the outbox that make a round due.
  private struct Unsent: Hashable {
    /// The sum of the changes' generations, which every change of a thing raises.
    var generations: Int
    /// When the first and the last of the changes were noticed.
    let first: Int64
    var last: Int64
    var pause: Pause
  }

  /// How long changes wait before they are sent, in milliseconds: `quietPeriod` after the last
  /// change, but no longer than `maximumDelay` after the first.
  private struct Pause: Hashable {
    let quietPeriod: Int64
    let maximumDelay: Int64
  }

  /// The pause if there are other changes than reading progress.
  private static let changes = Pause(quietPeriod: 300, maximumDelay: 2000)
  /// The pause if only reading progress has changed, which reading does all the time.
  private static let progress = Pause(quietPeriod: 700, maximumDelay: 10_000)
  /// The time between fetches without a notification: five minutes.
  static let interval: Int64 = 300_000

  /// The minimum time between the start of a round and a fetch after a change of the network: one
  /// minute.
  static let networkInterval: Int64 = 60_000

  private var unsent: Unsent?
  /// When the changes of other devices are fetched next.
  private var fetch: Int64
  /// When the last round began.
  private var beganAt: Int64
  /// The end of the pause after a failed round.
  private var pausedUntil: Int64 = .min
  /// Whether no round is due until the user asks for one.
  private var isStopped = false
  /// Whether the user asked for a round.
  private var isAsked = false

  /// A schedule with a round that is due now.
  init(at now: Int64) {
    fetch = now
    beganAt = now
  }

  /// When the next round is due; nil if none is due until the user asks for one.
  var due: Int64? {
    if isAsked { return .min }
    guard !isStopped else { return nil }
    var due = fetch
    if let unsent {
      due = min(
        due, unsent.last + unsent.pause.quietPeriod, unsent.first + unsent.pause.maximumDelay)
    }
    return max(due, pausedUntil)
  }

  /// Makes a round due immediately, regardless of previous failures.
  mutating func requestRound() { isAsked = true }

  /// Makes a fetch due, because another device changed something.
  mutating func notificationReceived(at now: Int64) { fetch = min(fetch, now) }

  /// Makes a fetch due, because the network changed.
  ///
  /// - Parameter wasUnreachable: Whether the last round did not reach the service. If so, the pause
  ///   after that round ends and a fetch is due now. A pause that the service asked for continues.
  mutating func reconnected(at now: Int64, wasUnreachable: Bool) {
    if wasUnreachable { pausedUntil = .min }
    fetch = min(fetch, wasUnreachable ? now : max(now, beganAt + Self.networkInterval))
  }

  /// Makes a round due for the changes in the outbox.
  ///
  /// - Parameters:
  ///   - outbox: The changes in the outbox, in numbers.
  ///   - wait: The milliseconds until the first of them may be sent; 0 or less if it may be sent
  ///     now.
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

  /// Is called when a round failed and is to be tried again.
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
