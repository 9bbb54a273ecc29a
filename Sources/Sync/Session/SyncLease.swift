import Glibc
public import Library

/// The right to sync a library, which one process has at a time.
public enum SyncLease {
  /// How long a holder is waited for that was asked to step aside.
  public static let patience = Duration.seconds(10)

  public static func path(of library: String) -> String { library + ".sync" }

  /// What becomes another one whenever somebody asks the holder to step aside.
  struct Mark: Hashable {
    let seconds: Int
    let nanoseconds: Int
  }

  /// - Returns: nil where there is no file.
  static func mark(of library: String) -> Mark? {
    var status = stat()
    guard stat(path(of: library), &status) == 0 else { return nil }
    return Mark(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// - Throws: `held` at once where another process has it.
  static func take(of library: String) throws(FileLock.Failure) -> FileLock {
    try FileLock(path(of: library), .exclusive)
  }

  /// Waits up to one second for the lease, but does not ask the holder to release it.
  ///
  /// - Throws: `held` if another process still has it then; `cannotCreate` if the lease's file
  ///   cannot be opened.
  public static func waitBriefly(for library: String) throws(FileLock.Failure) -> FileLock {
    try FileLock.exclusive(path(of: library))
  }

  /// Takes it, and has a reader that holds it step aside for a while.
  ///
  /// - Throws: `held` where the holder is in the middle of much.
  public static func takeOver(
    _ library: String, within patience: Duration = Self.patience
  ) async throws(FileLock.Failure) -> FileLock {
    let end = ContinuousClock.now + patience
    while true {
      do throws(FileLock.Failure) {
        return try take(of: library)
      } catch {
        guard case .held = error, ContinuousClock.now < end, !Task.isCancelled else { throw error }
      }
      askToStepAside(library)
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Holders watch the file.
  private static func askToStepAside(_ library: String) {
    let descriptor = open(path(of: library), O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = pwrite(descriptor, ".", 1, 0)
  }
}
