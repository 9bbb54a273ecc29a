/// Why nothing of a dump can be imported, or nothing of one of its keys.
public enum LegacyFailure: Error, Hashable, Sendable {
  /// `defaults read` prints long data without its middle: what it cut is not in the file.
  case shortened(LegacyKey)
  /// None of the three keys stands where it should.
  ///
  /// - Parameter found: the keys that do, sorted: the first of them.
  case noLegacyKeys(found: [String])
  /// The bytes are no container that this reads.
  case notRecognised
  /// - Parameter offset: bytes from the start of what the container holds when unpacked and
  ///   in UTF-8; nil where that says nothing about the file, as in UTF-16.
  case damaged(LegacyDump.Container, offset: Int?)
  /// The XML says that it is in an encoding other than Unicode's.
  case unknownEncoding(String)
  /// - Parameter limit: bytes.
  case tooLarge(limit: Int)
  /// - Parameter limit: bytes.
  case tooLargeUnpacked(limit: Int)
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  /// The XML declares entities. No property list does; traps do.
  case hasEntities
  /// A value holds itself.
  case cyclic
  /// Every one of the three keys that is there is unreadable as a whole.
  case nothingUnderstood([LegacyProblem])
  case cancelled

  /// For scripts; never changes.
  public var code: String {
    switch self {
    case .shortened: "shortened"
    case .noLegacyKeys: "no-legacy-keys"
    case .notRecognised: "not-recognised"
    case .damaged: "damaged"
    case .unknownEncoding: "unknown-encoding"
    case .tooLarge: "too-large"
    case .tooLargeUnpacked: "too-large-unpacked"
    case .tooDeep: "too-deep"
    case .tooManyValues: "too-many-values"
    case .hasEntities: "has-entities"
    case .cyclic: "cyclic"
    case .nothingUnderstood: "nothing-understood"
    case .cancelled: "cancelled"
    }
  }

  /// Whether it ends the whole import when it is met inside of one key: what is counted
  /// over the whole file is used up, and data cut by `defaults read` is mended by another
  /// export, not by going on.
  var endsAll: Bool {
    switch self {
    case .shortened, .tooManyValues, .tooLargeUnpacked, .cancelled: true
    default: false
    }
  }
}
