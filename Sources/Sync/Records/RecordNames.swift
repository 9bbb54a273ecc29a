public import Library

/// The type of the user's profile, one record for each account. Its name is the user's record name.
let profileRecordType = "UserProfile"

// The records that store things of the library in the private database.
extension Thing.Kind {
  /// The type of the records in Resources/schema/quran-vi.ckdb.
  public var recordType: String {
    switch self {
    case .favorite: "FavoriteAyah"
    case .note: "AyahNote"
    case .progress: "ReadingProgress"
    case .setting: "AppSettings"
    }
  }

  /// The kind with a record type; nil if no thing has records of this type.
  init?(recordType: String) {
    guard let kind = Self.allCases.first(where: { $0.recordType == recordType }) else {
      return nil
    }
    self = kind
  }

  /// The prefix of the records' names.
  var prefix: String { "\(rawValue)-" }

  /// Returns the name of a new record of this kind.
  ///
  /// - Parameters:
  ///   - user: The user record name of the owner.
  ///   - key: The key of the thing; for a note the ayah, a hyphen and the key.
  func recordName(of user: String, key: String) -> String { "\(prefix)\(user)-\(key)" }

  /// The ID of the subscription to the records' changes, which the iOS app uses as well.
  var subscription: String {
    switch self {
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
