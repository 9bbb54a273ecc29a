import CloudRecords
import Foundation
import Library

@testable import Sync

/// The violated invariants of a simulation.
struct SimulationFailure: Error, CustomStringConvertible {
  let reasons: [String]

  var description: String { reasons.joined(separator: "\n") }
}

// The invariants after the last round.
extension Simulation {
  /// Checks these invariants after the last round:
  ///
  /// 1. Every device of an account and its zone hold the same favourites, notes, progress and
  ///    settings, to the millisecond and the byte, each as one record; the outboxes are empty.
  /// 2. Every time was written by some device's clock: merging invents none.
  /// 3. A thing that only one device ever changed is as that device left it.
  /// 4. Every living token is in some note of each account whose zone or devices had it when the
  ///    faults ended, and of the accounts of the devices that wrote it. So a device that changes
  ///    its account brings all of its data along, and the former account keeps the data as well.
  /// 5. A token occurs once. A copy, which some device marked as one, may repeat lines, each once.
  ///    A note that was imported under several ids may exist once under each.
  /// 6. A dead token of a note that only one device ever changed is in no note.
  ///
  /// A rollback of the service's files excuses 3 if another device had another version or the thing
  /// is a copy, and 5 and 6, because the origin of the version that the service has then is
  /// unknown. A restored backup excuses 3, 5 and 6. So do deleted record states, as after
  /// `keepEverything`, and a forgotten history. A delayed request excuses 3, 5 and 6 for the things
  /// that a user deleted, because it may create them again; after a rollback for all things,
  /// because it may create an earlier version of a record that the service has lost. A change of
  /// accounts excuses 3 and 6, because a thing that was deleted in one account may exist in the
  /// other. A restored library excuses 2, 3, 5 and 6; a line may then be in the trash of a device,
  /// or be gone (`Ledger.isDropped`). After an account was deleted, a line may be in the trash of a
  /// device. Nothing else excuses 4.
  func check() async throws {
    var reasons: [String] = []
    counts.tokens += ledger.origins.count
    let records = try await network.service.records()
    for account in Self.users.indices {
      let members = devices.filter { $0.account == account }
      if members.isEmpty {
        // Without devices nothing can correct the account.
        checkTokens(
          zoneEntries(records[account], of: account, &reasons), of: account, isExcused: true,
          &reasons)
      } else {
        try check(account, members, records[account], &reasons)
      }
    }
    guard reasons.isEmpty else { throw SimulationFailure(reasons: reasons) }
  }

  /// - Parameter members: The devices that are signed in to the account.
  private func check(
    _ account: Int, _ members: [SimulatedDevice], _ records: [Record], _ reasons: inout [String]
  ) throws {
    let entries = try entries(of: members[0])
    checkAgreement(of: members, with: entries, &reasons)
    let onServer = zoneEntries(records, of: account, &reasons)
    for entry in entries.subtracting(onServer) {
      reasons.append("the server lacks \(text(entry))")
    }
    for entry in onServer.subtracting(entries) {
      reasons.append("only the server has \(text(entry))")
    }
    let excused =
      ledger.wasRestored || ledger.wasForgotten || ledger.wasHistoryForgotten
      || ledger.wasLibraryRestored
    for entry in entries where !ledger.wasLibraryRestored {
      for time in [entry.time, entry.creation] where !ledger.times.contains(time) {
        reasons.append("no device wrote this time: \(entry)")
      }
    }
    if !excused, !ledger.wasMoved {
      for (thing, last) in ledger.undisputed(by: Set(members.map(\.number)))
      where !isImported(thing) && !mayReturn(thing)
        && (!ledger.wasPutBack || (ledger.uncontested.contains(thing) && !isCopy(thing)))
      {
        let found = entries.first { $0.thing == thing }
        // The earlier of two times of a favorite prevails if it is unknown which is newer.
        if ledger.wasPutBack, case .favorite = thing, (found == nil) == (last == nil) { continue }
        // Devices may make the same copy from versions with different times.
        if isCopy(thing), case .note(let found)? = found, case .note(let last)? = last,
          found.text == last.text, found.modifiedAt == last.modifiedAt
        {
          continue
        }
        if found != last {
          reasons.append(
            "one device alone changed it to \(text(last)), but it is \(text(found))")
        }
      }
    }
    let marked = try devices.reduce(into: Set()) { $0.formUnion(try $1.copies) }
    for case .note(let note) in entries where !ledger.notes.contains(note.id) {
      // A library that is restored loses the marks of its later copies.
      guard !marked.contains(note.id), !ledger.wasLibraryRestored else { continue }
      reasons.append("no user wrote it, no device marked it as a copy: \(text(.note(note)))")
    }
    checkTokens(entries, of: account, isExcused: excused || ledger.wasPutBack, &reasons)
  }

