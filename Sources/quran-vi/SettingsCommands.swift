import ArgumentParser
import Commands
import Library
import Messages

struct SettingsCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "settings", messages.helpSettings, default: SettingsList.self,
    [SettingsList.self, SettingsGet.self, SettingsSet.self])
}

struct SettingsList: ParsableCommand {
  static let configuration = CommandConfiguration("list", messages.helpSettingsList)

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.listSettings() }
}

struct SettingsGet: ParsableCommand {
  static let configuration = CommandConfiguration("get", messages.helpSettingsGet)

  @OptionGroup var setting: SettingArgument
  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.getSetting(setting.key) }
}

struct SettingsSet: ParsableCommand {
  static let configuration = CommandConfiguration("set", messages.helpSettingsSet)

  @OptionGroup var setting: SettingArgument

  // The words before the value contain the key.
  @Argument(
    help: ArgumentHelp(messages.helpSettingValue, valueName: messages.helpValueName),
    completion: .custom { words, _, _ in
      words.lazy.compactMap(SettingKey.init).first?.suggestions ?? []
    })
  var value: String

  @OptionGroup var options: LibraryOptions

  /// Moves negative numbers behind `--`, because the parser would take them for options. As values
  /// they are refused together with the values that are allowed.
  static func movingNegativeNumbers(_ arguments: [String]) -> [String] {
    arguments.movingBehindTerminator { index in
      let argument = arguments[index]
      return argument.hasPrefix("-") && argument.dropFirst().first?.isNumber == true
    }
  }

  func run() throws { try options.context.setSetting(setting.key, to: value) }
}

struct SettingArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(messages.helpSettingKey, valueName: messages.helpKeyName),
    completion: .list(SettingKey.allCases.map(\.rawValue)))
  var key: String
}
