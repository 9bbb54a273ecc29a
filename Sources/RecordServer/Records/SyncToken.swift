import CloudRecords
import FoundationEssentials

/// How far a client has read a feed: of a zone, or of a database.
struct SyncToken: Hashable {
  var epoch: Int64
  /// 0 for a database.
  var incarnation: Int64 = 0
  /// The last number that was read.
  var number: Int64
  /// Up to which number deletions need not be heard of: the highest there was when the reading
  /// began at the beginning, or what was read since.
  var horizon: Int64
  /// Of the horizon: where a history has that, it has all that the reader knows. Nil in tokens
  /// that were given before there were marks.
  var mark: Mark?

  func signed(by signer: TokenSigner, for purpose: TokenSigner.Purpose) -> String {
    var content =
      Data(bigEndian: epoch) + Data(bigEndian: incarnation) + Data(bigEndian: number)
      + Data(bigEndian: horizon)
    if let mark { content += Data(bigEndian: mark.stored) }
    return signer.sign(content, for: purpose)
  }

  init(epoch: Int64, incarnation: Int64 = 0, number: Int64, horizon: Int64, mark: Mark?) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.number = number
    // Normalized, so that tokens with the same meaning compare equal.
    self.horizon = max(number, horizon)
    self.mark = mark
  }

  /// Whether deletions were forgotten that its reader has not heard of.
  ///
  /// - Parameter floor: the highest number of those that were forgotten.
  func isExpired(floor: Int64) -> Bool { horizon < floor }

  init(
    _ token: String, signedBy signer: TokenSigner, for purpose: TokenSigner.Purpose
  ) throws(TokenProblem) {
    var reader = ByteReader(try signer.verify(token, length: 32, for: purpose))
    guard let epoch = reader.int64(), let incarnation = reader.int64(),
      let number = reader.int64(), let horizon = reader.int64()
    else { throw .unknown }
    let mark = reader.isAtEnd ? nil : reader.int64()
    guard reader.isAtEnd else { throw .unknown }
    self.init(
      epoch: epoch, incarnation: incarnation, number: number, horizon: horizon,
      mark: mark.map(Mark.init(stored:)))
  }
}

extension TokenProblem {
  /// What a client is told (cloudkit-web-services.md 1.7). Who has an expired token lists
  /// everything anew.
  var serviceError: ServiceError {
    switch self {
    case .unknown: ServiceError(.badRequest, reason: Reason.unknownToken)
    case .broken: ServiceError(.badRequest, reason: Reason.brokenToken)
    case .expired, .forked: ServiceError(.changeTokenExpired, reason: Reason.expiredToken)
    case .reset: ServiceError(.changeTokenExpired, reason: Reason.resetToken)
    }
  }

  /// What the report on the history says; nil where the token was never one.
  var reported: HistoryReport.TokenProblem? {
    switch self {
    case .unknown, .broken: nil
    case .expired, .reset(isForked: false): .expired
    case .forked, .reset(isForked: true): .forked
    }
  }
}
