import CloudRecords
import RecordClient
import Synchronization

/// The connection of one device to the service for one round, with its faults.
///
/// After a crash, this call and all later ones fail with `cancelled`.
final class SimulatedLink: RecordAPI {
  private let network: SimulatedNetwork
  private let account: Int
  private let trouble: Step.Trouble
  /// Whether the device has a version of the reader without witnesses.
  private let ignoresHistory: Bool
  private let witnessUse: WitnessUse

  /// The calls of a round that carry the witness. Tests change this on purpose.
  enum WitnessUse: Hashable, Sendable {
    case always, onceARound, never
  }
  /// Performs the steps that interrupt a call.
  private let interrupt: @Sendable (Step) async -> Void
  private let state = Mutex(State())

  private struct State {
    var calls = 0
    var isCrashed = false
    var hasSentWitness = false
  }

  init(
    _ network: SimulatedNetwork, of account: Int, _ trouble: Step.Trouble,
    ignoresHistory: Bool, witnessUse: WitnessUse,
    interrupt: @escaping @Sendable (Step) async -> Void
  ) {
    self.network = network
    self.account = account
    self.trouble = trouble
    self.ignoresHistory = ignoresHistory
    self.witnessUse = ignoresHistory ? .never : witnessUse
    self.interrupt = interrupt
  }

  /// Whether this call carries the witness.
  private var carriesWitness: Bool {
    switch witnessUse {
    case .always: true
    case .never: false
    case .onceARound:
      state.withLock { state in
        defer { state.hasSentWitness = true }
        return !state.hasSentWitness
      }
    }
  }

  var isCrashed: Bool { state.withLock { $0.isCrashed } }

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    let number: Int? = state.withLock { state in
      guard !state.isCrashed else { return nil }
      defer { state.calls += 1 }
      return state.calls
    }
    guard let number else { throw .cancelled }
    if E.self == UsersCaller.self {
      let identity = UserIdentity(userRecordName: Simulation.users[account])
      return ServiceResponse(UsersCaller.Response(identity) as! E.Response, serviceID: "simulated")
    }
    if E.self == SubscriptionsModify.self {
      return ServiceResponse(SubscriptionsModify.Response(subscriptions: []) as! E.Response)
    }
    let witness = carriesWitness ? witness : nil
    await meanwhile(number, isAfter: false)
    let fault = trouble.faults[number]
    if let fault { network.count(fault) }
    switch fault {
    case .lost: throw .unreachable(.connectionClosed)
    case .refused(let code, let seconds):
      throw .service(ServiceError(code, retryAfter: seconds))
    case .crashBefore: throw crash()
    case .late(let calls):
      if let request = request as? RecordsModify.Request {
        network.delay(request, of: account, by: calls)
      }
      throw .responseLost(.timedOut)
    default: break
    }
    let delivery: Delivery<E.Response>
    switch fault {
    case .twice(let isFirstAnswered):
      let first = await network.deliver(endpoint, request, of: account, witness: witness)
      let second = await network.deliver(endpoint, request, of: account, witness: witness)
      delivery = isFirstAnswered ? first : second
    case .partly(let code, let mask):
      delivery = await network.deliver(
        endpoint, request, of: account, witness: witness, refusing: mask, with: code)
    default:
      delivery = await network.deliver(endpoint, request, of: account, witness: witness)
    }
    await meanwhile(number, isAfter: true)
    if fault == .crashAfter { throw crash() }
    if fault == .unanswered { throw .responseLost(.connectionClosed) }
    let history = ignoresHistory ? nil : delivery.history
    do {
      return ServiceResponse(try delivery.result.get(), history: history)
    } catch {
      var error = error
      error.history = history
      throw .service(error)
    }
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }

  private func crash() -> CallFailure {
    state.withLock { $0.isCrashed = true }
    return .cancelled
  }

  private func meanwhile(_ call: Int, isAfter: Bool) async {
    for interruption in trouble.interruptions
    where interruption.call == call && interruption.isAfter == isAfter {
      await interrupt(interruption.step)
    }
  }
}
