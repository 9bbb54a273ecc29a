import ArgumentParser
import CloudRecords
import RecordServer

struct RecordCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Show the records of an account or of the public database.",
    subcommands: [RecordList.self, RecordQuery.self])
}

/// The options that select records and the form of the output.
struct RecordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Show records of this account's private database.", valueName: "name"))
  var user: String?

  @Flag(name: .customLong("public"), help: "Show records of the public database.")
  var isPublic = false

  @Option(help: "The environment.")
  var environment = ContainerEnvironment.production

  @Option(help: ArgumentHelp("Show only records of this zone.", valueName: "name"))
  var zone: String?

  @Option(help: ArgumentHelp("The maximum number of records to show.", valueName: "n"))
  var limit = 100

  @Flag(help: "Decrypt encrypted fields.")
  var showEncrypted = false

  @OptionGroup var container: ContainerOption
  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  /// The number of records to fetch: one more than the limit, to find out whether there are more.
  fileprivate var asked: Int { limit == .max ? limit : limit + 1 }

  func validate() throws {
    guard (user != nil) != isPublic else {
      throw ValidationError("Specify either --user NAME or --public.")
    }
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
  }

  /// Returns the selection of the options.
  ///
  /// - Throws: a `CommandFailure` with status 1 if the container or the account does not exist.
  fileprivate func selection(_ open: OpenService) async throws -> RecordSelection {
    try await open.require(container.container)
    var account: Account?
    if let user { account = try await open.account(user) }
    var selection = RecordSelection(container.container, environment, of: account, zone: zone)
    selection.showsEncrypted = showEncrypted
    return selection
  }

  /// Prints records.
  ///
  /// - Parameter records: up to `asked` records.
  fileprivate func show(_ records: [Record]) throws {
    let shown = records.prefix(limit)
    if output.json {
      try Output.json(Array(shown))
    } else if shown.isEmpty {
      Output.note("No records were found.")
    } else {
      try Output.table(
        ["NAME", "TYPE", "MODIFIED", "FIELDS"],
        shown.map { record in
          [
            record.recordName, record.recordType,
            record.modified?.timestamp.milliseconds.asTime ?? "", record.fieldSummary,
          ]
        })
    }
    if records.count > limit {
      Output.note("There are more than \(count(limit, "record")); use --limit to show more.")
    }
  }
}

struct RecordList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List records; no index is required.",
    discussion: """
      The records of each zone are sorted by their last changes, oldest first; with --type \
      they are sorted by name. In JSON, a field that is not decrypted is \
      {"isEncrypted":true,"value":null}.
      """)

  @Option(help: ArgumentHelp("Show only records of this type.", valueName: "name"))
  var type: String?

  @OptionGroup var options: RecordOptions

  func run() async throws {
    let open = try await options.home.open()
    let selection = try await options.selection(open)
    try options.show(
      try await open.service.records(selection, type: type, limit: options.asked))
  }
}

struct RecordQuery: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Query records with the same rules as apps.",
    discussion: """
      A condition is 'FIELD OPERATOR VALUE' with one of \
      \(FilterExpression.operatorNames.joined(separator: " ")). A record has to match all conditions:
        record-service record query AyahNote 'ayahID == "2:255"' --user an
      Lists are written in JSON: 'tags LIST_CONTAINS_ANY ["a", "b"]'. References are written as \
      record names, timestamps as milliseconds since 1970 or in ISO 8601. In the public database \
      the query runs as a user who is not signed in.
      """)

  @Argument(help: "The record type.")
  var type: String

  @Argument(help: "The conditions.")
  var filters: [String] = []

  @Option(
    help: ArgumentHelp("A field to sort by; repeatable.", valueName: "field[:desc]"))
  var sort: [String] = []

  @OptionGroup var options: RecordOptions

  func run() async throws {
    let open = try await options.home.open()
    let selection = try await options.selection(open)
    let schema = try await open.service.schema(of: selection.container, selection.environment)
    let query = try Query(type, typedFilters: filters, typedSorts: sort, schema: schema)
    do {
      try options.show(
        try await open.service.records(selection, matching: query, limit: options.asked))
    } catch let error as ServiceError {
      throw CommandFailure(
        .refused,
        "The query was refused: \(error.reason ?? error.code.rawValue). "
          + "`record-service record list` requires no index.")
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
    if let value { value.summary } else { isEncrypted ? "(encrypted)" : "(none)" }
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
    case .bytes(let data): return "(\(count(data.count, "byte")))"
    case .location(let place): return "(\(place.latitude), \(place.longitude))"
    case .reference(let reference): return "→\(reference.recordName)"
    case .asset(let asset): return "(file of \(count(Int(asset.size), "byte")))"
    default: return ""
    }
  }
}
