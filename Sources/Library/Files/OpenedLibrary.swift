/// A notice for the user about the file of a library.
public enum Notice: Hashable, Sendable {
  /// The file was damaged and renamed. A new library with the rows that could be read is in its
  /// place.
  ///
  /// - Parameters:
  ///   - path: The new path of the damaged file.
  ///   - salvaged: The number of favourites, notes and other rows that could be read.
  ///   - hasBackup: Whether there is a backup to restore.
  case setAside(path: String, salvaged: Int, hasBackup: Bool)
  /// The file was missing, and a new library is in its place.
  ///
  /// - Parameters:
  ///   - wal: The new path of the missing library's WAL, which contains its newest changes; nil if
  ///     there was none.
  ///   - hasBackup: Whether there is a backup to restore.
  case gone(wal: String?, hasBackup: Bool)
  /// The WAL belonged to another file. It was renamed to this path.
  case walSetAside(path: String)
  /// The file was replaced while the library was open. The contents of the library were saved under
  /// this path; nil if they were overwritten.
  case replaced(former: String?)
  /// The file was removed while the library was open. It was written again.
  case removed
  /// An external editor has ended without its reader, and left files in this directory that cannot
  /// be taken over.
  case filesOfEditor(path: String)
  /// The library can be read but not changed.
  case unchangeable(LibraryFailure)
  /// The check of all pages found damage. The library is salvaged when it is opened next.
  case damaged
}

/// A library that was opened, with its contents.
public struct OpenedLibrary: Sendable {
  /// The library.
  public let library: Library
  /// The contents when it was opened.
  public let snapshot: Snapshot
  /// The notices for the user.
  public let notices: [Notice]
  /// `dataVersion` before the snapshot was read.
  let version: Int
}
