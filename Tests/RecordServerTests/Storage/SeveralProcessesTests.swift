import CloudRecords
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Notifications and failed sign-ins, which several processes share in one PostgreSQL database.
@Suite(.onlyPostgreSQL) struct SeveralProcessesTests {
  /// The parts of a service in one process.
  private struct Process {
    let storage: PostgreSQLTestStorage
    let accountService: AccountService
    let hub: LongPollHub

    init(_ database: TestDatabase, _ clock: AccountFixture.Clock) async throws {
      storage = try await PostgreSQLTestStorage(database)
      accountService = AccountService(
        storage: try await storage.accounts, key: try await storage.storage.serverKey(),
        hasher: AccountFixture.CountingHasher().hasher, now: { clock.now },
        random: { count in (0..<count).map { _ in .random(in: .min ... .max) } }, pause: { _ in })
      hub = LongPollHub(sharing: SharedNotifications(storage.storage, now: { clock.now }))
    }

    /// Waits for a notification, and takes it.
    func item(
      _ pushChannel: PushChannel, within time: TimeAmount, isOpen: Bool = true, as poll: Int? = nil
    ) async -> NotificationQueue.Item? {
      final class Connection: Sendable {}
      let connection = Connection()
      defer { withExtendedLifetime(connection) {} }
      guard await hub.add(pushChannel, ifAlive: { _ in true }) else { return nil }
      return await hub.next(
        of: pushChannel, for: poll ?? hub.nextPollNumber(), within: time,
        over: ObjectIdentifier(connection), isOpen: { isOpen },
        on: NIOSingletons.posixEventLoopGroup.any())
    }

    func next(
      _ pushChannel: PushChannel, within time: TimeAmount, isOpen: Bool = true
    ) async -> PushNotification? {
      await item(pushChannel, within: time, isOpen: isOpen)?.notification
    }

    func verify(_ password: String, from address: ClientAddress) async -> SignInFailure? {
      await thrownError {
        try await accountService.verify(name: "an", password: password, address: address)
      } as? SignInFailure
    }
  }

  private let clock = AccountFixture.Clock()
  private let processes: [Process]
  private let account: Account
  /// The push channels of two sessions of the account.
  private let pushChannels: [PushChannel]

