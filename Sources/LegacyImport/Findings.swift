import Library
import Quran
import Text

/// What the three keys of a dump hold, read entry by entry.
struct Findings {
  private(set) var favorites: [AyahID] = []
  private(set) var notes: [LegacyNote] = []
  private(set) var progress: [LegacyProgress] = []
  private(set) var problems: [LegacyProblem] = []

  /// Reads the value of a key, unwrapped. Nothing at all is an empty list.
  ///
  /// - Returns: the last step of the key's shape, if it has one: `flatArray` where a
  ///   dictionary is expected. Nil where the value is nothing that the key can have.
  mutating func read(
    _ value: LegacyValue, of key: LegacyKey, _ budget: inout Budget
  ) throws(LegacyFailure) -> [LegacyDump.Step]? {
    switch (key, value) {
    case (_, .null): break
    case (.favorites, .array(let values)):
      for (index, value) in values.enumerated() {
        try budget.pass(Self.entryCost)
        favorite(value, Place(key).appending(index + 1))
      }
    case (.notes, .dictionary(let members)), (.progress, .dictionary(let members)):
      for member in members { try entry(member.key, member.value, of: key, &budget) }
    case (.notes, .array(let values)), (.progress, .array(let values)):
      for index in stride(from: 0, to: values.count, by: 2) {
        guard index + 1 < values.count else {
          report(Place(key).appending(index + 1), .missingValue)
          break
        }
        try entry(values[index], values[index + 1], of: key, &budget)
      }
      return [.flatArray]
    default:
      report(Place(key), .wrongType(found: value.kind))
      return nil
    }
    return []
  }

  /// What is unreadable as a whole counts as one entry.
  mutating func report(_ place: Place, _ reason: LegacyProblem.Reason) {
    problems.append(LegacyProblem(place, reason))
  }

  /// What an entry counts for before it is asked whether to go on.
  private static let entryCost = 256

  private mutating func entry(
    _ name: LegacyValue, _ value: LegacyValue, of key: LegacyKey, _ budget: inout Budget
  ) throws(LegacyFailure) {
    try budget.pass(Self.entryCost)
    // One text for all places and reasons: many entries may share it.
    let shown = name.shown
    let place = Place(key, name: shown)
    if key == .progress {
      surah(name, shown, value, place)
    } else {
      try texts(name, shown, value, place, &budget)
    }
  }

  // MARK: Favourites

  private mutating func favorite(_ value: LegacyValue, _ place: Place) {
    do throws(Refusal) {
      favorites.append(try Self.ayah(value, shown: value.shown))
    } catch {
      report(place, error.reason)
    }
  }

  // MARK: Notes

  private mutating func texts(
    _ name: LegacyValue, _ shown: String, _ value: LegacyValue, _ place: Place,
    _ budget: inout Budget
  ) throws(LegacyFailure) {
    let ayah: AyahID
    do throws(Refusal) {
      ayah = try Self.ayah(name, shown: shown)
    } catch {
      // Each text that is lost with it is told.
      guard case .array(let values) = value, !values.isEmpty else {
        return report(place, error.reason)
      }
      for index in values.indices {
        try budget.pass(Self.entryCost)
        report(place.appending(index + 1), error.reason)
      }
      return
    }
    switch value {
    case .array(let values):
      for (index, value) in values.enumerated() {
        try note(value, ayah, place.appending(index + 1), &budget)
      }
    default: try note(value, ayah, place, &budget)
    }
  }

  /// Marks in a row that a note may have. The Quran's own text has 6 at most, UAX #15 holds
  /// 30 for safe, and to normalise takes time that grows with their square.
  static let markLimit = 100

  /// To normalise makes no text five times shorter, but for what it drops: one that is
  /// longer than this is too long, and need not be normalised to be told so.
  private static let rawLimit = 5 * NoteText.limit

  private mutating func note(
    _ value: LegacyValue, _ ayah: AyahID, _ place: Place, _ budget: inout Budget
  ) throws(LegacyFailure) {
    try budget.pass(Self.entryCost)
    guard case .string(let text) = value else {
      if case .notText = value { return report(place, .notText) }
      return report(place, .wrongType(found: value.kind))
    }
    let size = text.utf8.count
    try budget.charge(noteBytes: size)
    if size > Self.rawLimit {
      let kept = text.utf8.count { $0 != 0 && $0 != 13 }
      guard kept <= Self.rawLimit else {
        return report(place, .note(.tooLong(excess: kept - NoteText.limit)))
      }
    }
    guard !text.hasMarks(inARow: Self.markLimit) else {
      return report(place, .tooManyMarks(limit: Self.markLimit))
    }
    do throws(NoteText.Problem) {
      notes.append(LegacyNote(ayah: ayah, text: try NoteText(text)))
    } catch {
      report(place, .note(error))
    }
  }

  // MARK: Progress

  private mutating func surah(
    _ name: LegacyValue, _ shown: String, _ value: LegacyValue, _ place: Place
  ) {
    do throws(Refusal) {
      let surah = try Self.surah(name, shown: shown)
      guard case .dictionary = value else {
        throw Refusal(reason: .wrongType(found: value.kind))
      }
      guard let last = value["lastReadAyah"] else {
        throw Refusal(reason: .missingField("lastReadAyah"))
      }
      guard let number = LegacyNumber.whole(last) else {
        throw Refusal(reason: .notANumber(last.shown))
      }
      progress.append(LegacyProgress(surah, lastReadAyah: number))
    } catch {
      report(place, error.reason)
    }
  }

  // MARK: Ids

  private struct Refusal: Error {
    let reason: LegacyProblem.Reason
  }

  private static func ayah(
    _ value: LegacyValue, shown: @autoclosure () -> String
  ) throws(Refusal) -> AyahID {
    let text = try text(value)
    guard text.utf8.count <= LegacyNumber.textLimit,
      let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let surah = LegacyNumber.parse(text[..<colon]),
      let ayah = LegacyNumber.parse(text[text.utf8.index(after: colon)...])
    else { throw Refusal(reason: .malformedAyah(shown())) }
    guard let id = AyahID(surah: surah, ayah: ayah) else {
      throw Refusal(reason: .noSuchAyah(shown()))
    }
    return id
  }

  private static func surah(
    _ value: LegacyValue, shown: String
  ) throws(Refusal) -> SurahNumber {
    let number: Int?
    if value.kind == .number {
      number = LegacyNumber.whole(value)
    } else {
      number = LegacyNumber.parse(try text(value)[...])
    }
    guard let number else { throw Refusal(reason: .malformedSurah(shown)) }
    guard let surah = SurahNumber(number) else {
      throw Refusal(reason: .noSuchSurah(shown))
    }
    return surah
  }

  private static func text(_ value: LegacyValue) throws(Refusal) -> String {
    switch value {
    case .string(let text): return text
    case .notText: throw Refusal(reason: .notText)
    default: throw Refusal(reason: .wrongType(found: value.kind))
    }
  }
}
