public import CloudRecords
public import Library
import Quran

// Encodes the entries of the library as records.
extension Entry {
  /// Returns the name of a new record of the entry.
  ///
  /// - Parameter user: The user record name of the owner.
  public func recordName(of user: String) -> String {
    guard case .note(let note) = self else {
      return thing.kind.recordName(of: user, key: thing.key)
    }
    return thing.kind.recordName(of: user, key: "\(note.ayah)-\(thing.key)")
  }

  /// Returns all fields of the entry's record.
  ///
  /// - Parameter user: The user record name of the owner.
  public func fields(of user: String) -> [String: Field] {
    var fields: [String: FieldValue] = [FieldName.ownerRecordName: .string(user)]
    func set(_ ayah: AyahID) {
      fields[FieldName.ayahID] = .string(ayah.description)
      fields[FieldName.surahNumber] = .int64(Int64(ayah.surah.rawValue))
      fields[FieldName.ayahNumber] = .int64(Int64(ayah.ayah))
    }
    switch self {
    case .favorite(let favorite):
      set(favorite.ayah)
      fields[FieldName.favoritedAt] = .time(favorite.favoritedAt)
    case .note(let note):
      set(note.ayah)
      fields[FieldName.noteText] = .string(note.text.text)
      fields[FieldName.createdAt] = .time(note.createdAt)
      fields[FieldName.modifiedAt] = .time(note.modifiedAt)
    case .progress(let progress):
      fields[FieldName.surahNumber] = .int64(Int64(progress.surah.rawValue))
      fields[FieldName.lastReadAyah] = .int64(Int64(progress.lastReadAyah))
      fields[FieldName.totalAyahs] = .int64(Int64(progress.totalAyahs))
      fields[FieldName.progressPercentage] = .double(progress.percentage)
      fields[FieldName.lastUpdatedAt] = .time(progress.lastUpdatedAt)
    case .setting(let setting):
      fields[FieldName.settingKey] = .string(setting.key)
      fields[FieldName.settingValue] = .string(setting.value)
      fields[FieldName.lastModifiedAt] = .time(setting.lastModifiedAt)
    }
    return fields.mapValues { Field($0) }
  }
}

extension FieldValue {
  /// A timestamp.
  ///
  /// - Parameter time: Milliseconds since 1970, UTC.
  static func time(_ time: Int64) -> FieldValue {
    .timestamp(Timestamp(milliseconds: time))
  }
}
