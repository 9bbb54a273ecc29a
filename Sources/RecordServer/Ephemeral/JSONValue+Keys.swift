import CloudRecords

extension JSONValue {
  /// Returns a key, in this value or in the values that it contains, that is not one of the known
  /// keys; nil if all are known. The keys of an object with the key `fields` are not checked,
  /// because apps choose the names of fields.
  func firstKey(notIn known: Set<String>) -> String? {
    switch self {
    case .object(let object):
      for (key, value) in object.sorted(by: { $0.key < $1.key }) {
        guard known.contains(key) else { return key }
        var values = [value]
        if key == "fields", case .object(let fields) = value { values = Array(fields.values) }
        if let unknown = values.lazy.compactMap({ $0.firstKey(notIn: known) }).first {
          return unknown
        }
      }
      return nil
    case .array(let values):
      return values.lazy.compactMap { $0.firstKey(notIn: known) }.first
    case .null, .bool, .integer, .number, .string: return nil
    }
  }
}
