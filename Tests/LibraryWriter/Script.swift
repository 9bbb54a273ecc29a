import Foundation
import Library
import Quran

/// An endless sequence of changes, which the seed and the library determine.
///
/// Each commit is announced, and confirmed when it is done:
///
///     ? 1700 mark 2:255 | note 8C2A… 2:255 3
///     !
///
/// The first number is the time of the commit. The last number of a note determines its text: see
/// `text`.
struct Script {
  private let library: Library
  private var random: UInt64
  private var now: Int64
  private var notes: [Note] = []
  private var favorites: Set<AyahID> = []

  init(library: Library, seed: UInt64) {
    self.library = library
    random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    now = 1_700_000_000_000 + Int64(seed) * 1_000_000
    do {
      favorites = Set(try library.snapshot().favorites.map(\.ayah))
      try library.eachNote { notes.append($0) }
    } catch {
      fatalError("\(error)")
    }
  }

  private mutating func number(below bound: Int) -> Int {
    // Xorshift64*.
    random ^= random >> 12
    random ^= random << 25
    random ^= random >> 27
    return Int((random &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
  }

  /// One of twenty texts is longer than many pages.
  static func text(_ number: Int) -> String {
    String(repeating: "Ghi chú \(number).\n", count: number % 20 == 0 ? 4000 : number % 7 + 1)
  }

  mutating func run() {
    while true {
      var changes: [Change] = []
      var lines: [String] = []
      var touched: Set<String> = []
      for _ in 0...(number(below: 4) == 0 ? 3 : 0) {
        guard let (change, line, thing) = next(), touched.insert(thing).inserted else { continue }
        changes.append(change)
        lines.append(line)
      }
      guard !changes.isEmpty else { continue }
      now += 1
      say("? \(now) " + lines.joined(separator: " | "))
      do {
        let commit = try library.commit(changes, at: now)
        guard commit.edits.count == changes.count else { fatalError("\(commit) of \(changes)") }
        for edit in commit.edits { apply(edit) }
      } catch {
        fatalError("\(error)")
      }
      say("!")
    }
  }

  private mutating func apply(_ edit: Edit) {
    if case .note(let note) = edit.before { notes.removeAll { $0.id == note.id } }
    switch edit.after {
    case .note(let note): notes.append(note)
    case .favorite(let favorite): favorites.insert(favorite.ayah)
    default: if case .favorite(let ayah) = edit.thing { favorites.remove(ayah) }
    }
  }

  /// A change with its line and the thing that it changes; nil if there is none this time.
  private mutating func next() -> (Change, String, String)? {
    guard let ayah = AyahID(index: number(below: AyahID.count) + 1) else { return nil }
    let number = number(below: 1_000_000)
    guard let text = try? NoteText(Self.text(number)) else { return nil }
    switch self.number(below: 5) {
    case 0, 1:
      let isFavorite = !favorites.contains(ayah)
      return (
        .setFavorite(ayah, isFavorite), "\(isFavorite ? "mark" : "unmark") \(ayah)", "\(ayah)"
      )
    case 2 where notes.count < 150:
      let id = UUID()
      return (.addNote(id, ayah, text), "note \(id) \(ayah) \(number)", "\(id)")
    case 3 where !notes.isEmpty:
      let note = notes[self.number(below: notes.count)]
      guard note.text != text else { return nil }
      return (
        .editNote(note.id, note.ayah, text, basedOn: note.text),
        "edit \(note.id) \(number)", "\(note.id)"
      )
    case 4 where notes.count > 50:
      let note = notes[self.number(below: notes.count)]
      return (.deleteNote(note.id, note.ayah), "delete \(note.id)", "\(note.id)")
    default:
      return nil
    }
  }
}
