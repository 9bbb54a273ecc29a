import CloudRecords

/// What goes wrong with one call.
enum Mishap: Hashable, Sendable {
  /// The request does not arrive.
  case lost
  /// It is carried out, but its answer does not come.
  case unanswered
  /// It arrives twice.
  case twice(isFirstAnswered: Bool)
  /// Nobody hears of it, and it arrives so many calls later.
  case late(calls: Int)
  case refused(ErrorCode, retryAfter: Double?)
  /// Some of the records are refused: the bits of `mask` say which ones.
  case partly(ErrorCode, mask: UInt8)
  /// The device stops before the request leaves; after it was carried out.
  case crashBefore, crashAfter

  /// Its name in the counts.
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

extension Mishap: CustomStringConvertible {
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
