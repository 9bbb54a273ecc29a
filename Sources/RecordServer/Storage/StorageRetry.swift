/// Repeats work that has failed because of the database. It is for work after a change was committed: the
/// client gets a success then, and does not repeat its request.
enum StorageRetry {
  /// The pauses after failed attempts.
  private static let pauses: [Duration] = [.milliseconds(250), .seconds(1), .seconds(3)]

  /// Calls `attempt` up to four times, until it returns a value.
  ///
  /// - Parameter attempt: returns nil if the database has failed.
  /// - Returns: the value; nil if all attempts have failed.
  static func value<Value>(_ attempt: () async -> Value?) async -> Value? {
    for pause in pauses {
      if let value = await attempt() { return value }
      // Returns immediately if the task is cancelled.
      try? await Task.sleep(for: pause)
    }
    return await attempt()
  }
}
