/// Repeats an operation after the database has failed. Used for work that follows a committed
/// change, such as storing its notifications: the client has got a success and will not send the
/// request again.
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
