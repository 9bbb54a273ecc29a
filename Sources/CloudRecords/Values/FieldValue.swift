public import FoundationEssentials

/// The value of a field: one of eight kinds, or a list of one of them.
///
///     record["ayahNumber"] = .int64(255)
///
/// There is no Boolean: 0 and 1 stand for it. An empty list keeps the kind of its elements.
public enum FieldValue: Hashable, Sendable {
  case string(String)
  case int64(Int64)
  /// Finite: JSON has no other numbers.
  case double(Double)
  case timestamp(Timestamp)
  case bytes(Data)
  case location(Location)
  case reference(Reference)
  case asset(Asset)

  case strings([String])
  case int64s([Int64])
  case doubles([Double])
  case timestamps([Timestamp])
  case bytesList([Data])
  case locations([Location])
  case references([Reference])
  case assets([Asset])

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

  /// The references in it, whether it is one or a list.
  public var references: [Reference] {
    switch self {
    case .reference(let reference): [reference]
    case .references(let references): references
    default: []
    }
  }

  /// The assets in it, whether it is one or a list.
  public var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .assets(let assets): assets
    default: []
    }
  }

  /// The elements of a list, each as a value; a value that is none, by itself.
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
