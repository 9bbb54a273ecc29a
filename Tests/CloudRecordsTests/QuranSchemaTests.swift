import CloudRecords
import Testing

/// The schema of the built-in container: the types and fields that the reader syncs, and their
/// indexes and grants.
struct QuranSchemaTests {
  private let schema: Schema

  init() throws {
    schema = try Schema(parsing: try file("Resources/schema/quran-vi.ckdb"))
  }

  @Test func typesAndFieldsAreThoseOfThePhoneApp() {
    let both: Indexes = [.queryable, .sortable]
    let expected: [String: [String: FieldDefinition]] = [
      "UserProfile": [
        "appleUserID": FieldDefinition(.string, both),
        "email": FieldDefinition(.string, .queryable),
        "givenName": FieldDefinition(.string), "familyName": FieldDefinition(.string),
        "lastSignIn": FieldDefinition(.timestamp, both), "userRecord": FieldDefinition(.reference),
        "createdAt": FieldDefinition(.timestamp, both),
      ],
      "FavoriteAyah": [
        "ayahID": FieldDefinition(.string, both), "surahNumber": FieldDefinition(.int64, both),
        "ayahNumber": FieldDefinition(.int64, both),
        "favoritedAt": FieldDefinition(.timestamp, both),
        "ownerRecordName": FieldDefinition(.string, .queryable),
      ],
      "AyahNote": [
        "ayahID": FieldDefinition(.string, both), "surahNumber": FieldDefinition(.int64, both),
        "ayahNumber": FieldDefinition(.int64, both), "noteText": FieldDefinition(.string),
        "createdAt": FieldDefinition(.timestamp, both),
        "modifiedAt": FieldDefinition(.timestamp, both),
        "ownerRecordName": FieldDefinition(.string, .queryable),
      ],
      "ReadingProgress": [
        "surahNumber": FieldDefinition(.int64, both), "lastReadAyah": FieldDefinition(.int64, both),
        "totalAyahs": FieldDefinition(.int64), "progressPercentage": FieldDefinition(.double, both),
        "lastUpdatedAt": FieldDefinition(.timestamp, both),
        "ownerRecordName": FieldDefinition(.string, .queryable),
      ],
      "AppSettings": [
        "settingKey": FieldDefinition(.string, .queryable),
        "settingValue": FieldDefinition(.string),
        "lastModifiedAt": FieldDefinition(.timestamp, both),
        "ownerRecordName": FieldDefinition(.string, .queryable),
      ],
    ]
    #expect(schema.recordTypes.mapValues(\.fields) == expected)
    #expect(schema.roles.isEmpty)
  }

  @Test func onlyTheCreatorHasPermissions() {
    for type in schema.recordTypes.values {
      #expect(type.grants == Grants([.creator: [.read, .create, .write]]))
      // Nothing can be created in the public database.
      #expect(!type.grants.allow(.create, to: [.world, .icloud, .creator]))
    }
  }

  @Test func theSampleQueriesAreValid() throws {
    let owner = Filter("ownerRecordName", .equals, .string("_u"))
    try schema.check(Query("FavoriteAyah", filters: [owner]))
    try schema.check(
      Query("AyahNote", filters: [Filter("ayahID", .equals, .string("2:255")), owner]))
    try schema.check(Query("ReadingProgress", filters: [owner], sorts: [Sort("surahNumber")]))
    try schema.check(
      Query(
        "AppSettings",
        filters: [
          Filter("ownerRecordName", .isIn, .strings(["_u", "_defaultOwner", "__defaultOwner__"]))
        ]))
  }

  @Test func removingATypeIsRefused() {
    for name in schema.recordTypes.keys {
      var without = schema
      without[name] = nil
      #expect(Schema.refusedChanges(from: schema, to: without).count == 1)
    }
  }
}
