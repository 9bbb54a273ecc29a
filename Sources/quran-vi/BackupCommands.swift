import ArgumentParser
import Commands
import Messages

struct BackupCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "backup", messages.helpBackup, default: BackupMake.self,
    [BackupMake.self, BackupList.self, BackupRestore.self])
}

struct BackupMake: ParsableCommand {
  static let configuration = CommandConfiguration("make", messages.helpBackupMake)

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.makeBackup() }
}

struct BackupList: ParsableCommand {
  static let configuration = CommandConfiguration("list", messages.helpBackupList)

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.listBackups() }
}

struct BackupRestore: ParsableCommand {
  static let configuration = CommandConfiguration("restore", messages.helpBackupRestore)

  @Argument(help: ArgumentHelp(messages.helpBackupName, valueName: messages.helpCopyName))
  var name: String?

  @Flag(help: ArgumentHelp(messages.helpYes))
  var yes = false

  @OptionGroup var answer: RestorationOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    try options.context.restoreBackup(
      name, isConfirmed: yes, restoration: answer.restoration)
  }
}
