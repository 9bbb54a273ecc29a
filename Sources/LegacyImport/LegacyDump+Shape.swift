extension LegacyDump {
  /// The encoding of the value of a key.
  ///
  ///     shape.code   // "data+json"
  public struct Shape: Hashable, Sendable {
    /// The encodings, outermost first; empty for a plain list or dictionary.
    public let steps: [Step]

    /// Creates a shape from encodings, outermost first.
    public init(_ steps: [Step]) {
      self.steps = steps
    }

    /// The raw values of the steps joined by `+`, or `native`, for the JSON output.
    public var code: String {
      steps.isEmpty ? "native" : steps.map(\.rawValue).joined(separator: "+")
    }
  }

  /// A file format, or an encoding of a value. The raw values are part of the JSON output and never
  /// change.
  public enum Step: String, CaseIterable, Sendable {
    case data, string, base64, gzip
    case utf16 = "utf-16"
    case json
    case xmlPropertyList = "xml-property-list"
    case binaryPropertyList = "binary-property-list"
    case openStepPropertyList = "openstep-property-list"
    /// An archive of `NSKeyedArchiver` inside a property list.
    case keyedArchive = "keyed-archive"
    /// A list of alternating keys and values, `[1, {…}, 2, {…}]`, in place of a dictionary. Swift's
    /// encoders write dictionaries in this form if their keys are neither strings nor integers.
    case flatArray = "flat-array"
  }
}
