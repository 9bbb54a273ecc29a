/// The kinds of records a reader has in the container.
///
/// The raw value is the record type there: Resources/schema/quran-vi.ckdb.
public enum RecordKind: String, CaseIterable, Hashable, Sendable {
  case profile = "UserProfile"
  case favorite = "FavoriteAyah"
  case note = "AyahNote"
  case progress = "ReadingProgress"
  case setting = "AppSettings"

  /// Those that are made of what the library holds.
  public static let ofEntries: [RecordKind] = [.favorite, .note, .progress, .setting]

  /// What the library calls the kind; nothing for what is none of its things.
  var ofThings: String {
    switch self {
    case .profile: ""
    case .favorite: "favorite"
    case .note: "note"
    case .progress: "progress"
    case .setting: "setting"
    }
  }

  /// What their names begin with; nil where the name is the user's own.
  var prefix: String? {
    switch self {
    case .profile: nil
    case .favorite: "favorite-"
    case .note: "note-"
    case .progress: "progress-"
    case .setting: "setting-"
    }
  }

  /// The name of the subscription to their changes, as the phone app names it; nil where
  /// nobody waits for them.
  var subscription: String? {
    switch self {
    case .profile: nil
    case .favorite: "favorite-ayah-changes"
    case .note: "ayah-note-changes"
    case .progress: "reading-progress-changes"
    case .setting: "app-settings-changes"
    }
  }
}

/// The names of the container's fields.
enum FieldName {
  static let ayahID = "ayahID"
  static let surahNumber = "surahNumber"
  static let ayahNumber = "ayahNumber"
  static let favoritedAt = "favoritedAt"
  static let noteText = "noteText"
  static let createdAt = "createdAt"
  static let modifiedAt = "modifiedAt"
  static let lastReadAyah = "lastReadAyah"
  static let totalAyahs = "totalAyahs"
  static let progressPercentage = "progressPercentage"
  static let lastUpdatedAt = "lastUpdatedAt"
  static let settingKey = "settingKey"
  static let settingValue = "settingValue"
  static let lastModifiedAt = "lastModifiedAt"
  static let ownerRecordName = "ownerRecordName"
}
