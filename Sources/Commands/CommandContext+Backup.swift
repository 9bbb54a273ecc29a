import FoundationEssentials
import Glibc
public import Library
import Messages
import Sync

private struct BackupEntry: Encodable {
  let name: String
  let path: String
  /// The size in bytes.
  let size: Int
}

private struct RestoredBackup: Encodable {
  let name: String
  /// The path to which the previous library was moved; nil if there was none.
  let former: String?
}

// `quran-vi backup`
extension CommandContext {
  /// Makes a backup.
  ///
  /// - Throws: Status 1 if there is no library, 3 if it cannot be opened or the backup cannot be
  ///   written.
  public func makeBackup() throws(CommandFailure) {
    let path = try requiredLibraryPath
    let backups = Backups(of: path)
    try checkSpecifiedLibrary()
    guard hasLibraryFile else { throw CommandFailure(.notFound, messages.noLibraryYet) }
    let library = try openForChanges()
    let total = Self.size(path)
    let directory = backups.directory
    let progress = { @Sendable in (done: Self.unfinishedBackupSize(in: directory), total: total) }
    let name = try progressBar().polling(progress) { () throws(CommandFailure) in
      try convertingFailures { try library.backUp(at: now()) }
    }
    if asJSON {
      try console.json([entry(name, backups)])
    } else {
      try console.line(messages.backupMade(backups.path(name)))
    }
  }

  /// Prints the backups, the newest first.
  public func listBackups() throws(CommandFailure) {
    let backups = Backups(of: try requiredLibraryPath)
    let all = backups.all
    if all.isEmpty { try checkSpecifiedLibrary() }
    if asJSON {
      try console.json(all.map { entry($0, backups) })
    } else {
      try console.lines(all.map { "\($0)  \(messages.fileSize(Self.size(backups.path($0))))" })
      if all.isEmpty { warn(messages.noBackups) }
    }
  }

  /// Replaces the library with a backup.
  ///
  /// - Parameters:
  ///   - name: The name of the backup, or nil for the newest one.
  ///   - isConfirmed: Whether to restore without asking the user.
  ///   - restoration: Which version sync uses, that of the backup or that of the service; nil to
  ///     let the user choose, if the library is connected to a service.
  /// - Throws: Status 1 if there is no such backup; 2 if the user has to confirm but cannot be
  ///   asked; 3 if the operation fails.
  public func restoreBackup(
    _ name: String?, isConfirmed: Bool, restoration: SyncAccount.Restoration? = nil
  ) throws(CommandFailure) {
    let path = try requiredLibraryPath
    let backups = Backups(of: path)
    guard let newest = backups.newest(asOf: now()) else {
      if backups.libraryFileIsForeign {
        throw CommandFailure(.foreign(path: path), messages: messages)
      }
      throw CommandFailure(.notFound, messages.noBackups)
    }
    let name = name ?? newest
    // Accept only listed names, so that a name cannot be a path to another directory.
    guard backups.all.contains(name) else {
      throw CommandFailure(.notFound, messages.noSuchBackup(name))
    }
    if !isConfirmed {
      guard let ask else { throw CommandFailure(.usage, messages.restoringNeedsConfirmation) }
      let answer = ask(messages.question(messages.askToRestore(name))) ?? ""
      guard messages.isYes(answer) else {
        if asJSON { try console.json([RestoredBackup]()) }
        return try say(messages.nothingChanged)
      }
    }
    // Hold the sync lease, so that no other process syncs the library while it is replaced.
    let lease = try acquireLease(of: path)
    defer { withExtendedLifetime(lease) {} }
    let previous = try convertingFailures {
      do {
        return try backups.restore(name, restoration ?? .undecided, at: now())
      } catch LibraryFailure.busy {
        throw CommandFailure(.badData, messages.libraryIsOpenElsewhere)
      }
    }
    if asJSON {
      try console.json([RestoredBackup(name: name, former: previous)])
    } else {
      try console.line(messages.backupRestored(name))
      if let previous { try console.line(messages.previousLibraryIsAt(previous)) }
    }
    try resolveRestoration()
  }

  /// Acquires the sync lease.
  private func acquireLease(of path: String) throws(CommandFailure) -> FileLock {
    let path = Library.resolved(path)
    do throws(FileLock.Failure) {
      return try SyncLease.acquireWaitingBriefly(for: path)
    } catch {
      throw switch error {
      case .held: CommandFailure(.badData, messages.libraryIsOpenElsewhere)
      case .cannotCreate(let code):
        CommandFailure(.badData, messages.fileNotWritten(SyncLease.path(of: path), code))
      }
    }
  }

  /// If the library is connected to a service and no version was chosen, asks the user which one
  /// sync uses. Prints the choice or, if the user cannot be asked or does not answer, how to choose
  /// later.
  private func resolveRestoration() throws(CommandFailure) {
    // The restore is complete, so a failure to open or read the library here is not an error.
    guard let library = try? openForChanges() else { return }
    defer { library.close() }
    guard let found = try? library.syncAccount()?.restoration else { return }
    var answer: SyncAccount.Restoration? = found == .undecided ? nil : found
    if answer == nil, let ask {
      switch ask(messages.askRestored + " ")?.filter({ !$0.isWhitespace }) {
      case "1": answer = .keepRestored
      case "2": answer = .keepService
      default: break
      }
      if let answer { try convertingFailures { try library.chooseRestoration(answer) } }
    }
    let lines =
      answer.map { [messages.syncRestorationAnswered(keepsRestored: $0 == .keepRestored)] }
      ?? [messages.syncRestored, messages.syncRestoredChoice]
    for line in lines { try say(line) }
  }

  private func entry(_ name: String, _ backups: Backups) -> BackupEntry {
    BackupEntry(name: name, path: backups.path(name), size: Self.size(backups.path(name)))
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The size of the backup that is being written. It has a temporary name until it is complete.
  private static func unfinishedBackupSize(in directory: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasSuffix(".new") }.map { size("\(directory)/\($0)") }.max() ?? 0
  }
}
