import CloudRecords

/// The sentences of an ephemeral service.
enum EphemeralMessages {
  /// The reason of errors that a test asked for.
  static let induced = "induced by a test"
}

extension EphemeralFailure {
  /// The failure as an English sentence.
  public var sentence: String {
    switch self {
    case .unknownUser(let name): "There is no user '\(name)'."
    case .noUser: "The service has no users."
    case .unknownSnapshot(let name): "There is no snapshot '\(name)'."
    case .snapshotName(let limit): "A snapshot's name must have 1 to \(limit) bytes."
    case .tooManySnapshots(let limit): "There are \(limit) snapshots already; reset removes them."
    case .noEffect: "A fault needs 'error', 'cut' or 'expire', or a 'delay' of more than 0."
    case .severalEffects: "A fault can have only one of 'error', 'cut' and 'expire'."
    case .unknownKey(let unknown):
      "\(unknown.path.isEmpty ? "The body" : unknown.path): there is no key '\(unknown.key)' here, "
        + (unknown.known.isEmpty
          ? "and no other." : "only \(unknown.known.joined(separator: ", ")).")
    case .onlyWithError(let key): "A fault has '\(key)' only together with 'error'."
    case .tooManyFaults(let limit): "There are \(limit) faults already; DELETE removes them."
    case .unknownCode(let code): "'\(code)' is not an error code of the protocol."
    case .unknownEndpoint(let name): "'\(name)' is not an endpoint; an example is records/modify."
    case .outOfRange(let number): "'\(number.rawValue)' must be \(number.range)."
    case .notInDatabase(let route, let database):
      "\(route.rawValue) is not an endpoint of the \(database.rawValue) database."
    case .noItems(let route?):
      "Responses of \(route.rawValue) have no items; with 'items', 'endpoint' must be one of "
        + Route.withItems.map(\.rawValue).joined(separator: ", ") + "."
    case .noItems(nil):
      "With 'items', 'endpoint' must be one of "
        + Route.withItems.map(\.rawValue).joined(separator: ", ") + "."
    case .fromPage: "Web pages cannot control the service."
    }
  }
}

extension EphemeralFailure.FaultNumber {
  fileprivate var range: String {
    switch self {
    case .delay: "from 0 to \(Fault.delayLimit.components.seconds) seconds"
    case .requests: "from 1 to \(Fault.requestLimit)"
    case .retryAfter: "from 0 to \(Int(Fault.retryLimit)) seconds"
    }
  }
}
