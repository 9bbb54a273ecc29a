import CloudRecords
import NIOConcurrencyHelpers

/// The faults of an ephemeral service that are still to happen.
public final class FaultInjector: Sendable {
  private let faults = NIOLockedValueBox<[Fault]>([])

  /// What is compared with a fault.
  struct Request: Hashable {
    var endpoint: Route
    var environment: ContainerEnvironment?
    var database: DatabaseScope?
    var user: String?
  }

  init() {}

  /// The faults that are still to happen, first added first, each with the number of requests that
  /// are left.
  public var pending: [Fault] { faults.withLockedValue { $0 } }

  /// Whether a fault is for requests of one user.
  var needUser: Bool { faults.withLockedValue { $0.contains { $0.user != nil } } }

  /// Adds a fault. To a request that several faults match, the one that was added first happens.
  ///
  /// - Throws: `EphemeralFailure.outOfRange`, `noEffect` or `noItems`.
  public func add(_ fault: Fault) throws(EphemeralFailure) {
    try fault.check()
    faults.withLockedValue { $0.append(fault) }
  }

  /// Removes all faults.
  public func removeAll() { faults.withLockedValue { $0 = [] } }

  /// Returns the fault of a request, which counts as one of the fault's requests; nil for none.
  func next(for request: Request) -> Fault? {
    faults.withLockedValue { faults in
      guard let index = faults.firstIndex(where: { $0.matches(request) }) else { return nil }
      let fault = faults[index]
      faults[index].requests -= 1
      if faults[index].requests == 0 { faults.remove(at: index) }
      return fault
    }
  }
}
