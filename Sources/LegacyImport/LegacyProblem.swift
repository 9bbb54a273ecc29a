public import Library

/// An entry of a dump that was left out.
///
/// A key that is unreadable as a whole counts as one entry. So does each text under an id
/// that is no ayah's, and an id with nothing under it.
public struct LegacyProblem: Hashable, Sendable {
  public var key: LegacyKey { entry.key }
  /// Where it stands, as in `ayahNotes[2:255][3]`: numbers that count are one-based, what
  /// the file itself says is cut, and not made harmless for a terminal. Made when asked.
  public var place: String { entry.description }
  public let reason: Reason
  private let entry: Place

  init(_ entry: Place, _ reason: Reason) {
    self.entry = entry
    self.reason = reason
  }

  /// Why it was left out. Texts are cut to their first 100 characters.
  public enum Reason: Hashable, Sendable {
    /// Two numbers, but the book has no such ayah.
    case noSuchAyah(String)
    /// Not of the form `surah:ayah`.
    case malformedAyah(String)
    case noSuchSurah(String)
    case malformedSurah(String)
    case wrongType(found: Kind)
    case note(NoteText.Problem)
    /// More characters in a row that combine than any script has.
    case tooManyMarks(limit: Int)
    case missingField(String)
    /// Where a whole number should be.
    case notANumber(String)
    /// The last of a list of keys and values in turn has no value.
    case missingValue
    /// Its bytes are no UTF-8, or half of a surrogate pair stands in it.
    case notText
    /// The key's own container cannot be read.
    case unreadable(LegacyFailure)

    /// For scripts; never changes.
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
      case .notText: "not-text"
      case .unreadable(let failure): "unreadable-\(failure.code)"
      }
    }
  }

  /// What stands where something else should; the raw value is for scripts.
  public enum Kind: String, CaseIterable, Sendable {
    case text, number, data, list, dictionary, date, nothing
    case truth = "boolean"
    case reference
  }
}
