/// The keys of a JSON value and of the values in it.
indirect enum JSONKeys: Decodable {
  case object([String: JSONKeys])
  case list([JSONKeys])
  case null
  /// A string, a number or a Boolean.
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
      self = try decoder.singleValueContainer().decodeNil() ? .null : .scalar
    }
  }

  /// Returns a key of this value that another value of the same form does not have; nil if there is
  /// none. Keys with the value null do not count.
  func first(notIn other: JSONKeys) -> String? {
    switch (self, other) {
    case (.object(let mine), .object(let others)):
      for (key, value) in mine.sorted(by: { $0.key < $1.key }) {
        if case .null = value { continue }
        guard let known = others[key] else { return key }
        if let unknown = value.first(notIn: known) { return unknown }
      }
      return nil
    case (.list(let mine), .list(let others)):
      return zip(mine, others).lazy.compactMap { $0.first(notIn: $1) }.first
    default: return nil
    }
  }
}
