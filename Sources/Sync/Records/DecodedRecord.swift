public import CloudRecords
import FoundationEssentials
public import Library
import Quran

/// A record of the container after decoding and checking it. Other programs write records to the
/// container, too, so a record may be unknown or malformed.
public enum DecodedRecord: Hashable, Sendable {
  /// A favourite, a note, the progress of a surah, or a setting.
  case entry(Entry)
  /// The user's profile.
  case profile
  /// A record of an unknown type, or of another user. It is ignored.
  case foreign
  /// A record of a known type that cannot be decoded. It is not changed on the service, except that
  /// a new value may replace a setting (`brokenSetting`). `sync status` reports it.
  case malformed(Problem)

  /// Why a record cannot be decoded.
  public typealias Problem = UnreadableRecord.Problem

  /// Decodes a record.
  ///
  /// - Parameters:
  ///   - record: The record as the service returned it.
  ///   - user: The user record name of the account.
  ///   - thing: The thing of the record; nil if it is unknown. A setting with another key is
  ///     malformed, although the record's name may allow both keys.
  public init(_ record: Record, of user: String, as thing: Thing? = nil) {
    guard let kind = Thing.Kind(recordType: record.recordType) else {
      let isProfile = record.recordType == profileRecordType && record.recordName == user
      self = isProfile ? .profile : .foreign
      return
    }
    let fields = Fields(record.fields, of: thing)
    do {
      guard try Self.owners(of: user).contains(fields.string(FieldName.ownerRecordName)) else {
        self = .foreign
        return
      }
      self = .entry(try fields.entry(of: kind, named: record.recordName))
    } catch {
      self = .malformed(error)
    }
  }

  /// Returns the setting of a record whose value or time cannot be decoded; nil for any other
  /// record. No device can use such a record, so the setting may replace it.
  static func brokenSetting(_ record: Record, of user: String, as thing: Thing?) -> Thing? {
    let fields = Fields(record.fields, of: thing)
    guard record.recordType == Thing.Kind.setting.recordType,
      case .malformed = DecodedRecord(record, of: user, as: thing),
      let owner = try? fields.string(FieldName.ownerRecordName), owners(of: user).contains(owner),
      let key = try? fields.settingKey(named: record.recordName)
    else { return nil }
    return .setting(key)
  }

  /// Returns the values that `ownerRecordName` can have in records of a user. Older versions of the
  /// phone app wrote a default instead of the user's name.
  ///
  /// - Parameter user: The user record name of the account.
  public static func owners(of user: String) -> [String] {
    [user, "_defaultOwner", "__defaultOwner__"]
  }
}

/// A decoder of a record's fields.
private struct Fields {
  typealias Problem = UnreadableRecord.Problem

  let fields: [String: Field]
  /// The thing of the record; nil if it is unknown.
  let thing: Thing?

  init(_ fields: [String: Field], of thing: Thing?) {
    self.fields = fields
    self.thing = thing
  }

  /// Decodes the entry of a record.
  ///
  /// - Parameter name: The name of the record.
  func entry(of kind: Thing.Kind, named name: String) throws(Problem) -> Entry {
    switch kind {
    case .favorite:
      let ayah = try ayah(in: NameParts(name, of: kind).key)
      return .favorite(Favorite(ayah, favoritedAt: try time(FieldName.favoritedAt)))
    case .note:
      let name = try NameParts(name, of: kind)
      guard let id = UUID(uuidString: name.key), let ayahKey = name.beforeKey else { throw .name }
      return .note(try note(id, ayah(in: ayahKey)))
    case .progress:
      return .progress(try progress(of: NameParts(name, of: kind).key))
    case .setting:
      return .setting(try setting(named: name))
    }
  }

  private func note(_ id: UUID, _ ayah: AyahID) throws(Problem) -> Note {
    let raw = try string(FieldName.noteText)
    guard let text = try? NoteText(raw) else { throw .outOfRange(field: FieldName.noteText) }
    // Some programs write only one of the two times.
    let (created, modified) = try (
      optionalTime(FieldName.createdAt), optionalTime(FieldName.modifiedAt)
    )
    guard let first = created ?? modified, let last = modified ?? created else {
      throw .missing(field: FieldName.modifiedAt)
    }
    return Note(id: id, ayah: ayah, text: text, createdAt: first, modifiedAt: last)
  }

