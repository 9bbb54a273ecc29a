import CloudRecords
import Synchronization

/// The network between all devices and the service. It delays requests and counts calls.
final class SimulatedNetwork: Sendable {
  private struct State {
    /// Requests that arrive after this many more calls.
    var late: [(calls: Int, account: Int, request: RecordsModify.Request)] = []
    var counts = Counts()
  }

  let service: any SimulatedService
  private let state = Mutex(State())

  init(_ service: any SimulatedService) {
    self.service = service
  }

  var counts: Counts { state.withLock { $0.counts } }

  func count(_ fault: CallFault) {
    state.withLock { $0.counts.faults[fault.kind, default: 0] += 1 }
  }

  func delay(_ request: RecordsModify.Request, of account: Int, by calls: Int) {
    state.withLock { $0.late.append((calls, account, request)) }
  }

  /// Delivers delayed requests, and ends the lag of queries and the empty pages.
  func heal() async {
    await deliverLate { _ in true }
    await service.setLag(0)
    await service.setEmptyPages(0)
  }

  /// - Parameters:
  ///   - mask: The records of a modify request that are refused: those with bit `index % 8` set.
  func deliver<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, of account: Int, witness: String?,
    refusing mask: UInt8 = 0, with code: ErrorCode = .internalError
  ) async -> Delivery<E.Response> {
    state.withLock { state in
      for place in state.late.indices { state.late[place].calls -= 1 }
      state.counts.calls += 1
    }
    await deliverLate { $0 <= 0 }
    guard let request = request as? RecordsModify.Request else {
      let delivery = await service.call(endpoint, request, of: account, witness: witness)
      count(delivery.history)
      return delivery
    }
    let delivery = await modify(request, of: account, witness, refusing: mask, with: code)
    count(delivery.history)
    return Delivery(
      result: delivery.result.map { $0 as! E.Response }, history: delivery.history)
  }

  private func count(_ report: HistoryReport?) {
    guard let verdict = report?.verdict, verdict != .current else { return }
    state.withLock { $0.counts.verdicts[verdict.rawValue, default: 0] += 1 }
  }

  private func deliverLate(where isDue: @Sendable (Int) -> Bool) async {
    let due = state.withLock { state in
      defer { state.late.removeAll { isDue($0.calls) } }
      return state.late.filter { isDue($0.calls) }
    }
    for (_, account, request) in due {
      _ = await service.call(RecordsModify.self, request, of: account, witness: nil)
    }
  }

  private func modify(
    _ request: RecordsModify.Request, of account: Int, _ witness: String?, refusing mask: UInt8,
    with code: ErrorCode
  ) async -> Delivery<RecordsModify.Response> {
    func isRefused(_ place: Int) -> Bool { mask >> (place % 8) & 1 == 1 }
    var taken = request
    taken.operations = request.operations.enumerated().filter { !isRefused($0.offset) }.map(
      \.element)
    var delivery = Delivery<RecordsModify.Response>(result: .success(.init(records: [])))
    if !taken.operations.isEmpty {
      delivery = await service.call(RecordsModify.self, taken, of: account, witness: witness)
    }
    delivery.result = delivery.result.map { answer in
      var results = answer.records[...]
      return RecordsModify.Response(
        records: request.operations.enumerated().map { place, operation in
          guard isRefused(place) else { return results.removeFirst() }
          return .failure(ServiceError(code, recordName: operation.record.recordName))
        })
    }
    if case .success(let answer) = delivery.result {
      let conflicts = answer.records.count { [.conflict, .exists].contains($0.error?.code) }
      state.withLock { $0.counts.conflicts += conflicts }
    }
    return delivery
  }
}
