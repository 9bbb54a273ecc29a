import ArgumentParser
import Commands
import Library
import Messages

struct SettingsCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "settings", abstract: Launch.messages.helpSettings,
      subcommands: [SettingsList.self, SettingsGet.self, SettingsSet.self],
      defaultSubcommand: SettingsList.self)
  }
}

struct SettingsList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.messages.helpSettingsList)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try SettingsCommand(.list, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct SettingsGet: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "get", abstract: Launch.messages.helpSettingsGet)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpSettingKey, valueName: Launch.messages.helpKeyName),
    completion: .list(SettingKey.allCases.map(\.rawValue)))
  var key: String

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try SettingsCommand(.get(key), asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct SettingsSet: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "set", abstract: Launch.messages.helpSettingsSet)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpSettingKey, valueName: Launch.messages.helpKeyName),
    completion: .list(SettingKey.allCases.map(\.rawValue)))
  var key: String

  @Argument(
    help: ArgumentHelp(Launch.messages.helpSettingValue, valueName: Launch.messages.helpValueName))
  var value: String

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try SettingsCommand(.set(key, value), asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}
