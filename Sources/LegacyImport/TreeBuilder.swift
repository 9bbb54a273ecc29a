/// Puts together what a reader meets piece by piece, so that no reader needs recursion.
struct TreeBuilder {
  private struct Frame {
    let isDictionary: Bool
    var keys: [LegacyValue] = []
    var values: [LegacyValue] = []
  }

  private var open: [Frame] = []
  /// The outermost value, once it is complete.
  private(set) var root: LegacyValue?

  /// Whether what is open innermost is a dictionary; nil where nothing is open.
  var isInDictionary: Bool? { open.last?.isDictionary }

  /// Whether a dictionary is open that has a key without a value.
  var awaitsValue: Bool { open.last.map { $0.keys.count > $0.values.count } ?? false }

  mutating func begin(dictionary: Bool, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.open()
    open.append(Frame(isDictionary: dictionary))
  }

  mutating func key(_ key: LegacyValue, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.charge(bytes: key.size)
    open[open.count - 1].keys.append(key)
  }

  mutating func add(_ value: LegacyValue, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.charge(value)
    place(value)
  }

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
