/// Builds a tree of values from the events of a parser, so that the parsers do not need recursion.
struct TreeBuilder {
  private struct Frame {
    let isDictionary: Bool
    var keys: [LegacyValue] = []
    var values: [LegacyValue] = []
  }

  /// The open lists and dictionaries, outermost first.
  private var open: [Frame] = []
  /// The root of the tree, or nil if it is not complete yet.
  private(set) var root: LegacyValue?

  /// Whether the innermost open container is a dictionary; nil if no container is open.
  var isInDictionary: Bool? { open.last?.isDictionary }

  /// Whether the innermost open container is a dictionary with a key that has no value yet.
  var awaitsValue: Bool { open.last.map { $0.keys.count > $0.values.count } ?? false }

  /// Opens a list or dictionary.
  mutating func begin(dictionary: Bool, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.open()
    open.append(Frame(isDictionary: dictionary))
  }

  /// Adds a key to the innermost open dictionary.
  mutating func key(_ key: LegacyValue, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.charge(bytes: key.size)
    open[open.count - 1].keys.append(key)
  }

  /// Adds a value to the innermost open container, or as the root.
  mutating func add(_ value: LegacyValue, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.charge(value)
    place(value)
  }

  /// Closes the innermost open container.
  mutating func end(_ budget: inout Budget) {
    budget.close()
    let frame = open.removeLast()
    place(
      frame.isDictionary
        ? .dictionary(zip(frame.keys, frame.values).map(LegacyValue.Member.init))
        : .array(frame.values))
  }

  private mutating func place(_ value: LegacyValue) {
    if open.isEmpty { root = value } else { open[open.count - 1].values.append(value) }
  }
}
