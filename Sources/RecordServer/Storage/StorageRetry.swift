/// Tries again while the database fails. For what belongs to a change that has succeeded already, so that
/// no client would repeat it.
enum StorageRetry {
  /// The pauses before the attempts.
  private static let pauses: [Duration] = [.zero, .milliseconds(250), .seconds(1), .seconds(3)]

  /// Returns the result of the first attempt that does not fail; nil if all fail.
  ///
  /// - Parameter attempt: nil if the database has failed.
  static func value<Value>(_ attempt: () async -> Value?) async -> Value? {
    for pause in pauses {
      // This returns at once if the task is cancelled.
      try? await Task.sleep(for: pause)
      if let value = await attempt() { return value }
    }
    return nil
  }
}
