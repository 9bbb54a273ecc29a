public import Quran

/// The reading progress of a surah in the iOS app.
public struct LegacyProgress: Hashable, Sendable {
  public let surah: SurahNumber
  /// The number of the last ayah that was read, 0 if none.
  public let lastReadAyah: Int

  /// Creates the progress of a surah.
  ///
  /// - Parameters:
  ///   - surah: The surah.
  ///   - lastReadAyah: The number of the last ayah read; clamped to 0…`surah.ayahCount` as in the
  ///     app.
  public init(_ surah: SurahNumber, lastReadAyah: Int) {
    self.surah = surah
    self.lastReadAyah = min(max(lastReadAyah, 0), surah.ayahCount)
  }
}
