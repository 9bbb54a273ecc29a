extension LegacyDump {
  /// How the value of a key was written.
  ///
  ///     shape.code   // "data+json"
  public struct Shape: Hashable, Sendable {
    /// Outermost first; empty for a plain list or dictionary.
    public let steps: [Step]

    public init(_ steps: [Step]) {
      self.steps = steps
    }

    public static let native = Shape([])

    /// For scripts: the steps' raw values, or `native`.
    public var code: String {
      steps.isEmpty ? "native" : steps.map(\.rawValue).joined(separator: "+")
    }
  }

  public enum Step: String, CaseIterable, Sendable {
    case data, string, base64, gzip
    case utf16 = "utf-16"
    case json
    case xmlPropertyList = "xml-property-list"
    case binaryPropertyList = "binary-property-list"
    case openStepPropertyList = "openstep-property-list"
    case keyedArchive = "keyed-archive"
    /// Keys and values in turn, `[1, {…}, 2, {…}]`: what Swift's encoders make of a
    /// dictionary whose keys are neither texts nor whole numbers.
    case flatArray = "flat-array"

    init(_ container: Container) {
      self =
        switch container {
        case .gzip: .gzip
        case .utf16: .utf16
        case .binaryPropertyList: .binaryPropertyList
        case .xmlPropertyList: .xmlPropertyList
        case .openStepPropertyList: .openStepPropertyList
        case .json: .json
        case .keyedArchive: .keyedArchive
        }
    }
  }
}
