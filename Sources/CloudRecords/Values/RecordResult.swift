/// One entry of an answer's `records`.
public enum RecordResult: Hashable, Sendable {
  case record(Record)
  case tombstone(Tombstone)
  case failure(ServiceError)

  public var record: Record? { if case .record(let record) = self { record } else { nil } }
  public var tombstone: Tombstone? {
    if case .tombstone(let tombstone) = self { tombstone } else { nil }
  }
  public var error: ServiceError? { if case .failure(let error) = self { error } else { nil } }

  /// Nil only for an error that names no record.
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
