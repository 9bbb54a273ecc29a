public import FoundationEssentials
public import Quran

/// What an older app kept of its reader, for `Library.importLegacy`. It says of nothing
/// when it was.
public struct LegacyRows: Sendable {
  /// A note, which had no id there.
  public struct Note: Hashable, Sendable {
    /// The same for the same note on every device.
    public let id: UUID
    public let ayah: AyahID
    public let text: NoteText
    /// How many notes of the ayah with the same text stand before it.
    public let ordinal: Int

    public init(id: UUID, ayah: AyahID, text: NoteText, ordinal: Int) {
      self.id = id
      self.ayah = ayah
      self.text = text
      self.ordinal = ordinal
    }
  }

  public var favorites: [AyahID]
  public var notes: [Note]
  /// The last ayah read of a surah.
  public var progress: [(surah: SurahNumber, lastReadAyah: Int)]

  public init(
    favorites: [AyahID], notes: [Note], progress: [(surah: SurahNumber, lastReadAyah: Int)]
  ) {
    self.favorites = favorites
    self.notes = notes
    self.progress = progress
  }

  /// Rows of all kinds.
  public var count: Int { favorites.count + notes.count + progress.count }
}
