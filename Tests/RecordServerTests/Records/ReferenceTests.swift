import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct ReferenceTests {
  private func owned(by target: String) -> [String: FieldValue] {
    ["parentNote": .reference(Reference(target, action: .deleteSelf))]
  }
  private func needing(_ target: String) -> [String: FieldValue] {
    ["parentNote": .reference(Reference(target, action: .validate))]
  }
  private let violation =
    "VALIDATING_REFERENCE_ERROR: Field=parentNote, recordID=%, title=Record delete would violate "
    + "validating reference, rejecting update"
  private func violation(_ name: String) -> String {
    violation.replacing("%", with: name)
  }

  // MARK: DELETE_SELF

  @Test(arguments: StorageFactory.all)
  func deletingATargetDeletesItsHolders(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    try await fixture.save("root", in: ServiceFixture.zone)
    try await fixture.save("child", owned(by: "root"), in: ServiceFixture.zone)
    try await fixture.save("grandchild", owned(by: "child"), in: ServiceFixture.zone)
    try await fixture.save(
      "listed", ["links": .references([Reference("root", action: .deleteSelf)])],
      in: ServiceFixture.zone)
    try await fixture.save(
      "free", ["parentNote": .reference(Reference("root", action: .noAction))],
      in: ServiceFixture.zone)
    let (_, token) = try await fixture.feed()
    try await fixture.delete("root", in: ServiceFixture.zone)
    let (records, _) = try await fixture.feed(since: token)
    #expect(Set(records.summary) == ["-root", "-child", "-grandchild", "-listed"])
    #expect(Set(records.map { $0.tombstone?.recordChangeTag }).count == 4)
    #expect(
      try await fixture.lookup(
        ["root", "child", "grandchild", "listed", "free"], in: ServiceFixture.zone
      ).map { $0.record != nil } == [false, false, false, false, true])
    #expect(
      try await fixture.names(Query("Note"), in: ServiceFixture.zone) == ["free"])
  }

  @Test func cyclesOfReferencesAreDeleted() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a", owned(by: "c"))
    try await fixture.save("b", owned(by: "a"))
    try await fixture.save("c", owned(by: "b"))
    try await fixture.save("self", owned(by: "self"))
    try await fixture.delete("b")
    try await fixture.delete("self")
    #expect(
      try await fixture.lookup(["a", "b", "c", "self"]).allSatisfy { $0.error?.code == .notFound })
  }

  @Test func theTargetMayBeCreatedLater() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("child", owned(by: "later"))
    try await fixture.save("later")
    try await fixture.delete("later")
    #expect(try await fixture.lookup(["child"]).first?.error?.code == .notFound)
  }

  @Test func aHolderWithANewTargetIsKept() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("one")
    try await fixture.save("two")
    try await fixture.save("child", owned(by: "one"))
    // In one batch, the holder changes its target before the former target is deleted.
    let results = try await fixture.modify([
      Operation(.forceUpdate, note("child", owned(by: "two"))),
      Operation(.forceDelete, note("one")),
    ])
    #expect(results.summary == ["child", "-one"])
    #expect(try await fixture.lookup(["child"]).summary == ["child"])
    try await fixture.delete("two")
    #expect(try await fixture.lookup(["child"]).first?.error?.code == .notFound)
  }

  @Test func aCascadedRecordMayBeDeletedInTheSameBatch() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("root", in: ServiceFixture.zone)
    let child = try await fixture.save("child", owned(by: "root"), in: ServiceFixture.zone)
    let results = try await fixture.modify(
      [
        Operation(.forceDelete, note("root")),
        Operation(.delete, note("child", tag: child.recordChangeTag)),
      ], in: ServiceFixture.zone)
    #expect(results.summary == ["-root", "-child"])
  }

  @Test func aTargetHasAtMost750Holders() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("root")
    for start in stride(from: 0, to: 750, by: 150) {
      let results = try await fixture.modify(
        (start..<start + 150).map {
          Operation(.create, note("c\($0)", owned(by: "root")))
        })
      #expect(results.allSatisfy { $0.record != nil })
    }
    let one = try await fixture.modify([Operation(.create, note("more", owned(by: "root")))])
    #expect(one.first?.error?.code == .limitExceeded)
    // An existing holder may be changed.
    let changed = try await fixture.modify([
      Operation(.forceUpdate, note("c7", ["rank": .int64(1)]))
    ])
    #expect(changed.summary == ["c7"])
    try await fixture.delete("root")
    #expect(try await fixture.names(Query("Note")).isEmpty)
  }

  @Test func aCascadeThatIsTooLargeDeletesNothing() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("root")
    for branch in 0..<4 {
      try await fixture.save("b\(branch)", owned(by: "root"))
      _ = try await fixture.modify(
        (0..<200).map { Operation(.create, note("b\(branch)-\($0)", owned(by: "b\(branch)"))) })
    }
    let results = try await fixture.modify([Operation(.forceDelete, note("root"))])
    #expect(results.first?.error?.code == .limitExceeded)
    #expect(try await fixture.names(Query("Note")).count == 805)
    for branch in 0..<4 { try await fixture.delete("b\(branch)") }
    try await fixture.delete("root")
    #expect(try await fixture.names(Query("Note")).isEmpty)
  }

  // MARK: VALIDATE

  @Test(arguments: StorageFactory.all)
  func validatedTargetsMustExist(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let refused = try await fixture.modify([Operation(.create, note("a", needing("t")))])
    #expect(refused.summary == [violation("t")])
    #expect(try await fixture.lookup(["a"]).first?.error?.code == .notFound)
    try await fixture.save("t")
    #expect(
      try await fixture.modify([Operation(.create, note("a", needing("t")))]).summary == ["a"])
    #expect(
      try await fixture.modify([Operation(.forceDelete, note("t"))]).summary == [violation("t")])
    #expect(try await fixture.lookup(["t"]).summary == ["t"])
    try await fixture.delete("a")
    try await fixture.delete("t")
  }

  @Test func theOrderInABatchDoesNotMatter() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let made = try await fixture.modify(
      [Operation(.create, note("child", needing("parent"))), Operation(.create, note("parent"))],
      in: ServiceFixture.zone)
    #expect(made.summary == ["child", "parent"])
    let deleted = try await fixture.modify(
      [Operation(.forceDelete, note("parent")), Operation(.forceDelete, note("child"))],
      in: ServiceFixture.zone)
    #expect(deleted.summary == ["-parent", "-child"])
  }

  @Test func holdersOfAFailedTargetFailToo() async throws {
    let fixture = try await ServiceFixture()
    let results = try await fixture.modify([
      Operation(.create, note("c", needing("b"))), Operation(.create, note("b", needing("a"))),
      Operation(.create, note("a", ["rank": .string("wrong")])),
      Operation(.create, note("d")),
    ])
    #expect(results[0].summary == violation("b"))
    #expect(results[1].summary == violation("a"))
    #expect(results[2].error?.code == .badRequest)
    #expect(results[3].summary == "d")
    #expect(try await fixture.names(Query("Note")) == ["d"])
  }

  /// The other holders have two references to the target each, and drop both in the same batch.
  @Test func aTargetWithOneRemainingHolderIsKept() async throws {
    let fixture = try await ServiceFixture()
    let twice: [String: FieldValue] = [
      "parentNote": .reference(Reference("t", action: .validate)),
      "links": .references([Reference("t", action: .validate)]),
    ]
    try await fixture.save("t")
    for name in ["a", "b", "c", "d"] { try await fixture.save(name, twice) }
    let leaving = ["a", "b", "c"].map { Operation(.forceReplace, note($0)) }
    let results = try await fixture.modify(leaving + [Operation(.forceDelete, note("t"))])
    #expect(results.dropLast().allSatisfy { $0.record != nil })
    #expect(results.last?.error?.code == .validatingReferenceError)
    try await fixture.delete("d")
    try await fixture.delete("t")
  }

  /// Each pass finds one more broken reference, and meanwhile no other request can write.
  @Test func aLongBrokenChainFailsTheRequest() async throws {
    let fixture = try await ServiceFixture()
    func chain(_ count: Int) -> [Operation] {
      (0..<count).map { Operation(.create, note("c\($0)", needing("c\($0 + 1)"))) }
    }
    let error = await serviceError { try await fixture.modify(chain(200)) }
    #expect(error?.code == .limitExceeded)
    #expect(try await fixture.names(Query("Note")).isEmpty)
    // In smaller requests, which clients then send, each record gets its own error.
    #expect(try await fixture.modify(chain(5)).summary == (1...5).map { violation("c\($0)") })
    // A valid chain may be as long as a request.
    let whole = try await fixture.modify(chain(199) + [Operation(.create, note("c199"))])
    #expect(whole.allSatisfy { $0.record != nil })
  }

  @Test func referencesAndDeletionsOfARequestAreLimited() async throws {
    let fixture = try await ServiceFixture()
    func holder(_ index: Int) -> Operation {
      let links = (0..<30).map { Reference("t\(index)-\($0)", action: .deleteSelf) }
      return Operation(.create, note("h\(index)", ["links": .references(links)]))
    }
    let many = try await fixture.modify((0..<101).map(holder))
    #expect(many.dropLast().allSatisfy { $0.record != nil })
    #expect(many.last?.error?.code == .limitExceeded)
    for root in 0..<5 {
      try await fixture.save("r\(root)")
      for part in 0..<4 {
        let holders = (0..<185).map {
          Operation(.create, note("r\(root)-\(part)-\($0)", owned(by: "r\(root)")))
        }
        try #require(try await fixture.modify(holders).allSatisfy { $0.record != nil })
      }
    }
    let gone = try await fixture.modify((0..<5).map { Operation(.forceDelete, note("r\($0)")) })
    #expect(gone.prefix(4).allSatisfy { $0.tombstone != nil })
    #expect(gone.last?.error?.code == .limitExceeded)
    try await fixture.delete("r4")
  }

  @Test func theLaterOfTwoConflictingOperationsFails() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("t")
    let deletedFirst = try await fixture.modify([
      Operation(.forceDelete, note("t")), Operation(.create, note("a", needing("t"))),
    ])
    #expect(deletedFirst.summary == ["-t", violation("t")])
    try await fixture.save("t")
    let savedFirst = try await fixture.modify([
      Operation(.create, note("a", needing("t"))), Operation(.forceDelete, note("t")),
    ])
    #expect(savedFirst.summary == ["a", violation("t")])
  }

  @Test func aValidatingReferencePreventsACascade() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("root")
    try await fixture.save("child", owned(by: "root"))
    try await fixture.save("keeper", needing("child"))
    #expect(
      try await fixture.modify([Operation(.forceDelete, note("root"))]).summary
        == [violation("child")])
    #expect(
      try await fixture.lookup(["root", "child", "keeper"]).summary
        == ["root", "child", "keeper"])
  }

  @Test func referencesToOtherZonesAreRefused() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("there", in: ServiceFixture.zone)
    for (action, zone) in [
      (Reference.Action.validate, ServiceFixture.zone),
      (.deleteSelf, ServiceFixture.zone),
      (.validate, ZoneID("_defaultZone", ownerRecordName: ServiceFixture.binh.userRecordName)),
    ] {
      for target in ["there", "missing"] {
        let reference = Reference(target, zoneID: zone, action: action)
        let results = try await fixture.modify([
          Operation(.create, note("a", ["parentNote": .reference(reference)]))
        ])
        #expect(results.first?.error?.cause == .otherZone(field: "parentNote"))
      }
    }
    // A reference without an action may name another zone.
    let loose = Reference("there", zoneID: ServiceFixture.zone, action: .noAction)
    #expect(
      try await fixture.save("a", ["parentNote": .reference(loose)])["parentNote"]
        == .reference(loose))
  }

  /// The names are also stored in another table, which does not count for the size of a record.
  @Test func targetNamesMustBeValidRecordNames() async throws {
    let fixture = try await ServiceFixture()
    let long = String(repeating: "x", count: 256)
    for name in ["", "a\0b", "é", long] {
      for action in [Reference.Action.deleteSelf, .validate] {
        #expect(
          try await fixture.modify([
            Operation(
              .create, note("r", ["parentNote": .reference(Reference(name, action: action))]))
          ]).first?.error?.code == .badRequest)
      }
      var draft = note("r")
      draft.parent = Parent(name)
      #expect(
        try await fixture.modify([Operation(.create, draft)]).first?.error?.code == .badRequest)
    }
    // The name of a user record is valid, although that record is not in the zone.
    try await fixture.save(
      "r", ["parentNote": .reference(Reference(ServiceFixture.user("c"), action: .deleteSelf))])
    var draft = note("child")
    draft.parent = Parent("r")
    #expect(try await fixture.modify([Operation(.create, draft)]).summary == ["child"])
  }
}