  /// Decodes the progress of a surah. The percentage is ignored, because it follows from the ayah
  /// and because an older program wrote it as a fraction of 1.
  ///
  /// - Parameter key: The number of the surah in the name of the record.
  private func progress(of key: String) throws(Problem) -> SurahProgress {
    guard let number = Int(key), String(number) == key, let surah = SurahNumber(number) else {
      throw .name
    }
    guard try int64(FieldName.surahNumber) ?? Int64(number) == Int64(number) else { throw .name }
    guard let last = try int64(FieldName.lastReadAyah) else {
      throw .missing(field: FieldName.lastReadAyah)
    }
    guard (0...Int64(surah.ayahCount)).contains(last) else {
      throw .outOfRange(field: FieldName.lastReadAyah)
    }
    return SurahProgress(
      surah, lastReadAyah: Int(last), lastUpdatedAt: try time(FieldName.lastUpdatedAt))
  }

  /// Decodes the key of a setting, which must also be in the name of the record.
  func settingKey(named name: String) throws(Problem) -> String {
    let key = try string(FieldName.settingKey)
    let prefix = Thing.Kind.setting.prefix
    guard !key.isEmpty, name.hasPrefix(prefix), name.dropFirst(prefix.count).hasSuffix("-" + key),
      thing == nil || thing == .setting(key)
    else { throw .name }
    return key
  }

  private func setting(named name: String) throws(Problem) -> Setting {
    let key = try settingKey(named: name)
    let value = try string(FieldName.settingValue)
    do {
      try JSONBounds(bytes: Limits.recordBytes).check(Data(value.utf8).span)
    } catch {
      throw .outOfRange(field: FieldName.settingValue)
    }
    return Setting(key: key, value: value, lastModifiedAt: try time(FieldName.lastModifiedAt))
  }

  /// Decodes an ayah from a part of the record's name. The fields with its numbers may be missing,
  /// but must not contradict it.
  private func ayah(in key: String) throws(Problem) -> AyahID {
    guard let ayah = AyahID(key) else { throw .name }
    guard
      try int64(FieldName.surahNumber) ?? Int64(ayah.surah.rawValue)
        == Int64(ayah.surah.rawValue),
      try int64(FieldName.ayahNumber) ?? Int64(ayah.ayah) == Int64(ayah.ayah),
      try optionalString(FieldName.ayahID) ?? key == key
    else { throw .name }
    return ayah
  }

  /// Returns the value of a field; the outer optional is nil if the field is missing or null, the
  /// inner one if the type of its value is unknown.
  private func value(_ name: String) -> FieldValue?? {
    guard let field = fields[name], field != .null else { return nil }
    return .some(field.value)
  }

  private func optionalString(_ name: String) throws(Problem) -> String? {
    switch value(name) {
    case nil: return nil
    case .some(.some(.string(let text))): return text
    case .some: throw .wrongType(field: name)
    }
  }

  func string(_ name: String) throws(Problem) -> String {
    guard let text = try optionalString(name) else { throw .missing(field: name) }
    return text
  }

  private func int64(_ name: String) throws(Problem) -> Int64? {
    switch value(name) {
    case nil: return nil
    case .some(.some(.int64(let number))): return number
    case .some: throw .wrongType(field: name)
    }
  }

  private func optionalTime(_ name: String) throws(Problem) -> Int64? {
    switch value(name) {
    case nil: return nil
    case .some(.some(.timestamp(let time))):
      guard (0...Int64.latestTime).contains(time.milliseconds) else {
        throw .outOfRange(field: name)
      }
      return time.milliseconds
    case .some: throw .wrongType(field: name)
    }
  }

  private func time(_ name: String) throws(Problem) -> Int64 {
    guard let time = try optionalTime(name) else { throw .missing(field: name) }
    return time
  }
}

/// The parts of a record's name. The name is parsed from its right end, because the user's name in
/// the middle may have any form.
private struct NameParts {
  /// The part after the last hyphen; for a note its UUID, which contains hyphens.
  let key: String
  /// The part between the user and the key, which is the ayah of a note; nil for other kinds.
  let beforeKey: String?

  private static let uuidLength = 36

  init(_ name: String, of kind: Thing.Kind) throws(UnreadableRecord.Problem) {
    guard name.hasPrefix(kind.prefix) else { throw .name }
    let rest = name.dropFirst(kind.prefix.count)
    if kind == .note {
      let parts = rest.dropLast(Self.uuidLength)
      guard parts.last == "-", let hyphen = parts.dropLast().lastIndex(of: "-"),
        hyphen > parts.startIndex
      else { throw .name }
      key = String(rest.suffix(Self.uuidLength))
      beforeKey = String(parts.dropLast()[parts.index(after: hyphen)...])
    } else {
      guard let hyphen = rest.lastIndex(of: "-"), hyphen > rest.startIndex else { throw .name }
      key = String(rest[rest.index(after: hyphen)...])
      beforeKey = nil
    }
  }
}
