import Editions
import FoundationEssentials
public import Library
public import Sync

extension ReaderSession {
  /// The services that the reader uses in addition to the terminal and the library.
  public struct Services {
    /// Copies a string to the clipboard of the desktop; false if there is none.
    public var copy: (String) -> Bool = { _ in false }
    /// Edits the text of a draft in the user's own editor, which uses the terminal in the meantime.
    public var edit: (Draft) -> EditorOutput = { _ in EditorOutput(.failed(127, written: nil)) }
    /// The name of the user's editor.
    public var editorName = ""
    /// The time, in milliseconds since 1970, UTC.
    public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// Reads and writes the files of `:import` and `:export`.
    public var files: FileExchange = { _, _, _, _ in .refused("") }
    /// Lists, installs and chooses editions.
    public var editions: EditionExchange = { _, _, post in
      post(.done(nil, AvailableTexts(items: [], current: .bundled)))
    }
    /// The paths that begin with a string.
    public var listFiles: (String) -> [String] = { _ in [] }
    /// The path of a preference dump of the older app, if one is found.
    public var findDump: @Sendable () -> String? = { nil }
    /// Starts to sync the library in the background; returns nil if the library has no file.
    public var sync: (LibraryOwner, @escaping @Sendable (SyncStatus) -> Void) -> SyncSession? = {
      _, _ in nil
    }
    /// Whether the library is connected to a service, but nobody is signed in.
    public var isSignedOut: () -> Bool = { false }

    /// Creates services that do nothing, except to tell the time.
    public init() {}
  }

  /// The outcome of an external editor, and the file that it edited.
  public struct EditorOutput {
    let outcome: EditorResult
    /// An object that deletes the edited file when it is released; nil if there is nothing to
    /// delete.
    let file: AnyObject?

    public init(_ outcome: EditorResult, file: AnyObject? = nil) {
      self.outcome = outcome
      self.file = file
    }
  }

  /// The outcome of editing a text in an external editor.
  public enum EditorResult: Hashable, Sendable {
    case text(String)
    /// The editor failed.
    ///
    /// - Parameters:
    ///   - status: the exit status, as shells report it; 127 if there is no such program.
    ///   - written: the text that it wrote nevertheless; nil if it wrote none.
    case failed(_ status: Int32, written: String?)
    /// The file that the editor wrote is not UTF-8; it is kept at this path.
    case notText(path: String)
    /// The editor could not be started; the code is an `errno`.
    case notStarted(_ code: Int32)
  }
}
