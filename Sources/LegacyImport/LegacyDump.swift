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
  /// Other keys beside the three, each once and cut to 100 characters: those of the
  /// system, mostly. The first 300 in the order of their bytes; more is nobody's
  /// preferences.
  public let unknownKeys: [String]
  /// How many there are, those that `unknownKeys` leaves out included.
  public let unknownKeyCount: Int
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
    let (members, nesting, lost) = try Self.preferences(opened.value, &budget)
    var findings = Findings()
    var shapes: [LegacyKey: Shape] = [:]
    for key in LegacyKey.allCases {
      for member in members where member.key.isText(key.rawValue) {
        do throws(LegacyFailure) {
          let unwrapped = try Unwrapping(member.value, depth: 1 + nesting.count, &budget)
          if unwrapped.value.holdsShortenedData { throw .shortened(key) }
          guard let last = try findings.read(unwrapped.value, of: key, &budget) else { continue }
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
    notes = Self.ordered(findings.notes, upTo: AyahID.count) { $0.ayah.index }
    progress = Self.ordered(findings.progress, upTo: SurahNumber.count) { $0.surah.rawValue }
    problems = findings.problems
    var unknown = KeyNames(limit: 300)
    for member in members where !Self.isLegacy(member.key) {
      try unknown.insert(member.key.shown, &budget)
    }
    for name in lost { try unknown.insert(name, &budget) }
    unknownKeys = unknown.first
    unknownKeyCount = unknown.count
  }

  /// Sorted by a number, those of the same number as they stand. There are few numbers, so
  /// this takes as long as to look at each entry thrice.
  private static func ordered<Entry>(
    _ entries: [Entry], upTo last: Int, by number: (Entry) -> Int
  ) -> [Entry] {
    var starts = [Int](repeating: 0, count: last + 2)
    for entry in entries { starts[number(entry) + 1] += 1 }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    var order = [Int](repeating: 0, count: entries.count)
    for (index, entry) in entries.enumerated() {
      order[starts[number(entry)]] = index
      starts[number(entry)] += 1
    }
    return order.map { entries[$0] }
  }

  /// The dictionary that holds the three keys, or some of them.
  ///
  /// - Returns: its members; under which key it lies; and such keys that hold another one,
  ///   which is passed over.
  private static func preferences(
    _ value: LegacyValue, _ budget: inout Budget
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
      var found = KeyNames(limit: 100)
      for member in top { try found.insert(member.key.shown, &budget) }
      throw .noLegacyKeys(found: found.first)
    }
    return (first.members, [first.name], nested.dropFirst().map(\.name))
  }

  private static func holdsLegacyKeys(_ members: [LegacyValue.Member]) -> Bool {
    members.contains { isLegacy($0.key) }
  }

  private static func isLegacy(_ key: LegacyValue) -> Bool {
    LegacyKey.allCases.contains { key.isText($0.rawValue) }
  }
}
