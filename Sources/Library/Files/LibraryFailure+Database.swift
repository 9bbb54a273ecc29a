import GRDB
import Glibc

extension LibraryFailure {
  /// Creates the failure of an error that the database threw.
  ///
  /// - Parameter code: `errno` of the system call that failed in SQLite; 0 if it is unknown.
  init(_ error: any Error, path: String, system code: Int32 = 0) {
    if let failure = error as? LibraryFailure {
      self = failure
      return
    }
    guard let error = error as? DatabaseError else {
      self = .database(code: -1, message: "\(type(of: error))")
      return
    }
    let unknown = LibraryFailure.database(
      code: error.extendedResultCode.rawValue, message: error.message ?? "")
    self =
      switch (error.resultCode, error.extendedResultCode) {
      case (.SQLITE_FULL, _): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_CORRUPTFS), (.SQLITE_IOERR, .SQLITE_IOERR_DATA):
        .damaged(path: path)
      // SQLite reports only ENOSPC as a full disk.
      case (.SQLITE_IOERR, _) where [ENOSPC, EDQUOT, EFBIG].contains(code): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_SHMSIZE): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_WRITE) where code == 0: .diskFull
      case (.SQLITE_CANTOPEN, _) where code != 0: LibraryFailure(code: code, path: path)
      case (.SQLITE_READONLY, _), (.SQLITE_PERM, _), (.SQLITE_CANTOPEN, _): .readOnly
      case (.SQLITE_BUSY, _), (.SQLITE_LOCKED, _), (.SQLITE_PROTOCOL, _): .busy
      case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _): .damaged(path: path)
      default: unknown
      }
  }
}
