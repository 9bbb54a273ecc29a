import FoundationEssentials
import Glibc

/// Where everything of the reader's lies, by the XDG Base Directory
/// Specification; relative values are ignored, as it asks.
///
/// Nil is a directory that would lie in a home where there is none.
public struct Paths: Sendable, Hashable {
  public let home: String?
  /// The reader's data.
  public let data: String?
  public let config: String?
  /// What `QURAN_VI_LIBRARY` names.
  private let library: String?

  /// - Parameter homeOfUser: the home to take where `HOME` names none.
  public init(
    environment: [String: String], homeOfUser: () -> String? = Self.homeOfUser
  ) {
    func absolute(_ path: String?) -> String? {
      path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = absolute(environment["HOME"]) ?? absolute(homeOfUser())
    self.home = home
    func directory(_ name: String, _ fallback: String) -> String? {
      (absolute(environment[name]) ?? home.map { "\($0)/\(fallback)" }).map { $0 + "/quran-vi" }
    }
    data = directory("XDG_DATA_HOME", ".local/share")
    config = directory("XDG_CONFIG_HOME", ".config")
    library = environment["QURAN_VI_LIBRARY"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where dumps of the older app are put, to be imported.
  public var importDirectory: String? { data.map { $0 + "/import" } }
  /// Where files go that were imported.
  public var archive: String? { data.map { $0 + "/imported" } }

  /// What the reader set for this machine.
  public var configFile: String? { config.map { $0 + "/config.toml" } }

  /// The library: the file that `QURAN_VI_LIBRARY` names, else the usual one.
  public var libraryFile: String? { libraryFile(override: nil) }

  /// - Parameter path: the file that a command line names, which comes before all.
  ///   Relative paths start where the program was started.
  public func libraryFile(override path: String?) -> String? {
    guard let named = path ?? library else { return data.map { $0 + "/library.sqlite" } }
    return named.hasPrefix("/") ? named : FileManager.default.currentDirectoryPath + "/" + named
  }

  /// The user's home, by the system's list of users.
  public static func homeOfUser() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) }
  }
}
