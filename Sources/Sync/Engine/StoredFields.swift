import CloudRecords
import FoundationEssentials
import Library

// Encodes and decodes the fields of records that the library stores.
extension RecordState {
  /// Creates the state of a record that the service returned.
  ///
  /// - Parameters:
  ///   - record: The record as the service returned it.
  ///   - thing: The thing of the record.
  ///   - listing: The number of the last listing that was started.
  init(_ record: Record, of thing: Thing, listing: Int) throws {
    self.init(
      name: record.recordName, thing: thing, tag: record.recordChangeTag,
      base: try CanonicalJSON.encode(record.fields), listing: listing,
      createdAt: record.createdAt)
  }

  /// Whether a record of the service is another one than this, with the same name: this record was
  /// deleted, and a device created it again, possibly from an older version of it.
  func isReplaced(by record: Record) -> Bool {
    guard let createdAt, let other = record.createdAt else { return false }
    return createdAt != other
  }

  /// The stored fields; empty if they cannot be decoded.
  var fields: [String: Field] { (try? CanonicalJSON.decode(base)) ?? [:] }

  /// The service's version of the entry when this state was stored; nil if it cannot be decoded.
  func entry(of user: String) -> Entry? {
    let record = Record(name, type: thing.kind.recordType, fields: fields)
    guard case .entry(let entry) = DecodedRecord(record, of: user, as: thing) else { return nil }
    return entry.renamed(thing)
  }
}

extension Record {
  /// When the service created the record, in milliseconds since 1970, UTC; nil if the response does
  /// not contain it.
  var createdAt: Int64? { created?.timestamp.milliseconds }
}

/// A save that the device has sent without learning whether the service carried it out.
struct UnconfirmedSave: Equatable {
  /// The encoded fields of the record.
  let fields: Data
  /// Whether the service has refused the save in each response that the device received. The
  /// service may have carried it out nevertheless: a network can deliver a request twice, and the
  /// device then receives the response to one of the two only.
  let wasRefused: Bool
}

extension PendingChange {
  /// The byte that separates two saves in `sent`. Encoded fields never contain it.
  private static let separator = UInt8(ascii: "\n")
  /// The byte that precedes the fields of a refused save in `sent`. Encoded fields never begin with
  /// it, because they are a JSON object.
  private static let refusalMark = UInt8(ascii: "-")
  /// The maximum number of unconfirmed saves of a change, and their maximum total size.
  private static let unconfirmedLimits = (count: 8, bytes: 4 * Limits.recordBytes)

  /// The unconfirmed saves, the oldest first. The service carries out at most one of them, because
  /// they all create the record or all have the same change tag.
  private(set) var unconfirmedSaves: [UnconfirmedSave] {
    get {
      (sent ?? Data()).split(separator: Self.separator).map { line in
        line.first == Self.refusalMark
          ? UnconfirmedSave(fields: line.dropFirst(), wasRefused: true)
          : UnconfirmedSave(fields: line, wasRefused: false)
      }
    }
    set {
      let lines = newValue.map { $0.wasRefused ? [Self.refusalMark] + $0.fields : $0.fields }
      sent = lines.isEmpty ? nil : Data(lines.joined(separator: [Self.separator]))
    }
  }

  /// Adds a save. If a limit is exceeded, the oldest saves after the first one are removed.
  mutating func addUnconfirmedSave(_ fields: Data, wasRefused: Bool = false) {
    var saves = unconfirmedSaves
    // There was no response to an earlier attempt with the same fields, so it may have been carried
    // out.
    let isUncertain = saves.contains { $0.fields == fields && !$0.wasRefused }
    saves.removeAll { $0.fields == fields }
    saves.append(UnconfirmedSave(fields: fields, wasRefused: wasRefused && !isUncertain))
    let limits = Self.unconfirmedLimits
    while saves.count > limits.count
      || saves.count > 1 && saves.reduce(0, { $0 + $1.fields.count }) > limits.bytes
    {
      // Of two saves, the first one is removed, because the other one was just added.
      saves.remove(at: saves.count > 2 ? 1 : 0)
    }
    unconfirmedSaves = saves
  }

  /// The name of the record that the unconfirmed saves create or change; nil if there are none.
  func sentName(of user: String) -> String? {
    guard let save = unconfirmedSaves.last, let fields = try? CanonicalJSON.decode(save.fields)
    else { return nil }
    let kind = thing.kind
    guard kind == .note else { return kind.recordName(of: user, key: thing.key) }
    guard case .string(let ayah) = fields[FieldName.ayahID]?.value else { return nil }
    return kind.recordName(of: user, key: "\(ayah)-\(thing.key)")
  }
}

extension Entry {
  /// Returns the entry with the id that its note has in the library. The ids differ if two records
  /// contain the same note id.
  func renamed(_ thing: Thing) -> Entry {
    guard case .note(let note) = self, case .note(let id) = thing, note.id != id else {
      return self
    }
    return .note(note.with(id: id))
  }
}
