import ArgumentParser
import FoundationEssentials
import RecordServer

/// Options that are given by environment variables instead of arguments. The variable of an option
/// is `RECORD_SERVICE_` and its name in capitals: `RECORD_SERVICE_LOG_LEVEL` is `--log-level`.
///
/// `serve` and `move` have a variable for each of their options. The other commands have only those
/// of `HomeOptions`, because a variable applies to every command that is run with it.
///
/// The options are not declared again: they are read from what ArgumentParser knows of a command,
/// and the values of variables are parsed as arguments.
struct EnvironmentOptions {
  /// An option that a variable gives.
  private struct Given {
    let variable: String
    let arguments: [String]
  }

  private let environment: [String: String]

  private static let prefix = "RECORD_SERVICE_"

  /// - Parameter environment: the environment variables. One that is empty counts as unset.
  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
  }

  /// Parses the arguments of the program. Options that the arguments do not contain are read from
  /// environment variables.
  ///
  /// - Throws: an error of ArgumentParser if an argument is invalid. If the value of an environment
  ///   variable is invalid, a `ServiceCommandFailure` that names the variable.
  func parse(_ arguments: [String]) throws -> any ParsableCommand {
    // Arguments after `--` are not options.
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    // Ignore the variables for help and the version, which need no valid variables.
    let asksForHelp =
      arguments.first == "help"
      || arguments[..<end].contains { ["--help", "-h", "--version"].contains($0) }
    let given =
      environment.isEmpty || asksForHelp ? [] : self.given(besides: arguments[..<end])
    func parse(_ given: [Given]) throws -> any ParsableCommand {
      try RecordServiceCommand.parseAsRoot(
        Array(arguments[..<end]) + given.flatMap(\.arguments) + arguments[end...])
    }
    func problem(_ given: [Given]) -> (any Error)? {
      do {
        _ = try parse(given)
        return nil
      } catch {
        return error
      }
    }
    do {
      return try parse(given)
    } catch {
      let message = RecordServiceCommand.message(for:)
      let found = message(error)
      if let own = problem([]), message(own) == found { throw own }
      let wrong = given.filter { problem([$0]).map(message) == found }
      throw ServiceCommandFailure(
        .usage,
        CommandMessages.invalidVariables((wrong.isEmpty ? given : wrong).map(\.variable), found))
    }
  }

  /// The command that arguments name.
  private static func command(in arguments: ArraySlice<String>) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = RecordServiceCommand.self
    for argument in arguments {
      guard
        let next = command.configuration.subcommands.first(where: { $0._commandName == argument })
      else { break }
      command = next
    }
    return command.configuration.defaultSubcommand ?? command
  }

  /// The options that variables give to the command, without those that the arguments have.
  ///
  /// Variables can be meant for services of both kinds, so an ordinary service ignores those for
  /// ephemeral ones, and the other way round.
  private func given(besides arguments: ArraySlice<String>) -> [Given] {
    func isThere(_ option: CommandOption) -> Bool {
      arguments.contains { $0 == option.argumentName || $0.hasPrefix("\(option.argumentName)=") }
    }
    let command = Self.command(in: arguments)
    var options = CommandOption.all(of: command)
    let home = CommandOption.all(of: HomeOptions.self)
    let places = home.map(\.name)
    if command == ServeCommand.self {
      let ephemeral = CommandOption.all(of: EphemeralOptions.self)
      let isEphemeral = ephemeral.contains {
        $0.kind == .flag && (isThere($0) || variable(of: $0) != nil)
      }
      let others =
        isEphemeral
        ? ServeCommand.optionsNotEphemeral.map(\.name) : ephemeral.map(\.name)
      options.removeAll { others.contains($0.name) }
    } else if command != MoveCommand.self {
      options.removeAll { !places.contains($0.name) }
    }
    // Both options of `HomeOptions` say where the data is. A database wins over the variable of the
    // directory, which can be that of an image or a unit. It is refused with `--data`, because the
    // command could use data that the user does not mean.
    if home.contains(where: { $0.name == "storage" && (isThere($0) || variable(of: $0) != nil) }) {
      options.removeAll { $0.name == "data" }
    }
    return options.filter { !isThere($0) }.compactMap(variable(of:))
  }

  /// Returns an option with the value of its variable; nil if the variable is unset, or says that a
  /// flag is off.
  private func variable(of option: CommandOption) -> Given? {
    let variable = Self.prefix + option.name.uppercased().replacing("-", with: "_")
    guard let value = environment[variable] else { return nil }
    switch option.kind {
    case .flag where ["0", "false"].contains(value): return nil
    case .flag where ["1", "true"].contains(value):
      return Given(variable: variable, arguments: [option.argumentName])
    case .option where option.isRepeating:
      let values = value.split(separator: ",").map { $0.trimmingSpaces }
      return Given(variable: variable, arguments: values.map { "\(option.argumentName)=\($0)" })
    default:
      // For a flag, the parser reports that it takes no value.
      return Given(variable: variable, arguments: ["\(option.argumentName)=\(value)"])
    }
  }
}

/// What ArgumentParser tells of an option of a command, in the description that it also prints for
/// `--experimental-dump-help`.
private struct CommandOption {
  enum Kind: String, Decodable {
    case positional, option, flag
  }

  /// The name without its hyphens, as `log-level`.
  let name: String
  let kind: Kind
  let isRepeating: Bool

  /// The option as it is written: `--log-level`.
  var argumentName: String { "--\(name)" }

  /// The options of a command or of a group of options, without `--help` and `--version`.
  static func all(of type: any ParsableArguments.Type) -> [CommandOption] {
    let json = Data(type._dumpHelp().utf8)
    guard let tool = try? JSONDecoder().decode(Tool.self, from: json) else {
      preconditionFailure("ArgumentParser describes a command in another way")
    }
    return (tool.command.arguments ?? []).compactMap { argument in
      guard argument.kind != .positional,
        let name = argument.names?.first(where: { $0.kind == "long" })?.name,
        !["help", "version"].contains(name)
      else { return nil }
      return CommandOption(name: name, kind: argument.kind, isRepeating: argument.isRepeating)
    }
  }

  /// The part of `_dumpHelp` that is needed.
  private struct Tool: Decodable {
    let command: Command

    struct Command: Decodable {
      let arguments: [Argument]?
    }
    struct Argument: Decodable {
      let kind: Kind
      let isRepeating: Bool
      let names: [Name]?
    }
    struct Name: Decodable {
      let kind: String
      let name: String
    }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
