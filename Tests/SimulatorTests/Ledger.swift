import Foundation
import Library

/// The changes of all devices, as far as they determine the state at the end.
///
/// Every line of every note is a unique token. A token is *dead* in an account if it was removed
/// there by an edit or deletion on a device that had it. All others are alive.
struct Ledger {
  /// The notes in which each token was written: several if the same note was imported
  /// under several ids.
  private(set) var origins: [Substring: Set<UUID>] = [:]
  /// The accounts in which each dead token was removed.
  private(set) var deaths: [Substring: Set<Int>] = [:]
  /// The dead tokens that may be in a note because of an edit to an older text: they were in that
  /// text, or in a copy of the text with which the edit collided.
  private(set) var uncertain: Set<Substring> = []
  /// The devices that removed each dead token.
  private var removers: [Substring: Set<Int>] = [:]
  /// The devices that wrote each token.
  private(set) var writers: [Substring: Set<Int>] = [:]
  /// The tokens that each account or one of its devices had at the end.
  private(set) var held: [Int: Set<Substring>] = [:]
  /// All times that devices wrote by their own clocks.
  private(set) var times: Set<Int64> = []
  /// The notes that users wrote; others are copies.
  private(set) var notes: Set<UUID> = []
  /// The things that users deleted, even if others kept or restored them.
  private(set) var deleted: Set<Thing> = []
  /// The devices that changed each thing, and the last version.
  private(set) var changedBy: [Thing: Set<Int>] = [:]
  private(set) var last: [Thing: Entry?] = [:]

  /// Whether the service was restored from a backup: deleted things may exist again.
  var wasRestored = false
  /// Whether the service's files were rolled back without its knowledge.
  var wasPutBack = false
  /// The things that only one device ever changed, and of which no other device had another version
  /// when the faults ended.
  var uncontested: Set<Thing> = []
  /// Whether the service forgot its history.
  var wasHistoryForgotten = false
  /// Whether a device deleted its record states, as after `keepEverything`: things that others
  /// deleted may exist again.
  var wasForgotten = false
  /// Whether a device changed its account, with all of its data.
  var wasMoved = false
  /// Whether an earlier state of a library was restored.
  var wasLibraryRestored = false
  /// The lines that a library lost when an earlier state of it was restored.
  private(set) var dropped: Set<Substring> = []
  /// The lines of `dropped` that neither the service nor another device had, in any account.
  private(set) var gone: Set<Substring> = []
  /// The lines of `dropped` that neither the service nor another device had in the account of the
  /// library, by the number of the account. A device of another account may have the same lines.
  private(set) var goneOfAccount: [Int: Set<Substring>] = [:]

  /// - Parameters:
  ///   - account: The account that the device is signed in to, or was last.
  ///   - removed: The lines that the user removed; nil for all lines that the commit removes.
  mutating func record(
    _ commit: Commit, by device: Int, in account: Int, removed: Set<Substring>? = nil
  ) {
    for edit in commit.edits {
      changedBy[edit.thing, default: []].insert(device)
      last[edit.thing] = edit.after
      if edit.after == nil { deleted.insert(edit.thing) }
      let (before, after) = (Self.tokens(of: edit.before), Self.tokens(of: edit.after))
      if let removed {
        if !removed.isSubset(of: before.subtracting(after)) { uncertain.formUnion(removed) }
        uncertain.formUnion(after.subtracting(before).filter { deaths[$0] != nil })
      }
      for token in removed ?? before.subtracting(after) {
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

  /// - Parameters:
  ///   - lines: The lines that the library lost.
  ///   - account: The number of the device's account.
  ///   - known: The lines that the service or another device has, by the number of the account.
  mutating func recordRestoredLibrary(
    dropping lines: Set<Substring>, of account: Int, known: [Int: Set<Substring>]
  ) {
    wasLibraryRestored = true
    dropped.formUnion(lines)
    gone.formUnion(known.values.reduce(lines) { $0.subtracting($1) })
    goneOfAccount[account, default: []].formUnion(lines.subtracting(known[account] ?? []))
  }

  /// Whether a line may be gone, because an earlier state of the only library with it was restored.
  /// A line that the service or another device had may be gone only if the service was restored or
  /// rolled back or forgot its history, or if a device changed its account.
  func isDropped(_ token: Substring, in account: Int) -> Bool {
    gone.contains(token) || goneOfAccount[account]?.contains(token) == true
      || dropped.contains(token) && (wasRestored || wasPutBack || wasMoved || wasHistoryForgotten)
  }

  mutating func record(_ entry: Entry, heldBy account: Int) {
    held[account, default: []].formUnion(Self.tokens(of: entry))
  }

  /// Whether a token belongs in an account.
  ///
  /// - Parameter members: The numbers of the devices that are signed in to it.
  func belongs(_ token: Substring, in account: Int, _ members: Set<Int>) -> Bool {
    guard let deaths = deaths[token] else {
      return held[account]?.contains(token) == true
        || writers[token]?.isDisjoint(with: members) == false
    }
    // A device that removed the token and joined the account later brought the removal along.
    let wasBrought = removers[token]?.isDisjoint(with: members) == false
    return !deaths.contains(account) && !wasBrought && held[account]?.contains(token) == true
  }

  /// The things that only one device ever changed, with their last versions.
  ///
  /// - Parameter members: The numbers of the devices to consider.
  func undisputed(by members: Set<Int>) -> [Thing: Entry?] {
    last.filter { thing, _ in
      guard let changedBy = changedBy[thing] else { return false }
      return changedBy.count == 1 && changedBy.isSubset(of: members)
    }
  }

  static func tokens(of entry: Entry?) -> Set<Substring> {
    guard case .note(let note) = entry else { return [] }
    return Set(lines(of: note))
  }

  /// The lines of a note that are not blank.
  static func lines(of note: Note) -> [Substring] { note.text.text.split(separator: "\n") }

  static func lines(of text: NoteText) -> Set<Substring> {
    Set(text.text.split(separator: "\n"))
  }
}
