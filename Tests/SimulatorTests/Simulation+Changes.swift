import Foundation
import Library
import Quran

// The changes by users.
extension Simulation {
  /// The changes of a step.
  ///
  /// - Returns: The device, the changes, and their time if it is not that of the device's clock;
  ///   nil if the step changes nothing.
  func changes(of step: Step) throws -> (SimulatedDevice, [Change], Int64?)? {
    func done(_ device: Int, _ changes: Change..., at time: Int64? = nil) -> (
      SimulatedDevice, [Change], Int64?
    ) { (devices[device], changes, time) }

    switch step.action {
    case .favorite(let device, let ayah, let isFavorite):
      return done(device, .setFavorite(Self.ayah(ayah), isFavorite))
    case .addNote(let device, let ayah, let count):
      let text = (0..<count).map { "\(step.id).\($0)" }.joined(separator: "\n")
      return done(device, .addNote(Self.id(step.id), Self.ayah(ayah), try NoteText(text)))
    case .importNote(let device, let number, let hasOwnID):
      let id = Self.id(100_000 + number * 10 + (hasOwnID ? device + 1 : 0))
      guard try devices[device].library.note(id) == nil else { return nil }
      let text = try NoteText("old\(number).0\nold\(number).1\nold\(number).2")
      let time = 1_700_000_000_000 + Int64(number)
      return done(device, .addNote(id, Self.ayah(number), text), at: time)
    case .edit(let device, let place, let edits):
      guard let note = try note(device, place) else { return nil }
      let text = try NoteText(edited(note.text.text, edits, in: step))
      return done(device, .editNote(note.id, note.ayah, text, basedOn: note.text))
    case .delete(let device, let place):
      guard let note = try note(device, place) else { return nil }
      return done(device, .deleteNote(note.id, note.ayah))
    case .advance(let device, let surah, let ayah):
      return done(device, .advance(Self.surah(surah), to: ayah))
    case .setProgress(let device, let surah, let ayah):
      return done(device, .setProgress(Self.surah(surah), to: ayah))
    case .set(let device, let key, let value):
      return done(device, .set("key\(key)", value))
    case .fill(let device):
      let changes = (1...24).map { Change.setFavorite(AyahID(surah: 3, ayah: $0)!, true) }
      return (devices[device], changes, nil)
    case .empty(let device):
      let changes: [Change] = ledger.changedBy.keys.compactMap { thing in
        if case .favorite(let ayah) = thing { .setFavorite(ayah, false) } else { nil }
      }
      return (devices[device], changes, nil)
    default:
      return nil
    }
  }

  /// The data of the older app. Two of its notes are equal.
  static var dump: LegacyRows {
    get throws {
      let notes = try [(0, 0), (0, 1), (1, 0)].enumerated().map { number, note in
        LegacyRows.Note(
          id: id(100_200 + number), ayah: ayah(note.0),
          text: try NoteText("dump\(note.0).0\ndump\(note.0).1"), ordinal: note.1)
      }
      return LegacyRows(
        favorites: [ayah(0), ayah(2)], notes: notes, progress: [(surah(1), 4)])
    }
  }

  /// Saves the note in a device's editor, which may have changed since it was opened.
  ///
  /// - Returns: The commit, and the lines that the user removed; nil if no note is open.
  func saveNote(
    _ device: SimulatedDevice, _ edits: [Step.LineEdit], in step: Step
  ) throws -> (Commit, removed: Set<Substring>)? {
    guard let note = device.opened else { return nil }
    device.opened = nil
    let text = try NoteText(edited(note.text.text, edits, in: step))
    let commit = try device.library.commit(
      [.editNote(note.id, note.ayah, text, basedOn: note.text)], at: device.now)
    return (commit, Ledger.lines(of: note.text).subtracting(Ledger.lines(of: text)))
  }

  func note(_ device: Int, _ place: Int) throws -> Note? {
    let notes = try devices[device].notes
    return notes.isEmpty ? nil : notes[place % notes.count]
  }

  /// Every new line is unique.
  private func edited(_ text: String, _ edits: [Step.LineEdit], in step: Step) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (number, edit) in edits.enumerated() {
      let line = "\(step.id).\(number)"
      switch edit {
      case .insert(let place): lines.insert(line, at: place % (lines.count + 1))
      case .insertBlank(let place): lines.insert("", at: place % (lines.count + 1))
      case .replace(let place): lines[place % lines.count] = line
      case .remove(let place): lines.remove(at: place % lines.count)
      }
      if lines.allSatisfy(\.isEmpty) { lines = [line] }
    }
    return lines.joined(separator: "\n")
  }

  private static func ayah(_ number: Int) -> AyahID { AyahID(surah: 2, ayah: number + 1)! }

  private static func surah(_ number: Int) -> SurahNumber { SurahNumber(number)! }

  private static func id(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number))!
  }
}
