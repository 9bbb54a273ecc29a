/// An item of a response's `records`: a record, a deleted record, or an error.
public enum RecordResult: Hashable, Sendable {
  /// A record that exists.
  case record(Record)
  /// A record that has been deleted.
  case tombstone(Tombstone)
  /// The error of this item.
  case failure(ServiceError)

  /// The record; nil if it has been deleted or the item is an error.
  public var record: Record? { if case .record(let record) = self { record } else { nil } }
  /// The tombstone; nil if the record exists or the item is an error.
  public var tombstone: Tombstone? {
    if case .tombstone(let tombstone) = self { tombstone } else { nil }
  }
  /// The error; nil if the item is not an error.
  public var error: ServiceError? { if case .failure(let error) = self { error } else { nil } }

  /// The record's name; nil if the item is an error without a record name.
  public var recordName: String? {
    switch self {
    case .record(let record): record.recordName
    case .tombstone(let tombstone): tombstone.recordName
    case .failure(let error): error.recordName
    }
  }
}

extension RecordResult: Codable {
  private enum CodingKeys: CodingKey { case deleted }

  public init(from decoder: any Decoder) throws {
    if try ServiceError.isPresent(in: decoder) {
      self = .failure(try ServiceError(from: decoder))
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if try container.decodeIfPresent(Bool.self, forKey: .deleted) == true {
      self = .tombstone(try Tombstone(from: decoder))
    } else {
      self = .record(try Record(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .record(let record): try record.encode(to: encoder)
    case .tombstone(let tombstone): try tombstone.encode(to: encoder)
    case .failure(let error): try error.encode(to: encoder)
    }
  }
}
