import FoundationEssentials
import Text

/// Writes the JSON of a response with records, and of the fields of a stored record.
///
/// `JSONEncoder` makes a value of each member before it writes the first byte, which takes most of
/// the time of a page. Here the members that all records have are written at once, and fields that
/// are stored as JSON are copied. Everything else is left to `JSONEncoder`.
struct PageWriter {
  private(set) var bytes: [UInt8] = []
  private let encoder: JSONEncoder
  private let writesStoredFields: Bool

  /// - Parameters:
  ///   - encoder: encodes everything that is not written here.
  ///   - writesStoredFields: whether fields that are stored as JSON can be copied.
  init(encoder: JSONEncoder, writesStoredFields: Bool) {
    self.encoder = encoder
    self.writesStoredFields = writesStoredFields
  }

  // MARK: Values

  mutating func object(_ members: (inout PageWriter) throws -> Void) rethrows {
    bytes.append(UInt8(ascii: "{"))
    try members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func array<Item>(
    _ items: [Item], _ write: (inout PageWriter, Item) throws -> Void
  ) rethrows {
    bytes.append(UInt8(ascii: "["))
    for item in items {
      separate()
      try write(&self, item)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func value(_ value: some Encodable) throws { bytes += try encoder.encode(value) }

  mutating func fields(_ fields: RecordFields) throws {
    if writesStoredFields, case .json(let data) = fields {
      bytes += data
    } else {
      try value(fields.values)
    }
  }

  /// Writes fields in the form of `CanonicalJSON`, which is that of the encoder.
  mutating func canonical(_ fields: [String: Field]) throws {
    try object { page in
      for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
        page.separate()
        try page.canonical(name)
        page.bytes.append(UInt8(ascii: ":"))
        try page.canonical(field)
      }
    }
  }

  private mutating func canonical(_ field: Field) throws {
    guard !field.isEncrypted, let value = field.value else { return try self.value(field) }
    switch value {
    case .string(let text): try typed(value.type) { try $0.canonical(text) }
    case .int64(let number): typed(value.type) { $0.bytes += String(number).utf8 }
    case .timestamp(let time): typed(value.type) { $0.bytes += String(time.milliseconds).utf8 }
    default: try self.value(field)
    }
  }

  private mutating func typed(
    _ type: ValueType, _ value: (inout PageWriter) throws -> Void
  ) rethrows {
    try object { page in
      page.member("type", type.name)
      page.key("value")
      try value(&page)
    }
  }

  /// Writes a string. Most need no escape sequences.
  private mutating func canonical(_ text: String) throws {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && !Self.isSpecial($0) }) else {
      return try value(text)
    }
    bytes.append(UInt8(ascii: "\""))
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Members of objects

  /// Writes the key of a member, which needs no escape sequences; its value must follow.
  mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { bytes += $0 }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a member with a string; nothing if it is nil.
  mutating func member(_ key: StaticString, _ text: String?) {
    guard let text else { return }
    self.key(key)
    string(text)
  }

  /// Writes a string. Names and tags mostly need no escape sequences.
  private mutating func string(_ text: String) {
    guard text.utf8.allSatisfy(Self.isPlain) else {
      bytes += text.asJSON.utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    0x20..<0x7F ~= byte && !isSpecial(byte)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Writes a member; nothing if its value is nil.
  mutating func member(_ key: StaticString, _ value: (some Encodable)?) throws {
    guard let value else { return }
    self.key(key)
    try self.value(value)
  }

  mutating func member(_ key: StaticString, _ info: ModificationInfo?) {
    guard let info else { return }
    self.key(key)
    object { page in
      page.member("deviceID", info.deviceID)
      page.key("timestamp")
      page.bytes += String(info.timestamp.milliseconds).utf8
      page.member("userRecordName", info.userRecordName)
    }
  }

  /// Writes the comma before a member or an element that is not the first one.
  private mutating func separate() {
    guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else {
      return
    }
    bytes.append(UInt8(ascii: ","))
  }
}

/// The body of a response that consists of records. `Wire` writes it with a `PageWriter`.
protocol RecordPage: Encodable {
  /// Writes what `encode(to:)` encodes.
  func write(to page: inout PageWriter) throws
}

extension PageWriter {
  mutating func member(_ key: StaticString, _ records: [RecordResult]) throws {
    self.key(key)
    try array(records) { page, result in
      switch result {
      case .record(let record): try page.record(record)
      case .tombstone(let tombstone): try page.value(tombstone)
      case .failure(let error): try page.value(error)
      }
    }
  }

  /// Writes the record, with the same members as `Record.encode(to:)`.
  private mutating func record(_ record: Record) throws {
    try object { page in
      page.member("created", record.created)
      page.key("deleted")
      page.bytes += "false".utf8
      page.key("fields")
      try page.fields(record.content)
      page.member("modified", record.modified)
      try page.member("parent", record.parent)
      page.key("pluginFields")
      page.object { _ in }
      page.member("recordChangeTag", record.recordChangeTag)
      page.member("recordName", record.recordName)
      page.member("recordType", record.recordType)
      try page.zone(record.zoneID)
    }
  }

  private mutating func zone(_ zoneID: ZoneID?) throws {
    guard let zoneID else { return }
    guard zoneID.ownerRecordName == nil, zoneID.zoneType == nil else {
      return try member("zoneID", zoneID)
    }
    key("zoneID")
    object { $0.member("zoneName", zoneID.zoneName) }
  }
}

extension RecordsModify.Response: RecordPage {
  func write(to page: inout PageWriter) throws {
    try page.object { page in
      try page.member("records", records)
      page.member("syncToken", syncToken)
    }
  }
}

extension RecordsQuery.Response: RecordPage {
  func write(to page: inout PageWriter) throws {
    try page.object { page in
      page.member("continuationMarker", continuationMarker)
      try page.member("records", records)
      page.member("syncToken", syncToken)
    }
  }
}

extension RecordsChanges.Response: RecordPage {
  func write(to page: inout PageWriter) throws {
    try page.object { page in
      try page.member("moreComing", moreComing)
      try page.member("records", records)
      page.member("syncToken", syncToken)
    }
  }
}

extension ChangesZone.Response: RecordPage {
  func write(to page: inout PageWriter) throws {
    try page.object { page in
      page.key("zones")
      try page.array(zones) { page, zone in
        switch zone {
        case .success(let changes): try changes.write(to: &page)
        case .failure(let error): try page.value(error)
        }
      }
    }
  }
}

extension ChangesZone.Page: RecordPage {
  func write(to page: inout PageWriter) throws {
    try page.object { page in
      try page.member("moreComing", moreComing)
      try page.member("records", records)
      page.member("syncToken", syncToken)
      try page.member("zoneID", zoneID)
    }
  }
}
