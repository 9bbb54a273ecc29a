import Library

/// What the settings screen tells of this machine.
public struct MachineFacts: Hashable, Sendable {
  public var libraryPath: String?
  public var configurationPath: String?
  /// What could not be understood in the configuration file.
  public var problems: [String]

  public init(
    libraryPath: String? = nil, configurationPath: String? = nil, problems: [String] = []
  ) {
    self.libraryPath = libraryPath
    self.configurationPath = configurationPath
    self.problems = problems
  }
}

/// A row of the settings screen.
enum SettingRow: Hashable {
  case setting(SettingKey)
  /// Something to know, with its name on the first of its rows.
  case fact(name: String, text: String)
  case gap
}
