import Glibc

/// A lock on a file beside the library. It is released when the value is deinitialized or the
/// process ends.
///
/// A process that has the library open holds a shared lock; a process that creates, migrates or
/// replaces it holds an exclusive one. The process that syncs holds a lock on another file.
public final class FileLock: Sendable {
  /// Whether others may hold the lock at the same time.
  public enum Mode: Sendable { case shared, exclusive }

  /// The reason why a lock was not acquired.
  public enum Failure: Error, Hashable, Sendable {
    /// The file cannot be opened, created or locked. The value is the `errno`.
    case cannotCreate(Int32)
    /// Another holder has a lock that excludes this one.
    case held
  }

  private let descriptor: Int32

  /// Acquires a lock without waiting.
  ///
  /// - Throws: `held` if another holder has a lock that excludes this one; `cannotCreate` if the
  ///   file cannot be opened or locked.
  public init(_ path: String, _ mode: Mode) throws(Failure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(errno) }
    guard flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? .held : .cannotCreate(code)
    }
    // If this were set before `init` throws, `deinit` would close the descriptor a second time.
    self.descriptor = descriptor
  }

  /// Acquires an exclusive lock, and waits for it for up to one second: a process that is just
  /// ending may still hold it.
  ///
  /// - Throws: `held` if another holder still has a lock then; `cannotCreate` if the file cannot be
  ///   opened or locked.
  public static func exclusive(_ path: String) throws(Failure) -> FileLock {
    for _ in 0..<100 {
      do throws(Failure) {
        return try FileLock(path, .exclusive)
      } catch {
        guard case .held = error else { throw error }
        usleep(10_000)
      }
    }
    throw .held
  }

  deinit { close(descriptor) }
}
