/// The keys of the phone app's preferences that hold what belongs to the reader.
///
///     LegacyKey.favorites.rawValue   // "favoriteAyahs"
public enum LegacyKey: String, CaseIterable, Sendable {
  case favorites = "favoriteAyahs"
  case notes = "ayahNotes"
  case progress = "ReadingProgressStore.progress"
}
