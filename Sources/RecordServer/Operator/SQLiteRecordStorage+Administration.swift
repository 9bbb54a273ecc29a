public import Glibc

extension SQLiteRecordStorage {
  /// Returns the ID of a process that has a database file open, such as a server or another
  /// command; nil if there is none, or if the `-shm` file cannot be read. It must be called before
  /// this process opens the file: it closes a descriptor of the `-shm` file, which would release
  /// this process's own locks on it.
  ///
  /// Each connection to a database in WAL mode holds a lock on one byte of the `-shm` file, and the
  /// kernel reports the process that holds it (https://sqlite.org/walformat.html#locks, and the
  /// dead man switch, DMS, in SQLite's os_unix.c).
  public static func process(using path: String) -> pid_t? {
    let deadManSwitch: off_t = 128
    let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = deadManSwitch
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }
}
