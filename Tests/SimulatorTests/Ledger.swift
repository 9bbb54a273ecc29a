import Foundation
import Library

/// What readers did, as far as it binds what is there in the end.
///
/// Every line of every note is a token of its own. A token is *dead* once a reader removed it:
/// by an edit or deletion on a device that had it. All others are alive.
struct Ledger {
  /// The notes each token was written in: more than one where the same note was imported
  /// under several ids.
  private(set) var origins: [Substring: Set<UUID>] = [:]
  private(set) var dead: Set<Substring> = []
  /// All times that devices stamped by their own clocks.
  private(set) var times: Set<Int64> = []
  /// The notes that readers made; others are copies.
  private(set) var notes: Set<UUID> = []
  /// Which devices changed a thing, and what the last of them made of it.
  private(set) var hands: [Thing: Set<Int>] = [:]
  private(set) var last: [Thing: Entry?] = [:]

  /// Whether the service went back to a backup: what was seen may be there again.
  var wasRestored = false
  /// Whether what was known of the server was forgotten, as when everything is kept: what
  /// others deleted may be there again.
  var wasForgotten = false

  mutating func note(_ commit: Commit, by device: Int) {
    for edit in commit.edits {
      hands[edit.thing, default: []].insert(device)
      last[edit.thing] = edit.after
      let (before, after) = (Self.tokens(of: edit.before), Self.tokens(of: edit.after))
      dead.formUnion(before.subtracting(after))
      if case .note(let id) = edit.thing {
        for token in after.subtracting(before) { origins[token, default: []].insert(id) }
        if edit.before == nil { notes.insert(id) }
      }
      if let after = edit.after { times.insert(after.time) }
      if case .note(let note) = edit.after { times.insert(note.createdAt) }
    }
  }

  /// The things that one device alone ever changed.
  var undisputed: [Thing: Entry?] { last.filter { hands[$0.key]?.count == 1 } }

  static func tokens(of entry: Entry?) -> Set<Substring> {
    guard case .note(let note) = entry else { return [] }
    return Set(lines(of: note))
  }

  /// A note's lines, without blank ones.
  static func lines(of note: Note) -> [Substring] { note.text.text.split(separator: "\n") }
}