  private func checkAgreement(
    of members: [SimulatedDevice], with entries: Set<Entry>, _ reasons: inout [String]
  ) {
    let first = members[0].number
    for device in members {
      let found = (try? self.entries(of: device)) ?? []
      for entry in entries.subtracting(found) {
        reasons.append("device \(device.number) lacks what device \(first) has: \(text(entry))")
      }
      for entry in found.subtracting(entries) {
        reasons.append("device \(device.number) has what device \(first) lacks: \(text(entry))")
      }
      for isParked in [false, true] {
        for change in (try? device.library.pendingChanges(isParked: isParked)) ?? [] {
          reasons.append("device \(device.number) still has to send \(change)")
        }
      }
    }
  }

  private func zoneEntries(
    _ records: [Record], of account: Int, _ reasons: inout [String]
  ) -> Set<Entry> {
    var entries: Set<Entry> = []
    for record in records {
      if case .entry(let entry) = DecodedRecord(record, of: Self.users[account]) {
        entries.insert(entry)
      }
    }
    if entries.count != records.count { reasons.append("the server has unreadable records") }
    return entries
  }

  private func checkTokens(
    _ entries: Set<Entry>, of account: Int, isExcused: Bool, _ reasons: inout [String]
  ) {
    var inNotes: [Substring: Int] = [:]
    var inCopies: Set<Substring> = []
    for case .note(let note) in entries {
      let lines = Ledger.lines(of: note)
      if ledger.notes.contains(note.id) {
        for line in lines { inNotes[line, default: 0] += 1 }
      } else {
        counts.copies += 1
        if !isExcused, Set(lines).count < lines.count {
          reasons.append("a copy repeats a line: \(text(.note(note)))")
        }
        inCopies.formUnion(lines)
      }
    }
    let members = Set(devices.filter { $0.account == account }.map(\.number))
    let trash = ledger.wasLibraryRestored || script.hasProfiles ? trashedTokens : []
    for (token, notes) in ledger.origins {
      let count = inNotes[token, default: 0]
      if count == 0, !inCopies.contains(token) {
        if ledger.belongs(token, in: account, members), !trash.contains(token),
          !ledger.isDropped(token, in: account)
        {
          reasons.append("a line is lost: \(token)")
        }
      } else if ledger.deaths[token] != nil {
        let isUndisputed = notes.allSatisfy { ledger.changedBy[.note($0)]?.count == 1 }
        if isUndisputed, notes.count == 1, !isExcused,
          !notes.contains(where: { mayReturn(.note($0)) }),
          !ledger.wasMoved, !ledger.uncertain.contains(token)
        {
          reasons.append("a removed line is there again: \(token)")
        }
      } else if count > notes.count, !isExcused, !notes.contains(where: { mayReturn(.note($0)) }) {
        reasons.append("a line is there \(count) times: \(token)")
      }
    }
  }

  /// The lines of the notes in the trash of all devices.
  private var trashedTokens: Set<Substring> {
    devices.reduce(into: []) { tokens, device in
      for trashed in (try? device.library.trash()) ?? [] {
        tokens.formUnion(Ledger.lines(of: trashed.note))
      }
    }
  }

  /// Equal imported notes become one.
  private func isImported(_ thing: Thing) -> Bool {
    guard case .note(let id) = thing else { return false }
    return id.uuidString.contains("-0000001")
  }

  /// Whether a merge made the note, and may make it again.
  private func isCopy(_ thing: Thing) -> Bool {
    guard case .note(let id) = thing else { return false }
    return !ledger.notes.contains(id)
  }

  /// Whether a thing may exist although it was deleted, or have an earlier version, because a
  /// delayed request created it again.
  private func mayReturn(_ thing: Thing) -> Bool {
    hasLateRequests && (ledger.wasPutBack || ledger.deleted.contains(thing))
  }

  private var hasLateRequests: Bool {
    script.steps.contains { step in
      guard case .sync(_, let trouble) = step.action else { return false }
      return trouble.faults.values.contains { $0.kind == "late" }
    }
  }

  private func text(_ entry: Entry??) -> String {
    switch entry {
    case nil, .some(nil): "nothing"
    case .some(.some(.note(let note))):
      "note \(note.id.uuidString.suffix(6)) of \(note.ayah) \(note.createdAt) "
        + "\(note.modifiedAt) \(note.text.text.debugDescription)"
    case .some(.some(let entry)): "\(entry)"
    }
  }
}

extension Entry {
  fileprivate var creation: Int64 {
    if case .note(let note) = self { note.createdAt } else { time }
  }
}
