import Foundation
import Library
import Quran

// The parts of library tests that need another process. Every line of output is written at once.
//
//     library-writer PATH SEED           changes the library until it is killed
//     library-writer --open PATH NUMBER  opens it, marks an ayah, closes it
//     library-writer --hold PATH         has it open until its input ends
//     library-writer --draft PATH NOTE TEXT  stores a draft of a note, has it open until input ends
//     library-writer --show PATH         prints what can be read and whether it can be changed
//     library-writer --back-up PATH      backs it up until it is killed
//     library-writer --import PATH       imports 10,000 notes, and prints how many are done
//     library-writer --fill PATH BALLAST fills the disk, then deletes the ballast
//     library-writer --recover PATH BALLAST  opens it on a full disk, then deletes the ballast
//     library-writer --release PATH      opens it on a full disk, then releases its owner
//     library-writer --limit PATH BYTES  the same by a limit to the size of files
//     library-writer --day TIME          prints the day of a time

let arguments = Array(CommandLine.arguments.dropFirst())

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  var start = 0
  while start < bytes.count {
    let count = bytes[start...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    if count > 0 { start += count } else if errno != EINTR { exit(3) }
  }
}

func opened(_ path: String) -> Library {
  do throws(LibraryFailure) {
    let opening = try Library.open(path, at: 1_800_000_000_000)
    for notice in opening.notices { say("notice \(notice)") }
    return opening.library
  } catch {
    say("failure \(error)")
    exit(0)
  }
}

switch (arguments.first, arguments.count) {
case ("--day", 2):
  say(Day(containing: Int64(arguments[1]) ?? 0).description)

case ("--open", 3):
  let library = opened(arguments[1])
  do throws(LibraryFailure) {
    let ayah = AyahID(index: Int(arguments[2]) ?? 0) ?? .first
    let commit = try library.commit([.setFavorite(ayah, true)], at: 1)
    say(commit.isEmpty ? "same" : "done")
  } catch {
    say("refused \(error)")
  }
  library.close()

case ("--hold", 2):
  let library = opened(arguments[1])
  say("open")
  _ = readLine()
  library.close()

case ("--draft", 4):
  let library = opened(arguments[1])
  do throws(LibraryFailure) {
    guard let id = UUID(uuidString: arguments[2]), let note = try library.note(id) else { exit(64) }
    try library.save(
      Draft(
        id: UUID(), noteID: id, ayah: note.ayah, base: note.text, text: arguments[3], changedAt: 1))
    say("saved")
  } catch {
    say("failure \(error)")
  }
  _ = readLine()
  library.close()

case ("--show", 2):
  show(opened(arguments[1]))

case ("--back-up", 2):
  let library = opened(arguments[1])
  var now: Int64 = 1_800_000_000_000
  while true {
    do {
      say(try library.backUp(at: now))
    } catch {
      say("failure \(error)")
    }
    now += 1000
  }

case ("--import", 2):
  importNotes(opened(arguments[1]))

case ("--fill", 3):
  fill(opened(arguments[1])) { unlink(arguments[2]) }

case ("--recover", 3):
  recover(arguments[1], ballast: arguments[2])

case ("--release", 2):
  releaseOwner(of: arguments[1])

case ("--limit", 3):
  signal(SIGXFSZ, SIG_IGN)
  let library = opened(arguments[1])
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  let former = limit
  limit.rlim_cur = rlim_t(arguments[2]) ?? 0
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  fill(library) {
    limit = former
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }

case (let path?, 2):
  var script = Script(library: opened(path), seed: UInt64(arguments[1]) ?? 0)
  script.run()

default:
  say("library-writer: see its source")
  exit(64)
}

/// Prints what can be read, and the result of a change.
func show(_ library: Library) {
  do throws(LibraryFailure) {
    let snapshot = try library.snapshot()
    say("favorites \(snapshot.favoriteCount)")
    say("notes \(try library.noteList().count)")
    for favorite in snapshot.favorites.suffix(1) {
      say("last \(favorite.ayah) \(try library.notes(of: favorite.ayah).count)")
    }
  } catch {
    say("failure \(error)")
  }
  do throws(LibraryFailure) {
    let isFavorite = try library.snapshot().isFavorite(.last)
    try library.commit([.setFavorite(.last, !isFavorite)], at: 2)
    say("changed")
  } catch {
    say("refused \(error)")
  }
  library.close()
}

