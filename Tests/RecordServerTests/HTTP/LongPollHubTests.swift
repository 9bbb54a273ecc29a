import CloudRecords
import NIOCore
import NIOPosix
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct LongPollHubTests {
  private static func pushChannel(_ id: Int64, account: Int64 = 1, session: Int64 = 1)
    -> PushChannel
  {
    PushChannel(
      id: id, sessionID: session, accountID: account, container: AccountFixture.quran,
      environment: .production, usedAt: 0)
  }

  private static func firing(
    _ subscription: String, account: Int64 = 1, session: String? = "999",
    environment: ContainerEnvironment = .production, database: DatabaseScope = .private,
    record: String = "r"
  ) -> Firing {
    Firing(
      address: DatabaseAddress(AccountFixture.quran, environment, database), account: account,
      subscription: Subscription(subscription, .query), zoneID: .default, recordName: record,
      event: .create, session: session)
  }

  private let hub = LongPollHub()

  /// A stand-in for a connection that waits.
  private final class Connection: Sendable {}

  private func add(_ pushChannel: PushChannel) async {
    #expect(await hub.add(pushChannel, isNew: true) { _ in true })
  }

  private func next(
    _ pushChannel: PushChannel, within time: TimeAmount = .hours(1),
    on connection: Connection = Connection(), isOpen: Bool = true, as poll: Int? = nil
  ) async -> NotificationQueue.Item? {
    defer { withExtendedLifetime(connection) {} }
    return await hub.next(
      of: pushChannel, for: poll ?? hub.nextPollNumber(), within: time,
      over: ObjectIdentifier(connection), isOpen: { isOpen },
      on: NIOSingletons.posixEventLoopGroup.any())
  }

  /// The next notification if one is queued; otherwise nil, without waiting.
  private func take(_ pushChannel: PushChannel) async -> PushNotification? {
    await next(pushChannel, within: .zero)?.notification
  }

  private func wait(
    _ pushChannel: PushChannel, on connection: Connection = Connection()
  ) async -> PushNotification? {
    await next(pushChannel, on: connection)?.notification
  }

  /// Returns when the given number of long polls wait.
  private func whenWaiting(_ count: Int) async {
    while hub.waiting != count { await Task.yield() }
  }

  @Test func queuedNotificationsAreReturnedAtOnce() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue([Self.firing("a"), Self.firing("b")])
    #expect(await take(pushChannel)?.ck?.subscriptionID == "a")
    #expect(await take(pushChannel)?.ck?.subscriptionID == "b")
    #expect(await take(pushChannel) == nil)
  }

  /// After the files were restored to an earlier state, new channels get the same numbers again.
  @Test func theQueueOfAnotherChannelWithTheSameNumberIsReplaced() async {
    let (former, now) = (Self.pushChannel(1, account: 1), Self.pushChannel(1, account: 2))
    await add(former)
    async let ended = wait(former)
    await whenWaiting(1)
    await add(now)
    hub.queue([Self.firing("of another", account: 1), Self.firing("own", account: 2)])
    #expect(await ended == nil)
    #expect(await take(now)?.ck?.subscriptionID == "own")
    #expect(await take(now) == nil)
  }

  @Test func allChannelsShareANotification() async {
    let channels = (1...3).map { Self.pushChannel($0, session: $0) }
    for channel in channels { await add(channel) }
    // The session that made the change and an account without push channels are not notified.
    #expect(hub.queue([Self.firing("a", session: "3"), Self.firing("b", account: 9)]) == 2)
    let first = await take(channels[0])
    #expect(first?.ck?.subscriptionID == "a")
    #expect(await take(channels[1]) == first)
    #expect(await take(channels[2]) == nil)
  }

  @Test func aWaitEndsWithAChange() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    async let pushed = wait(pushChannel)
    await whenWaiting(1)
    hub.queue([Self.firing("a", record: "x")])
    #expect(await pushed?.ck?.query?.recordName == "x")
    #expect(hub.waiting == 0)
  }

  @Test func onlyOtherSessionsOfTheSubscriberAreNotified() async {
    let own = Self.pushChannel(1, session: 5)
    let other = Self.pushChannel(2, session: 6)
    let otherAccount = Self.pushChannel(3, account: 2, session: 7)
    for pushChannel in [own, other, otherAccount] { await add(pushChannel) }
    hub.queue([Self.firing("a", session: "5")])
    #expect(await take(own) == nil)
    #expect(await take(other)?.ck?.subscriptionID == "a")
    #expect(await take(otherAccount) == nil)
    hub.queue([Self.firing("a", session: "5", environment: .development)])
    #expect(await take(other) == nil)
    // All sessions are notified of a change by the operator.
    hub.queue([Self.firing("a", session: nil)])
    #expect(await take(own)?.ck?.subscriptionID == "a")
  }

  @Test func notificationsOfASubscriptionAreCombined() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    for number in 1...100 {
      hub.queue([Self.firing("a", record: "\(number)"), Self.firing("b", record: "\(number)")])
    }
    for subscription in ["a", "b"] {
      let change = await take(pushChannel)?.ck
      #expect(change?.subscriptionID == subscription)
      #expect(change?.query?.recordName == "100")
    }
    #expect(await take(pushChannel) == nil)
  }

  @Test func atMost64NotificationsAreQueued() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    for number in 1...100 { hub.queue([Self.firing("\(number)")]) }
    var taken: [String?] = []
    while let pushed = await take(pushChannel) { taken.append(pushed.ck?.subscriptionID) }
    #expect(taken == (37...100).map { "\($0)" })
  }

  /// Notifications of one database do not tell a client to fetch the changes of another one.
  @Test func theLastNotificationOfEachDatabaseStays() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue(["a", "b"].map { Self.firing($0, database: .public) })
    for number in 1...80 { hub.queue([Self.firing("\(number)")]) }
    let last = try #require(await next(pushChannel))
    #expect(last.subscription == "b")
    for number in 81...90 { hub.queue([Self.firing("\(number)")]) }
    hub.putBack(last, to: pushChannel)
    var taken: [String?] = []
    while let pushed = await take(pushChannel) { taken.append(pushed.ck?.subscriptionID) }
    #expect(taken == ["b"] + (28...90).map(String.init))
  }

  @Test func onePollGetsANotification() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue([Self.firing("a")])
    async let first = take(pushChannel)
    async let second = take(pushChannel)
    #expect(await [first, second].compactMap(\.?.ck?.subscriptionID) == ["a"])
  }

  @Test func aNotificationThatWasNotReceivedIsTheNextOneAgain() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue([Self.firing("a"), Self.firing("b")])
    let lost = try #require(await next(pushChannel))
    hub.putBack(lost, to: pushChannel)
    for subscription in ["a", "b", nil] {
      #expect(await take(pushChannel)?.ck?.subscriptionID == subscription)
    }
    for _ in 2...5 {
      hub.putBack(lost, to: pushChannel)
      #expect(await take(pushChannel)?.ck?.notificationID == lost.id)
    }
    // A client that resets each connection does not get the notification forever.
    hub.putBack(lost, to: pushChannel)
    #expect(await take(pushChannel) == nil)
  }

  @Test func severalNotificationsAtOnceArePutBackInOrderAFewTimes() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    // The longest queue: a loss and 64 notifications.
    hub.report([NotificationLoss(AccountFixture.quran, .production, account: 0)])
    let subscriptions = (1...64).map(String.init)
    hub.queue(subscriptions.map { Self.firing($0) })
    for count in 1...6 {
      var lost: [NotificationQueue.Item] = []
      while let item = await next(pushChannel, within: .zero) { lost.append(item) }
      #expect(lost.map(\.subscription) == [""] + subscriptions, "\(count)")
      for item in lost.reversed() { hub.putBack(item, to: pushChannel) }
    }
    #expect(await take(pushChannel) == nil)
  }

  @Test func aNotificationThatIsPutBackWakesThePollThatWaits() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue([Self.firing("a")])
    let lost = try #require(await next(pushChannel))
    async let next = wait(pushChannel)
    await whenWaiting(1)
    hub.putBack(lost, to: pushChannel)
    #expect(await next?.ck?.notificationID == lost.id)
  }

  @Test func notificationsThatArePutBackDoNotExceedTheLimits() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.queue([Self.firing("a", record: "1")])
    let older = try #require(await next(pushChannel))
    hub.queue([Self.firing("a", record: "2")])
    hub.putBack(older, to: pushChannel)
    #expect(await take(pushChannel)?.ck?.query?.recordName == "2")
    #expect(await take(pushChannel) == nil)

    hub.queue([Self.firing("b")])
    let lost = try #require(await next(pushChannel))
    for number in 1...64 { hub.queue([Self.firing("\(number)")]) }
    hub.putBack(lost, to: pushChannel)
    var taken: [String?] = []
    while let pushed = await take(pushChannel) { taken.append(pushed.ck?.subscriptionID) }
    #expect(taken == (1...64).map(String.init))

    // Nothing returns to a push channel that was removed.
    hub.queue([Self.firing("c")])
    let last = try #require(await next(pushChannel))
    hub.remove([pushChannel.id])
    hub.putBack(last, to: pushChannel)
    await add(pushChannel)
    #expect(await take(pushChannel) == nil)
  }

  @Test func aClientThatHasGoneDoesNotWaitAndGetsNothing() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    for _ in 0..<2 {
      let item = await next(pushChannel, isOpen: false)
      #expect(item == nil)
      #expect(hub.waiting == 0)
      hub.queue([Self.firing("a")])
    }
    #expect(await take(pushChannel)?.ck?.subscriptionID == "a")
  }

  @Test func aSecondWaitEndsTheFirstOfAPushChannel() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    async let first = wait(pushChannel)
    await whenWaiting(1)
    async let second = wait(pushChannel)
    #expect(await first == nil)
    await whenWaiting(1)
    hub.queue([Self.firing("a")])
    #expect(await second != nil)
  }

  /// The push channel of the earlier poll may be looked up more slowly.
  @Test func anEarlierPollDoesNotEndTheWaitOfALaterOne() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    let earlier = hub.nextPollNumber()
    async let later = wait(pushChannel)
    await whenWaiting(1)
    #expect(await next(pushChannel, as: earlier) == nil)
    hub.queue([Self.firing("a")])
    #expect(await later != nil)
  }

  @Test func aWaitEndsWithItsConnection() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    let connections = [Connection(), Connection()]
    async let pushed = wait(pushChannel, on: connections[0])
    await whenWaiting(1)
    hub.end(ObjectIdentifier(connections[1]))
    #expect(hub.waiting == 1)
    hub.end(ObjectIdentifier(connections[0]))
    #expect(await pushed == nil)
    #expect(hub.waiting == 0)
  }

  @Test func aWaitEndsWithItsTask() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    let task = Task { await wait(pushChannel) }
    await whenWaiting(1)
    task.cancel()
    #expect(await task.value == nil)
    #expect(hub.waiting == 0)
  }

  @Test func aWaitThatWasCancelledBeforehandDoesNotBegin() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await wait(pushChannel)
    }
    #expect(await task.value == nil)
    #expect(hub.waiting == 0)
  }

  @Test func closingEndsAllWaits() async {
    for id in 1...50 { await add(Self.pushChannel(Int64(id))) }
    await withTaskGroup(of: Bool.self) { group in
      for id in 1...50 { group.addTask { await wait(Self.pushChannel(Int64(id))) == nil } }
      await whenWaiting(50)
      hub.close()
      for await isEmpty in group { #expect(isEmpty) }
    }
    #expect(await wait(Self.pushChannel(99)) == nil)
  }

  @Test func removingAPushChannelEndsItsWait() async {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    async let pushed = wait(pushChannel)
    await whenWaiting(1)
    hub.remove([pushChannel.id])
    #expect(await pushed == nil)
    #expect(hub.known == 0)
    // A poll that was authenticated before the removal, but begins to wait after it.
    #expect(await take(pushChannel) == nil)
    #expect(hub.known == 0)
  }

  /// The session ends after its channel was read from storage and before the hub knows the channel.
  @Test func aPushChannelOfASessionThatEndsMeanwhileIsNotAdded() async {
    let pushChannel = Self.pushChannel(1, session: 5)
    hub.remove(session: 5)
    #expect(await !hub.add(pushChannel) { _ in false })
    #expect(hub.known == 0)
    await #expect(throws: StorageFailure.busy) {
      try await hub.add(pushChannel) { _ in throw StorageFailure.busy }
    }
    #expect(hub.known == 0)
    // A channel that the hub already knows is not looked up again.
    await add(pushChannel)
    #expect(await hub.add(pushChannel) { _ in false })
  }

  /// A push channel that was created before the hub may have lost notifications.
  @Test func aLossIsToldUntilTheClientKnowsIt() async throws {
    let (created, found) = (Self.pushChannel(1), Self.pushChannel(2))
    await add(created)
    #expect(await next(created, within: .zero) == nil)
    #expect(await hub.add(found) { _ in true })
    let loss = try #require(await next(found, within: .zero))
    #expect(loss.isLoss)
    #expect(await hub.add(found) { _ in true })
    async let waiting = next(found)
    await whenWaiting(1)
    hub.putBack(loss, to: found)
    #expect(await waiting === loss)
    // A client that resets each connection is not told of the loss forever.
    for count in 2...6 {
      hub.putBack(loss, to: found)
      #expect(await (next(found, within: .zero) === loss) == (count <= 5))
    }
    hub.remove([found.id])
    hub.putBack(loss, to: found)
    #expect(await next(found, within: .zero) == nil)
  }

  @Test func aLossDoesNotGiveWay() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    hub.report([NotificationLoss(AccountFixture.quran, .production, account: 0)])
    hub.queue((1...64).map { Self.firing("\($0)") })
    let loss = try #require(await next(pushChannel, within: .zero))
    #expect(loss.isLoss)
    hub.putBack(loss, to: pushChannel)
    hub.queue([Self.firing("65")])
    #expect(await next(pushChannel, within: .zero) === loss)
    #expect(await take(pushChannel)?.ck?.subscriptionID == "2")
  }

  @Test func eachLossIsPutBackAFewTimes() async throws {
    let pushChannel = Self.pushChannel(1)
    await add(pushChannel)
    for number in 1...10 {
      hub.report([NotificationLoss(AccountFixture.quran, .production, account: 0)])
      let loss = try #require(await next(pushChannel, within: .zero))
      hub.putBack(loss, to: pushChannel)
      #expect(await next(pushChannel, within: .zero) === loss, "loss \(number)")
    }
  }

  @Test func aLossIsToldToThoseWhomItConcerns() async {
    let (one, other) = (Self.pushChannel(1), Self.pushChannel(2, account: 2))
    func loss(_ account: Int64, _ environment: ContainerEnvironment = .production)
      -> NotificationLoss
    {
      NotificationLoss(AccountFixture.quran, environment, account: account)
    }
    func isTold(_ pushChannel: PushChannel) async -> Bool {
      await next(pushChannel, within: .zero)?.isLoss ?? false
    }
    for pushChannel in [one, other] { await add(pushChannel) }
    hub.queue([Self.firing("a")])
    hub.report([loss(1), loss(1)])
    #expect(await isTold(one))
    #expect(await take(one)?.ck?.subscriptionID == "a")
    #expect(await !isTold(other))
    hub.report([loss(1, .development)])
    #expect(await !isTold(one))
    async let waiting = next(other)
    await whenWaiting(1)
    hub.report([loss(0)])
    #expect(await waiting?.isLoss == true)
    #expect(await isTold(one))
    for pushChannel in [one, other] { #expect(await !isTold(pushChannel)) }
  }

  /// Many push channels wait and receive notifications at the same time.
  @Test func noNotificationIsLostUnderConcurrency() async {
    await withTaskGroup(of: Int.self) { group in
      for id in 1...20 {
        let pushChannel = Self.pushChannel(Int64(id), account: Int64(id), session: Int64(id))
        await add(pushChannel)
        group.addTask {
          var count = 0
          while count < 50 {
            let pushed = await wait(pushChannel)
            if pushed?.ck?.subscriptionID == "end" { break }
            if pushed != nil { count += 1 }
          }
          return count
        }
        group.addTask {
          for number in 1...49 {
            hub.queue([Self.firing("s\(number)", account: Int64(id))])
            await Task.yield()
          }
          hub.queue([Self.firing("last", account: Int64(id))])
          return 0
        }
      }
      var total = 0
      for await count in group { total += count }
      #expect(total == 20 * 50)
    }
  }
}
