public import FoundationEssentials
public import Quran

/// Something a reader asks of the library. See `Library.commit`.
public enum Change: Hashable, Sendable {
  case setFavorite(AyahID, Bool)
  case addNote(UUID, AyahID, NoteText)
  /// - Parameter basedOn: `modifiedAt` of the note that was edited. Where the note was
  ///   changed since, both texts are kept, the new one as another note of the ayah.
  case editNote(UUID, AyahID, NoteText, basedOn: Int64)
  case deleteNote(UUID, AyahID)
  /// Forward only: what was read further stays so.
  case advance(SurahNumber, to: Int)
  /// Also back; 0 starts the surah again.
  case setProgress(SurahNumber, to: Int)
  /// - Parameter value: a JSON value as text; nil takes the setting away.
  case set(String, String?)
}

/// What is kept of this device alone, by name. Cues are `cue1` … `cue9`.
public enum DeviceKey {
  /// The ayah under the cursor, as `2:255`.
  public static let position = "position"
  /// Set once a dump of the older app was imported, or offered.
  public static let importOffered = "importOffered"
  public static func cue(_ number: Int) -> String { "cue\(number)" }
}

/// A note being written, kept so that a killed terminal loses nothing.
public struct Draft: Hashable, Sendable, Identifiable {
  /// The note it becomes.
  public let id: UUID
  public let ayah: AyahID
  /// `modifiedAt` of the note that is being edited; nil for a new note.
  public let basedOn: Int64?
  /// As typed: it may be empty or too long for a note.
  public var text: String
  /// Milliseconds since 1970, UTC.
  public var changedAt: Int64

  public init(id: UUID, ayah: AyahID, basedOn: Int64?, text: String, changedAt: Int64) {
    self.id = id
    self.ayah = ayah
    self.basedOn = basedOn
    self.text = text
    self.changedAt = changedAt
  }
}
