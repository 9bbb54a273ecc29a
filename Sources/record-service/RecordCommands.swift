import ArgumentParser
import CloudRecords
import RecordServer

struct RecordCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: CommandHelp.record,
    subcommands: [RecordList.self, RecordQuery.self])
}

/// The options that select records and the form of the output.
struct RecordOptions: ParsableArguments {
  @Option(help: ArgumentHelp(CommandHelp.recordUser, valueName: "name"))
  var user: String?

  @Flag(name: .customLong("public"), help: ArgumentHelp(CommandHelp.recordPublic))
  var isPublic = false

  @Option(help: ArgumentHelp(CommandHelp.environment))
  var environment = ContainerEnvironment.production

  @Option(help: ArgumentHelp(CommandHelp.recordZone, valueName: "name"))
  var zone: String?

  @Option(help: ArgumentHelp(CommandHelp.recordLimit, valueName: "n"))
  var limit = 100

  @Flag(help: ArgumentHelp(CommandHelp.showEncrypted))
  var showEncrypted = false

  @OptionGroup var container: ContainerOption
  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  /// The number of records to fetch: one more than the limit, to find out whether there are more.
  fileprivate var asked: Int { limit == .max ? limit : limit + 1 }

  func validate() throws {
    guard (user != nil) != isPublic else {
      throw ValidationError(CommandMessages.userOrPublic)
    }
    guard limit > 0 else { throw ValidationError(CommandMessages.limitTooSmall) }
  }

  /// Returns the selection of the options.
  ///
  /// - Throws: a `ServiceCommandFailure` with status 1 if the container or the account does not
  ///   exist.
  fileprivate func selection(_ opened: OpenService) async throws -> RecordSelection {
    try await opened.require(container.container)
    var account: Account?
    if let user { account = try await opened.account(user) }
    var selection = RecordSelection(container.container, environment, of: account, zone: zone)
    selection.showsEncrypted = showEncrypted
    return selection
  }

  /// Prints records.
  ///
  /// - Parameter records: up to `asked` records.
  fileprivate func show(_ records: [Record]) throws {
    try Output.list(
      Array(records.prefix(limit)), asJSON: output.json, ifEmpty: CommandMessages.noRecords,
      CommandMessages.recordColumns
    ) { record in
      [
        record.recordName, record.recordType,
        record.modified?.timestamp.milliseconds.asTime ?? "", record.fieldSummary,
      ]
    }
    if records.count > limit {
      Output.note(CommandMessages.moreRecords(than: limit))
    }
  }
}

struct RecordList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: CommandHelp.recordList,
    discussion: CommandHelp.recordListDiscussion)

  @Option(help: ArgumentHelp(CommandHelp.recordListType, valueName: "name"))
  var type: String?

  @OptionGroup var options: RecordOptions

  func run() async throws {
    let opened = try await options.home.open()
    defer { try? opened.close() }
    let selection = try await options.selection(opened)
    try options.show(
      try await opened.service.records(selection, type: type, limit: options.asked))
  }
}

struct RecordQuery: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: CommandHelp.recordQuery,
    discussion: CommandHelp.recordQueryDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.recordType))
  var type: String

  @Argument(help: ArgumentHelp(CommandHelp.conditions))
  var filters: [String] = []

  @Option(
    help: ArgumentHelp(CommandHelp.sort, valueName: "field[:desc]"))
  var sort: [String] = []

  @OptionGroup var options: RecordOptions

  func run() async throws {
    let opened = try await options.home.open()
    defer { try? opened.close() }
    let selection = try await options.selection(opened)
    let schema = try await opened.service.schema(of: selection.container, selection.environment)
    let query = try Query(type, conditions: filters, sorts: sort, schema: schema)
    do {
      try options.show(
        try await opened.service.records(selection, matching: query, limit: options.asked))
    } catch let error as ServiceError {
      throw ServiceCommandFailure(.refused, CommandMessages.queryRefused(error))
    }
  }
}

extension Record {
  /// The fields on one line, with long strings shortened.
  fileprivate var fieldSummary: String {
    fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.summary)" }
      .joined(separator: " ")
  }
}

extension Field {
  fileprivate var summary: String {
    if let value {
      value.summary
    } else {
      isEncrypted ? CommandMessages.encrypted : CommandMessages.noValue
    }
  }
}

extension FieldValue {
  /// The maximum number of characters that are shown of a string.
  private static let limit = 60

  fileprivate var summary: String {
    if type.isList { return "[" + elements.map(\.summary).joined(separator: ", ") + "]" }
    switch self {
    case .string(let text):
      return text.count > Self.limit ? "\"\(text.prefix(Self.limit))…\"" : "\"\(text)\""
    case .int64(let number): return "\(number)"
    case .double(let number): return "\(number)"
    case .timestamp(let time): return time.milliseconds.asTime
    case .bytes(let data): return CommandMessages.bytes(data.count)
    case .location(let place): return "(\(place.latitude), \(place.longitude))"
    case .reference(let reference): return "→\(reference.recordName)"
    case .asset(let asset): return CommandMessages.file(bytes: Int(asset.size))
    default: return ""
    }
  }
}
