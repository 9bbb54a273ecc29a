import CloudRecords
import RecordServer
import Testing

@testable import RecordServiceSupport

/// FameFit: its errors and their remedies, its leaderboard, and its old versions.
struct FameFitTests {
  private static func run(
    _ place: Place, _ body: @escaping @Sendable (AppFixture, FameFit) async throws -> Void
  ) async throws {
    try await AppFixture.run(.fameFit, on: place) { app in
      try await body(app, FameFit(device: try await app.device("an")))
    }
  }

  /// The schema with another index of a field.
  private static func schema(
    _ type: String, _ field: String, _ indexes: Indexes
  ) throws -> Schema {
    var schema = try AppSchema.fameFit.schema
    if let system = SystemField(rawValue: field) {
      schema[type]?[system] = indexes
    } else {
      schema[type]?.fields[field]?.indexes = indexes
    }
    return schema
  }

  /// Three workouts of which the first to begin is the last to end.
  private static let workouts = [
    FameFit.Workout(id: "b", start: 2000, end: 4000),
    FameFit.Workout(id: "a", start: 1000, end: 9000),
    FameFit.Workout(id: "c", start: 3000, end: 5000, heartRate: 120.5),
  ]

  // MARK: The schema

  @Test(.covers(.fameFitFields, .fameFitFirstIndexes))
  func theSchemaHasTheDocumentedFieldsAndOnlyTheTimesAsIndexes() throws {
    let expected: [String: [String: FieldType]] = [
      "User": [
        "userName": .string, "followerCount": .int64, "influencerXP": .int64,
        "totalWorkouts": .int64, "currentStreak": .int64, "lastWorkoutTimestamp": .timestamp,
        "joinTimestamp": .timestamp,
      ],
      "WorkoutHistory": [
        "workoutId": .string, "workoutType": .string, "startDate": .timestamp,
        "endDate": .timestamp, "duration": .double, "totalEnergyBurned": .double,
        "totalDistance": .double, "averageHeartRate": .double, "followersEarned": .int64,
        "xpEarned": .int64, "source": .string,
      ],
    ]
    let types = try AppSchema.fameFit.schema.recordTypes
    #expect(types.mapValues { $0.fields.mapValues(\.type) } == expected)
    for type in types.values {
      #expect(type.fields.values.allSatisfy { $0.indexes.isEmpty })
      #expect(
        type.systemIndexes == [
          .createTime: [.queryable, .sortable], .modTime: [.queryable, .sortable],
        ])
    }
  }

  @Test(.covers(.fameFitFirstIndexes, .everyStorageServesThem), arguments: Place.allCases)
  func recordsAreSortedByTheirTimes(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      for (name, workout) in zip(["x", "y", "z"], Self.workouts) {
        var workout = workout
        workout.id = name
        try await an.save([workout])
        app.web.clock.advance(1000)
      }
      // The first one is modified last.
      try await an.device.modify(
        [Operation(.forceUpdate, note("workout-x", ["source": .string("phone")], type: nil))])
      for field in ["___createTime", "___modTime"] {
        let names = try await an.device.outcome(FameFit.workouts(by: field, ascending: false))
        #expect(
          names == ["z", "y", "x"].map { "workout-\($0)" }.rotated(field == "___modTime"),
          "\(field)")
      }
    }
  }

  // MARK: Sorting

  @Test(
    .covers(
      .fameFitSortWithoutIndex, .fameFitSortWithQueryable, .fameFitSortableSuffices,
      .fameFitWorkoutsAreSorted), arguments: Place.allCases)
  func workoutsAreSortedOnceTheirDatesAreIndexed(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      try await an.save(Self.workouts)
      let orders = ["startDate": ["a", "b", "c"], "endDate": ["b", "c", "a"]]
      for (field, order) in orders {
        let query = FameFit.workouts(by: field)
        #expect(
          try await an.device.outcome(query) == [
            "BAD_REQUEST: Field '\(field)' is not marked queryable"
          ])
        try await app.deploy(Self.schema("WorkoutHistory", field, .queryable))
        #expect(
          try await an.device.outcome(query) == [
            "BAD_REQUEST: Field '\(field)' is not marked sortable"
          ])
        // The records from before the index are found, too.
        try await app.deploy(Self.schema("WorkoutHistory", field, .sortable))
        let names = order.map { "workout-\($0)" }
        #expect(try await an.device.outcome(query) == names)
        let reversed = FameFit.workouts(by: field, ascending: false)
        #expect(try await an.device.outcome(reversed) == names.reversed())
      }
    }
  }

  // MARK: The table of errors

  @Test(.covers(.fameFitRecordNameIsNotQueryable), arguments: Place.allCases)
  func aLeaderboardNeedsAnIndexOfTheRecordName(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      let people = [("An", 20), ("Bình", 90), ("Chi", 55)]
      for (index, (name, experience)) in people.enumerated() {
        let fameFit = FameFit(device: try await app.device("person-\(index)"))
        try await fameFit.save(.init(name: name, experience: Int64(experience)))
      }
      let error = await serviceError { try await an.leaderboard() }
      #expect(error?.summary == "BAD_REQUEST: Field 'recordName' is not marked queryable")
      var schema = try Self.schema("User", "___recordID", .queryable)
      schema["User"]?.fields["influencerXP"]?.indexes = .sortable
      try await app.deploy(schema)
      #expect(try await an.leaderboard().map(\.name) == ["Bình", "Chi", "An"])
      try await FameFit(device: try await app.device("person-0")).gain(80)
      let board = try await an.leaderboard()
      #expect(board.map(\.experience) == [100, 90, 55])
      #expect(board.map(\.workouts) == [1, 0, 0])
    }
  }

  @Test(.covers(.fameFitFieldIsNotQueryable), arguments: Place.allCases)
  func aSearchForANameNeedsAnIndexOfIt(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      try await an.save(.init(name: "An", experience: 1))
      let fields: [(String, FieldValue)] = [
        ("userName", .string("An")), ("totalWorkouts", .int64(0)),
        ("joinTimestamp", .timestamp(Timestamp(milliseconds: 1_700_000_000_000))),
      ]
      for (field, value) in fields {
        let query = Query("User", filters: [Filter(field, .equals, value)])
        #expect(
          try await an.device.outcome(query, of: .public) == [
            "BAD_REQUEST: Field '\(field)' is not marked queryable"
          ])
        try await app.deploy(Self.schema("User", field, .queryable))
        #expect(
          try await an.device.outcome(query, of: .public) == ["profile\(an.device.user)"])
      }
    }
  }

  @Test(.covers(.fameFitTypeIsNotFound), arguments: Place.allCases)
  func aTypeIsFoundOnceItIsSavedInDevelopmentAndDeployed(_ place: Place) async throws {
    var schema = try AppSchema.fameFit.schema
    schema["WorkoutHistory"] = nil
    try await AppFixture.run(.fameFit, schema: schema, on: place) { app in
      let an = FameFit(device: try await app.device("an"))
      let developer = FameFit(device: try await app.device("an", .development))
      let query = Query(
        "WorkoutHistory", filters: [Filter("workoutType", .equals, .string("running"))])
      let notFound = ["NOT_FOUND: Did not find record type WorkoutHistory"]
      #expect(try await an.device.outcome(query) == notFound)
      #expect(try await developer.device.outcome(query) == notFound)
      // A save creates the type in development, but not in production.
      let error = await serviceError { try await an.save(Self.workouts) }
      #expect(
        error?.summary
          == "BAD_REQUEST: Cannot create new type WorkoutHistory in production schema")
      try await developer.save(Self.workouts)
      #expect(try await developer.device.outcome(query).count == 3)
      #expect(try await an.device.outcome(query) == notFound)
      try await app.web.service.deploy(app.web.container)
      #expect(try await an.device.outcome(query).isEmpty)
      try await an.save(Self.workouts)
      #expect(try await an.device.outcome(query).count == 3)
    }
  }

  @Test(.covers(.fameFitPredicateIsInvalid), arguments: Place.allCases)
  func aPredicateHasToApplyToTheFieldsType(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      try await an.save(.init(name: "An", experience: 1))
      try await app.deploy(Self.schema("User", "totalWorkouts", [.queryable, .sortable]))
      func outcome(_ filter: Filter) async throws -> [String] {
        try await an.device.outcome(Query("User", filters: [filter]), of: .public)
      }
      let invalid = try await [
        outcome(Filter("totalWorkouts", .beginsWith, .int64(1))),
        outcome(Filter("totalWorkouts", .listContains, .int64(1))),
        outcome(Filter("totalWorkouts", .near, .int64(1))),
        outcome(Filter(.named("totalWorkouts"), .equals, .null)),
      ].joined()
      #expect(invalid.count == 4)
      for reason in invalid { #expect(reason.hasPrefix("BAD_REQUEST: Invalid predicate")) }
      let cured = [
        Filter("totalWorkouts", .equals, .int64(0)), Filter("totalWorkouts", .lessThan, .int64(1)),
      ]
      for filter in cured {
        #expect(try await outcome(filter) == ["profile\(an.device.user)"])
      }
    }
  }

  @Test(.covers(.fameFitComparatorIsUnknown))
  func aComparatorThatDoesNotExistIsAnInvalidPredicate() async throws {
    try await Self.run(.memory) { app, an in
      let json = """
        {"query":{"recordType":"User","filterBy":[{"systemFieldName":"createdTimestamp",
        "comparator":"CONTAINS","fieldValue":{"value":1}}]}}
        """
      let reply = try await app.web.post(
        .recordsQuery, json, as: an.device.person, .production, .public)
      #expect(reply.status == 400)
      #expect(reply.error?.code == .badRequest)
      let reason = reply.error?.reason ?? ""
      #expect(
        reason.hasPrefix("Invalid predicate: query.filterBy[0].comparator: expected one of EQUALS"))
    }
  }

  // MARK: Deprecated fields

  @Test(
    .covers(.fameFitDeprecatedFieldsStay, .fameFitOldClientsAreServed), arguments: Place.allCases)
  func oldAndNewVersionsShareTheirRecords(_ place: Place) async throws {
    try await Self.run(place) { app, new in
      var schema = try Self.schema("User", "___recordID", .queryable)
      for field in ["followerCount", "influencerXP"] {
        schema["User"]?.fields[field]?.indexes = .sortable
      }
      try await app.deploy(schema)
      let old = FameFit(device: try await app.device("bình"), isOld: true)
      try await old.save(.init(name: "Bình", experience: 10))
      try await new.save(.init(name: "An", experience: 30))
      #expect(try await old.leaderboard().map(\.name) == ["An", "Bình"])
      // The same person on another device, with the other version.
      let updated = FameFit(device: try await app.device("bình"))
      let before = try await old.device.lookup(["profile\(old.device.user)"], of: .public)
      #expect(before[0].record.flatMap(updated.profile)?.experience == 10)
      try await updated.gain(40)
      #expect(try await old.leaderboard().map(\.experience) == [50, 30])
      #expect(try await updated.leaderboard().map(\.experience) == [50, 30])
      // A save of the old version does not change the new field.
      try await old.gain(1)
      let after = try #require(
        try await old.device.lookup(["profile\(old.device.user)"], of: .public)[0].record)
      #expect(after["followerCount"] == .int64(51))
      #expect(after["influencerXP"] == .int64(50))

      var workout = Self.workouts[0]
      try await old.save([workout])
      (workout.id, workout.experience) = ("new", 8)
      try await updated.save([workout])
      let saved = try await old.device.records(FameFit.workouts(by: "___createTime"))
      #expect(Set(saved.map { $0["followersEarned"] }) == [.int64(5), .int64(8)])
      #expect(Set(saved.map(FameFit.experience)) == [.int64(5), .int64(8)])
    }
  }

  @Test(.covers(.fameFitDeprecatedFieldsStay)) func deprecatedFieldsCannotBeRemoved() async throws {
    try await Self.run(.memory) { app, _ in
      for (type, field) in [("User", "followerCount"), ("WorkoutHistory", "followersEarned")] {
        var schema = try AppSchema.fameFit.schema
        schema[type]?.fields[field] = nil
        let refusal = SchemaRefusal(changes: [.fieldRemoved(type: type, field: field)])
        await #expect(throws: refusal) { try await app.deploy(schema) }
      }
    }
  }

  // MARK: Notifications

  @Test(.covers(.fameFitIsNotified), arguments: Place.allCases)
  func theOtherDeviceIsNotifiedOfAWorkout(_ place: Place) async throws {
    try await Self.run(place) { app, watch in
      let phone = try await app.device("an")
      try await phone.subscribe([
        Subscription("workouts", .query, query: Query("WorkoutHistory"), firesOn: [.create])
      ])
      let url = try await phone.listen()
      try await watch.save([Self.workouts[0]])
      let notifications = try await phone.notifications(at: url)
      #expect(notifications.compactMap(\.ck?.query?.recordName) == ["workout-b"])
      #expect(notifications.compactMap(\.ck?.subscriptionID) == ["workouts"])
    }
  }
}

extension [String] {
  /// The list with its last element first, if the condition holds.
  fileprivate func rotated(_ condition: Bool) -> [String] {
    condition ? suffix(1) + dropLast() : self
  }
}
