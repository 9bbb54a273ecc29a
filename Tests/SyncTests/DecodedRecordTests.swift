import CloudRecords
import Foundation
import Library
import Quran
import Sync
import Testing

@Suite struct DecodedRecordTests {
  private static let entries: [Entry] = [
    favorite(at: 5), .note(note("Câu Ngai Vàng\n", from: 3, at: 9)), progress(0, at: 7),
    progress(286, at: 7), setting("{\"a\":[1]}", at: 8),
    .setting(Setting(key: "a-b-c", value: "\"tối\"", lastModifiedAt: 0)),
  ]

  @Test(arguments: entries)
  func entriesAreDecodedFromTheirRecords(_ entry: Entry) throws {
    #expect(DecodedRecord(entry.record(), of: user) == .entry(entry))
    // The wire format preserves the record.
    let sent = try Wire.encode(entry.record())
    let record = try Wire.decode(Record.self, from: sent, as: .response)
    #expect(DecodedRecord(record, of: user) == .entry(entry))
  }

  @Test func namesRecordsAsThePhoneAppDoes() {
    let names = Self.entries.map { $0.recordName(of: "_u") }
    #expect(
      names == [
        "favorite-_u-2:255", "note-_u-2:255-6F9619FF-8B86-D011-B42D-00CF4FC964FF",
        "progress-_u-2", "progress-_u-2", "setting-_u-theme", "setting-_u-a-b-c",
      ])
    // All of them are valid names of records.
    #expect(names.allSatisfy { RecordNameRules.problem(withName: $0) == nil })
  }

  @Test(arguments: entries)
  func additionsOfOtherProgramsAreIgnored(_ entry: Entry) {
    var record = entry.record()
    record["mood"] = .string("glad")
    record["progressPercentage"] = .double(0.4)
    record["totalAyahs"] = .int64(3)
    record.recordName = record.recordName.replacing(user, with: "An-Binh-2:255-x")
    for owner in ["_defaultOwner", "__defaultOwner__", user] {
      record["ownerRecordName"] = .string(owner)
      #expect(DecodedRecord(record, of: user) == .entry(entry))
    }
  }

  @Test func readsIDsInEitherCase() {
    var record = Entry.note(note("a", at: 1)).record()
    record.recordName =
      String(record.recordName.dropLast(36)) + "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    #expect(DecodedRecord(record, of: user) == .entry(.note(note("a", at: 1))))
  }

  @Test func textsAreNormalizedAsInTheLibrary() {
    var record = Entry.note(note("a", at: 1)).record()
    record["noteText"] = .string("Cha\u{302}u\r\nsau")
    #expect(DecodedRecord(record, of: user) == .entry(.note(note("Châu\nsau", at: 1))))
    record["createdAt"] = nil
    record["modifiedAt"] = .timestamp(Timestamp(milliseconds: 7))
    #expect(
      DecodedRecord(record, of: user) == .entry(.note(note("Châu\nsau", from: 7, at: 7))))
  }

  @Test func recordsOfOthersAreForeign() {
    var other = favorite(at: 1).record()
    other["ownerRecordName"] = .string("_ffffffffffffffffffffffffffffffff")
    #expect(DecodedRecord(other, of: user) == .foreign)
    #expect(DecodedRecord(Record("x", type: "Recipe"), of: user) == .foreign)
    #expect(DecodedRecord(Record(user, type: "UserProfile"), of: user) == .profile)
    #expect(DecodedRecord(Record("_other", type: "UserProfile"), of: user) == .foreign)
  }

  /// An index in `entries`, a field or `name`, its new value (nil removes the field), and the
  /// expected problem.
  @Test(
    arguments: [
      (0, "name", "x", .name), (0, "name", "favorite-2:255", .name),
      (0, "name", "favorite--2:255", .name), (0, "name", "favorite-\(user)-2:300", .name),
      (0, "name", "favorite-\(user)-02:255", .name), (0, "name", "favorite-\(user)-2:254", .name),
      (0, "name", "note-\(user)-2:255", .name), (0, "ayahID", "2:254", .name),
      (0, "surahNumber", 3, .name), (0, "ayahNumber", 254, .name),
      (0, "surahNumber", "2", .wrongType(field: "surahNumber")),
      (0, "favoritedAt", nil, .missing(field: "favoritedAt")),
      (0, "favoritedAt", 5, .wrongType(field: "favoritedAt")),
      (0, "ownerRecordName", nil, .missing(field: "ownerRecordName")),
      (1, "name", "note-\(user)-2:255-6F9619FF-8B86-D011-B42D-00CF4FC964F", .name),
      (1, "name", "note-\(user)-2:255-6F9619FF-8B86-D011-B42D-00CF4FC964FX", .name),
      (1, "name", "note-2:255-6F9619FF-8B86-D011-B42D-00CF4FC964FF", .name),
      (1, "name", "note-\(user)-2:256-6F9619FF-8B86-D011-B42D-00CF4FC964FF", .name),
      (1, "name", "6F9619FF-8B86-D011-B42D-00CF4FC964FF", .name), (1, "name", "note-", .name),
      (1, "name", "note--", .name), (1, "name", "note-6F9619FF-8B86-D011-B42D-00CF4FC964FF", .name),
      (1, "noteText", nil, .missing(field: "noteText")),
      (1, "noteText", " \n", .outOfRange(field: "noteText")),
      (1, "noteText", 5, .wrongType(field: "noteText")),
      (2, "name", "progress-\(user)-02", .name), (2, "name", "progress-\(user)-115", .name),
      (2, "name", "progress-\(user)-3", .name),
      (2, "lastReadAyah", 287, .outOfRange(field: "lastReadAyah")),
      (2, "lastReadAyah", -1, .outOfRange(field: "lastReadAyah")),
      (2, "lastReadAyah", nil, .missing(field: "lastReadAyah")),
      (4, "name", "setting-theme", .name), (4, "name", "setting-\(user)-layout", .name),
      (4, "settingKey", "layout", .name), (4, "settingKey", "", .name),
      (4, "settingValue", "{", .outOfRange(field: "settingValue")),
    ] as [(Int, String, (any Sendable)?, DecodedRecord.Problem)])
  func inconsistentRecordsAreMalformed(
    _ entry: Int, _ field: String, _ value: (any Sendable)?, _ problem: DecodedRecord.Problem
  ) {
    var record = Self.entries[entry].record()
    switch value {
    case let name as String where field == "name": record.recordName = name
    case let text as String: record[field] = .string(text)
    case let number as Int: record[field] = .int64(Int64(number))
    default: record[field] = nil
    }
    #expect(DecodedRecord(record, of: user) == .malformed(problem))
  }

  @Test(arguments: [-1, Int64.latestTime + 1, Int64.max, .min])
  func timesOutOfRangeAreMalformed(_ time: Int64) {
    var record = favorite(at: 1).record()
    record["favoritedAt"] = .timestamp(Timestamp(milliseconds: time))
    #expect(
      DecodedRecord(record, of: user) == .malformed(.outOfRange(field: "favoritedAt")))
  }
}
