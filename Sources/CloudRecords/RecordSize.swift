/// The size of a record as it counts against `Limits.recordBytes`.
///
/// Apple does not publish how it computes the size. In this project the client and the server add
/// the bytes of the record's name, of its type, and of the name and the value of each field.
///
/// | value | bytes |
/// |---|---|
/// | STRING | the bytes of its UTF-8 form |
/// | INT64, DOUBLE, TIMESTAMP | 8 |
/// | BYTES | the number of bytes |
/// | LOCATION | 8 for each number |
/// | REFERENCE | the bytes of the record name and of the zone's name, owner and type, and 1 |
/// | ASSETID | the bytes of its strings without the URL, and 8; the contents do not count |
/// | list | the sum of the elements, and 1 for each element |
/// | null | 0; the field's name does not count either |
public enum RecordSize {
  /// The size of a record in bytes.
  public static func bytes(of record: Record) -> Int {
    record.recordName.utf8.count + record.recordType.utf8.count + bytes(of: record.fields)
  }

  /// The size in bytes of a record that is to be saved.
  public static func bytes(of record: RecordInput) -> Int {
    (record.recordName?.utf8.count ?? 0) + (record.recordType?.utf8.count ?? 0)
      + bytes(of: record.fields)
  }

  /// The size of fields in bytes, including their names.
  public static func bytes(of fields: [String: Field]) -> Int {
    fields.reduce(0) { sum, field in
      switch field.value.content {
      case .null: sum
      case .value(let value): sum + field.key.utf8.count + bytes(of: value)
      case .raw(let json, _): sum + field.key.utf8.count + bytes(of: json)
      }
    }
  }

  /// The size of a value in bytes.
  public static func bytes(of value: FieldValue) -> Int {
    switch value {
    case .string(let string): string.utf8.count
    case .int64, .double, .timestamp: 8
    case .bytes(let bytes): bytes.count
    case .location(let location): bytes(of: location)
    case .reference(let reference): bytes(of: reference)
    case .asset(let asset): bytes(of: asset)
    case .strings(let list): list.reduce(0) { $0 + 1 + $1.utf8.count }
    case .int64s(let list): 9 * list.count
    case .doubles(let list): 9 * list.count
    case .timestamps(let list): 9 * list.count
    case .bytesList(let list): list.reduce(0) { $0 + 1 + $1.count }
    case .locations(let list): list.reduce(0) { $0 + 1 + bytes(of: $1) }
    case .references(let list): list.reduce(0) { $0 + 1 + bytes(of: $1) }
    case .assets(let list): list.reduce(0) { $0 + 1 + bytes(of: $1) }
    }
  }

  private static func bytes(of location: Location) -> Int {
    let optional = [
      location.horizontalAccuracy, location.verticalAccuracy, location.altitude, location.speed,
      location.course,
    ]
    return 16 + 8 * optional.count { $0 != nil } + (location.timestamp == nil ? 0 : 8)
  }

  private static func bytes(of reference: Reference) -> Int {
    let zone = reference.zoneID
    let texts = [
      reference.recordName, zone?.zoneName, zone?.ownerRecordName, zone?.zoneType?.rawValue,
    ]
    return texts.reduce(1) { $0 + ($1?.utf8.count ?? 0) }
  }

  private static func bytes(of asset: Asset) -> Int {
    let texts = [asset.fileChecksum, asset.referenceChecksum, asset.wrappingKey, asset.receipt]
    return texts.reduce(8) { $0 + ($1?.utf8.count ?? 0) }
  }

  /// The size of a value whose type is not known yet, counted as the type that its JSON suggests.
  private static func bytes(of json: JSONValue) -> Int {
    switch json {
    case .null: 0
    case .bool, .integer, .number: 8
    case .string(let string): string.utf8.count
    case .array(let array): array.reduce(0) { $0 + 1 + bytes(of: $1) }
    case .object(let object):
      object.reduce(0) { $0 + $1.key.utf8.count + bytes(of: $1.value) }
    }
  }
}
