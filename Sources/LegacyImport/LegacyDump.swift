public import Quran

/// What people bring along from the phone app: its preferences, as a file.
///
///     let dump = try LegacyDump(bytes)
///     dump.favorites             // [2:255, 36:1]
///     dump.shapes[.favorites]    // data+json
///
/// The app keeps three keys in its preferences, each as data that holds JSON. What reaches
/// this program has gone through `defaults export`, `plutil`, a phone's backup or
/// somebody's script, so every key is accepted in every shape that these make of it, and
/// what the file is shows in its content, never in its name.
///
/// Nothing in the file is trusted. It may hold and unpack to 16 MB, be 32 levels deep and
/// have 200,000 values; what is larger, damaged or a trap ends in a `LegacyFailure`. An
/// entry that cannot be imported is left out by itself and told in `problems`: a text
/// that is no text, like half of a surrogate pair, is such an entry. In UTF-16 it is the
/// whole file that is damaged.
public struct LegacyDump: Hashable, Sendable {
  /// What the file is, outermost first, as in `[.gzip, .binaryPropertyList]`.
  public let containers: [Container]
  /// The keys under which the preferences lay: one of `wrappers`, or none.
  public let nesting: [String]
  /// How each key was written that is there and could be read.
  public let shapes: [LegacyKey: Shape]
  /// In the file's order, doubles kept.
  public let favorites: [AyahID]
  /// By ayah, those of one ayah in the file's order, doubles kept.
  public let notes: [LegacyNote]
  /// By surah, doubles kept.
  public let progress: [LegacyProgress]
  /// Other keys beside the three, sorted, each once and cut to 100 characters: those of
  /// the system, mostly.
  public let unknownKeys: [String]
  public let problems: [LegacyProblem]

  /// Under these the preferences may lie, one level down: the app's bundle id, as in
  /// `defaults read` of everything, and what scripts write. Nowhere else: keys of the same
  /// name deeper in somebody's file are somebody's.
  public static let wrappers = ["com.Donald.Quranvn", "UserDefaults"]

  /// How many entries of a key the file holds: those understood and those in `problems`.
  public func found(_ key: LegacyKey) -> Int {
    let understood =
      switch key {
      case .favorites: favorites.count
      case .notes: notes.count
      case .progress: progress.count
      }
    return understood + problems.count { $0.key == key }
  }

  /// Reads a dump.
  ///
  /// - Parameter isCancelled: asked now and then; true ends it with `cancelled`.
  /// - Throws: a `LegacyFailure` where nothing of it could be understood.
  public init(
    _ bytes: [UInt8], isCancelled: () -> Bool = { false }
  ) throws(LegacyFailure) {
    self = try withoutActuallyEscaping(isCancelled) { isCancelled throws(LegacyFailure) in
      var budget = Budget(isCancelled: isCancelled)
      budget.begin(level: 1, depth: 0)
      var opened = try Opening.open(bytes, &budget)
      if var archive = KeyedArchive(opened.value) {
        opened.containers.append(.keyedArchive)
        budget.begin(level: 2, depth: 0)
        opened.value = try archive.unarchive(&budget)
      }
      return try LegacyDump(opened, &budget)
    }
  }

  private init(_ opened: Opening.Opened, _ budget: inout Budget) throws(LegacyFailure) {
    let (members, nesting, lost) = try Self.preferences(opened.value)
    var findings = Findings()
    var shapes: [LegacyKey: Shape] = [:]
    for key in LegacyKey.allCases {
      for member in members where member.key.isText(key.rawValue) {
        do throws(LegacyFailure) {
          let unwrapped = try Unwrapping(member.value, depth: 1 + nesting.count, &budget)
          if unwrapped.value.holdsShortenedData { throw .shortened(key) }
          guard let last = try findings.read(unwrapped.value, of: key, budget) else { continue }
          shapes[key] = shapes[key] ?? Shape(unwrapped.steps + last)
        } catch {
          if error.endsAll { throw error }
          findings.report(Place(key), .unreadable(error))
        }
      }
    }
    guard !shapes.isEmpty else { throw .nothingUnderstood(findings.problems) }

    containers = opened.containers
    self.nesting = nesting
    self.shapes = shapes
    favorites = findings.favorites
    notes = findings.notes.enumerated()
      .sorted { ($0.element.ayah, $0.offset) < ($1.element.ayah, $1.offset) }.map(\.element)
    progress = findings.progress.enumerated()
      .sorted { ($0.element.surah, $0.offset) < ($1.element.surah, $1.offset) }.map(\.element)
    problems = findings.problems
    unknownKeys = Set(members.map(\.key.shown)).subtracting(LegacyKey.allCases.map(\.rawValue))
      .union(lost).sorted()
  }

  /// The dictionary that holds the three keys, or some of them.
  ///
  /// - Returns: its members; under which key it lies; and such keys that hold another one,
  ///   which is passed over.
  private static func preferences(
    _ value: LegacyValue
  ) throws(LegacyFailure) -> ([LegacyValue.Member], nesting: [String], lost: [String]) {
    guard case .dictionary(let top) = value else { throw .noLegacyKeys(found: []) }
    if holdsLegacyKeys(top) { return (top, [], []) }
    var nested: [(name: String, members: [LegacyValue.Member])] = []
    for name in wrappers {
      for member in top where member.key.isText(name) {
        guard case .dictionary(let members) = member.value, holdsLegacyKeys(members) else {
          continue
        }
        nested.append((name, members))
      }
    }
    guard let first = nested.first else {
      throw .noLegacyKeys(found: Array(Set(top.map(\.key.shown)).sorted().prefix(100)))
    }
    return (first.members, [first.name], nested.dropFirst().map(\.name))
  }

  private static func holdsLegacyKeys(_ members: [LegacyValue.Member]) -> Bool {
    members.contains { member in
      LegacyKey.allCases.contains { member.key.isText($0.rawValue) }
    }
  }
}
