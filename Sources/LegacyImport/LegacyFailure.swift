/// The reason why nothing of a dump, or nothing of one of its keys, can be imported.
public enum LegacyFailure: Error, Hashable, Sendable {
  /// The file is an output of `defaults read`, which omits the middle of long data.
  case shortened(LegacyKey)
  /// The file has none of the three keys at the expected place.
  ///
  /// - Parameter found: The keys that the file has instead, sorted; at most the first 100.
  case noLegacyKeys(found: [String])
  /// The bytes are not in a supported format.
  case unknownFormat
  /// The content does not conform to its format.
  ///
  /// - Parameter offset: The offset in bytes in the decompressed content of the file or, for the
  ///   container in a key, in the decoded content of that container. Nil if the offset is unknown,
  ///   as after a conversion from UTF-16 or of doubled backslashes.
  case damaged(LegacyDump.Step, offset: Int?)
  /// The XML declaration names an encoding other than UTF-8, UTF-16 or US-ASCII.
  case unknownEncoding(String)
  /// The file is too large.
  ///
  /// - Parameter limit: The maximum size in bytes.
  case tooLarge(limit: Int)
  /// The decompressed or decoded content is too large.
  ///
  /// - Parameter limit: The maximum size in bytes.
  case tooLargeUnpacked(limit: Int)
  /// Lists, dictionaries or containers are nested too deeply.
  case tooDeep(limit: Int)
  /// The file has too many values.
  case tooManyValues(limit: Int)
  /// The XML declares entities. No property list does, but entity expansion attacks do.
  case hasEntities
  /// A value contains itself.
  case cyclic
  /// All of the three keys that are present are unreadable as a whole.
  case nothingUnderstood([LegacyProblem])
  /// The import was cancelled.
  case cancelled

  /// The identifier of the failure in the JSON output; never changes.
  public var code: String {
    switch self {
    case .shortened: "shortened"
    case .noLegacyKeys: "no-legacy-keys"
    case .unknownFormat: "not-recognised"
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

  /// Whether the failure ends the whole import if it occurs in one key. This is the case for limits
  /// that apply to the whole file, and for data that `defaults read` shortened: it needs another
  /// export.
  var endsAll: Bool {
    switch self {
    case .shortened, .tooManyValues, .tooLargeUnpacked, .cancelled: true
    default: false
    }
  }
}
