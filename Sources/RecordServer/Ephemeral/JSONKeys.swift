/// The keys of a JSON value and of the values in it.
indirect enum JSONKeys: Decodable {
  case object([String: JSONKeys])
  case list([JSONKeys])
  /// A string, a number, a Boolean or null.
  case scalar

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      var object: [String: JSONKeys] = [:]
      for key in container.allKeys {
        object[key.stringValue] = try container.decode(JSONKeys.self, forKey: key)
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var list: [JSONKeys] = []
      while !container.isAtEnd { list.append(try container.decode(JSONKeys.self)) }
      self = .list(list)
    } else {
      self = .scalar
    }
  }

  /// Returns a key that is not one of some known keys; nil if there is none. The keys of an object
  /// `fields` are names that apps choose.
  func first(notIn known: Set<String>) -> String? {
    switch self {
    case .object(let object):
      for (key, value) in object.sorted(by: { $0.key < $1.key }) {
        guard known.contains(key) else { return key }
        let values =
          if key == "fields", case .object(let fields) = value {
            Array(fields.values)
          } else {
            [value]
          }
        if let unknown = values.lazy.compactMap({ $0.first(notIn: known) }).first {
          return unknown
        }
      }
      return nil
    case .list(let list): return list.lazy.compactMap { $0.first(notIn: known) }.first
    case .scalar: return nil
    }
  }
}
