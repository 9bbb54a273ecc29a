import CloudRecords
import RecordClient

/// A model of the record service for one user's default zone, without HTTP and a database.
///
/// Queries read an index that may lag behind the writes; look-ups and the feed do not.
struct ModelService {
  /// Whether the zone has a change feed.
  enum Feed: Hashable, Sendable, CaseIterable {
    case on, off
    /// The zone's dictionary has a token, but changes/zone refuses it.
    case refused
  }

  fileprivate struct Row {
    var record: Record
    var number: Int
    /// The number of the change that created the record, in place of a time.
    var created: Int
  }

  fileprivate struct Deletion {
    var type: String
    var number: Int
    /// The version that the deletion deleted.
    var deleted: ModelHistory.Tag
  }

  /// The content of a backup.
  struct Backup {
    fileprivate var rows: [String: Row]
    fileprivate var deletions: [String: Deletion]
    fileprivate var history: ModelHistory
    fileprivate var epoch: Int
    fileprivate var floor: Int
    fileprivate var types: Set<String>
  }

  let feed: Feed
  /// The maximum number of records of a page.
  let pageSize: Int
  /// The number of the newest writes that queries do not see.
  var lag = 0
  /// The number of empty pages of the feed before the next page with records.
  var emptyPages = 0
  /// The numbers of all changes, which are the change tags of the records.
  var history: ModelHistory
  private var epoch = 1
  /// Tokens whose horizon is before this number have expired.
  private var floor = 0
  private var rows: [String: Row] = [:]
  private var deletions: [String: Deletion] = [:]
  /// The record types of which a record ever existed.
  private var types: Set<String> = []
  /// The index that queries read, and the writes that are not in it yet.
  private var index: [String: Row] = [:]
  private var unindexed: [(name: String, row: Row?)] = []

  /// - Parameter hasMarks: Whether the service has marks.
  init(feed: Feed, pageSize: Int, hasMarks: Bool = true) {
    self.feed = feed
    self.pageSize = pageSize
    history = ModelHistory(hasMarks: hasMarks)
  }

  var number: Int { history.number }

  /// All records except the profile.
  var records: [Record] {
    rows.values.filter { $0.record.recordType != "UserProfile" }.map(responseRecord)
      .sorted { $0.recordName < $1.recordName }
  }

  /// A record as in a response.
  private func responseRecord(_ row: Row) -> Record {
    var record = row.record
    record.recordChangeTag = history.version(row.number).text
    record.created = ModificationInfo(timestamp: Timestamp(milliseconds: Int64(row.created)))
    return record
  }

  // MARK: Backups and rollbacks

  var backup: Backup {
    Backup(
      rows: rows, deletions: deletions, history: history, epoch: epoch, floor: floor, types: types)
  }

  /// Restores a backup as the service does it: all tokens are of another epoch afterwards, and
  /// change tags continue at a much higher number.
  mutating func restore(_ backup: Backup) {
    let (epoch, number) = (max(epoch, backup.epoch) + 1, number)
    putBack(backup)
    self.epoch = epoch
    history.advance(by: max(number - history.number, 0) + 1000, "restore")
    floor = 0
  }

  /// Rolls back to a copy of the files, without the service's knowledge.
  mutating func putBack(_ backup: Backup) {
    (rows, deletions, types) = (backup.rows, backup.deletions, backup.types)
    (epoch, floor) = (backup.epoch, backup.floor)
    history.putBack(backup.history)
    index = rows
    unindexed = []
  }

  /// Forgets deletions: a client that has not fetched them must list everything.
  mutating func forgetTombstones() {
    guard !deletions.isEmpty else { return }
    deletions = [:]
    history.advance("forget")
    floor = number
  }

  // MARK: Writing

  private mutating func save(_ record: Record) -> Record {
    var record = record
    record.fields = record.fields.filter { $0.value.content != .null }
    history.advance(Self.content(of: record))
    let row = Row(
      record: record, number: number, created: rows[record.recordName]?.created ?? number)
    rows[record.recordName] = row
    deletions[record.recordName] = nil
    types.insert(record.recordType)
    unindexed.append((record.recordName, row))
    return responseRecord(row)
  }

