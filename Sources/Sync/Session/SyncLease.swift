import Glibc
public import Library

/// The right to sync a library, which one process has at a time. It is a lock on a file beside the
/// library.
///
/// A process that wants the lease modifies the file. A reader that holds the lease watches the
/// file.
public enum SyncLease {
  /// How long `acquireAskingHolder` waits by default.
  public static let acquireTimeout = Duration.seconds(10)

  /// The path of the lease's file.
  ///
  /// - Parameter library: The path of the library.
  public static func path(of library: String) -> String { library + ".sync" }

  /// Acquires the lease without waiting.
  ///
  /// - Throws: `held` if another process has the lease; `cannotCreate` if the lease's file cannot
  ///   be opened.
  static func acquire(for library: String) throws(FileLock.Failure) -> FileLock {
    try FileLock(path(of: library), .exclusive)
  }

  /// Acquires the lease. Waits up to one second for it, but does not ask the holder to release it.
  ///
  /// - Parameter library: The path of the library.
  /// - Throws: `held` if another process still has it then; `cannotCreate` if the lease's file
  ///   cannot be opened.
  public static func acquireWaitingBriefly(
    for library: String
  ) throws(FileLock.Failure) -> FileLock {
    try FileLock.exclusive(path(of: library))
  }

  /// Acquires the lease, and asks its holder to release it. A reader releases it for a while; a
  /// command does not.
  ///
  /// - Parameters:
  ///   - library: The path of the library.
  ///   - timeout: The maximum time to wait.
  /// - Throws: `held` if the holder does not release it in this time, or if the task is cancelled;
  ///   `cannotCreate` if the lease's file cannot be opened.
  public static func acquireAskingHolder(
    for library: String, within timeout: Duration = Self.acquireTimeout
  ) async throws(FileLock.Failure) -> FileLock {
    let end = ContinuousClock.now + timeout
    while true {
      do throws(FileLock.Failure) {
        return try acquire(for: library)
      } catch {
        guard case .held = error, ContinuousClock.now < end, !Task.isCancelled else { throw error }
      }
      askHolder(of: library)
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Modifies the lease's file, which a reader that holds the lease watches.
  private static func askHolder(of library: String) {
    let descriptor = open(path(of: library), O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = pwrite(descriptor, ".", 1, 0)
  }
}
