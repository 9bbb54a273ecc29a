/// An archive of `NSKeyedArchiver`, read as what it is in a property list: a table of
/// objects that refer to each other by number.
///
/// Only lists, sets, dictionaries, texts, data and numbers come out of it. What class an
/// object claims to be is never looked at: its fields tell enough.
struct KeyedArchive {
  private let objects: [LegacyValue]
  private let root: LegacyValue
  private var path: Set<Int> = []

  /// Nil where the value is no archive.
  init?(_ value: LegacyValue) {
    guard value["$archiver"] != nil, case .array(let objects)? = value["$objects"],
      case .dictionary(let top)? = value["$top"],
      let root = value["$top"]?["root"] ?? (top.count == 1 ? top[0].value : nil)
    else { return nil }
    self.objects = objects
    self.root = root
  }

  mutating func unarchive(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    try resolve(root, &budget)
  }

  private static let honestFields = 8

  /// As deep as the budget allows, which is not deep.
  private mutating func resolve(
    _ value: LegacyValue, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    if let number = Self.reference(value) {
      // No honest archive has references to references, and a line of them would be a
      // recursion that no budget counts.
      guard objects.indices.contains(number), Self.reference(objects[number]) == nil else {
        throw .damaged(.keyedArchive, offset: nil)
      }
      if objects[number].isText("$null") { return .null }
      guard path.insert(number).inserted else { throw .cyclic }
      defer { path.remove(number) }
      return try resolve(objects[number], &budget)
    }
    switch value {
    case .array(let values): return .array(try resolve(values, &budget))
    case .dictionary(let members): return try object(value, members, &budget)
    default:
      try budget.charge(value)
      return value
    }
  }

  private mutating func resolve(
    _ values: [LegacyValue], _ budget: inout Budget
  ) throws(LegacyFailure) -> [LegacyValue] {
    try budget.open()
    var resolved: [LegacyValue] = []
    for value in values { resolved.append(try resolve(value, &budget)) }
    budget.close()
    return resolved
  }

  private mutating func object(
    _ value: LegacyValue, _ members: [LegacyValue.Member], _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    // What Foundation writes has a few fields. More are searched at every reference.
    if members.count > Self.honestFields { try budget.charge(values: members.count) }
    if case .array(let values)? = value["NS.objects"] {
      let values = try resolve(values, &budget)
      guard case .array(let keys)? = value["NS.keys"] else { return .array(values) }
      guard keys.count == values.count else { throw .damaged(.keyedArchive, offset: nil) }
      return .dictionary(zip(try resolve(keys, &budget), values).map(LegacyValue.Member.init))
    }
    for field in ["NS.string", "NS.data", "NS.intval", "NS.dblval", "NS.boolval"] {
      guard let content = value[field] else { continue }
      // As deep as a list: an archive can say that a text's text is that text.
      try budget.open()
      defer { budget.close() }
      return try resolve(content, &budget)
    }
    if case .data(let bytes)? = value["NS.bytes"] {
      try budget.charge(bytes: bytes.count)
      try budget.charge(values: 1)
      return LegacyValue(text: bytes)
    }
    if value["NS.time"] != nil {
      try budget.charge(values: 1)
      return .date
    }
    // An object of a class of somebody's own, or a dictionary of the property list itself.
    try budget.open()
    var fields: [LegacyValue.Member] = []
    for member in members where !member.key.isText("$class") {
      try budget.charge(bytes: member.key.size)
      fields.append(.init(key: member.key, value: try resolve(member.value, &budget)))
    }
    budget.close()
    return .dictionary(fields)
  }

  /// XML has no references: `<dict><key>CF$UID</key><integer>1</integer></dict>`.
  private static func reference(_ value: LegacyValue) -> Int? {
    switch value {
    case .uid(let number): return number
    case .dictionary(let members):
      guard members.count == 1, members[0].key.isText("CF$UID"),
        case .integer(let number) = members[0].value
      else { return nil }
      return number
    default: return nil
    }
  }
}
