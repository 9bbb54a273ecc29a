import CloudRecords
import NIOConcurrencyHelpers
import Synchronization

/// A cache that all transactions of a storage share. It has the states of the environments, so that
/// schemas are not parsed for every request, and whether the storage has a table of accounts.
final class StorageCache: Sendable {
  /// Whether the table of accounts was found. Transactions of records neither create nor delete it.
  let hasAccounts = Atomic(false)
  private let states = NIOLockedValueBox<[String: EnvironmentState]>([:])

  /// Returns the cached state if it has the given version, epoch and option; otherwise calls `read`
  /// and caches the result.
  func state(
    _ container: ContainerID, _ environment: ContainerEnvironment, version: Int64, epoch: Int64,
    hasDefaultZoneFeed: Bool, read: () throws -> EnvironmentState
  ) rethrows -> EnvironmentState {
    let key = "\(environment.rawValue) \(container.name)"
    if let state = states.withLockedValue({ $0[key] }), state.version == version,
      state.epoch == epoch,
      state.hasDefaultZoneFeed == hasDefaultZoneFeed
    {
      return state
    }
    let state = try read()
    states.withLockedValue { $0[key] = state }
    return state
  }
}
