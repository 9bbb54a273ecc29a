import CloudRecords
import FoundationEssentials

/// The position up to which a client has read the change feed of a zone or a database. The client
/// gets it as an opaque, signed string.
struct SyncToken: Hashable {
  /// The epoch of the environment when the token was issued.
  var epoch: Int64
  /// The incarnation of the zone; 0 for a database.
  var incarnation: Int64 = 0
  /// The last sequence number that the client has read.
  var number: Int64
  /// The sequence number up to which the client does not need tombstones: the newest number when it
  /// began to read from the beginning, or the last number that it has read if that is greater.
  var horizon: Int64
  /// The mark of the horizon. A history that contains it contains everything that the client has
  /// read. Nil in tokens issued before marks were introduced.
  var mark: Mark?

  /// The token in its signed form, as sent to the client.
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
    // Normalized, so that tokens with the same meaning are equal.
    self.horizon = max(number, horizon)
    self.mark = mark
  }

  /// Whether the client has missed tombstones that were deleted from storage.
  ///
  /// - Parameter last: the highest sequence number of the deleted tombstones.
  func isExpired(feedIncompleteThrough last: Int64) -> Bool { horizon < last }

  /// Verifies and decodes a token.
  ///
  /// - Throws: `unknown` or `broken`; the history is not checked.
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
  /// The error that a client gets. CHANGE_TOKEN_EXPIRED makes it read everything again.
  var serviceError: ServiceError {
    switch self {
    case .unknown: ServiceError(.badRequest, cause: .unknownToken)
    case .broken: ServiceError(.badRequest, cause: .brokenToken)
    case .expired, .forked: ServiceError(.changeTokenExpired, cause: .expiredToken)
    case .reset: ServiceError(.changeTokenExpired, cause: .resetToken)
    }
  }

  /// The reason as the history report states it; nil if the token is malformed or not signed by
  /// this service.
  var reported: HistoryReport.TokenProblem? {
    switch self {
    case .unknown, .broken: nil
    case .expired, .reset(isForked: false): .expired
    case .forked, .reset(isForked: true): .forked
    }
  }
}
