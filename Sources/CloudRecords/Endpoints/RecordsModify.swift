/// The `records/modify` endpoint, which saves and deletes records.
public enum RecordsModify: Endpoint {
  public static let route = Route.recordsModify

  /// The type of an operation on a record.
  public enum OperationType: String, WireEnum {
    /// Creates the record; fails with EXISTS if a record of that name exists.
    case create
    /// Sets the given fields and leaves the others unchanged.
    case update
    /// Like `update`, but ignores the change tag and creates the record if it does not exist.
    case forceUpdate
    /// Sets the given fields and clears all others.
    case replace
    /// Like `replace`, but ignores the change tag and creates the record if it does not exist.
    case forceReplace
    /// Deletes the record.
    case delete
    /// Like `delete`, but ignores the change tag.
    case forceDelete

    /// Whether the operation requires the record's change tag, and fails with CONFLICT if the tag
    /// is not the current one.
    public var needsChangeTag: Bool {
      switch self {
      case .update, .replace, .delete: true
      case .create, .forceUpdate, .forceReplace, .forceDelete: false
      }
    }

    /// Whether the operation deletes the record.
    public var isDeletion: Bool { self == .delete || self == .forceDelete }
  }

  /// An operation on one record.
  public struct Operation: Codable, Hashable, Sendable {
    /// The type of the operation.
    public var operationType: OperationType
    /// The record's name and the fields to set.
    public var record: RecordInput
    /// The names of the fields to return; nil for those of the whole request.
    public var desiredKeys: [String]?
    /// Whether the values of INT64 and DOUBLE fields are returned as strings; see
    /// `Request.wantsNumbersAsStrings`.
    public var numbersAsStrings: Bool?

    /// Creates an operation that saves or deletes a record. If `desiredKeys` is nil, those of the
    /// whole request apply.
    public init(
      _ operationType: OperationType, _ record: RecordInput, desiredKeys: [String]? = nil
    ) {
      self.operationType = operationType
      self.record = record
      self.desiredKeys = desiredKeys
    }
  }

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The operations, performed in order. At most `Limits.operations`, and at most one per record.
    public var operations: [Operation]
    /// The zone of the records that do not specify one; nil for the default zone.
    public var zoneID: ZoneID?
    /// Whether either all operations succeed or none is performed; nil for the default. See
    /// `isAtomic(in:)`.
    public var atomic: Bool?
    /// The names of the fields to return; nil for all fields.
    public var desiredKeys: [String]?
    /// Whether the values of INT64 and DOUBLE fields are returned as strings.
    public var numbersAsStrings: Bool?

    /// Creates the request for a batch of operations.
    ///
    /// - Parameter atomic: Whether either all operations succeed or none is performed; nil for the
    ///   default of the zone, which `isAtomic(in:)` describes.
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

    /// Whether either all operations in a zone succeed or none is performed.
    ///
    /// This is the default in custom zones and not possible in the default zone.
    public func isAtomic(in zoneID: ZoneID) -> Bool { !zoneID.isDefault && atomic != false }

    /// Returns the zone of the record of an operation.
    public func zoneID(of operation: Operation) -> ZoneID {
      operation.record.zoneID ?? zoneID ?? .default
    }

    /// Whether the numbers in the response are written as strings. If one operation asks for it,
    /// this applies to the numbers of all records.
    public var wantsNumbersAsStrings: Bool {
      numbersAsStrings == true || operations.contains { $0.numbersAsStrings == true }
    }

    /// Checks the rules whose violation makes the whole request fail: at most `Limits.operations`
    /// operations, at most one operation per record, at most `Limits.recordBytes` per record, at
    /// most `Limits.desiredNames` names in a list of fields, and no atomic request in the default
    /// zone.
    ///
    /// - Parameter owner: Returns the owner of a zone, and nil for the caller's own zones, so that
    ///   different identifiers of one zone are recognized.
    /// - Throws: A BAD_REQUEST error. Apple does not document the errors for these cases; the code
    ///   is this project's choice.
    public func check(
      owner: (ZoneID) -> String? = { $0.ownerRecordName }
    ) throws(ServiceError) {
      try Limits.check(items: operations.count, atMost: Limits.operations)
      try Limits.check(desired: desiredKeys)
      let zones = operations.isEmpty ? [zoneID ?? .default] : operations.map(zoneID(of:))
      guard atomic != true || zones.allSatisfy(isAtomic(in:)) else {
        throw ServiceError(.badRequest, cause: .atomicInDefaultZone)
      }
      var names: Set<[String?]> = []
      for (operation, zone) in zip(operations, zones) {
        let record = operation.record
        if let name = record.recordName,
          !names.insert([owner(zone), zone.zoneName, name]).inserted
        {
          throw ServiceError(.badRequest, cause: .duplicate(name))
        }
        try Limits.check(desired: operation.desiredKeys)
        let bytes = RecordSize.bytes(of: record)
        guard bytes <= Limits.recordBytes else {
          throw ServiceError(
            .badRequest, cause: .recordTooLarge(bytes: bytes),
            recordName: record.recordName)
        }
      }
    }
  }

  /// The response body.
  public struct Response: Hashable, Sendable {
    /// One result for each operation, in the order of the operations.
    public var records: [RecordResult]
    /// The zone's newest sync token, if the service returns it.
    public var syncToken: String?

    /// Creates the response to `records/modify`: one result for each operation, in their order.
    public init(records: [RecordResult], syncToken: String? = nil) {
      self.records = records
      self.syncToken = syncToken
    }
  }
}

extension RecordsModify.Operation {
  /// Checks the rules whose violation makes only this operation fail and that do not depend on
  /// the stored record: the record's name must be valid, a required change tag or record type must
  /// be present, and the operation must not be about a share.
  ///
  /// - Parameter user: The caller's own user record name, which is a valid record name for the
  ///   caller.
  /// - Throws: A BAD_REQUEST error with the record's name.
  public func check(user: String? = nil) throws(ServiceError) {
    func fail(_ cause: ErrorCause) -> ServiceError {
      ServiceError(.badRequest, cause: cause, recordName: record.recordName)
    }
    if record.recordType == SharingRequest.recordType {
      throw fail(.notServed(.sharing, SharingRequest.recordType))
    }
    if let sharing = record.sharing { throw fail(.notServed(.sharing, sharing.rawValue)) }
    guard let name = record.recordName else {
      guard operationType == .create else { throw fail(.missingRecordName) }
      guard record.recordType != nil else { throw fail(.missingRecordType) }
      return
    }
    if let problem = RecordNameRules.problem(withName: name, user: user) {
      throw fail(.invalidName(name, problem))
    }
    if operationType.needsChangeTag, record.recordChangeTag == nil {
      throw fail(.missingChangeTag)
    }
    if operationType == .create, record.recordType == nil { throw fail(.missingRecordType) }
  }
}

extension RecordsModify.Response: Codable {
  private enum CodingKeys: CodingKey { case records, syncToken }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
  }
}
