import CloudRecords
import NIOConcurrencyHelpers

/// The faults that an ephemeral service still has to simulate.
public final class FaultInjector: Sendable {
  /// The maximum number of pending faults.
  public static let limit = 1000

  private let faults = NIOLockedValueBox<[Fault]>([])

  /// The properties of a request that decide whether a fault affects it.
  struct Request: Hashable {
    var endpoint: Route
    var environment: ContainerEnvironment?
    var database: DatabaseScope?
    var user: String?
  }

  /// The remaining faults in the order in which they were added. The `requests` of each is the
  /// number of requests that it will still affect.
  public var pending: [Fault] { faults.withLockedValue { $0 } }

  /// Whether any fault affects only the requests of a certain user.
  var dependOnUser: Bool { faults.withLockedValue { $0.contains { $0.user != nil } } }

  /// Adds a fault. If several faults match a request, only the one that was added first affects it.
  ///
  /// - Throws: `EphemeralFailure.outOfRange`, `noEffect`, `notInDatabase`, `noItems` or
  ///   `tooManyFaults`.
  public func add(_ fault: Fault) throws(EphemeralFailure) {
    try fault.check()
    var fault = fault
    // Names of users are compared as those of accounts are.
    fault.user = fault.user.map { name in (try? AccountName(name))?.text ?? name }
    let isAdded = faults.withLockedValue { faults in
      guard faults.count < Self.limit else { return false }
      faults.append(fault)
      return true
    }
    guard isAdded else { throw .tooManyFaults(limit: Self.limit) }
  }

  /// Removes all faults.
  public func removeAll() { faults.withLockedValue { $0 = [] } }

  /// Returns the fault that affects a request, and counts the request; nil if no fault matches.
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
