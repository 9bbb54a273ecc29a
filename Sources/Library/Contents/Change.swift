public import FoundationEssentials
public import Quran

/// A change of the library. See `Library.commit`.
public enum Change: Hashable, Sendable {
  /// Adds an ayah to the favourites if the value is true; otherwise removes it from them.
  case setFavorite(AyahID, Bool)
  /// Adds a note. If there is another note with the ID, the new one gets another ID.
  case addNote(UUID, AyahID, NoteText)
  /// Replaces the text of a note. If the note was deleted, it is added again.
  ///
  /// - Parameter basedOn: The text that was edited. If the note has another text by now, the two
  ///   changes are merged line by line. If they changed the same lines, the new text becomes
  ///   another note of the ayah.
  case editNote(UUID, AyahID, NoteText, basedOn: NoteText)
  /// Deletes a note of an ayah.
  case deleteNote(UUID, AyahID)
  /// Raises the last read ayah of a surah. A lower number changes nothing.
  case advance(SurahNumber, to: Int)
  /// Sets the last read ayah of a surah; 0 resets it.
  case setProgress(SurahNumber, to: Int)
  /// Sets a setting to a JSON value; nil deletes the setting.
  case set(String, String?)
  /// Deletes a stored draft, in the transaction that saves its note.
  case deleteDraft(UUID)
  /// Deletes a draft and the one that it continues. Reversing the commit stores the draft with this
  /// text.
  case discardDraft(Draft)
}

/// The keys of the values of this device, which are not synced.
public enum DeviceKey {
  /// The place: the ayah at which reading continues, as `2:255`.
  public static let position = "position"
  /// The ayahs to which the user can go back; see `JumpList.stored`.
  public static let jumps = "jumps"
  /// Set once a dump of the older app was imported, or its import was offered.
  public static let importOffered = "importOffered"
  /// Set once the recognised translations were offered to the user.
  public static let textsOffered = "textsOffered"
  /// The number of lessons that the user has completed; see `Lesson` in the module `Reader`.
  public static let lessons = "lessons"
  /// `1` if the user has seen the message that explains browsing.
  public static let browsingExplained = "browsingExplained"
  /// Whether the Arabic text is shown: `1` or `0`.
  public static let arabicShown = "arabicShown"
  /// `1` if a message has told the user that there is a page for choosing how Arabic is shown.
  public static let arabicDisplayOffered = "arabicDisplayOffered"
  /// Whether the current edition is hidden while others are shown: `1` or `0`.
  public static let translationHidden = "translationHidden"
  /// Whether several texts are shown in columns: `1` or `0`.
  public static let textsSideBySide = "textsSideBySide"
  /// The ID of the edition that is shown beside the current one; empty for none.
  public static let comparedText = "comparedText"
  /// Returns the key of the user's choice of how Arabic is shown in a kind of terminal. The value
  /// is the raw value of an `ArabicMode`.
  ///
  /// - Parameter terminal: The kind of terminal, such as `vte`.
  public static func arabicDisplay(terminal: String) -> String { "arabicDisplay.\(terminal)" }
  /// Returns the key of the history of a prompt. The value contains the lines that the user
  /// entered, the oldest first, separated by line feeds.
  public static func history(of prompt: String) -> String { "history.\(prompt)" }
  /// Returns the key of a cue.
  ///
  /// - Parameter number: 1…9.
  public static func cue(_ number: Int) -> String { "cue\(number)" }
}

/// A note that is being written, stored so that a killed terminal loses nothing.
///
/// A draft has an ID of its own, because two terminals may edit one note at the same time.
public struct Draft: Hashable, Sendable, Identifiable {
  /// The ID of the draft.
  public let id: UUID
  /// The ID of the note that the draft becomes.
  public let noteID: UUID
  /// The ayah of the note.
  public let ayah: AyahID
  /// The text that the note had when editing began; nil for a new note, or if that is unknown.
  public let base: NoteText?
  /// The text as typed. It may be empty, or too long for a note.
  public var text: String
  /// The time of the last change, in milliseconds since 1970, UTC.
  public var changedAt: Int64
  /// The ID of the stored draft that this draft continues; nil if there is none. Storing this draft
  /// deletes that one. The ID itself is not stored.
  public let resumedFrom: UUID?

  /// Creates a draft. `base` is nil for a new note, `changedAt` is in milliseconds since 1970, UTC.
  public init(
    id: UUID, noteID: UUID, ayah: AyahID, base: NoteText?, text: String, changedAt: Int64,
    resumedFrom: UUID? = nil
  ) {
    self.id = id
    self.noteID = noteID
    self.ayah = ayah
    self.base = base
    self.text = text
    self.changedAt = changedAt
    self.resumedFrom = resumedFrom
  }

  /// Creates a draft that continues a stored one. Another process may resume the same one: each
  /// then stores its text in a draft of its own.
  ///
  /// - Parameters:
  ///   - stored: The draft to continue.
  ///   - id: The ID of the new draft.
  public init(resuming stored: Draft, id: UUID) {
    self.init(
      id: id, noteID: stored.noteID, ayah: stored.ayah, base: stored.base, text: stored.text,
      changedAt: stored.changedAt, resumedFrom: stored.id)
  }
}
