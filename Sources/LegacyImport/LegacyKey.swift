/// The keys of the iOS app's preferences that contain the user's data.
///
///     LegacyKey.favorites.rawValue   // "favoriteAyahs"
public enum LegacyKey: String, CaseIterable, Sendable {
  case favorites = "favoriteAyahs"
  case notes = "ayahNotes"
  case progress = "ReadingProgressStore.progress"
}
