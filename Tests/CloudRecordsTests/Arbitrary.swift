import CloudRecords
import FoundationEssentials
import TestSupport

/// A generator of random values of all kinds, which are the same for the same seed.
struct Arbitrary {
  var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
  mutating func bool() -> Bool { .random(using: &generator) }
  mutating func one<Value>(of values: [Value]) -> Value {
    values[int(0...values.count - 1)]
  }
  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { bool() ? make(&self) : nil }
  mutating func list<Value>(_ upTo: Int = 4, _ make: (inout Self) -> Value) -> [Value] {
    (0..<int(0...upTo)).map { _ in make(&self) }
  }

  mutating func string() -> String {
    let pieces = [
      "", "a", "Z", "0", "\u{0}", "\u{1F}", "\"", "\\", "/", "\n", "\u{7F}", "\u{2028}", "é",
      "e\u{301}", "ệ", "ﷲ", "بِسْمِ", "😀", "👩‍👩‍👧", "\u{FEFF}", "\u{10FFFF}", "\u{FFFD}",
      "null", "{\"a\":1}", "</script>",
    ]
    return list(6) { $0.one(of: pieces) }.joined()
  }

  mutating func identifier() -> String {
    one(of: ["a", "B", "text", "grant", "Queryable", "list", "x_1"])
      + (0..<int(0...3)).map { _ in String(int(0...9)) }.joined()
  }

  mutating func int64() -> Int64 {
    one(of: [
      0, 1, -1, .max, .min, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1,
      .random(in: .min ... .max, using: &generator),
    ])
  }

  mutating func double() -> Double {
    let bits = Double(bitPattern: .random(in: .min ... .max, using: &generator))
    return one(of: [
      0, -0.0, 1, 5, 0.1, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1e22, 0x1p53,
      bits.isFinite ? bits : 1,
    ])
  }

  mutating func timestamp() -> Timestamp { Timestamp(milliseconds: int64()) }
  mutating func bytes() -> Data { Data(list(20) { UInt8($0.int(0...255)) }) }

  mutating func location() -> Location {
    Location(
      latitude: double(), longitude: double(), horizontalAccuracy: maybe { $0.double() },
      verticalAccuracy: maybe { $0.double() }, altitude: maybe { $0.double() },
      speed: maybe { $0.double() }, course: maybe { $0.double() },
      timestamp: maybe { $0.timestamp() })
  }

  mutating func zoneID() -> ZoneID {
    ZoneID(
      string(), ownerRecordName: maybe { $0.string() },
      zoneType: maybe { $0.one(of: [.default, .custom]) })
  }

  mutating func reference() -> Reference {
    Reference(
      string(), zoneID: maybe { $0.zoneID() },
      action: maybe { $0.one(of: Reference.Action.allCases) })
  }

  mutating func asset() -> Asset {
    Asset(
      fileChecksum: string(), size: int64(), referenceChecksum: maybe { $0.string() },
      wrappingKey: maybe { $0.string() }, receipt: maybe { $0.string() },
      downloadURL: maybe { $0.string() })
  }

  mutating func value(_ type: ValueType) -> FieldValue {
    switch (type.kind, type.isList) {
    case (.string, false): .string(string())
    case (.int64, false): .int64(int64())
    case (.double, false): .double(double())
    case (.timestamp, false): .timestamp(timestamp())
    case (.bytes, false): .bytes(bytes())
    case (.location, false): .location(location())
    case (.reference, false): .reference(reference())
    case (.asset, false): .asset(asset())
    case (.string, true): .strings(list { $0.string() })
    case (.int64, true): .int64s(list { $0.int64() })
    case (.double, true): .doubles(list { $0.double() })
    case (.timestamp, true): .timestamps(list { $0.timestamp() })
    case (.bytes, true): .bytesList(list { $0.bytes() })
    case (.location, true): .locations(list { $0.location() })
    case (.reference, true): .references(list { $0.reference() })
    case (.asset, true): .assets(list { $0.asset() })
    }
  }

  static let types = ValueType.Kind.allCases.flatMap { kind in
    [ValueType(kind), ValueType(kind, isList: true)]
  }

  mutating func json(depth: Int = 3) -> JSONValue {
    switch int(0...(depth > 0 ? 6 : 4)) {
    case 0: .bool(bool())
    case 1: .integer(int64())
    case 2: .number(one(of: [0.1, -1.5, 1e300, .leastNonzeroMagnitude]))
    case 3: .string(string())
    case 4: .null
    case 5: .array(list { $0.json(depth: depth - 1) })
    default:
      .object(
        Dictionary(list { ($0.string(), $0.json(depth: depth - 1)) }, uniquingKeysWith: { $1 }))
    }
  }

  /// A value without a type or of an unknown one. It is not `null`, which would clear the field.
  mutating func raw() -> Field.Content {
    let json = json()
    return .raw(json == .null ? .bool(false) : json, type: maybe { $0.one(of: ["X", "FOO_LIST"]) })
  }

  mutating func field() -> Field {
    switch int(0...9) {
    case 0: .null
    case 1: Field(raw())
    default: Field(value(one(of: Self.types)), isEncrypted: int(0...4) == 0)
    }
  }

