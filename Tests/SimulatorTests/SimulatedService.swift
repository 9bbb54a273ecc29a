import CloudRecords
import Synchronization

/// The service of a simulation, the model or the real one, with a zone for each account.
protocol SimulatedService: Sendable {
  /// Carries out a request.
  ///
  /// - Parameter witness: The witness of the request.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, of account: Int, witness: String?
  ) async -> Delivery<E.Response>

  /// The records of each account.
  func records() async throws -> [[Record]]
  /// The newest tag of each account's history.
  func newest() async throws -> [String]

  /// Copies the service's files.
  func backUp() async throws
  /// Restores the last copy as the service itself does it. Does nothing without one.
  ///
  /// - Returns: Whether there was a copy.
  func restore() async throws -> Bool
  /// Restores the last copy without the service's knowledge. Does nothing without one.
  ///
  /// - Returns: Whether there was a copy.
  func putBack() async throws -> Bool
  /// Forgets deletions: a client that has not fetched them must list everything.
  func forgetTombstones() async throws
  /// Forgets the marks of all numbers except the newest.
  func forgetHistory() async throws
  /// Upgrades to a service with marks.
  func upgrade() async throws
  /// - Parameter writes: The number of the newest writes that queries do not see.
  func setLag(_ writes: Int) async
  /// - Parameter count: The number of empty pages of the feed before the next page with records.
  func setEmptyPages(_ count: Int) async
}

/// The result of a request.
struct Delivery<Answer: Sendable>: Sendable {
  var result: Result<Answer, ServiceError>
  var history: HistoryReport?
}

/// The model, with a zone for each account.
final class ModelServices: SimulatedService {
  private struct State {
    var zones: [ModelService]
    var backups: [ModelService.Backup] = []
  }

  private let state: Mutex<State>

  /// - Parameter zone: The empty zone of each account.
  init(_ zone: ModelService, accounts: Int) {
    state = Mutex(State(zones: Array(repeating: zone, count: accounts)))
  }

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, of account: Int, witness: String?
  ) async -> Delivery<E.Response> {
    state.withLock { state in
      var tokenProblem: HistoryReport.TokenProblem?
      var hasReport = true
      let result: Result<E.Response, ServiceError>
      do throws(ServiceError) {
        let answer: any Sendable
        switch request {
        case let request as RecordsModify.Request:
          answer = try state.zones[account].modify(request)
        case let request as RecordsLookup.Request:
          answer = try state.zones[account].lookUp(request)
        case let request as RecordsQuery.Request:
          answer = try state.zones[account].query(request)
        case let request as ChangesZone.Request:
          tokenProblem = state.zones[account].problem(ofToken: request.zones[0].syncToken)
          answer = try state.zones[account].changes(request)
        default:
          hasReport = false
          answer = state.zones[account].listZones()
        }
        result = .success(answer as! E.Response)
      } catch {
        result = .failure(error)
      }
      let report =
        hasReport ? state.zones[account].history.report(witness, tokenProblem: tokenProblem) : nil
      return Delivery(result: result, history: report)
    }
  }

  func records() -> [[Record]] { each { $0.records } }
  func newest() -> [String] { each { $0.history.newest.text } }

  func backUp() { state.withLock { state in state.backups = state.zones.map(\.backup) } }

  func restore() -> Bool { goBack { $0.restore($1) } }
  func putBack() -> Bool { goBack { $0.putBack($1) } }

  private func goBack(
    _ body: @Sendable (inout ModelService, ModelService.Backup) -> Void
  ) -> Bool {
    state.withLock { state in
      for (account, backup) in state.backups.enumerated() { body(&state.zones[account], backup) }
      return !state.backups.isEmpty
    }
  }

  func forgetTombstones() { _ = each { $0.forgetTombstones() } }
  func forgetHistory() { _ = each { $0.history.forget() } }
  func upgrade() { _ = each { $0.history.upgrade() } }
  func setLag(_ writes: Int) { _ = each { $0.lag = writes } }
  func setEmptyPages(_ count: Int) { _ = each { $0.emptyPages = count } }

  private func each<Value: Sendable>(
    _ body: @Sendable (inout ModelService) -> Value
  ) -> [Value] {
    state.withLock { state in state.zones.indices.map { body(&state.zones[$0]) } }
  }
}
