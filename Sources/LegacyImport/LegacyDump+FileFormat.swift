extension LegacyDump {
  /// A file format or encoding of a dump. The raw values are part of the JSON output and never
  /// change.
  public enum FileFormat: String, CaseIterable, Sendable {
    case gzip
    case utf16 = "utf-16"
    case binaryPropertyList = "binary-property-list"
    case xmlPropertyList = "xml-property-list"
    case openStepPropertyList = "openstep-property-list"
    case json
    /// An archive of `NSKeyedArchiver` inside a property list.
    case keyedArchive = "keyed-archive"
  }
}
