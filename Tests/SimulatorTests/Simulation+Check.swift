import Foundation
import Library

@testable import Sync

/// What is not as it has to be.
struct SimulationFailure: Error, CustomStringConvertible {
  let reasons: [String]

  var description: String { reasons.joined(separator: "\n") }
}

// What holds once nobody has anything to tell another.
extension Simulation {
  /// Checks, after everything came to rest:
  ///
  /// 1. Every device and the server hold the same favourites, notes, progress and settings, to
  ///    the millisecond and the byte, each as one record; nothing waits, nothing is parked.
  /// 2. Every time is one that some device stamped by its own clock: merging invents none.
  /// 3. A thing that one device alone ever changed is as that device left it.
  /// 4. Every living token stands in some note.
  /// 5. It stands there once; a copy, which some device marked as one, may repeat lines, each
  ///    once. A note that was imported under several ids may be there as often as it was.
  /// 6. A dead token of a note that one device alone ever changed is in no note.
  ///
  /// A service that went back to a backup excuses 3, 5 and 6, as do what was known of the server
  /// having been forgotten (to keep everything is that), and a request that came late: it may
  /// make again what was deleted after it was given up. A living token is excused by nothing.
  func check() throws {
    var reasons: [String] = []
    let entries = try entries(of: devices[0])
    checkAgreement(with: entries, &reasons)
    let excused = ledger.wasRestored || ledger.wasForgotten || hasLateRequests
    for entry in entries {
      for time in [entry.time, entry.creation] where !ledger.times.contains(time) {
        reasons.append("nobody's time: \(entry)")
      }
    }
    if !excused {
      for (thing, last) in ledger.undisputed where !isImported(thing) {
        let found = entries.first { $0.thing == thing }
        if found != last {
          reasons.append(
            "one device alone changed it to \(text(last)), but it is \(text(found))")
        }
      }
    }
    let marked = try devices.reduce(into: Set()) { $0.formUnion(try $1.copies) }
    for case .note(let note) in entries where !ledger.notes.contains(note.id) {
      guard !marked.contains(note.id) else { continue }
      reasons.append("nobody wrote, and nobody marked as a copy: \(text(.note(note)))")
    }
    checkTokens(entries, isExcused: excused, &reasons)
    guard reasons.isEmpty else { throw SimulationFailure(reasons: reasons) }
  }

  private func checkAgreement(with entries: Set<Entry>, _ reasons: inout [String]) {
    for device in devices {
      let found = (try? self.entries(of: device)) ?? []
      for entry in entries.subtracting(found) {
        reasons.append("device \(device.number) lacks what device 0 has: \(text(entry))")
      }
      for entry in found.subtracting(entries) {
        reasons.append("device \(device.number) has what device 0 lacks: \(text(entry))")
      }
      for isParked in [false, true] {
        for change in (try? device.library.pendingChanges(isParked: isParked)) ?? [] {
          reasons.append("device \(device.number) still has to send \(change)")
        }
      }
    }
    let records = network.service { $0.records }
    var onServer: Set<Entry> = []
    for record in records {
      if case .entry(let entry) = RecordReading(record, of: Self.user) { onServer.insert(entry) }
    }
    if onServer.count != records.count { reasons.append("the server has unreadable records") }
    for entry in entries.subtracting(onServer) {
      reasons.append("the server lacks \(text(entry))")
    }
    for entry in onServer.subtracting(entries) {
      reasons.append("only the server has \(text(entry))")
    }
  }

  private func checkTokens(
    _ entries: Set<Entry>, isExcused: Bool, _ reasons: inout [String]
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
    counts.tokens += ledger.origins.count
    for (token, notes) in ledger.origins {
      let count = inNotes[token, default: 0]
      let isThere = count > 0 || inCopies.contains(token)
      if ledger.dead.contains(token) {
        let isUndisputed = notes.allSatisfy { ledger.hands[.note($0)]?.count == 1 }
        if isThere, isUndisputed, notes.count == 1, !isExcused {
          reasons.append("a removed line is there again: \(token)")
        }
      } else if !isThere {
        reasons.append("a line is lost: \(token)")
      } else if count > notes.count, !isExcused {
        reasons.append("a line is there \(count) times: \(token)")
      }
    }
  }

  /// Imported notes adopt each other.
  private func isImported(_ thing: Thing) -> Bool {
    guard case .note(let id) = thing else { return false }
    return id.uuidString.contains("-0000001")
  }

  private var hasLateRequests: Bool {
    script.steps.contains { step in
      guard case .sync(_, let trouble) = step.action else { return false }
      return trouble.mishaps.values.contains { $0.kind == "late" }
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
