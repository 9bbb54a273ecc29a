public import FoundationEssentials
public import Quran

/// The data of the older phone app, for `Library.importLegacy`. It has no times.
public struct LegacyRows: Sendable {
  /// A note. It had no ID in the app.
  public struct Note: Hashable, Sendable {
    /// An ID made from the note, the same on every device.
    public let id: UUID
    /// The ayah that the note is about.
    public let ayah: AyahID
    /// The text of the note.
    public let text: NoteText
    /// The number of notes before it that have the same ayah and text.
    public let ordinal: Int

    /// Creates a note. `ordinal` is the number of notes before it with the same ayah and text.
    public init(id: UUID, ayah: AyahID, text: NoteText, ordinal: Int) {
      self.id = id
      self.ayah = ayah
      self.text = text
      self.ordinal = ordinal
    }
  }

  /// The favourite ayahs.
  public var favorites: [AyahID]
  /// The notes. The notes of one ayah are in the order of the app.
  public var notes: [Note]
  /// The last read ayah of each surah.
  public var progress: [(surah: SurahNumber, lastReadAyah: Int)]

  /// Creates the data of the app. The notes of one ayah are in the order of the app.
  public init(
    favorites: [AyahID], notes: [Note], progress: [(surah: SurahNumber, lastReadAyah: Int)]
  ) {
    self.favorites = favorites
    self.notes = notes
    self.progress = progress
  }

  /// The number of all rows.
  public var count: Int { favorites.count + notes.count + progress.count }
}
