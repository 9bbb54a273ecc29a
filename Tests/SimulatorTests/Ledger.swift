import Foundation
import Library

/// What readers did, as far as it binds what is there in the end.
///
/// Every line of every note is a token of its own. A token is *dead* in an account once a reader
/// removed it there: by an edit or deletion on a device that had it. All others are alive.
struct Ledger {
  /// The notes each token was written in: more than one where the same note was imported
  /// under several ids.
  private(set) var origins: [Substring: Set<UUID>] = [:]
  /// The accounts in which each dead token died.
  private(set) var deaths: [Substring: Set<Int>] = [:]
  /// Which devices removed each dead token.
  private var removers: [Substring: Set<Int>] = [:]
  /// Which devices wrote each token.
  private(set) var writers: [Substring: Set<Int>] = [:]
  /// The tokens that each account or one of its devices had in the end.
  private(set) var held: [Int: Set<Substring>] = [:]
  /// All times that devices stamped by their own clocks.
  private(set) var times: Set<Int64> = []
  /// The notes that readers made; others are copies.
  private(set) var notes: Set<UUID> = []
  /// Which devices changed a thing, and what the last of them made of it.
  private(set) var hands: [Thing: Set<Int>] = [:]
  private(set) var last: [Thing: Entry?] = [:]

  /// Whether the service went back to a backup: what was seen may be there again.
  var wasRestored = false
  /// Whether its files were put back behind its back.
  var wasPutBack = false
  /// The things that one device alone ever changed, and of which no other had another version when
  /// everything began to become right.
  var uncontested: Set<Thing> = []
  /// Whether the service forgot what it had been.
  var wasHistoryForgotten = false
  /// Whether what was known of the server was forgotten, as when everything is kept: what
  /// others deleted may be there again.
  var wasForgotten = false
  /// Whether a device came from one account to another, with all that it had.
  var wasMoved = false

  /// - Parameter account: that the device is signed in to, or was last.
  mutating func note(_ commit: Commit, by device: Int, in account: Int) {
    for edit in commit.edits {
      hands[edit.thing, default: []].insert(device)
      last[edit.thing] = edit.after
      let (before, after) = (Self.tokens(of: edit.before), Self.tokens(of: edit.after))
      for token in before.subtracting(after) {
        deaths[token, default: []].insert(account)
        removers[token, default: []].insert(device)
      }
      if case .note(let id) = edit.thing {
        for token in after.subtracting(before) {
          origins[token, default: []].insert(id)
          writers[token, default: []].insert(device)
        }
        if edit.before == nil { notes.insert(id) }
      }
      if let after = edit.after { times.insert(after.time) }
      if case .note(let note) = edit.after { times.insert(note.createdAt) }
    }
  }

  mutating func note(_ entry: Entry, heldBy account: Int) {
    held[account, default: []].formUnion(Self.tokens(of: entry))
  }

  /// Whether a token belongs in an account.
  ///
  /// - Parameter members: the numbers of the devices that are signed in to it.
  func belongs(_ token: Substring, in account: Int, _ members: Set<Int>) -> Bool {
    guard let deaths = deaths[token] else {
      return held[account]?.contains(token) == true
        || writers[token]?.isDisjoint(with: members) == false
    }
    // Who joined another account since brought the removal along.
    let wasBrought = removers[token]?.isDisjoint(with: members) == false
    return !deaths.contains(account) && !wasBrought && held[account]?.contains(token) == true
  }

  /// The things that one device alone ever changed.
  ///
  /// - Parameter members: the numbers of the devices that count.
  func undisputed(by members: Set<Int>) -> [Thing: Entry?] {
    last.filter { thing, _ in
      guard let hands = hands[thing] else { return false }
      return hands.count == 1 && hands.isSubset(of: members)
    }
  }

  static func tokens(of entry: Entry?) -> Set<Substring> {
    guard case .note(let note) = entry else { return [] }
    return Set(lines(of: note))
  }

  /// A note's lines, without blank ones.
  static func lines(of note: Note) -> [Substring] { note.text.text.split(separator: "\n") }
}
