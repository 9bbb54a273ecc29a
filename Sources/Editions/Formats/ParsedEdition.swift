/// An edition that was parsed from a file, ready to be installed.
public struct ParsedEdition: Sendable {
  public let format: EditionFormat
  /// The metadata; can be changed before the installation.
  public var info: Edition.Info
  public let content: EditionContent

  /// Creates an edition, for example of downloaded responses.
  public init(_ format: EditionFormat, info: Edition.Info, content: EditionContent) {
    self.format = format
    self.info = info
    self.content = content
  }

  init(_ format: EditionFormat, _ content: EditionContent, _ notes: SourceNotes) {
    self.init(format, info: notes.info(for: content), content: content)
  }
}
