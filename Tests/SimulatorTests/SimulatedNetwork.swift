import CloudRecords
import Synchronization

/// What lies between all devices and the service, where every account has a zone of its own:
/// here requests are late, and are counted.
final class SimulatedNetwork: Sendable {
  fileprivate struct State {
    var zones: [ModelService]
    /// Requests that are to arrive once so many more calls have.
    var late: [(calls: Int, account: Int, request: RecordsModify.Request)] = []
    var counts = Counts()
  }

  private let state: Mutex<State>

  /// - Parameter zone: that of each account, empty.
  init(_ zone: ModelService, accounts: Int) {
    state = Mutex(State(zones: Array(repeating: zone, count: accounts)))
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// What is done to the zones of all accounts, or asked of them, besides calls.
  @discardableResult
  func zones<Value: Sendable>(_ body: @Sendable (inout ModelService) -> Value) -> [Value] {
    state.withLock { state in state.zones.indices.map { body(&state.zones[$0]) } }
  }

  /// Goes back to a backup of all zones.
  func restore(_ backups: [ModelService.Backup]) {
    state.withLock { state in
      for (account, backup) in backups.enumerated() { state.zones[account].restore(backup) }
    }
  }

  func count(_ mishap: Mishap) {
    state.withLock { $0.counts.mishaps[mishap.kind, default: 0] += 1 }
  }

  func delay(_ request: RecordsModify.Request, of account: Int, by calls: Int) {
    state.withLock { $0.late.append((calls, account, request)) }
  }

  /// Delivers what is late.
  func heal() {
    state.withLock { state in
      state.deliverLate { _ in true }
      for account in state.zones.indices {
        state.zones[account].lag = 0
        state.zones[account].emptyPages = 0
      }
    }
  }

  /// - Parameters:
  ///   - mask: which records are refused, by their places; those of a modification only.
  func deliver<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, of account: Int, refusing mask: UInt8 = 0,
    with code: ErrorCode = .internalError
  ) -> Result<E.Answer, ServiceError> {
    state.withLock { state in
      for place in state.late.indices { state.late[place].calls -= 1 }
      state.deliverLate { $0 <= 0 }
      state.counts.calls += 1
      do throws(ServiceError) {
        switch request {
        case let request as RecordsModify.Request:
          let answer = try state.modify(request, of: account, refusing: mask, with: code)
          return .success(answer as! E.Answer)
        case let request as RecordsLookup.Request:
          return .success(try state.zones[account].lookUp(request) as! E.Answer)
        case let request as RecordsQuery.Request:
          return .success(try state.zones[account].query(request) as! E.Answer)
        case let request as ChangesZone.Request:
          return .success(try state.zones[account].changes(request) as! E.Answer)
        default:
          return .success(state.zones[account].listZones() as! E.Answer)
        }
      } catch {
        return .failure(error)
      }
    }
  }
}

extension SimulatedNetwork.State {
  fileprivate mutating func deliverLate(where isDue: (Int) -> Bool) {
    let due = late.filter { isDue($0.calls) }
    late.removeAll { isDue($0.calls) }
    for (_, account, request) in due { _ = try? zones[account].modify(request) }
  }

  fileprivate mutating func modify(
    _ request: RecordsModify.Request, of account: Int, refusing mask: UInt8, with code: ErrorCode
  ) throws(ServiceError) -> RecordsModify.Answer {
    func isRefused(_ place: Int) -> Bool { mask >> (place % 8) & 1 == 1 }
    var taken = request
    taken.operations = request.operations.enumerated().filter { !isRefused($0.offset) }.map(
      \.element)
    var results = try zones[account].modify(taken).records[...]
    let answer = RecordsModify.Answer(
      records: request.operations.enumerated().map { place, operation in
        guard isRefused(place) else { return results.removeFirst() }
        return .failure(ServiceError(code, recordName: operation.record.recordName))
      })
    counts.conflicts += answer.records.count { [.conflict, .exists].contains($0.error?.code) }
    return answer
  }
}
