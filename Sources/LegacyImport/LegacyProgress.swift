public import Quran

/// How far a surah was read in the phone app.
public struct LegacyProgress: Hashable, Sendable {
  public let surah: SurahNumber
  /// 0 for none, up to the surah's length.
  public let lastReadAyah: Int

  /// - Parameter lastReadAyah: moved into 0…`surah.ayahCount`, as the app does.
  public init(_ surah: SurahNumber, lastReadAyah: Int) {
    self.surah = surah
    self.lastReadAyah = min(max(lastReadAyah, 0), surah.ayahCount)
  }
}
