/// The kinds of records that a user has in the private database.
///
/// The raw value is the record type in Resources/schema/quran-vi.ckdb.
public enum RecordKind: String, CaseIterable, Hashable, Sendable {
  /// The user's profile, one for each account.
  case profile = "UserProfile"
  /// A favourite ayah.
  case favorite = "FavoriteAyah"
  /// A note on an ayah.
  case note = "AyahNote"
  /// The reading progress of a surah.
  case progress = "ReadingProgress"
  /// A setting.
  case setting = "AppSettings"

  /// The kinds of records that store a thing of the library: all except the profile.
  public static let libraryKinds: [RecordKind] = [.favorite, .note, .progress, .setting]

  /// The value of `Thing.kind` for this kind, as the outbox stores it; empty for the profile.
  var thingKind: String {
    switch self {
    case .profile: ""
    case .favorite: "favorite"
    case .note: "note"
    case .progress: "progress"
    case .setting: "setting"
    }
  }

  /// The prefix of the records' names; nil for the profile, whose name is the user's record name.
  var prefix: String? {
    switch self {
    case .profile: nil
    case .favorite: "favorite-"
    case .note: "note-"
    case .progress: "progress-"
    case .setting: "setting-"
    }
  }

  /// Returns the name of a new record of this kind. It is not meant for the profile.
  ///
  /// - Parameters:
  ///   - user: The user record name of the owner.
  ///   - key: The key of the thing; for a note the ayah, a hyphen and the key.
  func recordName(of user: String, key: String) -> String { "\(prefix ?? "")\(user)-\(key)" }

  /// The ID of the subscription to the records' changes, which the iOS app uses as well; nil if
  /// there is none.
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

/// The names of the record fields in Resources/schema/quran-vi.ckdb.
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
