import CloudRecords
import Synchronization

/// What lies between all devices and the service: where requests are late, and are counted.
final class SimulatedNetwork: Sendable {
  fileprivate struct State {
    var service: ModelService
    /// Requests that are to arrive once so many more calls have.
    var late: [(calls: Int, request: RecordsModify.Request)] = []
    var counts = Counts()
  }

  private let state: Mutex<State>

  init(_ service: ModelService) {
    state = Mutex(State(service: service))
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// What is done to the service, or asked of it, besides calls.
  func service<Value: Sendable>(_ body: @Sendable (inout ModelService) -> Value) -> Value {
    state.withLock { body(&$0.service) }
  }

  func count(_ mishap: Mishap) {
    state.withLock { $0.counts.mishaps[mishap.kind, default: 0] += 1 }
  }

  func delay(_ request: RecordsModify.Request, by calls: Int) {
    state.withLock { $0.late.append((calls, request)) }
  }

  /// Delivers what is late.
  func heal() {
    state.withLock { state in
      state.deliverLate { _ in true }
      state.service.lag = 0
      state.service.emptyPages = 0
    }
  }

  /// - Parameters:
  ///   - mask: which records are refused, by their places; those of a modification only.
  func deliver<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, refusing mask: UInt8 = 0,
    with code: ErrorCode = .internalError
  ) -> Result<E.Answer, ServiceError> {
    state.withLock { state in
      for place in state.late.indices { state.late[place].calls -= 1 }
      state.deliverLate { $0 <= 0 }
      state.counts.calls += 1
      do throws(ServiceError) {
        switch request {
        case let request as RecordsModify.Request:
          return .success(try state.modify(request, refusing: mask, with: code) as! E.Answer)
        case let request as RecordsLookup.Request:
          return .success(try state.service.lookUp(request) as! E.Answer)
        case let request as RecordsQuery.Request:
          return .success(try state.service.query(request) as! E.Answer)
        case let request as ChangesZone.Request:
          return .success(try state.service.changes(request) as! E.Answer)
        default:
          return .success(state.service.listZones() as! E.Answer)
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
    for (_, request) in due { _ = try? service.modify(request) }
  }

  fileprivate mutating func modify(
    _ request: RecordsModify.Request, refusing mask: UInt8, with code: ErrorCode
  ) throws(ServiceError) -> RecordsModify.Answer {
    func isRefused(_ place: Int) -> Bool { mask >> (place % 8) & 1 == 1 }
    var taken = request
    taken.operations = request.operations.enumerated().filter { !isRefused($0.offset) }.map(
      \.element)
    var results = try service.modify(taken).records[...]
    let answer = RecordsModify.Answer(
      records: request.operations.enumerated().map { place, operation in
        guard isRefused(place) else { return results.removeFirst() }
        return .failure(ServiceError(code, recordName: operation.record.recordName))
      })
    counts.conflicts += answer.records.count { [.conflict, .exists].contains($0.error?.code) }
    return answer
  }
}
