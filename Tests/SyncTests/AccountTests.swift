import CloudRecords
import Library
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// What an account needs besides its records, and its end.
@Suite struct AccountTests {
  private func profile(_ world: World) async throws -> RecordResult? {
    try await Link(world: world).carryOut(
      RecordsLookup.self, RecordsLookup.Request(records: [.init(user)])
    ).records.first
  }

  @Test func theProfileIsMadeOnceAndThenKept() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    #expect(try await one.engine.prepare(named: "An") == nil)
    let made = try #require(try await profile(world)?.record)
    #expect(made["appleUserID"] == .string(user))
    #expect(made["givenName"] == .string("An"))
    #expect(made["createdAt"] == made["lastSignIn"])
    #expect(try one.library.syncAccount()?.hasProfile == true)
    #expect(try await two.engine.prepare(named: "Another") == nil)
    let found = try #require(try await profile(world)?.record)
    #expect(found["givenName"] == .string("An"))
    #expect(found["createdAt"] == made["createdAt"])
    #expect(found["lastSignIn"] != made["lastSignIn"])
    // Four subscriptions, however often they are asked for.
    let subscriptions = try await Link(world: world).carryOut(SubscriptionsList.self, Nothing())
    #expect(
      subscriptions.subscriptions.compactMap(\.value?.subscriptionID).sorted() == [
        "app-settings-changes", "ayah-note-changes", "favorite-ayah-changes",
        "reading-progress-changes",
      ])
  }

  @Test func aServiceWithoutProfilesIsFineWithout() async throws {
    let world = try await World(hasProfiles: false)
    let one = try world.device()
    let refusal = try await one.engine.prepare(named: nil)
    #expect(refusal?.reason?.contains("UserProfile") == true, "\(String(describing: refusal))")
    #expect(try one.library.syncAccount()?.hasProfile == false)
    try one.note("a")
    #expect(try await one.sync().sent == 1)
  }

  @Test(arguments: [true, false])
  func theEndOfAnAccountLeavesNothingThere(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try await one.engine.prepare(named: nil)
    try await two.engine.prepare(named: nil)
    for number in 0..<230 { try one.note("\(number)") }
    try one.commit(.setFavorite(ayah("2:255"), true), .set("theme", "1"))
    try await world.sync(one, two)
    #expect(try await one.engine.deleteEverything() == 233)
    #expect(try await world.records().isEmpty)
    #expect(try await profile(world)?.record == nil)
    #expect(try one.texts.count == 230)
    #expect(try one.library.syncAccount() == nil)
    // Others ask, however little it is.
    let question = MassDeletion(
      counts: [.note: 230, .favorite: 1, .setting: 1], isProfileGone: true)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try two.texts.count == 230)
  }

  /// Devices hear of each part of it at once, and would take few deletions for what they are.
  @Test(arguments: [true, false])
  func theEndOfAnAccountIsNeverTakenForAFewDeletions(_ hasFeed: Bool) async throws {
    for request in 0..<8 {
      let world = try await World(hasFeed: hasFeed)
      let (one, two) = (try world.device(), try world.device())
      try await one.engine.prepare(named: nil)
      try await two.engine.prepare(named: nil)
      try one.note("a")
      try one.commit(.setFavorite(ayah("2:255"), true), .set("theme", "1"))
      try await world.sync(one, two)
      // The other one syncs in the middle, and once more when all is gone.
      for _ in 0..<request { one.link.expect(.none) }
      one.link.expect(.before { _ = try? await two.sync() })
      #expect(try await one.engine.deleteEverything() == 4)
      await #expect(throws: SyncFailure.self) { try await two.sync() }
      #expect(try two.texts == ["a"], "before request \(request)")
      // Whoever agrees is not asked again about what comes later.
      let question = MassDeletion(
        counts: [.note: 1, .favorite: 1, .setting: 1], isProfileGone: true)
      _ = try await two.sync(.accept(question))
      #expect(try two.texts == [])
    }
  }

  @Test func theLastFavoriteIsAskedAboutWhereTheProfileIsGone() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    try await one.engine.prepare(named: nil)
    try one.commit(.setFavorite(ayah("2:255"), true))
    try await world.sync(one, two)
    _ = try await one.engine.deleteEverything()
    await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(try await two.sync(.keepEverything).sent == 1)
    #expect(try await world.records().count == 1)
  }
}
