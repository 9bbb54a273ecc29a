import FoundationEssentials
import NIOConcurrencyHelpers

/// The signatures of the requests that have changed something, for as long as they are valid, so
/// that an attacker cannot send a recorded request again. They are held in memory, separately for
/// each process.
final class UsedSignatures: Sendable {
  /// The maximum number of signatures, which take about 10 MB.
  static let limit = 100_000

  /// The maximum number of signatures of one key. Other keys can still store theirs.
  static let share = limit / 4

  private struct Signature {
    let key: Int64
    /// The time at which the signature expires, in milliseconds since 1970.
    let end: Int64
  }

  private struct State {
    var signatures: [Data: Signature] = [:]
    /// The number of stored signatures of each key.
    var counts: [Int64: Int] = [:]
    var nextCleaning: Int64 = 0

    func hasRoom(for key: Int64) -> Bool {
      signatures.count < UsedSignatures.limit
        && counts[key, default: 0] < UsedSignatures.share
    }

    mutating func clean(at now: Int64) {
      signatures = signatures.filter { $0.value.end >= now }
      counts = signatures.values.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
    }
  }

  private let state = NIOLockedValueBox(State())

  /// The result of using a signature.
  enum Use: Hashable {
    case first, repeated
    /// There is no room to store the signature, so a repetition would not be noticed.
    case full
  }

  /// Uses a signature.
  ///
  /// - Parameters:
  ///   - replayID: `SignedRequest.replayID`.
  ///   - key: the number of its key.
  ///   - end: the end of its validity in milliseconds since 1970.
  ///   - now: the current time in milliseconds since 1970.
  func use(_ replayID: Data, of key: Int64, until end: Int64, at now: Int64) -> Use {
    state.withLockedValue { state in
      if state.signatures[replayID] != nil { return .repeated }
      if !state.hasRoom(for: key), now >= state.nextCleaning {
        state.clean(at: now)
        state.nextCleaning = now + 1000
      }
      guard state.hasRoom(for: key) else { return .full }
      state.signatures[replayID] = Signature(key: key, end: end)
      state.counts[key, default: 0] += 1
      return .first
    }
  }

  /// Forgets a signature, which can be used again.
  func forget(_ replayID: Data) {
    state.withLockedValue { state in
      guard let signature = state.signatures.removeValue(forKey: replayID) else { return }
      state.counts[signature.key, default: 0] -= 1
    }
  }
}
