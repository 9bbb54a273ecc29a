/// A dictionary with a limited number of entries, so that a client with many addresses cannot fill
/// the memory.
struct BoundedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var values: [Key: Value] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { values.count }

  /// The value of a key. Setting a value adds it even if the limit is reached.
  subscript(key: Key) -> Value? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Changes the value of a key, or adds a new one.
  ///
  /// - Parameters:
  ///   - new: the value that is added if the key has none.
  ///   - isSpent: whether a value can be dropped without a loss. Those values are removed first
  ///     when the limit is reached, and arbitrary others if that is not enough.
  mutating func update<Result>(
    _ key: Key, new: @autoclosure () -> Value, isSpent: (inout Value) -> Bool,
    _ body: (inout Value) -> Result
  ) -> Result {
    if values[key] == nil, values.count >= limit {
      values = values.filter { entry in
        var value = entry.value
        return !isSpent(&value)
      }
      // Remove a quarter of the entries, so that not every new key searches through all of them.
      if values.count > limit / 4 * 3 {
        for key in Array(values.keys.prefix(values.count - limit / 4 * 3)) { values[key] = nil }
      }
    }
    return body(&values[key, default: new()])
  }
}
