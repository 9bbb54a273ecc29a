import FoundationEssentials

/// Where everything of the reader's lies, by the XDG Base Directory
/// Specification; relative values are ignored, as it asks.
public struct Paths: Sendable, Hashable {
  /// What is kept between sessions but is not worth a backup.
  public let state: String
  /// The reader's data.
  public let data: String
  public let config: String

  public init(environment: [String: String]) {
    let home = environment["HOME"] ?? ""
    func directory(_ name: String, _ fallback: String) -> String {
      let value = environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return (value ?? "\(home)/\(fallback)") + "/quran-vi"
    }
    state = directory("XDG_STATE_HOME", ".local/state")
    data = directory("XDG_DATA_HOME", ".local/share")
    config = directory("XDG_CONFIG_HOME", ".config")
  }

  public var stateFile: String { state + "/state.json" }
}
