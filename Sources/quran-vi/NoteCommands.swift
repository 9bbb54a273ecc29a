import ArgumentParser
import Commands
import ConfigFile
import Library
import Messages

struct NoteCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "note", messages.helpNote, default: NoteList.self,
    [NoteAdd.self, NoteEdit.self, NoteRemove.self, NoteRestore.self, NoteList.self])
}

/// The options that specify the source of a note's text.
struct NoteTextOptions: ParsableArguments {
  // Unconditional parsing, because the text can begin with a dash, like an item of a list.
  @Option(
    name: [.customShort("m"), .customLong("message")], parsing: .unconditional,
    help: ArgumentHelp(messages.helpNoteText, valueName: messages.helpTextName))
  var message: String?

  /// Chooses the source of the text: `-m`, standard input or the editor.
  ///
  /// - Parameter subject: The positional arguments. A dash as the last one selects standard input.
  ///   Without `-m`, standard input is also used if it is not a terminal.
  /// - Returns: The positional arguments without the dash, joined by spaces, and the source.
  /// - Throws: A usage error for `-m` together with the dash.
  func source(_ subject: [String]) throws -> (subject: String, source: NoteSource) {
    let asksForInput = subject.last == "-"
    let subject = subject.dropLast(asksForInput ? 1 : 0).joined(separator: " ")
    if let message {
      guard !asksForInput else {
        throw CommandFailure(.usage, messages.notTogether("-m", "-"))
      }
      return (subject, .given(message))
    }
    guard asksForInput || !StandardInput.isTerminal else {
      let (configuration, _) = Configuration.load(path: Invocation.paths.configFile)
      return (
        subject,
        .editor(
          ExternalEditor(environment: Invocation.environment, command: configuration.editor))
      )
    }
    return (
      subject,
      .input { limit throws(CommandFailure) in
        try StandardInput.read(limit: limit, messages: messages)
      }
    )
  }
}

struct NoteAdd: ParsableCommand {
  static let configuration = CommandConfiguration("add", messages.helpNoteAdd)

  @Argument(help: ArgumentHelp(messages.helpNoteAyah, valueName: messages.helpReferenceName))
  var subject: [String] = []

  @OptionGroup var text: NoteTextOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    let (subject, source) = try text.source(subject)
    try options.context.addNote(subject, source)
  }
}

struct NoteEdit: ParsableCommand {
  static let configuration = CommandConfiguration("edit", messages.helpNoteEdit)

  @OptionGroup var note: NoteArgument
  @OptionGroup var text: NoteTextOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    let (subject, source) = try text.source(note.subject)
    try options.context.editNote(subject, source)
  }
}

struct NoteRemove: ParsableCommand {
  static let configuration = CommandConfiguration("remove", messages.helpNoteRemove)

  @OptionGroup var note: NoteArgument
  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.removeNote(note.subject.joined(separator: " ")) }
}

struct NoteRestore: ParsableCommand {
  static let configuration = CommandConfiguration("restore", messages.helpNoteRestore)

  @OptionGroup var note: NoteArgument
  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.restoreNote(note.subject.joined(separator: " ")) }
}

struct NoteList: ParsableCommand {
  static let configuration = CommandConfiguration("list", messages.helpNoteList)

  @Argument(help: ArgumentHelp(messages.helpOnlyThese, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.listNotes(references.joined(separator: " ")) }
}

struct NoteArgument: ParsableArguments {
  @Argument(help: ArgumentHelp(messages.helpNoteSubject, valueName: messages.helpNoteName))
  var subject: [String] = []
}
