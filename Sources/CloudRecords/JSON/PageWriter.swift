import FoundationEssentials
import Text

/// Writes the JSON of a response with records, and of the fields of a stored record.
///
/// `JSONEncoder` makes a value of each member before it writes the first byte, which takes most of
/// the time of a page. Here the members that all records have and the values of most fields are
/// written at once, and fields that are stored as JSON are copied. Everything else is left to
/// `JSONEncoder`.
struct PageWriter {
  private(set) var bytes: [UInt8] = []
  private let encoder: JSONEncoder
  private let numbersAsStrings: Bool

  /// - Parameters:
  ///   - encoder: encodes everything that is not written here.
  ///   - numbersAsStrings: whether the values of INT64 and DOUBLE fields are written as strings.
  init(encoder: JSONEncoder, numbersAsStrings: Bool = false) {
    self.encoder = encoder
    self.numbersAsStrings = numbersAsStrings
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
    guard case .json(let data) = fields else { return try canonical(fields.values) }
    guard numbersAsStrings else {
      bytes += data
      return
    }
    guard let quoted = CanonicalJSON.quotingNumbers(in: data) else {
      return try canonical(fields.values)
    }
    bytes += quoted
  }

  /// Writes fields in the form of `CanonicalJSON`, which is that of the encoder.
  mutating func canonical(_ fields: [String: Field]) throws {
    try object { page in
      for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
        page.separate()
        page.string(name)
        page.bytes.append(UInt8(ascii: ":"))
        try page.canonical(field)
      }
    }
  }

  private mutating func canonical(_ field: Field) throws {
    switch field.value {
    case .string(let text): typed(field) { $0.string(text) }
    case .strings(let list): typed(field) { $0.array(list) { $0.string($1) } }
    case .int64(let number): typed(field) { $0.number(number) }
    case .int64s(let list): typed(field) { $0.array(list) { $0.number($1) } }
    case .double(let number) where number.isFinite: typed(field) { $0.number(number) }
    case .doubles(let list) where list.allSatisfy(\.isFinite):
      typed(field) { $0.array(list) { $0.number($1) } }
    case .timestamp(let time): typed(field) { $0.bytes += String(time.milliseconds).utf8 }
    case .timestamps(let list):
      typed(field) { $0.array(list) { $0.bytes += String($1.milliseconds).utf8 } }
    case .reference(let reference): typed(field) { $0.canonical(reference) }
    case .references(let list): typed(field) { $0.array(list) { $0.canonical($1) } }
    default: try value(field)
    }
  }

  private mutating func canonical(_ reference: Reference) {
    object { page in
      page.member("action", reference.action?.rawValue)
      page.member("recordName", reference.recordName)
      page.member("zoneID", reference.zoneID)
    }
  }

  /// Writes a member with the ID of a zone; nothing if it is nil.
  mutating func member(_ key: StaticString, _ zoneID: ZoneID?) {
    guard let zoneID else { return }
    self.key(key)
    object { page in
      page.member("ownerRecordName", zoneID.ownerRecordName)
      page.member("zoneName", zoneID.zoneName)
      page.member("zoneType", zoneID.zoneType?.rawValue)
    }
  }

  /// Writes a field whose type is not BYTES, with the members that `Field.encode(to:)` encodes.
  private mutating func typed(_ field: Field, _ value: (inout PageWriter) -> Void) {
    object { page in
      if field.isEncrypted {
        page.key("isEncrypted")
        page.bytes += "true".utf8
      }
      page.member("type", field.value?.type.name)
      page.key("value")
      value(&page)
    }
  }

  private mutating func number(_ number: Int64) { self.number(String(number)) }

  /// Writes a finite number. The encoder writes `5` for the number 5.0.
  private mutating func number(_ number: Double) {
    let text = number.description
    self.number(numbersAsStrings || !text.hasSuffix(".0") ? text : String(text.dropLast(2)))
  }

  private mutating func number(_ text: String) {
    if numbersAsStrings { bytes.append(UInt8(ascii: "\"")) }
    bytes += text.utf8
    if numbersAsStrings { bytes.append(UInt8(ascii: "\"")) }
  }

  /// Writes a string with the escape sequences of the encoder.
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { text in
      var start = 0
      for index in text.indices where text[index] < 0x20 || Self.isSpecial(text[index]) {
        bytes += text[start..<index]
        bytes.append(UInt8(ascii: "\\"))
        escape(text[index])
        start = index + 1
      }
      bytes += text[start...]
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes an escape sequence after its backslash.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case ..<0x20:
      let digit = byte & 0xF
      bytes += "u00".utf8
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: bytes.append(byte)
    }
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
      page.member("zoneID", record.zoneID)
    }
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
      page.member("zoneID", zoneID)
    }
  }
}
