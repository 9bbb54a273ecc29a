import CloudRecords
import Library
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// The profile and the subscriptions of an account, and its deletion.
@Suite struct AccountTests {
  private func profile(_ world: World) async throws -> RecordResult? {
    try await Link(world: world).carryOut(
      RecordsLookup.self, RecordsLookup.Request(records: [.init(user)])
    ).body.records.first
  }

  @Test func theProfileIsMadeOnceAndThenKept() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    #expect(try await one.engine.prepareAccount(named: "An") == nil)
    let made = try #require(try await profile(world)?.record)
    #expect(made["appleUserID"] == .string(user))
    #expect(made["givenName"] == .string("An"))
    #expect(made["createdAt"] == made["lastSignIn"])
    #expect(try one.library.syncAccount()?.hasProfile == true)
    #expect(try await two.engine.prepareAccount(named: "Another") == nil)
    let found = try #require(try await profile(world)?.record)
    #expect(found["givenName"] == .string("An"))
    #expect(found["createdAt"] == made["createdAt"])
    #expect(found["lastSignIn"] != made["lastSignIn"])
    // There are four subscriptions, however often they are created.
    let subscriptions = try await Link(world: world).carryOut(SubscriptionsList.self, EmptyBody())
      .body
    #expect(
      subscriptions.subscriptions.compactMap(\.value?.subscriptionID).sorted() == [
        "app-settings-changes", "ayah-note-changes", "favorite-ayah-changes",
        "reading-progress-changes",
      ])
  }

  @Test func syncWorksWithoutProfiles() async throws {
    let world = try await World(hasProfiles: false)
    let one = try world.device()
    let refusal = try await one.engine.prepareAccount(named: nil)
    #expect(refusal?.reason?.contains("UserProfile") == true, "\(String(describing: refusal))")
    #expect(try one.library.syncAccount()?.hasProfile == false)
    try one.note("a")
    #expect(try await one.sync().sent == 1)
  }

  @Test(arguments: [true, false])
  func deletingAnAccountDeletesAllItsRecords(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try await one.engine.prepareAccount(named: nil)
    try await two.engine.prepareAccount(named: nil)
    for number in 0..<230 { try one.note("\(number)") }
    try one.commit(.setFavorite(ayah("2:255"), true), .set("theme", "1"))
    try await world.sync(one, two)
    #expect(try await one.engine.deleteEverything() == 233)
    #expect(try await world.records().isEmpty)
    #expect(try await profile(world)?.record == nil)
    #expect(try one.texts.count == 230)
    #expect(try one.library.syncAccount() == nil)
    // Other devices ask, even if few records are deleted.
    let question = MassDeletion(
      counts: [.note: 230, .favorite: 1, .setting: 1], isProfileGone: true)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try two.texts.count == 230)
  }

  /// Devices are notified of each batch of deletions. If the profile existed, they would apply a
  /// few deletions without a question.
  @Test(arguments: [true, false])
  func deletingAnAccountIsAlwaysAskedAbout(_ hasFeed: Bool) async throws {
    for request in 0..<8 {
      let world = try await World(hasFeed: hasFeed)
      let (one, two) = (try world.device(), try world.device())
      try await one.engine.prepareAccount(named: nil)
      try await two.engine.prepareAccount(named: nil)
      try one.note("a")
      try one.commit(.setFavorite(ayah("2:255"), true), .set("theme", "1"))
      try await world.sync(one, two)
      // The other device syncs before one of the requests, and again after all of them.
      for _ in 0..<request { one.link.expect(.none) }
      one.link.expect(.before { _ = try? await two.sync() })
      #expect(try await one.engine.deleteEverything() == 4)
      let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
      #expect(failure?.isMassDeletion == true)
      #expect(try two.texts == ["a"], "before request \(request)")
      // The device does not ask again after the answer.
      let question = MassDeletion(
        counts: [.note: 1, .favorite: 1, .setting: 1], isProfileGone: true)
      _ = try await two.sync(.accept(question))
      #expect(try two.texts == [])
    }
  }

  @Test(arguments: [true, false])
  func keepingEverythingCreatesTheProfileAgain(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try one.note("a")
    try await world.sync(one, two)
    _ = try await one.engine.deleteEverything()
    await #expect(throws: SyncFailure.self) { try await two.sync() }
    try await two.sync(.keepEverything)
    #expect(try await profile(world)?.record != nil)
    #expect(try two.library.syncAccount()?.hasProfile == true)
    #expect(try two.texts == ["a"])
  }

  /// The sign-in must not create the profile before the round has asked about the deletion.
  @Test(arguments: [true, false])
  func signingInAgainAfterADeletionAsksFirst(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try one.commit(.setFavorite(ayah("2:255"), true))
    try await world.sync(one, two)
    _ = try await one.engine.deleteEverything()
    #expect(try await two.engine.prepareAccount(named: nil) == nil)
    let question = MassDeletion(counts: [.favorite: 1], isProfileGone: true)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try two.library.snapshot().favoriteCount == 1)
    try await two.sync(.keepEverything)
    #expect(try await profile(world)?.record != nil)
    #expect(try await world.records().count == 1)
  }

  /// The device that deleted the account signs in again and creates a new profile, before another
  /// device has noticed the deletion.
  @Test(arguments: [true, false], [true, false])
  func deletionsBeforeANewProfileAreAskedAbout(_ hasFeed: Bool, _ isSignedInAgain: Bool)
    async throws
  {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try await world.sync(one, two)
    try two.commit(.setFavorite(ayah("2:255"), true))
    try await two.sync()
    _ = try await one.engine.deleteEverything()
    try one.signIn()
    try await one.engine.prepareAccount(named: nil)
    try await one.sync()
    if isSignedInAgain { try await two.engine.prepareAccount(named: nil) }
    let question = MassDeletion(counts: [.favorite: 1], isProfileGone: true)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try two.library.snapshot().favoriteCount == 1)
    try await two.sync(.keepEverything)
    try await world.sync(one, two)
    #expect(try one.library.snapshot().favoriteCount == 1)
    // The next deletion is an ordinary one.
    try one.commit(.setFavorite(ayah("2:255"), false))
    try await world.sync(one, two)
    #expect(try two.library.snapshot().favoriteCount == 0)
  }

  /// A device accepts that the account was deleted, goes on, and the account is deleted again.
  @Test(arguments: [true, false])
  func aSecondDeletionIsAskedAboutAgain(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try two.commit(.setFavorite(ayah("2:255"), true))
    try await world.sync(two, one)
    for ayahName in ["2:1", "2:2"] {
      _ = try await one.engine.deleteEverything()
      let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
      guard case .massDeletion(let question) = failure else {
        Issue.record("not asked: \(String(describing: failure))")
        return
      }
      #expect(question.isProfileGone)
      try await two.sync(.accept(question))
      try one.signIn()
      try await one.engine.prepareAccount(named: nil)
      try await world.sync(one, two)
      try two.commit(.setFavorite(ayah(ayahName), true))
      try await two.sync()
    }
  }

  /// Another device signs in, and creates the profile, while the account is being deleted.
  @Test(arguments: [true, false], 1...8)
  func aProfileCreatedDuringADeletionIsDeletedAgain(_ hasFeed: Bool, _ request: Int) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try one.note("a")
    try one.commit(.setFavorite(ayah("2:255"), true), .set("theme", "1"))
    try await world.sync(one, two)
    for _ in 0..<request { one.link.expect(.none) }
    one.link.expect(
      .before {
        _ = try? await two.engine.prepareAccount(named: nil)
        _ = try? await two.sync()
      })
    _ = try await one.engine.deleteEverything()
    let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(failure?.isMassDeletion == true)
    #expect(try two.texts == ["a"])
  }

  /// The user goes on with the account after a deletion that was interrupted.
  @Test(arguments: [true, false])
  func anInterruptedDeletionOfTheProfileAloneIsUndone(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { try await device.engine.prepareAccount(named: nil) }
    try one.commit(.setFavorite(ayah("2:255"), true))
    try await world.sync(one, two)
    one.link.expect(.none, .lost)
    await #expect(throws: SyncFailure.self) { try await one.engine.deleteEverything() }
    #expect(try await profile(world)?.record == nil)
    try await world.sync(one, two)
    #expect(try await profile(world)?.record != nil)
    // The next deletion is an ordinary one.
    try one.commit(.setFavorite(ayah("2:255"), false))
    try await world.sync(one, two)
    #expect(try two.library.snapshot().favoriteCount == 0)
  }

  /// Only the profile was deleted, by a deletion that was interrupted.
  @Test func signingInAgainCreatesAMissingProfile() async throws {
    let world = try await World()
    let one = try world.device()
    try await one.engine.prepareAccount(named: nil)
    try one.note("a")
    try await one.sync()
    _ = try await Link(world: world).carryOut(
      RecordsModify.self,
      RecordsModify.Request(operations: [.init(.forceDelete, RecordInput(user))]))
    #expect(try await one.engine.prepareAccount(named: nil) == nil)
    try await one.sync()
    #expect(try await profile(world)?.record != nil)
    #expect(try one.texts == ["a"])
  }

  /// A proxy may answer a request with the response to another one.
  @Test func anAnswerWithoutResultsIsAFailure() async throws {
    let world = try await World()
    let one = try world.device()
    try one.note("a")
    _ = try await one.sync()
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is RecordsModify.Request else { return nil }
      return RecordsModify.Response(records: [])
    }
    let engine = one.engine(service)
    let failure = SyncFailure.call(
      .unexpectedResponse(UnexpectedResponse(status: 200, .wrongCount)))
    await #expect(throws: failure) { try await engine.prepareAccount(named: nil) }
    #expect(try one.library.syncAccount()?.hasProfile == false)
    await #expect(throws: failure) { try await engine.deleteEverything() }
    #expect(try one.library.syncAccount() != nil)
  }

  // MARK: A service that moves

  private func account(_ origin: String, _ serviceID: String?) -> SyncAccount {
    SyncAccount(
      origin: origin, container: World.container.name, environment: "production",
      userRecordName: user, isConfirmed: true, serviceID: serviceID)
  }

  private static let origins = ["https://old.example.org", "https://new.example.org"]

  @Test func theSameServiceAtAnotherAddressIsTheSameAccount() async throws {
    let world = try await World()
    let devices = try [world.device(isSignedIn: false), world.device(isSignedIn: false)]
    for device in devices { try device.engine.adopt(account(Self.origins[0], "1")) }
    let (id, deleted) = (try devices[0].note("a\nb\nc"), try devices[0].note("gone"))
    try await world.sync(devices[0], devices[1])
    try devices[0].edit(id, "x\nb\nc")
    try devices[1].edit(id, "a\nb\ny")
    try devices[1].delete(deleted)
    for device in devices {
      try device.engine.adopt(account(Self.origins[1], "1"))
      #expect(try device.library.syncAccount()?.origin == Self.origins[1])
      #expect(try device.library.outboxSummary().count == (device === devices[0] ? 1 : 2))
    }
    try await world.sync(devices[0], devices[1])
    for device in devices { #expect(try device.texts == ["x\nb\ny"]) }
  }

  @Test func accountsAreComparedByServiceIDIfKnown() {
    let (old, new) = (Self.origins[0], Self.origins[1])
    #expect(account(old, "1").isSame(as: account(new, "1")))
    // Another service has replaced the first one.
    #expect(!account(old, "1").isSame(as: account(old, "2")))
    // Apple's service and older versions of ours have no id.
    for id in [nil, "1"] {
      #expect(account(old, nil).isSame(as: account(old, id)))
      #expect(!account(old, nil).isSame(as: account(new, id)))
    }
    var other = account(old, "1")
    other.name = "An"
    #expect(other.isSame(as: account(new, "1")))
    #expect(
      !account(old, "1").isSame(
        as: SyncAccount(
          origin: old, container: World.container.name, environment: "production",
          userRecordName: "_another", serviceID: "1")))
  }

  /// A library that was connected before services had ids gets the id from a service that reports
  /// its history.
  @Test func theServiceIDIsRequestedOnce() async throws {
    let world = try await World()
    let device = try world.device()
    #expect(try device.library.syncAccount()?.serviceID == nil)
    for _ in 1...3 { try await device.sync() }
    #expect(try device.library.syncAccount()?.serviceID == world.serviceID)
    #expect(device.link.asked.withLock { $0.count { $0 == .usersCaller } } == 1)
    // Signing in at a service without an id does not remove the known one.
    try device.engine.adopt(account("https://records.example.org", nil))
    #expect(try device.library.syncAccount()?.serviceID == world.serviceID)
  }

  /// The favourite was added by mistake and removed again before the first sign-in.
  @Test(arguments: [true, false])
  func aDeletionBeforeTheFirstSignInDoesNotConcernTheAccount(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device(isSignedIn: false))
    try one.commit(.setFavorite(ayah("2:255"), true))
    try await one.sync()
    try two.commit(.setFavorite(ayah("2:255"), true))
    try two.commit(.setFavorite(ayah("2:255"), false))
    try two.signIn()
    try await world.sync(two, one)
    #expect(try one.library.snapshot().favoriteCount == 1)
    #expect(try two.library.snapshot().favoriteCount == 1)
  }

  @Test func aDeletionIsAskedAboutIfTheProfileIsGone() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    try await one.engine.prepareAccount(named: nil)
    try one.commit(.setFavorite(ayah("2:255"), true))
    try await world.sync(one, two)
    _ = try await one.engine.deleteEverything()
    let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(failure?.isMassDeletion == true)
    #expect(try await two.sync(.keepEverything).sent == 1)
    #expect(try await world.records().count == 1)
  }
}
