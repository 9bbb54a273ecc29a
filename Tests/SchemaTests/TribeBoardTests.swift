import CloudRecords
import RecordServer
import Testing

@testable import RecordServiceSupport

/// TribeBoard: a family in a custom zone, its queries, references, atomic requests and troubles.
struct TribeBoardTests {
  private static func run(
    _ place: Place, _ change: (inout WebFixture.Setup) -> Void = { _ in },
    _ body: @escaping @Sendable (AppFixture, TribeBoard) async throws -> Void
  ) async throws {
    try await AppFixture.run(.tribeBoard, on: place, change) { app in
      let an = TribeBoard(device: try await app.device("an"))
      try await an.launch()
      try await body(app, an)
    }
  }

  @Test(.covers(.tribeBoardFields)) func theSchemaHasTheDocumentedFieldsAndIndexes() throws {
    let expected: [String: [String: FieldDefinition]] = [
      "CKFamily": [
        "name": FieldDefinition(.string), "code": FieldDefinition(.string, .queryable),
        "createdByUserId": FieldDefinition(.string, .queryable),
        "createdAt": FieldDefinition(.timestamp, .sortable),
      ],
      "CKUserProfile": [
        "displayName": FieldDefinition(.string),
        "appleUserIdHash": FieldDefinition(.string, .queryable),
        "avatarUrl": FieldDefinition(.string),
        "createdAt": FieldDefinition(.timestamp, .sortable),
      ],
      "CKMembership": [
        "role": FieldDefinition(.string, .queryable),
        "status": FieldDefinition(.string, .queryable),
        "joinedAt": FieldDefinition(.timestamp, .sortable),
        "lastRoleChangeAt": FieldDefinition(.timestamp, .sortable),
        "family": FieldDefinition(.reference, .queryable),
        "user": FieldDefinition(.reference, .queryable),
      ],
    ]
    let types = try AppSchema.tribeBoard.schema.recordTypes
    #expect(types.mapValues(\.fields) == expected)
    for type in types.values {
      #expect(type.grants == Grants([.icloud: [.read, .create, .write]]))
    }
  }

  // MARK: Queries

