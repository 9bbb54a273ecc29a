public import FoundationEssentials
public import Quran

/// A note with the beginning of its text, for lists.
public struct NoteSummary: Hashable, Sendable, Identifiable {
  /// The ID of the note.
  public let id: UUID
  /// The ayah that the note is about.
  public let ayah: AyahID
  /// The first line that is not blank within the first 200 Unicode scalars of the text; empty if
  /// there is none.
  public let firstLine: String
  /// The time at which the note was added, in milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// The time of the last change, in milliseconds since 1970, UTC.
  public let modifiedAt: Int64
  /// The time at which the note was added to the trash of this device, in milliseconds since 1970,
  /// UTC; nil if it is not in the trash.
  public let deletedAt: Int64?

  /// The number of Unicode scalars of the text that are scanned for `firstLine`.
  static let scannedLength = 200

  /// Creates the summary of a note.
  public init(_ note: Note) { self.init(note, deletedAt: nil) }

  /// Creates the summary of a note in the trash.
  public init(_ trashed: TrashedNote) { self.init(trashed.note, deletedAt: trashed.deletedAt) }

  private init(_ note: Note, deletedAt: Int64?) {
    self.deletedAt = deletedAt
    id = note.id
    ayah = note.ayah
    let start = note.text.text.unicodeScalars.prefix(Self.scannedLength)
    firstLine = String(NoteText(stored: String(start)).firstLine)
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }
}
