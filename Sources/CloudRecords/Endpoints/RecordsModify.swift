/// Saves and deletes records.
public enum RecordsModify: Endpoint {
  public static let route = Route.recordsModify

  /// What becomes of a record.
  public enum OperationType: String, WireName {
    /// Fails with EXISTS if there is one of the name.
    case create
    /// Changes the fields that are named.
    case update
    /// As `update`, whatever the tag; creates what is missing.
    case forceUpdate
    /// Changes the fields that are named, and clears the others.
    case replace
    /// As `replace`, whatever the tag; creates what is missing.
    case forceReplace
    case delete
    /// As `delete`, whatever the tag.
    case forceDelete

    /// Whether the record's change tag is required, and a stale one is a CONFLICT.
    public var needsChangeTag: Bool {
      switch self {
      case .update, .replace, .delete: true
      case .create, .forceUpdate, .forceReplace, .forceDelete: false
      }
    }

    public var isDeletion: Bool { self == .delete || self == .forceDelete }
  }

  public struct Operation: Codable, Hashable, Sendable {
    public var operationType: OperationType
    public var record: RecordDraft
    public var desiredKeys: [String]?
    public var numbersAsStrings: Bool?

    public init(
      _ operationType: OperationType, _ record: RecordDraft, desiredKeys: [String]? = nil
    ) {
      self.operationType = operationType
      self.record = record
      self.desiredKeys = desiredKeys
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    /// Carried out in order, at most one a record.
    public var operations: [Operation]
    /// The zone of every record that names none; nil for the default zone.
    public var zoneID: ZoneID?
    /// Whether all succeed or none; nil for the default, see `isAtomic`.
    public var atomic: Bool?
    public var desiredKeys: [String]?
    public var numbersAsStrings: Bool?

    public init(
      operations: [Operation], zoneID: ZoneID? = nil, atomic: Bool? = nil,
      desiredKeys: [String]? = nil, numbersAsStrings: Bool? = nil
    ) {
      self.operations = operations
      self.zoneID = zoneID
      self.atomic = atomic
      self.desiredKeys = desiredKeys
      self.numbersAsStrings = numbersAsStrings
    }

    /// Whether all succeed or none: unless refused, in every zone but the default one.
    public var isAtomic: Bool { zoneID?.isDefault == false && atomic != false }

    /// Whether numbers are wanted as strings. The answer is written one way: what one
    /// operation asks for is done for all.
    public var wantsNumbersAsStrings: Bool {
      numbersAsStrings == true || operations.contains { $0.numbersAsStrings == true }
    }

    /// Checks what makes a request fail as a whole: more than 200 operations, a record named
    /// twice, one over 1 MB, all or nothing in the default zone. (Apple does not say how these
    /// fail; BAD_REQUEST is our choice, cloudkit-web-services.md 7.)
    public func check() throws(ServiceError) {
      try Limits.check(items: operations.count, atMost: Limits.operations)
      try Limits.check(desired: desiredKeys)
      guard atomic != true || isAtomic else {
        throw ServiceError(.badRequest, reason: Reason.atomicInDefaultZone)
      }
      var names: Set<[String]> = []
      for operation in operations {
        let record = operation.record
        let zone = (record.zoneID ?? zoneID)?.zoneName ?? ZoneID.defaultName
        if let name = record.recordName, !names.insert([zone, name]).inserted {
          throw ServiceError(.badRequest, reason: Reason.duplicate(name))
        }
        try Limits.check(desired: operation.desiredKeys)
        let bytes = RecordSize.bytes(of: record)
        guard bytes <= Limits.recordBytes else {
          throw ServiceError(
            .badRequest, reason: Reason.recordTooLarge(bytes: bytes),
            recordName: record.recordName)
        }
      }
    }
  }

  public struct Answer: Hashable, Sendable {
    /// One for each operation, in their order.
    public var records: [RecordResult]
    public var syncToken: String?

    public init(records: [RecordResult], syncToken: String? = nil) {
      self.records = records
      self.syncToken = syncToken
    }
  }
}

extension RecordsModify.Operation {
  /// Checks what makes an operation fail by itself, before any record is looked at: a name
  /// that cannot be one, a missing tag or type.
  ///
  /// - Parameter user: the caller's own user record name, which may name a record.
  public func check(user: String? = nil) throws(ServiceError) {
    func fail(_ reason: String) -> ServiceError {
      ServiceError(.badRequest, reason: reason, recordName: record.recordName)
    }
    guard let name = record.recordName else {
      guard operationType == .create else { throw fail(Reason.missingRecordName) }
      guard record.recordType != nil else { throw fail(Reason.missingRecordType) }
      return
    }
    if let problem = RecordName.problem(with: name, user: user) {
      throw fail(Reason.name(name, problem))
    }
    if operationType.needsChangeTag, record.recordChangeTag == nil {
      throw fail(Reason.missingChangeTag)
    }
    if operationType == .create, record.recordType == nil { throw fail(Reason.missingRecordType) }
  }
}

extension RecordsModify.Answer: Codable {
  private enum CodingKeys: CodingKey { case records, syncToken }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
  }
}