  @Test(
    .covers(
      .tribeBoardZone, .tribeBoardFamilyByCode, .tribeBoardProfileByHash, .tribeBoardActiveMembers,
      .tribeBoardActiveAdmins, .everyStorageServesThem), arguments: Place.allCases)
  func theFourQueriesFindTheirRecords(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      try await an.found("a", code: "RED-1", by: "mai")
      try await an.found("b", code: "RED-2", by: "nam")
      try await an.add(["lan", "tu"], to: "a")
      try await an.add(["hoa"], to: "a", status: "invited")
      // Another device of the same person sees them.
      let tablet = TribeBoard(device: try await app.device("an"))
      let zones = try await tablet.device.call(ZonesList.self, EmptyBody()).zones
      #expect(zones.compactMap(\.value?.zoneID.zoneName).contains("TribeBoardZone"))
      #expect(try await tablet.find(TribeBoard.familyQuery(code: "RED-1")) == ["family-a"])
      #expect(try await tablet.find(TribeBoard.familyQuery(code: "RED")).isEmpty)
      #expect(
        try await tablet.find(TribeBoard.profileQuery(hash: "hash-lan")) == ["profile-lan"])
      #expect(
        try await tablet.find(TribeBoard.membersQuery(of: "a")) == [
          "membership-a-mai", "membership-a-tu", "membership-a-lan",
        ])
      #expect(
        try await tablet.find(TribeBoard.membersQuery(of: "a", role: "parent_admin")) == [
          "membership-a-mai"
        ])
      #expect(try await tablet.find(TribeBoard.membersQuery(of: "c")).isEmpty)
      // The records are not in the default zone, and another person cannot see them.
      let query = TribeBoard.familyQuery(code: "RED-1")
      #expect(try await tablet.device.outcome(query).isEmpty)
      let binh = TribeBoard(device: try await app.device("bình"))
      #expect(try await binh.find(query) == ["ZONE_NOT_FOUND: zone not found"])
    }
  }

  @Test(.covers(.tribeBoardIndexIsMissing), arguments: Place.allCases)
  func aQueryWithoutItsIndexIsRefused(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      try await an.found("a", code: "RED-1", by: "mai")
      let byName = Query("CKFamily", filters: [Filter("name", .equals, .string("a"))])
      #expect(try await an.find(byName) == ["BAD_REQUEST: Field 'name' is not marked queryable"])
      var byCode = TribeBoard.familyQuery(code: "RED-1")
      byCode.sorts = [Sort("createdByUserId")]
      #expect(
        try await an.find(byCode) == [
          "BAD_REQUEST: Field 'createdByUserId' is not marked sortable"
        ])
      var schema = try AppSchema.tribeBoard.schema
      schema["CKFamily"]?.fields["name"]?.indexes = .queryable
      schema["CKFamily"]?.fields["createdByUserId"]?.indexes = [.queryable, .sortable]
      try await app.deploy(schema)
      #expect(try await an.find(byName) == ["family-a"])
      #expect(try await an.find(byCode) == ["family-a"])
    }
  }

  // MARK: References

  @Test(.covers(.tribeBoardCascade), arguments: Place.allCases)
  func deletingAFamilyDeletesItsMembershipsAndNothingElse(_ place: Place) async throws {
    try await Self.run(place) { _, an in
      try await an.found("a", code: "RED-1", by: "mai")
      try await an.found("b", code: "RED-2", by: "nam")
      try await an.add(["lan", "hoa"], to: "a")
      try await an.device.save(
        [TribeBoard.membership(of: "lan", in: "b")], in: TribeBoard.zone)
      let (all, token) = try await an.device.changes(of: TribeBoard.zone)
      #expect(all.count == 11)

      func delete(_ name: String) async throws -> [String] {
        try await an.device.modify(
          [Operation(.forceDelete, note(name, type: nil))], in: TribeBoard.zone
        ).summary
      }
      #expect(try await delete("family-a") == ["-family-a"])
      let gone = [
        "family-a", "membership-a-mai", "membership-a-lan", "membership-a-hoa",
      ]
      let changes = try await an.device.changes(of: TribeBoard.zone, since: token)
      #expect(changes.records.summary.sorted() == gone.map { "-" + $0 }.sorted())
      let names = all.compactMap(\.recordName)
      let left = try await an.device.lookup(names, in: TribeBoard.zone)
      #expect(
        Set(left.compactMap(\.record?.recordName)) == Set(names).subtracting(gone))

      #expect(try await delete("profile-lan") == ["-profile-lan"])
      let last = try await an.device.changes(of: TribeBoard.zone, since: changes.token)
      #expect(last.records.summary.sorted() == ["-membership-b-lan", "-profile-lan"])
    }
  }

  @Test(.covers(.tribeBoardTargetIsMissing), arguments: Place.allCases)
  func aMissingTargetIsRefusedForValidateOnly(_ place: Place) async throws {
    try await Self.run(place) { _, an in
      func save(_ action: Reference.Action) async throws -> [RecordResult] {
        let record = TribeBoard.membership(of: "mai", in: "a", action)
        return try await an.device.modify([Operation(.create, record)], in: TribeBoard.zone)
      }
      let refused = try await save(.validate)
      #expect(refused.first?.error?.code == .validatingReferenceError)
      #expect(refused.first?.error?.recordName == "membership-a-mai")
      let names = ["membership-a-mai"]
      #expect(try await an.device.lookup(names, in: TribeBoard.zone)[0].record == nil)
      #expect(try await save(.deleteSelf).summary == names)
      // The family may be created later. Deleting it then deletes the membership.
      try await an.device.save(
        [TribeBoard.family("a", code: "RED-1", by: an.device.user)], in: TribeBoard.zone)
      try await an.device.modify(
        [Operation(.forceDelete, note("family-a", type: nil))], in: TribeBoard.zone)
      #expect(try await an.device.lookup(names, in: TribeBoard.zone)[0].record == nil)
    }
  }

  // MARK: Atomic requests

  @Test(.covers(.tribeBoardAtomic), arguments: Place.allCases)
  func aRequestIsCarriedOutWholeOrNotAtAll(_ place: Place) async throws {
    try await Self.run(place) { _, an in
      try await an.found("a", code: "RED-1", by: "mai")
      let before = try await an.device.changes(of: TribeBoard.zone)
      let operations = [
        Operation(.create, TribeBoard.family("b", code: "RED-2", by: an.device.user)),
        // The profile exists already.
        Operation(.create, TribeBoard.profile("mai")),
        Operation(.create, TribeBoard.membership(of: "mai", in: "b")),
      ]
      let results = try await an.device.modify(operations, in: TribeBoard.zone)
      #expect(
        results.summary == [
          "ATOMIC_ERROR: Atomic failure", "EXISTS: record to insert already exists",
          "ATOMIC_ERROR: Atomic failure",
        ])
      let after = try await an.device.changes(of: TribeBoard.zone)
      #expect(after.records == before.records)
      #expect(after.token == before.token)
      let refusal = await serviceError {
        try await an.device.modify(operations, atomic: true)
      }
      #expect(refusal?.summary == "BAD_REQUEST: the default zone has no atomic requests")
    }
  }

  @Test(.covers(.tribeBoardOneWinner), arguments: Place.allCases)
  func ofTwoRequestsForOneMembershipOneWins(_ place: Place) async throws {
    try await Self.run(place) { app, an in
      let tablet = TribeBoard(device: try await app.device("an"))
      try await an.found("a", code: "RED-1", by: "mai")
      let name = "membership-a-mai"
      /// Changes the role and creates a family, in one atomic request.
      @Sendable func change(
        _ device: Device, _ role: String, _ tag: String?, _ witness: String
      ) async throws -> [RecordResult] {
        var record = RecordInput(name, type: "CKMembership", recordChangeTag: tag)
        record["role"] = .string(role)
        let family = TribeBoard.family(witness, code: role, by: device.user)
        return try await device.modify(
          [Operation(.create, family), Operation(.update, record)], in: TribeBoard.zone)
      }
      for round in 0..<25 {
        let known = try #require(
          try await an.device.lookup([name], in: TribeBoard.zone)[0].record)
        let roles = ["phone-\(round)", "tablet-\(round)"]
        async let phone = change(an.device, roles[0], known.recordChangeTag, roles[0])
        async let other = change(tablet.device, roles[1], known.recordChangeTag, roles[1])
        let results = [try await phone, try await other]
        let winners = results.filter { $0.allSatisfy { $0.record != nil } }
        #expect(winners.count == 1)
        let loser = try #require(results.first { $0[1].error != nil })
        #expect(
          loser.summary == [
            "ATOMIC_ERROR: Atomic failure", "CONFLICT: client oplock error updating record",
          ])
        let role = try await an.device.lookup([name], in: TribeBoard.zone)[0].record?["role"]
        #expect(role == winners[0][1].record?["role"])
        let witnesses = try await an.device.lookup(
          roles.map { "family-\($0)" }, in: TribeBoard.zone)
        #expect(witnesses.compactMap(\.record?["code"]) == [role])
      }
    }
  }

  // MARK: Quota

  @Test(.covers(.tribeBoardQuota), arguments: Place.allCases)
  func aFamilyThatIsTooLargeExceedsTheQuota(_ place: Place) async throws {
    try await Self.run(place) {
      $0.options.quota = Usage(bytes: 1_000_000, records: 5)
    } _: { app, an in
      try await an.found("a", code: "RED-1", by: "mai")
      let error = await serviceError { try await an.add(["lan", "hoa"], to: "a") }
      #expect([.quotaExceeded, .atomicError].contains(try #require(error).code))
      // Nothing of the request was saved.
      #expect(
        try await an.find(TribeBoard.membersQuery(of: "a")) == ["membership-a-mai"])
      let results = try await an.device.modify(
        ["lan", "hoa", "tu"].map { Operation(.create, TribeBoard.profile($0)) },
        in: TribeBoard.zone, atomic: false)
      #expect(
        results.summary == [
          "profile-lan", "profile-hoa", "QUOTA_EXCEEDED: the quota is exceeded",
        ])
      // Deleting frees space, and the quota of another person is separate.
      try await an.device.modify(
        [Operation(.forceDelete, note("profile-hoa", type: nil))], in: TribeBoard.zone)
      try await an.device.save([TribeBoard.profile("tu")], in: TribeBoard.zone)
      let binh = TribeBoard(device: try await app.device("bình"))
      try await binh.launch()
      try await binh.found("b", code: "RED-2", by: "nam")
    }
  }
}
