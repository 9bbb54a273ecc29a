import FoundationEssentials
import Glibc
public import Library
import Messages
import Sync

/// `quran-vi backup`: makes, lists and restores copies of the library.
public struct BackupCommand {
  /// An action of the command.
  public enum Action: Sendable {
    /// Makes a backup.
    case make
    /// Lists the backups, the newest first.
    case list
    /// Replaces the library by a backup.
    ///
    /// - Parameters:
    ///   - name: The name of the backup, or nil for the newest one.
    ///   - isConfirmed: Whether to skip the question whether to restore.
    ///   - restoration: The version that wins if the library is synced, or nil to ask.
    case restore(name: String?, isConfirmed: Bool, restoration: SyncAccount.Restoration? = nil)
  }

  private let action: Action
  private let asJSON: Bool
  private let access: LibraryAccess
  private let progress: ProgressBar
  /// Shows a question and reads a line; nil if the user cannot be asked.
  private let ask: ((String) -> String?)?

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - action: The action of the command.
  ///   - asJSON: Whether to print JSON.
  ///   - access: The library.
  ///   - progress: Shows the progress of making a backup.
  ///   - ask: Shows a question and reads a line; nil if the user cannot be asked.
  public init(
    _ action: Action, asJSON: Bool, access: LibraryAccess, progress: ProgressBar = .hidden,
    ask: ((String) -> String?)? = nil
  ) {
    self.action = action
    self.asJSON = asJSON
    self.access = access
    self.progress = progress
    self.ask = ask
  }

  private struct Entry: Encodable {
    let name: String
    let path: String
    /// The size in bytes.
    let size: Int
  }

  private struct Restored: Encodable {
    let name: String
    /// The path of the library that was replaced.
    let former: String?
  }

  private var messages: Messages { access.messages }

  /// Runs the command.
  ///
  /// - Throws: Status 1 if there is no library to copy or no such backup; 2 if the user must be
  ///   asked but cannot be and `--yes` is missing; 3 if the operation fails.
  public func run(_ console: Console) throws(CommandFailure) {
    guard let path = access.path else { throw CommandFailure(.noPlace, messages: messages) }
    let backups = Backups(of: path)
    switch action {
    case .make: try make(backups, of: path, console)
    case .list: try list(backups, console)
    case .restore(let name, let isConfirmed, let restoration):
      try restore(name, backups, of: path, isConfirmed: isConfirmed, restoration, console)
    }
  }

  private func make(
    _ backups: Backups, of path: String, _ console: Console
  ) throws(CommandFailure) {
    guard access.isThere else { throw CommandFailure(.notFound, messages.noLibraryYet) }
    let library = try access.openForChanges()
    let total = Self.size(path)
    let directory = backups.directory
    let measure = { @Sendable in (done: Self.sizeOfUnfinished(in: directory), total: total) }
    let name = try progress.watching(measure) { () throws(CommandFailure) in
      try access.explaining { try library.backUp(at: access.now()) }
    }
    if asJSON {
      try console.json([entry(name, backups)])
    } else {
      try console.line(messages.backupMade(backups.path(name)))
    }
  }

  private func list(_ backups: Backups, _ console: Console) throws(CommandFailure) {
    let all = backups.all
    if asJSON {
      try console.json(all.map { entry($0, backups) })
    } else {
      try console.lines(all.map { "\($0)  \(Self.size(backups.path($0)) / 1024) KiB" })
      if all.isEmpty, console.isTerminal { try console.line(messages.noBackups) }
    }
  }

  private func restore(
    _ name: String?, _ backups: Backups, of path: String, isConfirmed: Bool,
    _ restoration: SyncAccount.Restoration?, _ console: Console
  ) throws(CommandFailure) {
    guard let newest = backups.newest else {
      if backups.isOfForeignFile {
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
      guard let ask else { throw CommandFailure(.usage, messages.restoringNeedsYes) }
      let answer = ask(messages.askToRestore(name) + " ") ?? ""
      guard messages.isYes(answer) else {
        return try console.line(messages.nothingChanged)
      }
    }
    // Hold the sync lease, so that no other process syncs the library while it is replaced.
    let lease = try lease(of: path)
    defer { withExtendedLifetime(lease) {} }
    let former = try access.explaining {
      do {
        return try backups.restore(name, restoration ?? .asked, at: access.now())
      } catch LibraryFailure.busy {
        throw CommandFailure(.badData, messages.restoringNeedsClosing)
      }
    }
    if asJSON {
      try console.json([Restored(name: name, former: former)])
    } else {
      try console.line(messages.backupRestored(name))
      if let former { try console.line(messages.formerLibraryIsAt(former)) }
    }
    try settle(restoration, console)
  }

  /// Acquires the sync lease.
  private func lease(of path: String) throws(CommandFailure) -> FileLock {
    let path = Library.resolved(path)
    do throws(FileLock.Failure) {
      return try SyncLease.acquireWaitingBriefly(for: path)
    } catch {
      throw switch error {
      case .held: CommandFailure(.badData, messages.restoringNeedsClosing)
      case .cannotCreate(let code):
        CommandFailure(.badData, messages.fileNotWritten(SyncLease.path(of: path), code))
      }
    }
  }

  /// If the library is synced, asks which version wins, or explains how to answer later.
  private func settle(
    _ restoration: SyncAccount.Restoration?, _ console: Console
  ) throws(CommandFailure) {
    // The restore is complete, so a failure to open or read the library here is not an error.
    guard let library = try? access.openForChanges() else { return }
    defer { library.close() }
    guard let found = try? library.syncAccount()?.restoration else { return }
    var answer: SyncAccount.Restoration? = found == .asked ? nil : found
    if answer == nil, let ask {
      switch ask(messages.askRestored + " ")?.filter({ !$0.isWhitespace }) {
      case "1": answer = .keepRestored
      case "2": answer = .keepService
      default: break
      }
      if let answer { try access.explaining { try library.answer(answer) } }
    }
    // With `--json`, write hints to standard error.
    let said =
      answer.map { [messages.syncRestorationAnswered(keepsRestored: $0 == .keepRestored)] }
      ?? [messages.syncRestored, messages.syncRestoredChoice]
    if asJSON { said.forEach(access.warn) } else { try console.lines(said) }
  }

  private func entry(_ name: String, _ backups: Backups) -> Entry {
    Entry(name: name, path: backups.path(name), size: Self.size(backups.path(name)))
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The size of the backup that is being written. It has a temporary name until it is complete.
  private static func sizeOfUnfinished(in directory: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasSuffix(".new") }.map { size("\(directory)/\($0)") }.max() ?? 0
  }
}
