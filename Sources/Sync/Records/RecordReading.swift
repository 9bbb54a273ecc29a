public import CloudRecords
import FoundationEssentials
public import Library
import Quran

/// What a record of the container says, read with care: other programs write there, too.
public enum RecordReading: Hashable, Sendable {
  case entry(Entry)
  case profile
  /// It is of another type, or somebody else's: none of ours.
  case foreign
  /// It is left alone, and told of.
  case malformed(Problem)

  /// Why a record cannot be taken for what its type says.
  public enum Problem: Error, Hashable, Sendable {
    /// The name is none of its kind, or names something else than the fields.
    case name
    case missing(field: String)
    case wrongType(field: String)
    /// No ayah of the book, no time of this age, no JSON, a text that is empty or too long.
    case outOfRange(field: String)
  }

  /// - Parameter user: the user record name of who is signed in.
  public init(_ record: Record, of user: String) {
    guard let kind = RecordKind(rawValue: record.recordType) else {
      self = .foreign
      return
    }
    guard kind != .profile else {
      self = record.recordName == user ? .profile : .foreign
      return
    }
    let fields = Fields(record.fields)
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

  /// The setting that a record is of whose value or time cannot be read; nil for every other
  /// record. What a setting was is of no use to anybody then, so it may be replaced.
  static func brokenSetting(_ record: Record, of user: String) -> Thing? {
    let fields = Fields(record.fields)
    guard record.recordType == RecordKind.setting.rawValue,
      case .malformed = RecordReading(record, of: user),
      let owner = try? fields.string(FieldName.ownerRecordName), owners(of: user).contains(owner),
      let key = try? fields.settingKey(named: record.recordName)
    else { return nil }
    return .setting(key)
  }

  /// Whom records of a user say they belong to: older programs did not know the name.
  public static func owners(of user: String) -> [String] {
    [user, "_defaultOwner", "__defaultOwner__"]
  }
}

/// The fields of a record, read one by one.
private struct Fields {
  typealias Problem = RecordReading.Problem

  let fields: [String: Field]

  init(_ fields: [String: Field]) {
    self.fields = fields
  }

  func entry(of kind: RecordKind, named name: String) throws(Problem) -> Entry {
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
    case .profile:
      throw .name
    }
  }

  private func note(_ id: UUID, _ ayah: AyahID) throws(Problem) -> Note {
    let raw = try string(FieldName.noteText)
    guard let text = try? NoteText(raw) else { throw .outOfRange(field: FieldName.noteText) }
    // Some write only one of the two.
    let (created, modified) = try (
      optionalTime(FieldName.createdAt), optionalTime(FieldName.modifiedAt)
    )
    guard let first = created ?? modified, let last = modified ?? created else {
      throw .missing(field: FieldName.modifiedAt)
    }
    return Note(id: id, ayah: ayah, text: text, createdAt: first, modifiedAt: last)
  }

  /// The percentage is not looked at: it follows from the ayah, and is a fraction of one where
  /// an older program wrote it.
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

  func settingKey(named name: String) throws(Problem) -> String {
    let key = try string(FieldName.settingKey)
    guard !key.isEmpty, let prefix = RecordKind.setting.prefix, name.hasPrefix(prefix),
      name.dropFirst(prefix.count).hasSuffix("-" + key)
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

  /// The ayah that a part of the name and the fields agree on. Fields may be missing.
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

/// The name of a record, taken apart from its right end: whose name stands in the middle may
/// have any form.
private struct NameParts {
  /// What follows the last hyphen, or the UUID in which there are some.
  let key: String
  /// What stands between the user and the key, where something does.
  let beforeKey: String?

  private static let uuidLength = 36

  init(_ name: String, of kind: RecordKind) throws(RecordReading.Problem) {
    guard let prefix = kind.prefix, name.hasPrefix(prefix) else { throw .name }
    let rest = name.dropFirst(prefix.count)
    if kind == .note {
      let parts = rest.dropLast(Self.uuidLength)
      guard parts.last == "-", let parting = parts.dropLast().lastIndex(of: "-"),
        parting > parts.startIndex
      else { throw .name }
      key = String(rest.suffix(Self.uuidLength))
      beforeKey = String(parts.dropLast()[parts.index(after: parting)...])
    } else {
      guard let parting = rest.lastIndex(of: "-"), parting > rest.startIndex else { throw .name }
      key = String(rest[rest.index(after: parting)...])
      beforeKey = nil
    }
  }
}
