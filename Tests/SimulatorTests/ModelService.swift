import CloudRecords
import RecordClient

/// What the record service does for one user's default zone, without its wires and tables.
///
/// Records, tombstones and tokens are those of cloudkit-web-services.md. Queries read an index
/// that may lag behind the writes; look-ups and the feed do not.
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
  }

  fileprivate struct Grave {
    var type: String
    var number: Int
  }

  /// What a backup holds.
  struct Backup {
    fileprivate var rows: [String: Row]
    fileprivate var graves: [String: Grave]
  }

  let feed: Feed
  /// How many records a page has at most.
  let pageSize: Int
  /// How many of the newest writes queries do not know of.
  var lag = 0
  /// How many pages of the feed come empty before the next one.
  var emptyPages = 0
  /// Of the newest change: the change tag of what was changed.
  private(set) var number = 0
  private var epoch = 1
  /// Tokens from before this number have expired.
  private var floor = 0
  private var rows: [String: Row] = [:]
  private var graves: [String: Grave] = [:]
  /// Those of which there ever was a record.
  private var types: Set<String> = []
  /// What queries know, and what they are still to hear of.
  private var index: [String: Record] = [:]
  private var unheard: [(name: String, record: Record?)] = []

  init(feed: Feed, pageSize: Int) {
    self.feed = feed
    self.pageSize = pageSize
  }

  var records: [Record] { rows.values.map(\.record).sorted { $0.recordName < $1.recordName } }

  // MARK: What happens to services

  var backup: Backup { Backup(rows: rows, graves: graves) }

  /// Goes back to a backup, as the service does it: all tokens are of another epoch, and change
  /// tags go on far from where they were.
  mutating func restore(_ backup: Backup) {
    (rows, graves) = (backup.rows, backup.graves)
    epoch += 1
    number += 1000
    floor = 0
    index = rows.mapValues(\.record)
    unheard = []
  }

  /// Forgets what was deleted: who does not know of it yet lists everything.
  mutating func forgetTombstones() {
    guard !graves.isEmpty else { return }
    graves = [:]
    number += 1
    floor = number
  }

  // MARK: Writing

  private mutating func save(_ record: Record) -> Record {
    number += 1
    var record = record
    record.recordChangeTag = String(number, radix: 36)
    record.fields = record.fields.filter { $0.value.content != .null }
    rows[record.recordName] = Row(record: record, number: number)
    graves[record.recordName] = nil
    types.insert(record.recordType)
    unheard.append((record.recordName, record))
    return record
  }

  mutating func modify(_ request: RecordsModify.Request) throws(ServiceError)
    -> RecordsModify.Answer
  {
    try request.check()
    return RecordsModify.Answer(
      records: request.operations.map { operation in
        do throws(ServiceError) {
          return try carryOut(operation)
        } catch {
          return .failure(error.of(record: operation.record.recordName))
        }
      })
  }

  private mutating func carryOut(
    _ operation: RecordsModify.Operation
  ) throws(ServiceError) -> RecordResult {
    try operation.check()
    let draft = operation.record
    let name = draft.recordName ?? ""
    let row = rows[name]
    switch operation.operationType {
    case .create:
      guard row == nil else { throw ServiceError(.exists, reason: Reason.recordExists) }
      return .record(
        save(Record(name, type: draft.recordType ?? "", fields: draft.fields)))
    case .update:
      guard var record = row?.record else {
        throw ServiceError(.notFound, reason: Reason.recordNotFound)
      }
      guard record.recordChangeTag == draft.recordChangeTag else {
        throw ServiceError(.conflict, reason: Reason.staleTag)
      }
      record.fields.merge(draft.fields) { $1 }
      return .record(save(record))
    case .delete:
      guard let record = row?.record else {
        throw ServiceError(.notFound, reason: Reason.recordNotFound)
      }
      guard record.recordChangeTag == draft.recordChangeTag else {
        throw ServiceError(.conflict, reason: Reason.staleTag)
      }
      number += 1
      rows[name] = nil
      graves[name] = Grave(type: record.recordType, number: number)
      unheard.append((name, nil))
      return .tombstone(Tombstone(name, recordChangeTag: String(number, radix: 36)))
    default:
      throw ServiceError(.badRequest, reason: "no operation of a sync engine")
    }
  }

  // MARK: Reading

  func lookUp(_ request: RecordsLookup.Request) throws(ServiceError) -> RecordsLookup.Answer {
    try Limits.check(items: request.records.count, atMost: Limits.operations)
    return RecordsLookup.Answer(
      records: request.records.map { item in
        if let row = rows[item.recordName] { return .record(row.record) }
        let error = ServiceError(.notFound, reason: Reason.recordNotFound)
        return .failure(error.of(record: item.recordName))
      })
  }

  /// Pages go on after so many records, whatever came to be before them meanwhile.
  mutating func query(_ request: RecordsQuery.Request) throws(ServiceError)
    -> RecordsQuery.Answer
  {
    while unheard.count > lag {
      let (name, record) = unheard.removeFirst()
      index[name] = record
    }
    let type = request.query.recordType
    guard types.contains(type) else {
      throw ServiceError(.notFound, reason: Reason.unknownType(type))
    }
    guard case .strings(let owners) = request.query.filters.first?.fieldValue.value else {
      throw ServiceError(.badRequest, reason: Reason.invalidPredicate("no owner"))
    }
    let found = index.values.filter { record in
      guard record.recordType == type, case .string(let owner) = record["ownerRecordName"] else {
        return false
      }
      return owners.contains(owner)
    }.sorted { $0.recordName < $1.recordName }
    let start = min(Int(request.continuationMarker ?? "0") ?? 0, found.count)
    let end = min(start + pageSize, found.count)
    return RecordsQuery.Answer(
      records: found[start..<end].map { .record($0) },
      continuationMarker: end < found.count ? String(end) : nil)
  }

  func listZones() -> ZonesAnswer {
    ZonesAnswer(zones: [
      .success(
        Zone(
          .default,
          syncToken: feed == .off ? nil : Token(epoch: epoch, number: number, start: 0).text))
    ])
  }

  /// How far a feed was read.
  private struct Token {
    var epoch: Int
    var number: Int
    /// The newest change when the reading from the beginning began: of what was deleted before
    /// that nothing need be known.
    var start: Int
    /// Makes it another one than that of an empty page before.
    var serial = 0

    var text: String { "\(epoch)/\(number)/\(start)/\(serial)" }

    init(epoch: Int, number: Int, start: Int) {
      (self.epoch, self.number, self.start) = (epoch, number, start)
    }

    init?(_ text: String) {
      let parts = text.split(separator: "/").compactMap { Int($0) }
      guard parts.count == 4 else { return nil }
      (epoch, number, start, serial) = (parts[0], parts[1], parts[2], parts[3])
    }
  }

  mutating func changes(_ request: ChangesZone.Request) throws(ServiceError)
    -> ChangesZone.Answer
  {
    guard feed == .on else {
      throw ServiceError(.badRequest, reason: "the default zone has no change feed")
    }
    do throws(ServiceError) {
      return ChangesZone.Answer(zones: [.success(try page(after: request.zones[0].syncToken))])
    } catch {
      return ChangesZone.Answer(zones: [.failure(error.of(zone: .default))])
    }
  }

  private mutating func page(after text: String?) throws(ServiceError) -> ChangesZone.Page {
    guard var token = text.map(Token.init) ?? Token(epoch: epoch, number: -1, start: number)
    else { throw ServiceError(.badRequest, reason: Reason.brokenToken) }
    guard token.epoch == epoch else {
      throw ServiceError(.changeTokenExpired, reason: Reason.resetToken)
    }
    guard max(token.number, token.start) >= floor else {
      throw ServiceError(.changeTokenExpired, reason: Reason.expiredToken)
    }
    let news =
      rows.values.map { ($0.number, RecordResult.record($0.record)) }
      + graves.map { name, grave in
        (grave.number, .tombstone(Tombstone(name, type: grave.type)))
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
    return ChangesZone.Page(
      .default, records: page.map(\.1), syncToken: token.text, moreComing: !isLast)
  }
}
