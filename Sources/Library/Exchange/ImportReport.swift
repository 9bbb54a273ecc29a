/// The result of an import.
public struct ImportReport: Hashable, Sendable {
  /// The numbers of the elements of one list.
  public struct Count: Hashable, Sendable {
    /// All elements.
    public internal(set) var found = 0
    /// Elements that were added.
    public internal(set) var new = 0
    /// Elements that replaced a stored value.
    public internal(set) var replaced = 0
    /// Notes that replaced a stored note, because they have all its lines and others.
    public internal(set) var merged = 0
    /// Notes and drafts that differ from the stored one with the same ID. Both texts are stored.
    public internal(set) var keptBoth = 0
    /// Elements that changed nothing.
    public internal(set) var alreadyThere = 0
    /// Elements that were left out.
    public internal(set) var skipped = 0

    /// The number of elements that changed the library.
    public var imported: Int { new + replaced + merged + keptBoth }

    /// Creates a count of no elements.
    public init() {}

    /// Counts elements that were left out before they were passed to the import.
    public mutating func addSkipped(_ count: Int) {
      found += count
      skipped += count
    }
  }

  /// The effect of an element on the library.
  enum Outcome {
    case new, replaced, merged, keptBoth, alreadyThere

    fileprivate var count: WritableKeyPath<Count, Int> {
      switch self {
      case .new: \.new
      case .replaced: \.replaced
      case .merged: \.merged
      case .keptBoth: \.keptBoth
      case .alreadyThere: \.alreadyThere
      }
    }
  }

  /// An element that was left out.
  public struct Skip: Hashable, Sendable {
    /// The list of the element.
    public let list: ExportDocument.List
    /// The position in the list, one-based; 0 for the list itself.
    public let number: Int
    /// The line of the document where the element begins, one-based.
    public let line: Int
    /// The reason why it was left out.
    public let reason: Reason
  }

  /// The reason why an element was left out. Strings are cut to their first 100 characters.
  public enum Reason: Hashable, Sendable {
    /// The value in place of the list is not a list.
    case notAList
    /// A field has a value of another type. `field` is nil if the element itself has another type.
    case wrongType(field: String?)
    /// A field is missing.
    case missing(field: String)
    /// A number or a string is invalid in its field.
    case invalidValue(field: String)
    /// There is no such ayah.
    case noSuchAyah(String)
    /// There is no surah with this number.
    case noSuchSurah(Int)
    /// The ID is not a UUID.
    case badID(String)
    /// The string is not the text of a note.
    case note(NoteText.Problem)
    /// The element is larger than any element of an export.
    case tooLarge
    /// The bytes are not UTF-8, or an escape is not a character.
    case notText
  }

  /// The numbers of elements, by list.
  public internal(set) var counts: [ExportDocument.List: Count] = [:]
  /// The first elements that were left out, at most `skipLimit`.
  public internal(set) var skips: [Skip] = []
  /// The first keys of the document that this version does not know.
  public internal(set) var unknownKeys: [String] = []
  /// The number of keys of the document that this version does not know.
  public internal(set) var unknownKeyCount = 0
  /// The number of keys of elements that this version does not know.
  public internal(set) var unknownFieldCount = 0
  /// The changes of favourites, notes, progress, settings and reading days, for undo. Empty for a
  /// dry run, and if the import was called with `keepsCommit: false`.
  public internal(set) var commit = Commit([])

  /// The greatest number of elements in `skips`.
  public static let skipLimit = 1000

  /// The numbers of the elements of a list.
  public subscript(list: ExportDocument.List) -> Count { counts[list] ?? Count() }

  /// The sums of the numbers of all lists.
  public var total: Count {
    counts.values.reduce(into: Count()) {
      $0.found += $1.found
      $0.new += $1.new
      $0.replaced += $1.replaced
      $0.merged += $1.merged
      $0.keptBoth += $1.keptBoth
      $0.alreadyThere += $1.alreadyThere
      $0.skipped += $1.skipped
    }
  }

  mutating func count(_ list: ExportDocument.List, _ outcome: Outcome) {
    counts[list, default: Count()].found += 1
    counts[list, default: Count()][keyPath: outcome.count] += 1
  }

  mutating func skip(_ element: DocumentWalk.Element, _ reason: Reason) {
    counts[element.list, default: Count()].found += element.number > 0 ? 1 : 0
    counts[element.list, default: Count()].skipped += 1
    guard skips.count < Self.skipLimit else { return }
    skips.append(
      Skip(list: element.list, number: element.number, line: element.line, reason: reason))
  }
}
