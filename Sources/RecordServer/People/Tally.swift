/// Values by who they are held against, never more than so many: whoever has many addresses
/// shall not fill the memory with them.
struct Tally<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var values: [Key: Value] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { values.count }

  subscript(key: Key) -> Value? { values[key] }

  mutating func remove(_ key: Key) {
    values[key] = nil
  }

  /// Changes a value that is there.
  mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
    guard var value = values[key] else { return }
    body(&value)
    values[key] = value
  }

  /// Changes a value, or a new one.
  ///
  /// - Parameter isSpent: whether a value says nothing any more. Those go when there are too
  ///   many; if that is not enough, some of the others do.
  mutating func update<Result>(
    _ key: Key, new: @autoclosure () -> Value, isSpent: (inout Value) -> Bool,
    _ body: (inout Value) -> Result
  ) -> Result {
    if values[key] == nil, values.count >= limit {
      values = values.filter { entry in
        var value = entry.value
        return !isSpent(&value)
      }
      // A quarter, so that not every newcomer goes through all of them.
      if values.count > limit / 4 * 3 {
        for key in Array(values.keys.prefix(values.count - limit / 4 * 3)) { values[key] = nil }
      }
    }
    return body(&values[key, default: new()])
  }
}
