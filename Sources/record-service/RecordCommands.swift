import ArgumentParser
import CloudRecords
import RecordServer

struct RecordCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Look at the records of an account, or at public ones.",
    subcommands: [RecordList.self, RecordQuery.self])
}

/// Whose records, and how they are shown.
struct RecordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Records of this account's private database.", valueName: "name"))
  var user: String?

  @Flag(name: .customLong("public"), help: "Records of the public database.")
  var isPublic = false

  @Option(help: "The environment.")
  var environment = ContainerEnvironment.production

  @Option(help: ArgumentHelp("Only this zone.", valueName: "name"))
  var zone: String?

  @Option(help: ArgumentHelp("How many records, at most.", valueName: "n"))
  var limit = 100

  @Flag(help: "Open encrypted fields.")
  var showEncrypted = false

  @OptionGroup var container: ContainerOption
  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  /// One more than is shown, to see whether there are more.
  fileprivate var asked: Int { limit == .max ? limit : limit + 1 }

  func validate() throws {
    guard (user != nil) != isPublic else {
      throw ValidationError("Say whose records: --user NAME, or --public.")
    }
    guard limit > 0 else { throw ValidationError("--limit has to be 1 or more.") }
  }

  /// Whose records and from where.
  fileprivate func selection(_ open: OpenService) async throws -> RecordSelection {
    try await open.require(container.container)
    var account: Account?
    if let user { account = try await open.account(user) }
    var selection = RecordSelection(container.container, environment, of: account, zone: zone)
    selection.showsEncrypted = showEncrypted
    return selection
  }

  /// - Parameter records: as many as were asked for.
  fileprivate func show(_ records: [Record]) throws {
    let shown = records.prefix(limit)
    if output.json {
      try Output.json(Array(shown))
    } else if shown.isEmpty {
      Output.note("There are no such records.")
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
      Output.note("There are more than \(limit); say --limit for more.")
    }
  }
}

struct RecordList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show records; no index is needed.",
    discussion: """
      Those changed last come last; with --type they are in the order of their names. Zones \
      follow each other. In JSON a field that is not opened is {"isEncrypted":true,"value":null}.
      """)

  @Option(help: ArgumentHelp("Only records of this type.", valueName: "name"))
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
    commandName: "query", abstract: "Find records as apps do, with the same rules.",
    discussion: """
      A condition is 'FIELD OPERATOR VALUE' with one of \
      \(FilterExpression.operatorNames.joined(separator: " ")); all of them have to hold:
        record-service record query AyahNote 'ayahID == "2:255"' --user an
      Lists are JSON: 'tags LIST_CONTAINS_ANY ["a", "b"]'. References are the names of their \
      records, moments are milliseconds since 1970 or ISO 8601. In the public database the \
      query is that of somebody who is not signed in.
      """)

  @Argument(help: "The record type.")
  var type: String

  @Argument(help: "Conditions.")
  var filters: [String] = []

  @Option(
    help: ArgumentHelp("A field to sort by, repeatable.", valueName: "field[:desc]"))
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
          + "`record-service record list` needs no index.")
    }
  }
}

extension Record {
  /// The fields on a line, long texts cut.
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
  /// Characters of a text that are shown.
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
