public import Quran

/// The preferences of the iOS app, read from a file.
///
///     let dump = try LegacyDump(bytes)
///     dump.favorites             // [2:255, 36:1]
///     dump.shapes[.favorites]    // data+json
///
/// The app stores three keys in its preferences, each as data that contains JSON. Users export them
/// with `defaults export`, `plutil`, a backup of the phone or scripts, so each key is accepted in
/// all encodings that these tools produce. Formats are detected by the content of the file, never
/// by its name.
///
/// The file is not trusted. It may have 16 MB, compressed and decompressed, 32 levels of nesting
/// and 200,000 values. A file that is larger, damaged or malicious is rejected with a
/// `LegacyFailure`. An entry that cannot be imported, such as a string with half of a surrogate
/// pair, is skipped and reported in `problems`. In a UTF-16 file, such a string makes the whole
/// file damaged.
public struct LegacyDump: Hashable, Sendable {
  /// The formats of the file, outermost first, such as `[.gzip, .binaryPropertyList]`.
  public let formats: [Step]
  /// The keys of the dictionaries around the preferences: one of `wrappers`, or none.
  public let nesting: [String]
  /// The encoding of each key that was present and readable.
  public let shapes: [LegacyKey: Shape]
  /// The favourites in the order of the file, including duplicates.
  public let favorites: [AyahID]
  /// The notes sorted by ayah, those of an ayah in the order of the file, including duplicates.
  public let notes: [LegacyNote]
  /// The reading progress sorted by surah, including duplicates.
  public let progress: [LegacyProgress]
  /// The other keys of the preferences, without duplicates; most are the system's. Includes
  /// wrappers that are ignored because another one has preferences. Each key is shortened to 100
  /// characters. At most the first 300 in byte order, which is more than real preferences have.
  public let unknownKeys: [String]
  /// The number of other keys, including those that `unknownKeys` omits.
  public let unknownKeyCount: Int
  /// The entries that are not imported, with the reasons.
  public let problems: [LegacyProblem]

  /// The keys of the dictionary at the top level that can contain the preferences: the bundle ID of
  /// the app, as in the output of `defaults read` for all domains, and a name that scripts use. The
  /// preferences are not searched for anywhere else, because a key of the same name deeper in the
  /// file can belong to other data.
  public static let wrappers = ["com.Donald.Quranvn", "UserDefaults"]

  /// Returns the number of entries of a key in the file: the imported ones and those in `problems`.
  public func entryCount(of key: LegacyKey) -> Int {
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
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - isCancelled: Called repeatedly; returning true ends the import with `cancelled`.
  /// - Throws: A `LegacyFailure` if nothing can be imported.
  public init(
    _ bytes: [UInt8], isCancelled: () -> Bool = { false }
  ) throws(LegacyFailure) {
    self = try withoutActuallyEscaping(isCancelled) { isCancelled throws(LegacyFailure) in
      var budget = Budget(isCancelled: isCancelled)
      budget.begin(level: 1, depth: 0)
      var opened = try FormatDetector.decode(bytes, &budget)
      if var archive = KeyedArchive(opened.value) {
        opened.formats.append(.keyedArchive)
        budget.begin(level: 2, depth: 0)
        opened.value = try archive.unarchive(&budget)
      }
      return try LegacyDump(opened, &budget)
    }
  }

  private init(_ opened: FormatDetector.Decoded, _ budget: inout Budget) throws(LegacyFailure) {
    let (members, nesting, ignoredWrappers) = try Self.preferences(opened.value)
    var findings = EntryReader()
    var shapes: [LegacyKey: Shape] = [:]
    for key in LegacyKey.allCases {
      for member in members where member.key.isText(key.rawValue) {
        do throws(LegacyFailure) {
          let unwrapped = try UnwrappedValue(member.value, depth: 1 + nesting.count, &budget)
          if unwrapped.value.holdsShortenedData { throw .shortened(key) }
          guard let last = try findings.read(unwrapped.value, of: key, &budget) else { continue }
          shapes[key] = shapes[key] ?? Shape(unwrapped.steps + last)
        } catch {
          if error.endsAll { throw error }
          findings.report(EntryPath(key), .unreadable(error))
        }
      }
    }
    guard !shapes.isEmpty else { throw .nothingUnderstood(findings.problems) }

    formats = opened.formats
    self.nesting = nesting
    self.shapes = shapes
    favorites = findings.favorites
    notes = findings.notes.sorted { $0.ayah < $1.ayah }
    progress = findings.progress.sorted { $0.surah < $1.surah }
    problems = findings.problems
    let unknown = members.filter { !Self.isLegacy($0.key) }.map(\.key.shown) + ignoredWrappers
    (unknownKeys, unknownKeyCount) = Self.sample(unknown, limit: 300)
  }

  /// Returns the first of the different names in byte order, at most `limit`, and the number of
  /// different names.
  ///
  /// Names are compared byte by byte. Comparing strings normalizes them, which would take minutes
  /// for a file full of combining marks.
  private static func sample(_ names: [String], limit: Int) -> (first: [String], count: Int) {
    let different = Set(names.map { Array($0.utf8) })
    let sorted = different.sorted { $0.lexicographicallyPrecedes($1) }
    return (sorted.prefix(limit).map { String(decoding: $0, as: UTF8.self) }, different.count)
  }

  /// Finds the dictionary that has at least one of the three keys.
  ///
  /// - Returns: The members of the dictionary; the key under which it was found, if any; and the
  ///   other keys whose dictionaries contain preferences, too, but are ignored.
  private static func preferences(
    _ value: LegacyValue
  ) throws(LegacyFailure) -> ([LegacyValue.Member], nesting: [String], ignoredWrappers: [String]) {
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
      throw .noLegacyKeys(found: sample(top.map(\.key.shown), limit: 100).first)
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
