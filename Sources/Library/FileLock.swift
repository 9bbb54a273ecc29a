import Glibc

/// A lock on a file beside the library, given up when the value goes or the process ends.
///
/// Everyone who has the library open holds its own shared; who creates it, migrates it or
/// sets it aside holds it alone. Another one is held by the one process that syncs.
public final class FileLock: Sendable {
  public enum Mode: Sendable { case shared, exclusive }

  public enum Failure: Error, Hashable, Sendable {
    /// The place may not be written, or is full; `errno`.
    case cannotCreate(Int32)
    case held
  }

  private let descriptor: Int32

  /// - Throws: at once where another has it.
  public init(_ path: String, _ mode: Mode) throws(Failure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(errno) }
    guard flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? .held : .cannotCreate(code)
    }
    // Not before: what is initialized whole is also deinitialized where it throws.
    self.descriptor = descriptor
  }

  /// Waits a second for an exclusive lock: a process that is just ending, or one that a
  /// holder just started, may still have it.
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