  mutating func fields() -> [String: Field] {
    Dictionary(list(6) { ($0.identifier(), $0.field()) }, uniquingKeysWith: { $1 })
  }

  mutating func modificationInfo() -> ModificationInfo {
    ModificationInfo(
      timestamp: timestamp(), userRecordName: maybe { $0.string() },
      deviceID: maybe { $0.string() })
  }

  mutating func record() -> Record {
    Record(
      string(), type: identifier(), fields: fields(), recordChangeTag: maybe { $0.string() },
      created: maybe { $0.modificationInfo() }, modified: maybe { $0.modificationInfo() },
      zoneID: maybe { $0.zoneID() }, parent: maybe { Parent($0.string()) })
  }

  mutating func recordInput() -> RecordInput {
    RecordInput(
      maybe { $0.string() }, type: maybe { $0.identifier() }, fields: fields(),
      recordChangeTag: maybe { $0.string() }, zoneID: maybe { $0.zoneID() },
      parent: maybe { Parent($0.string()) })
  }

  mutating func error() -> ServiceError {
    ServiceError(
      bool()
        ? one(of: ErrorCode.allCases)
        : ErrorCode(rawValue: ServiceError.sanitized(string() + "?")),
      reason: maybe { ServiceError.sanitized($0.string()) }, retryAfter: maybe { $0.double() },
      redirectURL: maybe { $0.string() }, uuid: maybe { $0.string() },
      recordName: maybe { $0.string() }, zoneID: maybe { $0.zoneID() },
      subscriptionID: maybe { $0.string() })
  }

  mutating func result() -> RecordResult {
    switch int(0...2) {
    case 0: .record(record())
    case 1:
      .tombstone(
        Tombstone(
          string(), type: maybe { $0.identifier() }, recordChangeTag: maybe { $0.string() },
          zoneID: maybe { $0.zoneID() }))
    default: .failure(error())
    }
  }

  mutating func queryField() -> QueryField {
    bool() ? .named(identifier()) : .system(one(of: SystemField.allCases))
  }

  mutating func query() -> Query {
    Query(
      identifier(),
      filters: list { arbitrary in
        Filter(
          arbitrary.queryField(), arbitrary.one(of: Filter.Comparator.allCases), arbitrary.field(),
          distance: arbitrary.maybe { $0.double() })
      },
      sorts: list { arbitrary in
        Sort(
          arbitrary.queryField(), ascending: arbitrary.bool(),
          relativeLocation: arbitrary.maybe { $0.location() })
      })
  }

  mutating func subscription() -> Subscription {
    Subscription(
      maybe { $0.string() }, maybe { $0.one(of: [.query, .zone, .init(rawValue: "database")]) },
      query: maybe { $0.query() }, zoneID: maybe { $0.zoneID() },
      firesOn: Set(list { $0.one(of: Subscription.Event.allCases) }),
      firesOnce: maybe { $0.bool() }, zoneWide: maybe { $0.bool() },
      notificationInfo: maybe {
        NotificationInfo(
          alertBody: $0.maybe { $0.string() }, shouldSendContentAvailable: $0.maybe { $0.bool() })
      })
  }

  // MARK: Schemas

  mutating func fieldType() -> FieldType {
    var type: FieldType =
      switch int(0...9) {
      case 0: .number
      case 1: FieldType(.number(preferred: one(of: FieldType.Preference.allCases)))
      default: FieldType(ValueType(one(of: ValueType.Kind.allCases)))
      }
    if type.canBeEncrypted, int(0...4) == 0 { type = type.encrypted }
    return int(0...2) == 0 ? type.list : type
  }

  mutating func indexes(within possible: Indexes) -> Indexes {
    var indexes: Indexes = []
    for index in [Indexes.queryable, .searchable, .sortable]
    where possible.contains(index) && bool() {
      indexes.insert(index)
    }
    return indexes
  }

  mutating func name() -> String {
    int(0...4) == 0
      ? one(of: ["_x", "grant", "SORTABLE", "cloudkit.share", "Ayah ghi chú", "a-b", "1st"])
      : identifier()
  }

  mutating func recordType(roles: [String]) -> RecordType {
    var type = RecordType(name())
    for _ in 0..<int(0...6) {
      let fieldType = fieldType()
      type.fields[name()] = FieldDefinition(
        fieldType, indexes(within: fieldType.possibleIndexes))
    }
    for field in SystemField.allCases where int(0...3) == 0 {
      type[field] = indexes(within: [.queryable, .sortable])
    }
    let granted = [Role.world, .icloud, .creator] + roles.map(Role.init)
    for role in granted where bool() {
      type.grants[role] = Set(list { $0.one(of: Permission.allCases) })
    }
    return type
  }

  mutating func schema() -> Schema {
    let roles = list(2) { $0.one(of: ["editor", "test role", "Grant", "vai trò"]) }
    return Schema(list { $0.recordType(roles: roles) }, roles: Set(roles))
  }
}

/// Returns the seeds of a property test.
func seeds(_ count: Int) -> Range<UInt64> { 1..<UInt64(count) + 1 }
