import FoundationEssentials
import Glibc

/// Descriptors of this process, before it starts a program.
enum Descriptors {
  /// Keeps all but the three standard ones from programs that are started. The system's own and the
  /// reader's are marked so when they are opened; some that libraries open are not.
  static func keepFromPrograms() {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    for descriptor in (names ?? []).compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }
}
