import CloudRecords

/// A fault of one call.
enum CallFault: Hashable, Sendable {
  /// The request does not arrive.
  case lost
  /// The request is carried out, but its response is lost.
  case unanswered
  /// The request arrives twice.
  case twice(isFirstAnswered: Bool)
  /// The response is lost. A modify request arrives this many calls later, others never arrive.
  case late(calls: Int)
  case refused(ErrorCode, retryAfter: Double?)
  /// Some of the records are refused: those with bit `index % 8` of `mask` set.
  case partly(ErrorCode, mask: UInt8)
  /// The device stops before the request is sent, or after it was carried out.
  case crashBefore, crashAfter

  /// The name in the counts.
  var kind: String {
    switch self {
    case .lost: "lost"
    case .unanswered: "unanswered"
    case .twice: "twice"
    case .late: "late"
    case .refused: "refused"
    case .partly: "partly"
    case .crashBefore, .crashAfter: "crash"
    }
  }
}

extension CallFault: CustomStringConvertible {
  var description: String {
    switch self {
    case .lost: "is lost"
    case .unanswered: "is not answered"
    case .twice(let isFirst): "arrives twice, the \(isFirst ? "first" : "second") is answered"
    case .late(let calls): "arrives \(calls) calls late"
    case .refused(let code, let seconds):
      "is refused: \(code.rawValue)\(seconds.map { " for \($0) s" } ?? "")"
    case .partly(let code, let mask): "is refused in part (\(mask)): \(code.rawValue)"
    case .crashBefore: "is not sent: crash"
    case .crashAfter: "is carried out: crash"
    }
  }
}
