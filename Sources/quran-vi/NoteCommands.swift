import ArgumentParser
import Commands
import Messages

struct NoteCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "note", abstract: Launch.messages.helpNote,
      subcommands: [NoteAdd.self, NoteEdit.self, NoteRemove.self, NoteRestore.self, NoteList.self],
      defaultSubcommand: NoteList.self)
  }
}

/// The options that specify the source of a note's text.
struct NoteTextOptions: ParsableArguments {
  // Unconditional parsing, because the text can begin with a dash, like an item of a list.
  @Option(
    name: [.customShort("m"), .customLong("message")], parsing: .unconditional,
    help: ArgumentHelp(Launch.messages.helpNoteText, valueName: Launch.messages.helpTextName))
  var message: String?

  /// Chooses the source of the text: `-m`, standard input or the editor.
  ///
  /// - Parameter subject: The positional arguments. A dash as the last one selects standard input,
  ///   as does a pipe.
  /// - Returns: The positional arguments without the dash, and the source.
  func source(_ subject: [String]) throws -> (subject: [String], source: NoteCommand.Source) {
    let asksForInput = subject.last == "-"
    let subject = asksForInput ? subject.dropLast() : subject
    if let message {
      guard !asksForInput else {
        throw CommandFailure(.usage, Launch.messages.notTogether("-m", "-"))
      }
      return (subject, .given(message))
    }
    guard asksForInput || !StandardInput.isTerminal else {
      return (subject, .editor(ExternalEditor(environment: Launch.environment)))
    }
    return (
      subject,
      .input { limit throws(CommandFailure) in
        try StandardInput.read(limit: limit, messages: Launch.messages)
      }
    )
  }
}

struct NoteAdd: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "add", abstract: Launch.messages.helpNoteAdd)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpNoteAyah, valueName: Launch.messages.helpReferenceName))
  var subject: [String] = []

  @OptionGroup var text: NoteTextOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    let (subject, source) = try text.source(subject)
    try NoteCommand(
      .add(source), subject, asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct NoteEdit: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "edit", abstract: Launch.messages.helpNoteEdit)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpNoteSubject, valueName: Launch.messages.helpNoteName))
  var subject: [String] = []

  @OptionGroup var text: NoteTextOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    let (subject, source) = try text.source(subject)
    try NoteCommand(
      .edit(source), subject, asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct NoteRemove: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: Launch.messages.helpNoteRemove)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpNoteSubject, valueName: Launch.messages.helpNoteName))
  var subject: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try NoteCommand(.remove, subject, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct NoteRestore: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "restore", abstract: Launch.messages.helpNoteRestore)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpNoteSubject, valueName: Launch.messages.helpNoteName))
  var subject: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try NoteCommand(.restore, subject, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct NoteList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.messages.helpNoteList)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpOnlyThese, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try NoteCommand(.list, references, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}
