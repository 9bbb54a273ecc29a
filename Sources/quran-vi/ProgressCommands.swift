import ArgumentParser
import Commands
import Messages

struct ProgressCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "progress", messages.helpProgress, default: ProgressShow.self,
    [ProgressShow.self, ProgressSet.self, ProgressReset.self])
}

struct ProgressShow: ParsableCommand {
  static let configuration = CommandConfiguration("show", messages.helpProgressShow)

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.showProgress() }
}

struct ProgressSet: ParsableCommand {
  static let configuration = CommandConfiguration("set", messages.helpProgressSet)

  @Argument(help: ArgumentHelp(messages.helpAyahs, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.setProgress(references) }
}

struct ProgressReset: ParsableCommand {
  static let configuration = CommandConfiguration("reset", messages.helpProgressReset)

  @Argument(help: ArgumentHelp(messages.helpSurahs, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.resetProgress(references) }
}
