/// An archive of `NSKeyedArchiver` in a property list: a table of objects that refer to each other
/// by index.
///
/// Unarchiving produces lists (also for sets), dictionaries, strings, data and numbers. The classes
/// of the objects are ignored; their fields are sufficient to interpret them.
struct KeyedArchive {
  private let objects: [LegacyValue]
  private let root: LegacyValue
  /// The indices of the objects being resolved, to detect cycles.
  private var path: Set<Int> = []

  /// Returns nil if the value is not a keyed archive.
  init?(_ value: LegacyValue) {
    guard value["$archiver"] != nil, case .array(let objects)? = value["$objects"],
      case .dictionary(let top)? = value["$top"],
      let root = value["$top"]?["root"] ?? (top.count == 1 ? top[0].value : nil)
    else { return nil }
    self.objects = objects
    self.root = root
  }

  /// Returns the root object with all references resolved.
  ///
  /// - Throws: `damaged`, `cyclic`, or a failure of the budget.
  mutating func unarchive(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    try resolve(root, &budget)
  }

  /// The maximum number of fields of the objects that Foundation writes.
  private static let maximumFieldCount = 8

  /// Resolves all references in a value. The recursion is limited by the depth limit of the budget.
  private mutating func resolve(
    _ value: LegacyValue, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    if let number = Self.reference(value) {
      // `NSKeyedArchiver` never writes a reference to a reference. A chain of them would recurse
      // without being counted by the budget.
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
    // Charge objects with more fields than Foundation writes: all fields are searched each time the
    // object is referenced.
    if members.count > Self.maximumFieldCount { try budget.charge(values: members.count) }
    if case .array(let values)? = value["NS.objects"] {
      let values = try resolve(values, &budget)
      guard case .array(let keys)? = value["NS.keys"] else { return .array(values) }
      guard keys.count == values.count else { throw .damaged(.keyedArchive, offset: nil) }
      return .dictionary(zip(try resolve(keys, &budget), values).map(LegacyValue.Member.init))
    }
    for field in ["NS.string", "NS.data", "NS.intval", "NS.dblval", "NS.boolval"] {
      guard let content = value[field] else { continue }
      // Count this as a level of depth, because an invalid archive can contain a string whose
      // content is that string itself.
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
    // An object of a custom class, or a dictionary of the property list itself.
    try budget.open()
    var fields: [LegacyValue.Member] = []
    for member in members where !member.key.isText("$class") {
      try budget.charge(bytes: member.key.size)
      fields.append(.init(key: member.key, value: try resolve(member.value, &budget)))
    }
    budget.close()
    return .dictionary(fields)
  }

  /// The object index of a reference, or nil if the value is not a reference. XML property lists
  /// write a reference as `<dict><key>CF$UID</key><integer>1</integer></dict>`.
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
