import FoundationEssentials
import Glibc

/// The file descriptors of this process.
enum Descriptors {
  /// Sets the close-on-exec flag of all descriptors except the three standard ones, before a
  /// program is started. This process opens its own descriptors with the flag, but some libraries
  /// do not.
  static func keepFromPrograms() {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    for descriptor in (names ?? []).compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }
}
