import Foundation
import GRDB
import Quran
import Synchronization

@testable import Library

/// A device with its library and clock.
final class SimulatedDevice: Sendable {
  let number: Int
  let library: Library
  private let libraries: SimulatedLibraries
  private let clock: SimulatedClock
  private let state: Mutex<State>

  private struct State {
    var ahead: Int64
    var isSignedIn = false
    var account = 0
    var isSyncing = false
    var opened: Note?
    var backup: Backup?
    var restoration = SyncAccount.Restoration.keepRestored
  }

  /// A copy of the library.
  private struct Backup {
    let database: DatabaseQueue
    /// The number of the account that the device was signed in to.
    let account: Int
  }

  /// - Parameter ahead: The milliseconds by which its clock is ahead.
  init(_ number: Int, _ clock: SimulatedClock, ahead: Int64, from libraries: SimulatedLibraries)
    throws
  {
    self.number = number
    self.clock = clock
    self.libraries = libraries
    state = Mutex(State(ahead: ahead))
    library = try libraries.acquire()
  }

  deinit { libraries.release(library) }

  var ahead: Int64 {
    get { state.withLock { $0.ahead } }
    set { state.withLock { $0.ahead = newValue } }
  }

  var isSignedIn: Bool {
    get { state.withLock { $0.isSignedIn } }
    set { state.withLock { $0.isSignedIn = newValue } }
  }

  /// The number of the account that the device is signed in to, or was last.
  var account: Int {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  /// Rounds of one device do not overlap.
  var isSyncing: Bool {
    get { state.withLock { $0.isSyncing } }
    set { state.withLock { $0.isSyncing = newValue } }
  }

  /// The note in the editor, as it was opened.
  var opened: Note? {
    get { state.withLock { $0.opened } }
    set { state.withLock { $0.opened = newValue } }
  }

  /// The answer to the question which state is kept after the library was restored.
  var restoration: SyncAccount.Restoration {
    get { state.withLock { $0.restoration } }
    set { state.withLock { $0.restoration = newValue } }
  }

  /// The time of the device's clock, in milliseconds since 1970.
  var now: Int64 { clock.time + ahead }

  /// The notes in the order of the book.
  var notes: [Note] {
    get throws { try read { try Self.notes($0) } }
  }

  /// Reads through GRDB's write access. GRDB's `read` makes the connection read-only during the
  /// read, and SQLite would compile every statement again.
  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try library.database.writeWithoutTransaction(body)
  }

  private static func notes(_ database: Database) throws -> [Note] {
    try database.rows(
      "SELECT \(Note.columns) FROM note ORDER BY surah, ayah, createdAt, id", make: Note.init)
  }

  /// The lines of all notes, and of those in the trash.
  var tokens: Set<Substring> {
    get throws {
      try (notes + library.trash().map(\.note)).reduce(into: []) {
        $0.formUnion(Ledger.lines(of: $1))
      }
    }
  }

  /// Makes a backup of the library.
  func backUpLibrary() throws {
    let copy = try DatabaseQueue()
    try library.database.backup(to: copy)
    state.withLock { $0.backup = Backup(database: copy, account: $0.account) }
  }

  /// Restores the backup of the library as `backup restore` does.
  ///
  /// - Returns: Whether there was a backup.
  func restoreLibrary() throws -> Bool {
    guard let backup = state.withLock({ $0.backup }) else { return false }
    let former = try library.syncAccount()
    let newest = try read { try $0.generation() }
    try backup.database.backup(to: library.database)
    // A library that was backed up before it was connected gets the account of the replaced one.
    let isConnected = try library.syncAccount() != nil
    try library.write { try $0.markRestored(replacing: former, choice: .undecided, newest: newest) }
    state.withLock {
      if isConnected { $0.account = backup.account }
      $0.opened = nil
    }
    return true
  }

  /// The ids of the notes that are marked as copies.
  var copies: Set<UUID> {
    get throws {
      try Set(read { try $0.rows("SELECT id FROM noteCopy") { UUID(uuidString: $0.string(0)) } })
    }
  }

  /// The device's version of a thing; nil if it does not exist.
  func entry(_ thing: Thing) throws -> Entry? { try read { try $0.entry(thing) } }

  /// The entries of the device.
  ///
  /// - Parameter things: The things to read, besides notes.
  func entries(_ things: some Sequence<Thing>) throws -> Set<Entry> {
    try read { database in
      var entries = Set(try Self.notes(database).map(Entry.note))
      for thing in things where thing.kind != .note {
        if let entry = try database.entry(thing) { entries.insert(entry) }
      }
      return entries
    }
  }
}

/// The time of the simulation.
final class SimulatedClock: Sendable {
  private let milliseconds = Atomic<Int64>(1_800_000_000_000)

  /// Milliseconds since 1970, UTC.
  var time: Int64 { milliseconds.load(ordering: .relaxed) }

  func wait(_ milliseconds: Int64) { self.milliseconds.add(milliseconds, ordering: .relaxed) }
}
