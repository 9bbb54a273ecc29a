extension LegacyDump {
  /// What a dump is wrapped or written in; the raw value is for scripts.
  public enum Container: String, CaseIterable, Sendable {
    case gzip
    case utf16 = "utf-16"
    case binaryPropertyList = "binary-property-list"
    case xmlPropertyList = "xml-property-list"
    case openStepPropertyList = "openstep-property-list"
    case json
    /// Stands in a property list.
    case keyedArchive = "keyed-archive"
  }
}