/// Prints how a library that was opened on a full disk is opened again, and then changes it.
func recover(_ path: String, ballast: String) {
  let isOver = DispatchSemaphore(value: 0)
  @Sendable func report(_ reply: LibraryReply) {
    switch reply {
    case .opened(let snapshot, let notices):
      say("opened \(snapshot.favoriteCount) \(notices)")
      if notices.isEmpty { isOver.signal() }
    case .unavailable(let failure): say("unavailable \(failure)")
    default: break
    }
  }
  let owner = LibraryOwner(
    path: path, watchesFile: false, now: { 1_800_000_000_000 }, post: report)
  owner.waitUntilOpen(milliseconds: 60_000)
  unlink(ballast)
  guard isOver.wait(timeout: .now() + 60) == .success else { return say("not opened again") }
  guard case .done = owner.perform(.commit([.setFavorite(.last, true)])) else {
    return say("refused")
  }
  say("changed")
  owner.close()
}

/// Prints whether the owner of a library is released while it waits for space on a full disk.
func releaseOwner(of path: String) {
  weak var released: LibraryOwner?
  do {
    let owner = LibraryOwner(
      path: path, watchesFile: false, now: { 1_800_000_000_000 },
      post: { if case .opened(_, let notices) = $0 { say("opened \(notices)") } })
    owner.drain()
    released = owner
  }
  say(released == nil ? "released" : "not released")
}

/// Imports 10,000 notes and some favourites in the form of an older app.
func importNotes(_ library: Library) {
  var rows = LegacyRows(favorites: [], notes: [], progress: [])
  for number in 0..<10_000 {
    guard let ayah = AyahID(index: number % AyahID.count + 1),
      let id = UUID(uuidString: "00000000-0000-5000-8000-" + String(format: "%012X", number)),
      let text = try? NoteText(String(repeating: "Ghi chú \(number).\n", count: 20))
    else { continue }
    rows.notes.append(LegacyRows.Note(id: id, ayah: ayah, text: text, ordinal: 0))
    if number % 5 == 0 { rows.favorites.append(ayah) }
  }
  do throws(LibraryFailure) {
    let report = try library.importLegacy(rows, datedAt: 1, at: 2) { done in
      if done % 250 == 0 { say("\(done)") }
    }
    say("imported \(report[.favorites].imported) \(report[.notes].imported)")
  } catch {
    say("failure \(error)")
  }
  library.close()
}

/// Writes notes until there is no room, makes room, and writes more notes.
func fill(_ library: Library, makeRoom: () -> Void) {
  let ayah = AyahID.first
  var saved = 0
  func save() throws(LibraryFailure) {
    // Every attempt has the same id, because with another one fewer pages may change.
    guard let text = try? NoteText(String(repeating: "ghi chú \(saved)\n", count: 900)),
      let id = UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012X", saved))
    else { return }
    try library.commit([.addNote(id, ayah, text), .setFavorite(.last, saved % 2 == 0)], at: 1)
    saved += 1
  }
  func printState(_ what: String) {
    do throws(LibraryFailure) {
      let notes = try library.notes(of: ayah)
      let isFavorite = try library.snapshot().isFavorite(.last)
      let whole = notes.allSatisfy { $0.text.text.utf8.count > 900 * 10 }
      say("\(what) \(notes.count == saved && isFavorite == (saved % 2 == 1) && whole)")
    } catch {
      say("\(what) \(error)")
    }
  }
  do throws(LibraryFailure) {
    while saved < 10_000 { try save() }
    say("endless")
  } catch {
    say("refused \(error)")
  }
  say("saved \(saved > 0)")
  printState("reading")
  for _ in 0..<3 {
    do throws(LibraryFailure) { try save() } catch { say("again \(error)") }
  }
  printState("reading")
  makeRoom()
  do throws(LibraryFailure) {
    for _ in 0..<3 { try save() }
    say("changed")
  } catch {
    say("refused \(error)")
  }
  printState("reading")
  library.close()
  say("saved \(saved)")
}
