public import FoundationEssentials

/// The value of a field: one of eight kinds, or a list of values of one kind.
///
///     record["ayahNumber"] = .int64(255)
///
/// There are no Booleans; 0 and 1 are used instead. An empty list has the type of its elements.
public enum FieldValue: Hashable, Sendable {
  /// A STRING.
  case string(String)
  /// An INT64.
  case int64(Int64)
  /// A DOUBLE, which must be finite because JSON cannot represent other numbers.
  case double(Double)
  /// A TIMESTAMP.
  case timestamp(Timestamp)
  /// BYTES.
  case bytes(Data)
  /// A LOCATION.
  case location(Location)
  /// A REFERENCE.
  case reference(Reference)
  /// An ASSETID.
  case asset(Asset)

  /// A STRING_LIST.
  case strings([String])
  /// An INT64_LIST.
  case int64s([Int64])
  /// A DOUBLE_LIST of finite numbers.
  case doubles([Double])
  /// A TIMESTAMP_LIST.
  case timestamps([Timestamp])
  /// A BYTES_LIST.
  case bytesList([Data])
  /// A LOCATION_LIST.
  case locations([Location])
  /// A REFERENCE_LIST.
  case references([Reference])
  /// An ASSETID_LIST.
  case assets([Asset])

  /// The type of the value.
  public var type: ValueType {
    switch self {
    case .string: ValueType(.string)
    case .int64: ValueType(.int64)
    case .double: ValueType(.double)
    case .timestamp: ValueType(.timestamp)
    case .bytes: ValueType(.bytes)
    case .location: ValueType(.location)
    case .reference: ValueType(.reference)
    case .asset: ValueType(.asset)
    case .strings: ValueType(.string, isList: true)
    case .int64s: ValueType(.int64, isList: true)
    case .doubles: ValueType(.double, isList: true)
    case .timestamps: ValueType(.timestamp, isList: true)
    case .bytesList: ValueType(.bytes, isList: true)
    case .locations: ValueType(.location, isList: true)
    case .references: ValueType(.reference, isList: true)
    case .assets: ValueType(.asset, isList: true)
    }
  }

  /// The references in the value, which is a reference or a list of references; otherwise empty.
  public var references: [Reference] {
    switch self {
    case .reference(let reference): [reference]
    case .references(let references): references
    default: []
    }
  }

  /// The assets in the value, which is an asset or a list of assets; otherwise empty.
  public var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .assets(let assets): assets
    default: []
    }
  }

  /// The number of elements of a list; 1 if the value is not a list.
  ///
  /// This is faster than `elements.count`, which creates a value for each element. A list can have
  /// a million elements.
  public var elementCount: Int {
    switch self {
    case .strings(let list): list.count
    case .int64s(let list): list.count
    case .doubles(let list): list.count
    case .timestamps(let list): list.count
    case .bytesList(let list): list.count
    case .locations(let list): list.count
    case .references(let list): list.count
    case .assets(let list): list.count
    default: 1
    }
  }

  /// The elements of a list, each as a value; the value itself if it is not a list.
  public var elements: [FieldValue] {
    switch self {
    case .strings(let list): list.map(FieldValue.string)
    case .int64s(let list): list.map(FieldValue.int64)
    case .doubles(let list): list.map(FieldValue.double)
    case .timestamps(let list): list.map(FieldValue.timestamp)
    case .bytesList(let list): list.map(FieldValue.bytes)
    case .locations(let list): list.map(FieldValue.location)
    case .references(let list): list.map(FieldValue.reference)
    case .assets(let list): list.map(FieldValue.asset)
    default: [self]
    }
  }
}
