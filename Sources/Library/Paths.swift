import FoundationEssentials
import Glibc

/// Where everything of the reader's lies, by the XDG Base Directory
/// Specification; relative values are ignored, as it asks.
///
/// Nil is a directory that would lie in a home where there is none.
public struct Paths: Sendable, Hashable {
  /// What is kept between sessions but is not worth a backup.
  public let state: String?
  /// The reader's data.
  public let data: String?
  public let config: String?

  /// - Parameter homeOfUser: the home to take where `HOME` names none.
  public init(
    environment: [String: String], homeOfUser: () -> String? = Self.homeOfUser
  ) {
    func absolute(_ path: String?) -> String? {
      path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = absolute(environment["HOME"]) ?? absolute(homeOfUser())
    func directory(_ name: String, _ fallback: String) -> String? {
      (absolute(environment[name]) ?? home.map { "\($0)/\(fallback)" }).map { $0 + "/quran-vi" }
    }
    state = directory("XDG_STATE_HOME", ".local/state")
    data = directory("XDG_DATA_HOME", ".local/share")
    config = directory("XDG_CONFIG_HOME", ".config")
  }

  public var stateFile: String? { state.map { $0 + "/state.json" } }

  /// The user's home, by the system's list of users.
  public static func homeOfUser() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) }
  }
}
