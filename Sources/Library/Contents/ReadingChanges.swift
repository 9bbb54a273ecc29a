public import Quran

/// The changes that reading made since they were last stored.
public struct ReadingChanges: Hashable, Sendable {
  /// The last read ayahs of surahs.
  public var progress: [SurahNumber: Int] = [:]
  /// The numbers of ayahs read, by day.
  public var ayahsRead: [Day: Int] = [:]
  /// Values of this device: see `DeviceKey`. Nil deletes a value.
  public var device: [String: String?] = [:]

  /// Creates a value without changes.
  public init() {}

  /// Whether there is nothing to store.
  public var isEmpty: Bool { progress.isEmpty && ayahsRead.isEmpty && device.isEmpty }
}