  init() async throws {
    let database = try PostgreSQLServer.shared.get().makeDatabase()
    processes = [try await Process(database, clock), try await Process(database, clock)]
    let accountService = processes[0].accountService
    account = try await accountService.addAccount(name: "an", password: AccountFixture.password)
    let app = try await accountService.createAPIToken(
      APITokenTerms(label: "Quran", container: AccountFixture.quran))
    for _ in 0..<2 { _ = try await accountService.signIn(account, apiTokenID: app.token.id) }
    var pushChannels: [PushChannel] = []
    for session in try await accountService.sessions(of: account) {
      let made = try await accountService.createPushChannel(
        session: session.id, environment: .production)
      pushChannels.append(try #require(made).pushChannel)
    }
    self.pushChannels = pushChannels
  }

  private func firing(
    _ subscription: String, by session: Int64? = nil, record: String = "r",
    environment: ContainerEnvironment = .production, database: DatabaseScope = .private
  ) -> Firing {
    Firing(
      address: DatabaseAddress(AccountFixture.quran, environment, database), account: account.id,
      subscription: Subscription(subscription, .query), zoneID: .default, recordName: record,
      event: .create, session: session.map { "\($0)" })
  }

  // MARK: Notifications

  @Test func aNotificationWakesThePollOfAnotherProcess() async throws {
    let watching = Task { [hub = processes[0].hub] in try await hub.run() }
    defer { watching.cancel() }
    for number in 1...3 {
      async let notification = processes[0].next(pushChannels[0], within: .hours(1))
      while processes[0].hub.waiting == 0 { await Task.yield() }
      // The notifications of the other session wait for its poll.
      #expect(await processes[1].hub.deliver([firing("a", record: "\(number)")]) == 2)
      #expect(await notification?.ck?.query?.recordName == "\(number)")
    }
    #expect(await processes[1].next(pushChannels[0], within: .zero) == nil, "removed for all")
  }

  @Test func anotherProcessTakesUpThePolls() async throws {
    #expect(await processes[0].hub.deliver([firing("a"), firing("b")]) == 4)
    #expect(await processes[0].next(pushChannels[0], within: .zero)?.ck?.subscriptionID == "a")
    #expect(await processes[1].next(pushChannels[0], within: .zero)?.ck?.subscriptionID == "b")
    #expect(await processes[0].next(pushChannels[0], within: .zero) == nil)
    #expect(await processes[1].next(pushChannels[1], within: .zero)?.ck?.subscriptionID == "a")
  }

  /// A client that polls at another process may have lost its former connection.
  @Test func onlyTheNewestPollIsNotified() async throws {
    let watching = Task { [hub = processes[1].hub] in try await hub.run() }
    defer { watching.cancel() }
    let former = Task { await processes[0].next(pushChannels[0], within: .hours(1)) }
    while processes[0].hub.waiting == 0 { await Task.yield() }
    async let newer = processes[1].next(pushChannels[0], within: .hours(1))
    while processes[1].hub.waiting == 0 { await Task.yield() }
    // This wakes the former poll, as its process delivers.
    #expect(await processes[0].hub.deliver([firing("a")]) == 2)
    #expect(await newer?.ck?.subscriptionID == "a")
    former.cancel()
    #expect(await former.value == nil)
  }

  @Test func onePollGetsANotification() async throws {
    let (hub, pushChannel) = (processes[0].hub, pushChannels[0])
    for number in 1...20 {
      #expect(await hub.deliver([firing("a"), firing("b")]) == 4)
      let poll = hub.nextPollNumber()
      async let first = processes[0].item(pushChannel, within: .zero, as: poll)
      async let second = processes[0].item(pushChannel, within: .zero, as: poll)
      let taken = await [first, second].compactMap(\.?.notification?.ck?.subscriptionID)
      #expect(taken.sorted() == ["a", "b"], "round \(number)")
    }
  }

  /// The transaction of a poll whose client has gone can be the last to succeed.
  @Test func anEarlierPollOfAProcessDoesNotReplaceALaterOne() async throws {
    let (hub, pushChannel) = (processes[0].hub, pushChannels[0])
    let earlier = hub.nextPollNumber()
    async let later = processes[0].next(pushChannel, within: .hours(1))
    while hub.waiting == 0 { await Task.yield() }
    #expect(await processes[0].item(pushChannel, within: .hours(1), as: earlier) == nil)
    #expect(await hub.deliver([firing("a")]) == 2)
    #expect(await later?.ck?.subscriptionID == "a")
  }

  @Test func aPollWhoseClientHasGoneReplacesNone() async throws {
    let watching = Task { [hub = processes[1].hub] in try await hub.run() }
    defer { watching.cancel() }
    async let newer = processes[1].next(pushChannels[0], within: .hours(1))
    while processes[1].hub.waiting == 0 { await Task.yield() }
    #expect(await processes[0].next(pushChannels[0], within: .hours(1), isOpen: false) == nil)
    #expect(await processes[0].hub.deliver([firing("a")]) == 2)
    #expect(await newer?.ck?.subscriptionID == "a")
  }

  /// The poll may be registered last although its client had gone before.
  @Test func aPollWhoseClientGoesGivesWayToThoseOfOtherProcesses() async throws {
    let (hub, pushChannel) = (processes[0].hub, pushChannels[0])
    let other = SharedNotifications(processes[1].storage.storage, now: { [clock] in clock.now })
    async let waiting = processes[0].next(pushChannel, within: .hours(1))
    while hub.waiting == 0 { await Task.yield() }
    #expect(await other.begin(1, of: pushChannel))
    #expect(await hub.deliver([firing("a")]) == 2)
    // The poll was woken, found the later one, and waits again. Nothing wakes it a second time
    // before the next delivery.
    while hub.waiting == 0 { await Task.yield() }
    #expect(await other.end(1, of: pushChannel))
    // This wakes the poll again.
    #expect(await hub.deliver([firing("b")]) == 2)
    #expect(await waiting?.ck?.subscriptionID == "a")
  }

  @Test func aNotificationThatWasNotReceivedIsTheNextOneOfEachProcess() async throws {
    let (hub, pushChannel) = (processes[0].hub, pushChannels[0])
    func taken() async throws -> NotificationQueue.Item {
      try #require(await processes[0].item(pushChannel, within: .zero))
    }
    #expect(await hub.deliver([firing("a")]) == 2)
    #expect(await hub.deliver([firing("b")]) == 2)
    let lost = try await taken()
    for _ in 0..<2 { hub.putBack(lost, to: pushChannel) }
    await hub.finishStoring()
    for subscription in ["a", "b", nil] {
      let next = await processes[1].next(pushChannel, within: .zero)
      #expect(next?.ck?.subscriptionID == subscription)
    }
    // Of two notifications of a subscription, the newer one stays.
    for isLast in [true, false] {
      #expect(await hub.deliver([firing("a", record: "older")]) == 2)
      let older = try await taken()
      #expect(await hub.deliver([firing("a", record: "newer")]) == 2)
      if isLast {
        hub.putBack(older, to: pushChannel)
      } else {
        let newer = try await taken()
        for item in [older, newer] {
          hub.putBack(item, to: pushChannel)
          await hub.finishStoring()
        }
      }
      await hub.finishStoring()
      for record in ["newer", nil] {
        #expect(
          await processes[1].next(pushChannel, within: .zero)?.ck?.query?.recordName == record)
      }
    }
    // A notification that returns to a full queue gives way to later ones of its database.
    #expect(await hub.deliver([firing("a")]) == 2)
    let oldest = try await taken()
    for number in 1...64 { #expect(await hub.deliver([firing("\(number)")]) == 2) }
    hub.putBack(oldest, to: pushChannel)
    await hub.finishStoring()
    for number in 1...64 { #expect(try await taken().subscription == "\(number)") }
    // The session has ended.
    #expect(await hub.deliver([firing("c")]) == 2)
    let last = try await taken()
    _ = try await processes[1].accountService.revoke(session: pushChannel.sessionID, of: account)
    hub.putBack(last, to: pushChannel)
    await hub.finishStoring()
    #expect(await processes[1].next(pushChannel, within: .zero) == nil)
  }

  /// The notification is removed, and the client is told that it may have missed one.
  @Test func aDamagedNotificationCountsAsLost() async throws {
    let (process, pushChannel) = (processes[0], pushChannels[0])
    #expect(await process.hub.deliver([firing("a")]) == 2)
    try await process.storage.storage.database.write {
      try $0.run("UPDATE notification SET content = 'damaged'", [])
    }
    #expect(await process.hub.deliver([firing("b")]) == 2)
    let loss = try #require(await process.item(pushChannel, within: .hours(1)))
    #expect(loss.isLoss)
    process.hub.putBack(loss, to: pushChannel)
    await process.hub.finishStoring()
    #expect(await process.item(pushChannel, within: .zero)?.id == loss.id)
    #expect(await process.next(pushChannel, within: .zero)?.ck?.subscriptionID == "b")
  }

  @Test func allProcessesTellALoss() async throws {
    func loss(_ account: Int64, _ environment: ContainerEnvironment = .production)
      -> NotificationLoss
    {
      NotificationLoss(AccountFixture.quran, environment, account: account)
    }
    for account in [account.id, 0] {
      processes[0].hub.report([loss(account), loss(account)])
      await processes[0].hub.finishStoring()
      processes[0].hub.report([loss(account), loss(account, .development), loss(99)])
      await processes[0].hub.finishStoring()
      for pushChannel in pushChannels {
        #expect(await processes[1].item(pushChannel, within: .hours(1))?.isLoss == true)
        #expect(await processes[1].item(pushChannel, within: .zero) == nil)
      }
    }
  }

  /// The statement that takes the notification failed, so the notification may have been removed.
  @Test func aNotificationThatCannotBeTakenCountsAsLost() async throws {
    let (process, pushChannel) = (processes[0], pushChannels[0])
    let database = process.storage.storage.database
    try await database.write { try $0.run("ALTER TABLE notification RENAME TO hidden", []) }
    #expect(await process.next(pushChannel, within: .hours(1)) == nil)
    try await database.write { try $0.run("ALTER TABLE hidden RENAME TO notification", []) }
    await process.hub.finishStoring()
    #expect(await processes[1].item(pushChannel, within: .hours(1))?.isLoss == true)
  }

  @Test func aLossDoesNotGiveWay() async throws {
    let (hub, pushChannel) = (processes[0].hub, pushChannels[0])
    hub.report([NotificationLoss(AccountFixture.quran, .production, account: 0)])
    await hub.finishStoring()
    for number in 1...64 { #expect(await hub.deliver([firing("\(number)")]) == 2) }
    let loss = try #require(await processes[0].item(pushChannel, within: .zero))
    #expect(loss.isLoss)
    hub.putBack(loss, to: pushChannel)
    await hub.finishStoring()
    #expect(await hub.deliver([firing("65")]) == 2)
    #expect(await processes[1].item(pushChannel, within: .zero)?.id == loss.id)
    #expect(await processes[1].next(pushChannel, within: .zero)?.ck?.subscriptionID == "2")
  }

  private func isWaitingForLock(in database: any SQLDatabase) async throws -> Bool {
    try await database.read(within: nil) { connection in
      try connection.row(
        """
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
      ) { _ in true } ?? false
    }
  }

  /// A COMMIT without an answer may still be carried out.
  @Test func aLossIsToldAfterTheTransactionsOfTheDatabase() async throws {
    let (process, pushChannel) = (processes[0], pushChannels[0])
    let database = process.storage.storage.database
    try await database.write { [account] connection in
      try connection.run(
        """
        INSERT INTO owner (container, environment, database, account, sequence)
        VALUES (?, 'production', 'private', ?, 0)
        """, [AccountFixture.quran.name, account.id])
    }
    let (began, mayEnd) = (NIOLockedValueBox(false), NIOLockedValueBox(false))
    let isStored = NIOLockedValueBox(false)
    async let transaction: Void = database.write { [account] connection in
      _ = try connection.row("SELECT id FROM owner WHERE account = ? FOR UPDATE", [account.id]) {
        try $0[0] as Int64
      }
      began.withLockedValue { $0 = true }
      while !mayEnd.withLockedValue({ $0 }) { sched_yield() }
    }
    while !began.withLockedValue({ $0 }) { await Task.yield() }
    process.hub.report([NotificationLoss(AccountFixture.quran, .production, account: account.id)])
    async let storing: Void = {
      await process.hub.finishStoring()
      isStored.withLockedValue { $0 = true }
    }()
    while !isStored.withLockedValue({ $0 }), try await !isWaitingForLock(in: database) {}
    #expect(!isStored.withLockedValue { $0 })
    mayEnd.withLockedValue { $0 = true }
    try await transaction
    await storing
    #expect(await processes[1].item(pushChannel, within: .zero)?.isLoss == true)
  }

  @Test func onlyOtherSessionsOfTheEnvironmentAreNotified() async throws {
    let session = pushChannels[0].sessionID
    #expect(await processes[0].hub.deliver([firing("a", by: session)]) == 1)
    #expect(await processes[1].next(pushChannels[0], within: .zero) == nil)
    #expect(await processes[1].next(pushChannels[1], within: .zero)?.ck?.subscriptionID == "a")
    #expect(await processes[0].hub.deliver([firing("a", environment: .development)]) == 0)
    _ = try await processes[0].accountService.revoke(session: session, of: account)
    #expect(await processes[0].hub.deliver([firing("a")]) == 1)
    clock.advance(400 * 86_400_000)
    #expect(await processes[0].hub.deliver([firing("a")]) == 0, "the session is over")
  }

  @Test func notificationsOfASubscriptionAreCombined() async throws {
    for number in 1...10 {
      _ = await processes[number % 2].hub.deliver([firing("a", record: "\(number)")])
      _ = await processes[number % 2].hub.deliver([firing("b", record: "\(number)")])
    }
    var taken: [String] = []
    while let change = await processes[1].next(pushChannels[0], within: .zero)?.ck {
      taken.append("\(change.subscriptionID ?? "") \(change.query?.recordName ?? "")")
    }
    #expect(taken == ["a 10", "b 10"])
  }

  @Test func atMost64NotificationsAreQueued() async throws {
    // The last one of each database stays.
    for name in ["a", "b"] {
      #expect(await processes[0].hub.deliver([firing(name, database: .public)]) == 2)
    }
    for number in 1...70 { _ = await processes[number % 2].hub.deliver([firing("\(number)")]) }
    var taken: [String?] = []
    while let change = await processes[0].next(pushChannels[0], within: .zero)?.ck {
      taken.append(change.subscriptionID)
    }
    #expect(taken == ["b"] + (7...70).map { "\($0)" })
  }

  // MARK: Sign-ins

  @Test func wrongPasswordsAreCountedByAllProcesses() async throws {
    let address = AccountFixture.clientAddress
    for index in 0..<6 {
      #expect(await processes[index % 2].verify("wrong", from: address) == .wrongNameOrPassword)
    }
    for process in processes {
      #expect(
        await process.verify(AccountFixture.password, from: address)
          == .tooManyAttempts(retryAfter: 1))
    }
    clock.advance(1000)
    #expect(await processes[1].verify(AccountFixture.password, from: address) == nil)
    // The right password ends the back-off everywhere.
    for index in 0..<6 {
      #expect(await processes[index % 2].verify("wrong", from: address) == .wrongNameOrPassword)
    }
  }

  @Test func attemptsAtTheSameTimeCannotAvoidTheLimits() async throws {
    let failures = await withTaskGroup(of: SignInFailure?.self) { [processes] group in
      for index in 0..<16 {
        group.addTask {
          await processes[index % 2].verify("wrong", from: AccountFixture.clientAddress)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.count { $0 == .wrongNameOrPassword } == 6)
    #expect(failures.count { $0 == .tooManyAttempts(retryAfter: 1) } == 10)
  }

  /// Strangers guess the password of an account, and its user comes from an address that has signed
  /// in before.
  @Test func addressesThatSignedInAreKnownToAllProcesses() async throws {
    let home = AccountFixture.clientAddress
    #expect(await processes[0].verify(AccountFixture.password, from: home) == nil)
    for index in 0..<25 {
      _ = await processes[index % 2].verify("wrong", from: ClientAddress("198.51.100.\(index)"))
    }
    let owner = try await processes[1].accountService.beginAttempt(on: "an", from: home)
    #expect(owner.isKnown)
    #expect(owner.delay == 0)
    let stranger = try await processes[0].accountService.beginAttempt(
      on: "an", from: ClientAddress("203.0.113.1"))
    #expect(stranger.delay > 0)
    try await processes[0].storage.accounts.removeExpired(at: clock.now + 2 * 86_400_000)
    let later = try await processes[0].accountService.beginAttempt(
      on: "an", from: ClientAddress("203.0.113.2"))
    #expect(later.delay == 0, "forgotten after a day")
  }
}
