import Glibc
public import Library
public import Sync

extension ReaderSession {
  /// What lies outside the terminal and the library.
  public struct Outside {
    /// Hands text to the desktop's clipboard, besides the terminal's; false where
    /// there is none.
    let copy: (String) -> Bool
    /// Has a text written in the reader's own editor, which takes the terminal.
    let edit: (String) -> Edited
    /// What that editor is called.
    let editorName: String
    /// Milliseconds since 1970, UTC.
    let now: @Sendable () -> Int64
    /// What `:import` and `:export` do.
    let files: FileExchange
    /// The paths that begin as typed.
    let listFiles: (String) -> [String]
    /// Where a dump of the older app lies, if one does.
    let findDump: @Sendable () -> String?
    /// Begins to sync the library in the background; nil where there is no place for one.
    let sync: (LibraryOwner, @escaping @Sendable (SyncStatus) -> Void) -> SyncSession?

    /// What became of a text in an editor.
    public enum Edited: Hashable, Sendable {
      case text(String)
      /// With a status as shells say it, and what was written all the same.
      case failed(Int32, written: String?)
      /// What was written is no UTF-8, and lies in this file.
      case notText(path: String)
      /// `errno`
      case notStarted(Int32)
    }

    public init(
      copy: @escaping (String) -> Bool = { _ in false },
      edit: @escaping (String) -> Edited = { _ in .failed(127, written: nil) },
      editorName: String = "",
      now: @escaping @Sendable () -> Int64 = { Self.clock },
      files: FileExchange = .none,
      listFiles: @escaping (String) -> [String] = { _ in [] },
      findDump: @escaping @Sendable () -> String? = { nil },
      sync: @escaping (LibraryOwner, @escaping @Sendable (SyncStatus) -> Void) -> SyncSession? = {
        _, _ in nil
      }
    ) {
      self.copy = copy
      self.edit = edit
      self.editorName = editorName
      self.now = now
      self.files = files
      self.listFiles = listFiles
      self.findDump = findDump
      self.sync = sync
    }

    /// The system's clock, in milliseconds since 1970, UTC.
    public static var clock: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
  }
}