  private static func content(of record: Record) -> String {
    let fields = record.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.content)" }
    return ([record.recordName] + fields).joined(separator: ",")
  }

  mutating func modify(_ request: RecordsModify.Request) throws(ServiceError)
    -> RecordsModify.Response
  {
    try request.check()
    return RecordsModify.Response(
      records: request.operations.map { operation in
        do throws(ServiceError) {
          return try carryOut(operation)
        } catch {
          return .failure(error.with(recordName: operation.record.recordName))
        }
      })
  }

  private mutating func carryOut(
    _ operation: RecordsModify.Operation
  ) throws(ServiceError) -> RecordResult {
    try operation.check(user: operation.record.recordName)
    let draft = operation.record
    let name = draft.recordName ?? ""
    let row = rows[name]
    switch operation.operationType {
    case .create:
      guard row == nil else { throw ServiceError(.exists, cause: .recordExists) }
      return .record(
        save(Record(name, type: draft.recordType ?? "", fields: draft.fields)))
    case .update:
      guard var record = row?.record else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      try check(draft.recordChangeTag, of: row)
      record.fields.merge(draft.fields) { $1 }
      return .record(save(record))
    case .delete, .forceDelete:
      guard let record = row?.record else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      if operation.operationType == .delete { try check(draft.recordChangeTag, of: row) }
      let deleted = history.version(row?.number ?? 0)
      history.advance("delete \(name)")
      rows[name] = nil
      deletions[name] = Deletion(type: record.recordType, number: number, deleted: deleted)
      unindexed.append((name, nil))
      return .tombstone(Tombstone(name, recordChangeTag: history.newest.text))
    default:
      throw ServiceError(.badRequest, reason: "no operation of a sync engine")
    }
  }

  private func check(_ tag: String?, of row: Row?) throws(ServiceError) {
    guard let row, history.isSame(tag.flatMap(ModelHistory.Tag.init), asVersion: row.number)
    else { throw ServiceError(.conflict, cause: .staleTag) }
  }

  // MARK: Reading

  func lookUp(_ request: RecordsLookup.Request) throws(ServiceError) -> RecordsLookup.Response {
    try Limits.check(items: request.records.count, atMost: Limits.operations)
    return RecordsLookup.Response(
      records: request.records.map { item in
        if let row = rows[item.recordName] { return .record(responseRecord(row)) }
        let error = ServiceError(.notFound, cause: .recordNotFound)
        return .failure(error.with(recordName: item.recordName))
      })
  }

  /// A continuation marker is the number of records to skip, even if records were added since.
  mutating func query(_ request: RecordsQuery.Request) throws(ServiceError)
    -> RecordsQuery.Response
  {
    while unindexed.count > lag {
      let (name, row) = unindexed.removeFirst()
      index[name] = row
    }
    let type = request.query.recordType
    guard types.contains(type) else {
      throw ServiceError(.notFound, cause: .unknownType(type))
    }
    guard case .strings(let owners) = request.query.filters.first?.fieldValue.value else {
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.missingValue(field: "ownerRecordName")))
    }
    let found = index.values.map(responseRecord).filter { record in
      guard record.recordType == type, case .string(let owner) = record["ownerRecordName"] else {
        return false
      }
      return owners.contains(owner)
    }.sorted { $0.recordName < $1.recordName }
    let start = min(Int(request.continuationMarker ?? "0") ?? 0, found.count)
    let end = min(start + pageSize, found.count)
    return RecordsQuery.Response(
      records: found[start..<end].map { .record($0) },
      continuationMarker: end < found.count ? String(end) : nil)
  }

  func listZones() -> ZonesResponse {
    ZonesResponse(zones: [
      .success(
        Zone(
          .default,
          syncToken: feed == .off
            ? nil : Token(epoch: epoch, number: number, horizon: history.newest).text))
    ])
  }

  /// A position in the feed.
  private struct Token {
    var epoch: Int
    var number: Int
    /// The newest change when the client began to read from the beginning, or a later one up to
    /// which it has read. The client knows the history up to it, and every deletion.
    var horizon: ModelHistory.Tag
    /// Makes the token differ from that of an empty page before.
    var serial = 0

    var text: String { "\(epoch)/\(number)/\(horizon.text)/\(serial)" }

    init(epoch: Int, number: Int, horizon: ModelHistory.Tag) {
      (self.epoch, self.number, self.horizon) = (epoch, number, horizon)
    }

    init?(_ text: String) {
      let parts = text.split(separator: "/").map(String.init)
      guard parts.count == 4, let epoch = Int(parts[0]), let number = Int(parts[1]),
        let horizon = ModelHistory.Tag(parts[2]), let serial = Int(parts[3])
      else { return nil }
      (self.epoch, self.number, self.horizon, self.serial) = (epoch, number, horizon, serial)
    }
  }

  mutating func changes(_ request: ChangesZone.Request) throws(ServiceError)
    -> ChangesZone.Response
  {
    guard feed == .on else {
      throw ServiceError(.badRequest, cause: .noFeed)
    }
    do throws(ServiceError) {
      return ChangesZone.Response(zones: [.success(try page(after: request.zones[0].syncToken))])
    } catch {
      return ChangesZone.Response(zones: [.failure(error.with(zoneID: .default))])
    }
  }

  /// Why a sync token is refused; nil if it is valid.
  func problem(ofToken text: String?) -> HistoryReport.TokenProblem? {
    guard let token = text.flatMap(Token.init) else { return nil }
    guard token.epoch == epoch else { return .forked }
    if history.rules.tokensHaveMarks {
      switch history.place(of: token.horizon) {
      case .known: break
      case .forgotten: return .expired
      case .elsewhere: return history.hasMarks ? .forked : .expired
      }
    }
    return token.horizon.number < floor ? .expired : nil
  }

  private mutating func page(after text: String?) throws(ServiceError) -> ChangesZone.Page {
    let beginning = Token(epoch: epoch, number: 0, horizon: history.newest)
    guard var token = text.map(Token.init) ?? beginning
    else { throw ServiceError(.badRequest, cause: .brokenToken) }
    switch problem(ofToken: text) {
    case nil: break
    case .forked: throw ServiceError(.changeTokenExpired, cause: .resetToken)
    case .expired: throw ServiceError(.changeTokenExpired, cause: .expiredToken)
    }
    let news =
      rows.values.map { ($0.number, RecordResult.record(responseRecord($0))) }
      + deletions.map { name, deletion in
        let deleted =
          history.hasMarks && history.rules.namesDeletedVersions ? deletion.deleted.text : nil
        return (
          deletion.number,
          .tombstone(Tombstone(name, type: deletion.type, deletedChangeTag: deleted))
        )
      }
    let found = news.filter { $0.0 > token.number }.sorted { $0.0 < $1.0 }
    guard emptyPages == 0 || found.isEmpty else {
      emptyPages -= 1
      token.serial += 1
      return ChangesZone.Page(
        .default, records: [], syncToken: token.text, moreComing: true)
    }
    let page = found.prefix(pageSize)
    let isLast = page.count == found.count
    token.number = isLast ? number : page.last?.0 ?? number
    if token.number >= token.horizon.number { token.horizon = history.tag(token.number) }
    return ChangesZone.Page(
      .default, records: page.map(\.1), syncToken: token.text, moreComing: !isLast)
  }
}
