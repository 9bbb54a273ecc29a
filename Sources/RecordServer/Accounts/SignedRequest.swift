import CloudRecords
import Crypto
import FoundationEssentials

/// A request that is signed with a server-to-server key. Apple: the signature is ECDSA with SHA-256
/// over the date, the hash of the body and the path, separated by colons.
struct SignedRequest: Sendable {
  /// What the headers of a request say.
  struct Headers: Hashable, Sendable {
    /// `X-Apple-CloudKit-Request-KeyID`
    var keyID: String
    /// `X-Apple-CloudKit-Request-ISO8601Date`, such as `2016-01-25T22:15:43Z`.
    var date: String
    /// `X-Apple-CloudKit-Request-SignatureV1`, the signature in DER and base64.
    var signature: String
    /// The path with its query, exactly as it was sent.
    var target: String

    /// The date in milliseconds since 1970; nil if it does not have that form.
    var time: Int64? {
      guard date.utf8.count == 20, date.utf8.last == UInt8(ascii: "Z"),
        let time = try? Date(date, strategy: .iso8601)
      else { return nil }
      return Int64(time.timeIntervalSince1970) * 1000
    }
  }

  /// How far the date of a request may be from the time of the service, in milliseconds. Apple: 10
  /// minutes.
  static let window: Int64 = 10 * 60_000

  let headers: Headers
  let key: ServerToServerKey
  /// The account as which the program acts.
  let account: Account
  /// The date of the request in milliseconds since 1970.
  let time: Int64

  /// The part of the signature by which a repetition of the request is recognised; nil if the
  /// header is not a signature.
  ///
  /// It is the first half (r). If the second half (s) is negated, the result is another valid
  /// signature of the same request.
  var replayID: Data? { signature?.rawRepresentation.prefix(32) }

  private var signature: P256.Signing.ECDSASignature? {
    Data(base64Encoded: headers.signature)
      .flatMap { try? P256.Signing.ECDSASignature(derRepresentation: $0) }
  }

  /// Whether the signature is that of the key for this request and body.
  ///
  /// Clients differ in two things: whether the signed path includes the query, and whether the hash
  /// of an empty body is the hash of no bytes or an empty string.
  func isSigned(body: Data) -> Bool {
    guard let signature,
      let key = try? P256.Signing.PublicKey(x963Representation: key.terms.publicKey)
    else { return false }
    let path = headers.target.prefix { $0 != "?" }
    var hashes = [Data(SHA256.hash(data: body)).base64EncodedString()]
    if body.isEmpty { hashes.append("") }
    for target in Set([headers.target, String(path)]) {
      for hash in hashes {
        let message = Data("\(headers.date):\(hash):\(target)".utf8)
        if key.isValidSignature(signature, for: message) { return true }
      }
    }
    return false
  }
}
