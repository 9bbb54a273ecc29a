import CloudRecords
import Foundation
import Testing

@testable import RecordServiceSupport

/// FitIQ: the entities of its model, mirrored.
struct FitIQTests {
  private static let zone = ZoneID("com.apple.coredata.cloudkit.zone")
  private static let profileType = "CD_SDUserProfileV10"

  private static func run(
    _ place: Place, _ body: @escaping @Sendable (AppFixture, Device) async throws -> Void
  ) async throws {
    try await AppFixture.run(.fitIQ, on: place) { app in
      let phone = try await app.device("an")
      try await phone.createZone(zone)
      try await body(app, phone)
    }
  }

  /// A record of a type with a value in every field but assets, which mirroring uses for values
  /// that are too large for the record.
  ///
  /// - Parameters:
  ///   - related: The names of the records to which relationships lead, by field.
  private static func record(
    _ name: String, _ type: RecordType, number: Int = 1, related: [String: String] = [:]
  ) -> RecordInput {
    var record = RecordInput(name, type: type.name)
    for (field, definition) in type.fields {
      guard case .kind(let kind) = definition.type.primitive else { continue }
      switch kind {
      case .string: record[field] = .string(related[field] ?? "\(field) \(number)")
      case .int64: record[field] = .int64(Int64(number))
      case .double: record[field] = .double(Double(number) + 0.25)
      case .timestamp:
        record[field] = .timestamp(Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)))
      case .bytes: record[field] = .bytes(Data([0, UInt8(number), 255]))
      case .location, .reference, .asset: break
      }
    }
    record["CD_entityName"] = .string(String(type.name.dropFirst(3)))
    record["CD_id"] = .string(name)
    return record
  }

  /// The related record of each field that is a relationship.
  private static let related = [
    "CD_userProfile": "profile", "CD_meal": "record-CD_SDMeal",
    "CD_session": "record-CD_SDSleepSession",
  ]

  /// A record of every type: the profile, and the records that belong to it.
  private static func everything(_ schema: Schema) -> [RecordInput] {
    schema.recordTypes.values.sorted { $0.name < $1.name }.map { type in
      record(
        type.name == profileType ? "profile" : "record-\(type.name)", type, related: related)
    }
  }

  @Test(.covers(.fitIQEntities, .everyStorageServesThem), arguments: Place.allCases)
  func everyEntityIsSavedAndSynced(_ place: Place) async throws {
    try await Self.run(place) { app, phone in
      let tablet = try await app.device("an")
      try await tablet.subscribe([Subscription("zone-changes", .zone, zoneID: Self.zone)])
      let url = try await tablet.listen()
      let inputs = Self.everything(try AppSchema.fitIQ.schema)
      #expect(inputs.count > 5)
      try await phone.save(inputs, in: Self.zone)
      #expect(try await tablet.notifications(at: url).compactMap(\.ck?.zone?.zoneName).count == 1)
      let (changes, token) = try await tablet.changes(of: Self.zone)
      #expect(changes.count == inputs.count)
      for input in inputs {
        let record = try #require(
          changes.first { $0.recordName == input.recordName }?.record)
        #expect(record.recordType == input.recordType)
        #expect(record.fields == input.fields)
      }
      // An attribute that is set to nil.
      var change = RecordInput("profile", type: Self.profileType)
      change["CD_name"] = nil
      try await tablet.modify([Operation(.forceUpdate, change)], in: Self.zone)
      let later = try await phone.changes(of: Self.zone, since: token)
      #expect(later.records.compactMap(\.recordName) == ["profile"])
      let profile = try #require(later.records.first?.record)
      #expect(profile["CD_name"] == nil && profile["CD_id"] == .string("profile"))
    }
  }

  @Test(.covers(.fitIQEntities, .fitIQRelationships), arguments: Place.allCases)
  func entitiesAreFoundByTheirProfile(_ place: Place) async throws {
    try await Self.run(place) { _, phone in
      let schema = try AppSchema.fitIQ.schema
      let type = try #require(schema["CD_SDWorkout"])
      let workouts = [3, 1, 2].map { number in
        Self.record(
          "workout-\(number)", type, number: number,
          related: ["CD_userProfile": number == 2 ? "another" : "profile"])
      }
      try await phone.save(workouts, in: Self.zone)
      let query = Query(
        type.name, filters: [Filter("CD_userProfile", .equals, .string("profile"))],
        sorts: [Sort("CD_startedAt")])
      #expect(try await phone.outcome(query, in: Self.zone) == ["workout-1", "workout-3"])
      // Mirroring has no index of record names.
      #expect(
        try await phone.outcome(Query(type.name), in: Self.zone) == [
          "BAD_REQUEST: Field 'recordName' is not marked queryable"
        ])
    }
  }

  /// Mirroring saves a value that is too large in the field with the suffix `_ckAsset`, and none in
  /// the field of the attribute.
  @Test(.covers(.fitIQOverflows), arguments: Place.allCases)
  func aValueThatIsTooLargeIsAnAsset(_ place: Place) async throws {
    try await Self.run(place) { app, phone in
      let tablet = try await app.device("an")
      let type = "CD_SDMeal"
      let notes = Data(String(repeating: "phở ", count: 500_000).utf8)
      #expect(notes.count > Limits.recordBytes)
      var meal = RecordInput("meal", type: type)
      meal["CD_entityName"] = .string("SDMeal")
      meal["CD_notes_ckAsset"] = .asset(
        try await phone.upload(notes, type, "CD_notes_ckAsset", record: "meal", in: Self.zone))
      try await phone.save([meal], in: Self.zone)
      let changes = try await tablet.changes(of: Self.zone)
      let read = try #require(changes.records.first?.record)
      #expect(read["CD_notes"] == nil)
      let asset = try #require(read["CD_notes_ckAsset"]?.assets.first)
      #expect(try await tablet.download(asset) == notes)
      // The value is short again.
      var change = RecordInput("meal", type: type)
      change["CD_notes"] = .string("ngon")
      change["CD_notes_ckAsset"] = nil
      try await tablet.modify([Operation(.forceUpdate, change)], in: Self.zone)
      let later = try #require(
        try await phone.changes(of: Self.zone, since: changes.token).records.first?.record)
      #expect(later["CD_notes"] == .string("ngon") && later["CD_notes_ckAsset"] == nil)
    }
  }

  @Test(.covers(.fitIQRelationships), arguments: Place.allCases)
  func deletingAProfileLeavesTheRestToTheApp(_ place: Place) async throws {
    try await Self.run(place) { _, phone in
      let schema = try AppSchema.fitIQ.schema
      for type in schema.recordTypes.values {
        #expect(!type.fields.values.contains { $0.type == .reference })
      }
      let inputs = Self.everything(schema)
      try await phone.save(inputs, in: Self.zone)
      try await phone.modify(
        [Operation(.forceDelete, note("profile", type: nil))], in: Self.zone)
      let left = try await phone.changes(of: Self.zone).records.compactMap(\.record)
      #expect(left.count == inputs.count - 1)
    }
  }

  @Test(.covers(.fitIQEntities), arguments: Place.allCases)
  func whatTheModelDoesNotHaveIsRefused(_ place: Place) async throws {
    try await Self.run(place) { _, phone in
      func save(_ field: String, _ value: FieldValue) async throws -> [String] {
        try await phone.modify(
          [Operation(.create, note("w", [field: value], type: "CD_SDWorkout"))], in: Self.zone
        ).summary
      }
      let unknown = try await save("CD_calories", .int64(1))
      #expect(
        unknown == [
          "BAD_REQUEST: Cannot create or modify field 'CD_calories' in record 'CD_SDWorkout' "
            + "in production schema"
        ])
      let mistyped = try await save("CD_duration", .string("long"))
      #expect(
        mistyped == [
          "BAD_REQUEST: invalid attempt to set value type STRING for field 'CD_duration' for type "
            + "'CD_SDWorkout', defined to be: DOUBLE"
        ])
    }
  }
}
