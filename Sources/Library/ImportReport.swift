/// What an import found, and what became of it.
public struct ImportReport: Hashable, Sendable {
  /// How many elements of one list there were.
  public struct Count: Hashable, Sendable {
    public internal(set) var found = 0
    public internal(set) var new = 0
    /// They took the place of what was there.
    public internal(set) var replaced = 0
    /// Notes that have all lines of the note that was there, and others: they took its place.
    public internal(set) var merged = 0
    /// Notes that differ from the note that was there: one of the two became a copy.
    public internal(set) var keptBoth = 0
    public internal(set) var alreadyThere = 0
    public internal(set) var skipped = 0

    /// Those that changed the library.
    public var imported: Int { new + replaced + merged + keptBoth }

    public init() {}

    /// Counts elements that were found but never came this far.
    public mutating func addSkipped(_ count: Int) {
      found += count
      skipped += count
    }
  }

  /// What became of an element.
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
    public let table: ExportDocument.Table
    /// Its place in the list, one-based; 0 where the list itself is none.
    public let number: Int
    /// The line of the file where it begins, one-based.
    public let line: Int
    public let reason: Reason
  }

  /// Why an element was left out. Texts are cut to their first 100 characters.
  public enum Reason: Hashable, Sendable {
    /// Where a list should be is something else.
    case notAList
    /// - Parameter field: nil for the element itself.
    case wrongType(field: String?)
    case missing(field: String)
    /// A number or a text that the field cannot hold.
    case unfit(field: String)
    case noSuchAyah(String)
    case noSuchSurah(Int)
    case badID(String)
    case note(NoteText.Problem)
    /// Larger than anything an export holds.
    case tooLarge
    /// Its bytes are no UTF-8, or an escape in it stands for no character.
    case notText
  }

  public internal(set) var counts: [ExportDocument.Table: Count] = [:]
  /// The first of those left out; `counts` has all.
  public internal(set) var skips: [Skip] = []
  /// Keys at the top of the document that mean nothing to this version: the first of them.
  public internal(set) var unknownKeys: [String] = []
  public internal(set) var unknownKeyCount = 0
  /// Such keys inside of elements.
  public internal(set) var unknownFieldCount = 0
  /// What changed, for undo: favourites, notes, progress, settings and reading days. Empty where
  /// nothing was to be written, and where it was not asked for.
  public internal(set) var commit = Commit([])

  /// How many elements that were left out are told of one by one.
  public static let skipLimit = 1000

  public subscript(table: ExportDocument.Table) -> Count { counts[table] ?? Count() }

  /// All lists together.
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

  mutating func count(_ table: ExportDocument.Table, _ outcome: Outcome) {
    counts[table, default: Count()].found += 1
    counts[table, default: Count()][keyPath: outcome.count] += 1
  }

  mutating func skip(_ element: DocumentWalk.Element, _ reason: Reason) {
    counts[element.table, default: Count()].found += element.number > 0 ? 1 : 0
    counts[element.table, default: Count()].skipped += 1
    guard skips.count < Self.skipLimit else { return }
    skips.append(
      Skip(table: element.table, number: element.number, line: element.line, reason: reason))
  }
}
