import FoundationEssentials
import NIOConcurrencyHelpers

/// The signatures of the requests that have changed something, for as long as they are valid, so
/// that a request that somebody has recorded cannot be sent again. They are held in memory,
/// separately for each process.
final class UsedSignatures: Sendable {
  /// The maximum number of signatures, which take about 10 MB.
  static let limit = 100_000

  private struct State {
    /// The ends of their validity in milliseconds since 1970.
    var ends: [Data: Int64] = [:]
    var nextCleaning: Int64 = 0
  }

  private let state = NIOLockedValueBox(State())

  /// The result of using a signature.
  enum Use: Hashable {
    case first, repeated
    /// There is no room, so that it is not known whether it was used.
    case full
  }

  /// Uses a signature.
  ///
  /// - Parameters:
  ///   - end: the end of its validity in milliseconds since 1970.
  ///   - now: the current time in milliseconds since 1970.
  func use(_ mark: Data, until end: Int64, at now: Int64) -> Use {
    state.withLockedValue { state in
      if state.ends[mark] != nil { return .repeated }
      if state.ends.count >= Self.limit, now >= state.nextCleaning {
        state.ends = state.ends.filter { $0.value >= now }
        state.nextCleaning = now + 1000
      }
      guard state.ends.count < Self.limit else { return .full }
      state.ends[mark] = end
      return .first
    }
  }
}
