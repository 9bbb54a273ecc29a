import Library
import Quran
import Text

/// Reads the entries of the three keys of a dump, and collects the problems of invalid entries.
struct EntryReader {
  private(set) var favorites: [AyahID] = []
  private(set) var notes: [LegacyNote] = []
  private(set) var progress: [LegacyProgress] = []
  private(set) var problems: [LegacyProblem] = []

  /// Reads the unwrapped value of a key. A null value is an empty list.
  ///
  /// - Returns: The steps to append to the shape of the key: `flatArray` if the value is a list in
  ///   place of a dictionary, otherwise none. Nil if the value has the wrong type.
  mutating func read(
    _ value: LegacyValue, of key: LegacyKey, _ budget: inout Budget
  ) throws(LegacyFailure) -> [LegacyDump.Step]? {
    switch (key, value) {
    case (_, .null): break
    case (.favorites, .array(let values)):
      for (index, value) in values.enumerated() {
        try budget.checkCancellation(after: Self.entryCost)
        favorite(value, EntryPath(key).appending(index + 1))
      }
    case (.notes, .dictionary(let members)), (.progress, .dictionary(let members)):
      for member in members { try entry(member.key, member.value, of: key, &budget) }
    case (.notes, .array(let values)), (.progress, .array(let values)):
      for index in stride(from: 0, to: values.count, by: 2) {
        guard index + 1 < values.count else {
          report(EntryPath(key).appending(index + 1), .missingValue)
          break
        }
        try entry(values[index], values[index + 1], of: key, &budget)
      }
      return [.flatArray]
    default:
      report(EntryPath(key), .wrongType(found: value.kind))
      return nil
    }
    return []
  }

  /// Reports a problem. A value that is unreadable as a whole counts as one entry.
  mutating func report(_ path: EntryPath, _ reason: LegacyProblem.Reason) {
    problems.append(LegacyProblem(path, reason))
  }

  /// The cost of an entry for the interval of cancellation checks, as a number of bytes.
  private static let entryCost = 256

  private mutating func entry(
    _ name: LegacyValue, _ value: LegacyValue, of key: LegacyKey, _ budget: inout Budget
  ) throws(LegacyFailure) {
    try budget.checkCancellation(after: Self.entryCost)
    // Copy the name only once: many places and reasons can share it.
    let shown = name.shown
    let path = EntryPath(key, name: shown)
    if key == .progress {
      surah(name, shown, value, path)
    } else {
      try texts(name, shown, value, path, &budget)
    }
  }

  // MARK: Favourites

  private mutating func favorite(_ value: LegacyValue, _ path: EntryPath) {
    do throws(InvalidEntry) {
      favorites.append(try Self.ayah(value, shown: value.shown))
    } catch {
      report(path, error.reason)
    }
  }

  // MARK: Notes

  /// Reads the notes of an ayah: a list of texts, or one text.
  private mutating func texts(
    _ name: LegacyValue, _ shown: String, _ value: LegacyValue, _ path: EntryPath,
    _ budget: inout Budget
  ) throws(LegacyFailure) {
    let ayah: AyahID
    do throws(InvalidEntry) {
      ayah = try Self.ayah(name, shown: shown)
    } catch {
      // Report each text that is lost with the invalid ayah.
      guard case .array(let values) = value, !values.isEmpty else {
        return report(path, error.reason)
      }
      for index in values.indices {
        try budget.checkCancellation(after: Self.entryCost)
        report(path.appending(index + 1), error.reason)
      }
      return
    }
    switch value {
    case .array(let values):
      for (index, value) in values.enumerated() {
        try note(value, ayah, path.appending(index + 1), &budget)
      }
    default: try note(value, ayah, path, &budget)
    }
  }

  /// The maximum number of combining marks in a row in a note. The Quran has at most 6, and the
  /// Stream-Safe Text Format of UAX #15 allows 30. The time to normalize a run grows with the
  /// square of its length.
  static let markLimit = 100

  /// The maximum size of a note before normalization, in bytes. Apart from the characters that
  /// `NoteText` removes, normalization never shortens a text to less than a fifth, so a longer one
  /// cannot become valid.
  private static let rawLimit = 5 * NoteText.limit

  /// Reads one text of an ayah.
  private mutating func note(
    _ value: LegacyValue, _ ayah: AyahID, _ path: EntryPath, _ budget: inout Budget
  ) throws(LegacyFailure) {
    try budget.checkCancellation(after: Self.entryCost)
    guard case .string(let text) = value else {
      if case .invalidUnicode = value { return report(path, .invalidUnicode) }
      return report(path, .wrongType(found: value.kind))
    }
    let size = text.utf8.count
    try budget.charge(noteBytes: size)
    if size > Self.rawLimit {
      let kept = text.utf8.count { $0 != 0 && $0 != 13 }
      guard kept <= Self.rawLimit else {
        return report(path, .note(.tooLong(excess: kept - NoteText.limit)))
      }
    }
    guard !text.hasMarks(inARow: Self.markLimit) else {
      return report(path, .tooManyMarks(limit: Self.markLimit))
    }
    do throws(NoteText.Problem) {
      notes.append(LegacyNote(ayah: ayah, text: try NoteText(text)))
    } catch {
      report(path, .note(error))
    }
  }

  // MARK: Progress

  /// Reads the progress of a surah.
  private mutating func surah(
    _ name: LegacyValue, _ shown: String, _ value: LegacyValue, _ path: EntryPath
  ) {
    do throws(InvalidEntry) {
      let surah = try Self.surah(name, shown: shown)
      guard case .dictionary = value else {
        throw InvalidEntry(reason: .wrongType(found: value.kind))
      }
      guard let last = value["lastReadAyah"] else {
        throw InvalidEntry(reason: .missingField("lastReadAyah"))
      }
      guard let number = LegacyNumber.whole(last) else {
        throw InvalidEntry(reason: .notANumber(last.shown))
      }
      progress.append(LegacyProgress(surah, lastReadAyah: number))
    } catch {
      report(path, error.reason)
    }
  }

  // MARK: IDs and numbers

  /// The reason why an entry is not imported.
  private struct InvalidEntry: Error {
    let reason: LegacyProblem.Reason
  }

  private static func ayah(
    _ value: LegacyValue, shown: @autoclosure () -> String
  ) throws(InvalidEntry) -> AyahID {
    let text = try text(value)
    guard text.utf8.count <= LegacyNumber.textLimit,
      let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let surah = LegacyNumber.parse(text[..<colon]),
      let ayah = LegacyNumber.parse(text[text.utf8.index(after: colon)...])
    else { throw InvalidEntry(reason: .malformedAyah(shown())) }
    guard let id = AyahID(surah: surah, ayah: ayah) else {
      throw InvalidEntry(reason: .noSuchAyah(shown()))
    }
    return id
  }

  private static func surah(
    _ value: LegacyValue, shown: String
  ) throws(InvalidEntry) -> SurahNumber {
    let number: Int?
    if value.kind == .number {
      number = LegacyNumber.whole(value)
    } else {
      number = LegacyNumber.parse(try text(value)[...])
    }
    guard let number else { throw InvalidEntry(reason: .malformedSurah(shown)) }
    guard let surah = SurahNumber(number) else {
      throw InvalidEntry(reason: .noSuchSurah(shown))
    }
    return surah
  }

  private static func text(_ value: LegacyValue) throws(InvalidEntry) -> String {
    switch value {
    case .string(let text): return text
    case .invalidUnicode: throw InvalidEntry(reason: .invalidUnicode)
    default: throw InvalidEntry(reason: .wrongType(found: value.kind))
    }
  }
}
