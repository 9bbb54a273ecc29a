import CloudRecords

/// The keys that a JSON value, and the values that it contains, may have.
indirect enum KnownKeys: Sendable {
  /// The keys of this value are not checked.
  case unchecked
  /// An object of one of these kinds, each with its keys.
  case object([[String: KnownKeys]])
  /// An object whose keys an app chooses.
  case named(KnownKeys)

  /// An object with keys whose values are not checked.
  static func object(_ keys: some Sequence<String>) -> KnownKeys {
    .object([unchecked(keys)])
  }

  /// Keys whose values are not checked.
  static func unchecked(_ keys: some Sequence<String>) -> [String: KnownKeys] {
    [String: KnownKeys](keys.map { ($0, .unchecked) }) { first, _ in first }
  }
}

/// A key that an object must not have.
public struct UnknownKey: Hashable, Sendable {
  /// The path to the object, for example `records[3].fields.place.value`; empty for the whole body.
  public let path: String
  /// The key.
  public let key: String
  /// The keys that the object may have, sorted.
  public let known: [String]
}

extension JSONValue {
  /// Returns the first unknown key in this value and in the values that it contains; nil if all are
  /// known. If this value is a list, each of its elements is checked in the same way.
  ///
  /// - Parameter path: the path to this value.
  func unknownKey(besides known: KnownKeys, at path: String = "") -> UnknownKey? {
    switch (self, known) {
    case (.array(let elements), _):
      for (index, element) in elements.enumerated() {
        if let unknown = element.unknownKey(besides: known, at: "\(path)[\(index)]") {
          return unknown
        }
      }
    case (.object(let object), .named(let each)):
      for (key, value) in object.sorted(by: { $0.key < $1.key }) {
        if let unknown = value.unknownKey(besides: each, at: "\(path).\(key)") { return unknown }
      }
    case (.object(let object), .object(let kinds)):
      func count(_ kind: [String: KnownKeys]) -> Int { object.keys.count { kind[$0] != nil } }
      let kind = kinds.max { count($0) < count($1) } ?? [:]
      for (key, value) in object.sorted(by: { $0.key < $1.key }) {
        guard let keys = kind[key] else {
          return UnknownKey(path: path, key: key, known: kind.keys.sorted())
        }
        let path = path.isEmpty ? key : "\(path).\(key)"
        if let unknown = value.unknownKey(besides: keys, at: path) { return unknown }
      }
    default: break
    }
    return nil
  }
}
