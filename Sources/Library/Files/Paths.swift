import FoundationEssentials
import Glibc

/// The directories of the program, by the XDG Base Directory Specification, which asks to ignore
/// relative paths. A directory is nil if it would be in the home directory and there is none.
public struct Paths: Sendable, Hashable {
  /// The home directory.
  public let home: String?
  /// The directory of the library and of installed editions.
  public let data: String?
  /// The directory of the configuration.
  public let config: String?
  /// The value of `QURAN_VI_LIBRARY`; nil if it is not set or is empty.
  private let library: String?

  /// Creates the paths from the environment variables of a process.
  ///
  /// - Parameter homeOfUser: Returns the home directory to use if `HOME` is missing or is a
  ///   relative path.
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

  /// The directory in which dumps of the older app are looked for.
  public var importDirectory: String? { data.map { $0 + "/import" } }
  /// The directory to which imported files are moved.
  public var archive: String? { data.map { $0 + "/imported" } }

  /// The directory of installed editions.
  public var editions: String? { data.map { $0 + "/editions" } }

  /// The configuration file, `config.toml`.
  public var configFile: String? { config.map { $0 + "/config.toml" } }

  /// The path of the library: `QURAN_VI_LIBRARY` if it is set, otherwise the default path.
  public var libraryPath: String? { libraryPath(override: nil) }

  /// Returns the path of the library.
  ///
  /// - Parameter path: The path given on the command line, which is used first; nil if none.
  ///   Relative paths are relative to the working directory.
  public func libraryPath(override path: String?) -> String? {
    guard let named = path ?? library else { return data.map { $0 + "/library.sqlite" } }
    return named.hasPrefix("/") ? named : FileManager.default.currentDirectoryPath + "/" + named
  }

  /// Returns the home directory of the user in the user database; nil if the user is not in it.
  public static func homeOfUser() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) }
  }
}
