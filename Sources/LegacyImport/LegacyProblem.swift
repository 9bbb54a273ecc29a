public import Library

/// An entry of a dump that is not imported.
///
/// There is one problem for a key whose whole value is unreadable. For an invalid ayah ID there is
/// one problem for each of its texts, or a single one if it has no texts.
public struct LegacyProblem: Hashable, Sendable {
  /// The key that contains the entry.
  public var key: LegacyKey { entry.key }
  /// The place of the entry, such as `ayahNotes[2:255][3]`. Positions are one-based. Names from the
  /// file are shortened, but not made safe for a terminal. Computed on each access.
  public var place: String { entry.description }
  /// The reason why the entry is not imported.
  public let reason: Reason
  private let entry: EntryPath

  init(_ entry: EntryPath, _ reason: Reason) {
    self.entry = entry
    self.reason = reason
  }

  /// The reason why an entry is not imported. Associated strings are shortened to 100 characters.
  public enum Reason: Hashable, Sendable {
    /// The ID has the form `surah:ayah`, but the Quran has no such ayah.
    case noSuchAyah(String)
    /// The ID does not have the form `surah:ayah`.
    case malformedAyah(String)
    /// There is no surah with this number.
    case noSuchSurah(String)
    /// The ID is not a number.
    case malformedSurah(String)
    /// The value has the wrong type.
    case wrongType(found: Kind)
    /// The text is not a valid note.
    case note(NoteText.Problem)
    /// The text has more combining marks in a row than any script uses.
    case tooManyMarks(limit: Int)
    /// The dictionary has no value for a required key.
    case missingField(String)
    /// The value is not an integer.
    case notANumber(String)
    /// The last key of a list of alternating keys and values has no value.
    case missingValue
    /// The string is not valid UTF-8 or contains half of a surrogate pair.
    case invalidUnicode
    /// The container in the value of the key cannot be read.
    case unreadable(LegacyFailure)

    /// The identifier of the reason in the JSON output; never changes.
    public var code: String {
      switch self {
      case .noSuchAyah: "no-such-ayah"
      case .malformedAyah: "malformed-ayah"
      case .noSuchSurah: "no-such-surah"
      case .malformedSurah: "malformed-surah"
      case .wrongType: "wrong-type"
      case .note(.empty): "empty-note"
      case .note(.tooLong): "note-too-long"
      case .tooManyMarks: "too-many-marks"
      case .missingField: "missing-field"
      case .notANumber: "not-a-number"
      case .missingValue: "missing-value"
      case .invalidUnicode: "not-text"
      case .unreadable(let failure): "unreadable-\(failure.code)"
      }
    }
  }

  /// The type of a value in a dump. The raw values are part of the JSON output and never change.
  public enum Kind: String, CaseIterable, Sendable {
    case text, number, data, list, dictionary, date, nothing
    case boolean
    case reference
  }
}
