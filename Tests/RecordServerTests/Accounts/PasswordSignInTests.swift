import Dispatch
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct PasswordSignInTests {
  @Test func namesAndPasswordsAreNormalisedAtSignIn() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.accountService.addAccount(name: "An", password: "tiếng Việt")
    for (name, password) in [
      ("an", "tiếng Việt"), (" AN ", "ti\u{65}\u{302}\u{301}ng Vi\u{65}\u{323}\u{302}t"),
    ] {
      let found = try await fixture.accountService.verify(
        name: name, password: password, address: AccountFixture.clientAddress)
      #expect(found == an)
    }
  }

  @Test func signInWorksWithRealScrypt() async throws {
    let fixture = try await AccountFixture(hasher: .scrypt)
    let an = try await fixture.account("an")
    let found = try await fixture.accountService.verify(
      name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    #expect(found == an)
    let error = await thrownError {
      try await fixture.accountService.verify(
        name: "an", password: "wrong password", address: AccountFixture.clientAddress)
    }
    #expect(error as? SignInFailure == .wrongNameOrPassword)
  }

  @Test func unknownAccountsHaveTheSameErrorAndCost() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    let before = fixture.hasher.count
    // A wrong password, an unknown and an unusable name, short passwords, and empty texts.
    let attempts = [
      ("an", "wrong password"), ("binh", AccountFixture.password),
      ("<binh>", AccountFixture.password),
      ("an", "short"), ("binh", "short"), ("", ""),
    ]
    for (index, (name, password)) in attempts.enumerated() {
      let error = await thrownError {
        try await fixture.accountService.verify(
          name: name, password: password, address: AccountFixture.clientAddress)
      }
      #expect(error as? SignInFailure == .wrongNameOrPassword, "\(name)")
      #expect(fixture.hasher.count == before + index + 1, "\(name)")
    }
    #expect(fixture.hasher.costs.withLockedValue { $0.allSatisfy { $0 == .standard } })
  }

  @Test func tooLongPasswordsAreRefusedWithoutHashing() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    let before = fixture.hasher.count
    for name in ["an", "binh"] {
      let error = await thrownError {
        try await fixture.accountService.verify(
          name: name, password: String(repeating: "a", count: 1025),
          address: AccountFixture.clientAddress)
      }
      #expect(error as? SignInFailure == .wrongNameOrPassword)
    }
    #expect(fixture.hasher.count == before)
  }

  // MARK: Back-off

  func attempt(
    _ fixture: AccountFixture, _ name: String = "an", _ password: String = "wrong password",
    from address: ClientAddress = AccountFixture.clientAddress
  ) async -> SignInFailure? {
    await thrownError {
      try await fixture.accountService.verify(name: name, password: password, address: address)
    } as? SignInFailure
  }

  /// Signs in to an account with a wrong password, each time from another address.
  func failSignIns(_ fixture: AccountFixture, _ name: String, times: Int) async {
    for index in 0..<times {
      let error = await attempt(fixture, name, from: ClientAddress("198.51.100.\(index)"))
      #expect(error == .wrongNameOrPassword)
    }
  }

  @Test(arguments: ["an", "binh"])
  func anAddressHasToWaitForAnAccountAfterManyFailures(name: String) async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    for _ in 0..<6 { #expect(await attempt(fixture, name) == .wrongNameOrPassword) }
    let hashed = fixture.hasher.count
    #expect(await attempt(fixture, name) == .tooManyAttempts(retryAfter: 1))
    #expect(
      await attempt(fixture, name, AccountFixture.password) == .tooManyAttempts(retryAfter: 1))
    #expect(fixture.hasher.count == hashed, "nothing is hashed for an attempt that has to wait")
    #expect(await attempt(fixture, "someone else") == .wrongNameOrPassword)
    fixture.clock.advance(1000)
    #expect(await attempt(fixture, name) == .wrongNameOrPassword)
    #expect(await attempt(fixture, name) == .tooManyAttempts(retryAfter: 2))
  }

  @Test func theWaitForAnAccountIsAtMostAMinuteAndExpires() async throws {
    let fixture = try await AccountFixture()
    fixture.accountService.recordUse(of: try await fixture.account("an"), from: Self.home)
    for _ in 0..<20 {
      _ = await attempt(fixture, from: Self.home)
      fixture.clock.advance(60_000)
    }
    _ = await attempt(fixture, from: Self.home)
    #expect(await attempt(fixture, from: Self.home) == .tooManyAttempts(retryAfter: 60))
    fixture.clock.advance(24 * 3_600_000)
    for _ in 0..<6 {
      #expect(await attempt(fixture, from: Self.home) == .wrongNameOrPassword)
    }
    #expect(await attempt(fixture, from: Self.home) == .tooManyAttempts(retryAfter: 1))
  }

  @Test func aSuccessResetsTheFailuresOfTheAccountAtTheAddress() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    for _ in 0..<2 {
      for _ in 0..<5 { #expect(await attempt(fixture) == .wrongNameOrPassword) }
      #expect(await attempt(fixture, "an", AccountFixture.password) == nil)
    }
  }

  @Test func failuresFromElsewhereDoNotLockAnAccount() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    await failSignIns(fixture, "an", times: 12)
    #expect(await attempt(fixture, "an", AccountFixture.password) == nil)
    #expect(fixture.pauses == [])
  }

  // MARK: The delay of an account

  static let home = ClientAddress("203.0.113.7")

  @Test func anAccountThatManyAddressesTryIsDelayedButNotLocked() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    await failSignIns(fixture, "an", times: 23)
    #expect(fixture.pauses == [.milliseconds(500), .milliseconds(1000)])
    #expect(await attempt(fixture, "an", AccountFixture.password) == nil)
    #expect(fixture.pauses.last == .milliseconds(2000))
    await failSignIns(fixture, "an", times: 40)
    #expect(fixture.pauses.max() == .milliseconds(8000))
  }

  @Test func addressesThatSignedInBeforeAreSpared() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account("an")
    // One address has signed in with the password, the other one has used a session.
    #expect(await attempt(fixture, "an", AccountFixture.password, from: Self.home) == nil)
    let phone = ClientAddress("2001:db8::1")
    fixture.accountService.recordUse(of: an, from: phone)
    await failSignIns(fixture, "an", times: 40)
    for index in 0..<11 { _ = await attempt(fixture, "a\(index)", from: Self.home) }
    let before = fixture.pauses.count
    for address in [Self.home, phone] {
      #expect(await attempt(fixture, "an", AccountFixture.password, from: address) == nil)
    }
    #expect(fixture.pauses.count == before)
    // The addresses are known only for that account, and only for 90 days.
    #expect(
      await attempt(fixture, "binh", from: Self.home) == .tooManyAttempts(retryAfter: 1))
    fixture.clock.advance(SignInGuard.knownFor)
    await failSignIns(fixture, "an", times: 40)
    let later = fixture.pauses.count
    #expect(await attempt(fixture, "an", AccountFixture.password, from: phone) == nil)
    #expect(fixture.pauses.count == later + 1)
  }

  /// At most eight attempts of strangers are delayed at the same time, which limits their guesses.
  @Test func fewAttemptsAreDelayedAtTheSameTime() throws {
    let signInGuard = SignInGuard()
    var number = 0
    func begin() throws -> SignInGuard.Attempt {
      number += 1
      return try signInGuard.begin(
        account: "an", address: ClientAddress("198.51.100.\(number)"), at: 0)
    }
    for _ in 0..<21 { signInGuard.end(try begin(), .failed, at: 0) }
    let delayed = try (0..<8).map { _ in try begin() }
    #expect(delayed.allSatisfy { $0.delay > 0 })
    #expect(throws: SignInGuard.TooManyAttempts(seconds: 8)) { try begin() }
    signInGuard.end(delayed[0], .failed, at: 0)
    _ = try begin()
  }

  /// The limit prevents one account from occupying the queue in which passwords are hashed.
  @Test func fewAttemptsOfAKnownAccountRunAtTheSameTime() throws {
    let signInGuard = SignInGuard()
    let addresses = (0..<5).map { ClientAddress("198.51.100.\($0)") }
    for address in addresses { signInGuard.use(account: "an", address: address, at: 0) }
    let running = try addresses.prefix(4).map {
      try signInGuard.begin(account: "an", address: $0, at: 0)
    }
    #expect(throws: SignInGuard.TooManyAttempts(seconds: 1)) {
      try signInGuard.begin(account: "an", address: addresses[4], at: 0)
    }
    signInGuard.end(running[0], .succeeded, at: 0)
    _ = try signInGuard.begin(account: "an", address: addresses[4], at: 0)
  }

  @Test func anAddressThatTriesManyAccountsHasToWait() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    for index in 0..<11 { #expect(await attempt(fixture, "a\(index)") == .wrongNameOrPassword) }
    #expect(
      await attempt(fixture, "an", AccountFixture.password) == .tooManyAttempts(retryAfter: 1))
    #expect(await attempt(fixture, "b", from: ClientAddress("192.0.2.2")) == .wrongNameOrPassword)
  }

  @Test func aSuccessDoesNotResetTheFailuresOfTheAddress() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    for index in 0..<11 {
      #expect(await attempt(fixture, "a\(index)") == .wrongNameOrPassword)
      if index < 10 {
        _ = try await fixture.accountService.verify(
          name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
      }
    }
    #expect(await attempt(fixture, "b") == .tooManyAttempts(retryAfter: 1))
  }

  /// A sign-in counts as a failure only until it succeeds.
  @Test func aSuccessDoesNotExtendTheWaitOfTheAddress() async throws {
    let fixture = try await AccountFixture()
    for name in ["an", "binh"] { _ = try await fixture.account(name) }
    for index in 0..<16 {
      #expect(await attempt(fixture, "a\(index)") == .wrongNameOrPassword)
      if index >= 10 { fixture.clock.advance(Int64(1000) << (index - 10)) }
    }
    for name in ["an", "binh"] {
      #expect(await attempt(fixture, name, AccountFixture.password) == nil)
    }
    #expect(await attempt(fixture, "b") == .wrongNameOrPassword)
    #expect(await attempt(fixture, "c") == .tooManyAttempts(retryAfter: 64))
  }

  /// The failures are at the same time or at different times, and are taken back in either order.
  @Test(arguments: [Int64(0), 1], [[0, 2], [2, 0]])
  func failuresThatAreTakenBackLeaveTheOneBetweenThem(_ interval: Int64, _ order: [Int]) {
    let policy = BackOff.Policy(free: 0, first: 1000, longest: 10_000, forgiveness: 1_000_000)
    var backOff = BackOff(failures: 1, lastAt: 0, since: 0)
    let failures = (0..<3).map { backOff.fail(policy, at: 5000 + Int64($0) * interval) }
    for index in order { backOff.takeBack(failures[index]) }
    #expect(backOff.failures == 2)
    #expect(backOff.lastAt == 5000 + interval)
  }

  @Test func frequentSuccessfulSignInsDoNotHaveToWait() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("an")
    for _ in 0..<50 {
      _ = try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    }
  }

  /// Attempts that have not ended count as failed, so a hundred attempts at the same time cannot
  /// avoid the wait.
  @Test func attemptsAtTheSameTimeAreCounted() throws {
    let signInGuard = SignInGuard()
    func begin() throws -> SignInGuard.Attempt {
      try signInGuard.begin(account: "an", address: AccountFixture.clientAddress, at: 0)
    }
    let attempts = (0..<100).compactMap { _ in try? begin() }
    #expect(attempts.count == 6)
    for attempt in attempts { signInGuard.end(attempt, .undecided, at: 0) }
    _ = try begin()
  }

  @Test func waitsDoubleUpToTheLongest() {
    let policy = BackOff.Policy(free: 2, first: 1000, longest: 10_000, forgiveness: 1_000_000)
    var backOff = BackOff(at: 0)
    var waits: [Int64?] = []
    for _ in 0..<8 {
      backOff.fail(policy, at: 0)
      waits.append(backOff.wait(policy, at: 0))
    }
    #expect(waits == [nil, nil, 1000, 2000, 4000, 8000, 10_000, 10_000])
    #expect(backOff.wait(policy, at: 9_999) == 1)
    #expect(backOff.wait(policy, at: 10_000) == nil)
    #expect(backOff.wait(policy, at: -1_000_000) == 10_000, "a clock set back")
    for _ in 0..<100 { backOff.fail(policy, at: 0) }
    #expect(backOff.wait(policy, at: 0) == 10_000)
    #expect(!backOff.isSpent(policy, at: 107_999_999))
    #expect(backOff.isSpent(policy, at: 108_000_000))
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("::ffff:192.0.2.1", "192.0.2.1", true), ("2001:db8::1", "2001:db8::ffff:1", true),
    ("2001:db8::1", "2001:db8:0:1::1", false), ("fe80::1%eth0", "fe80::2%eth1", true),
    ("nonsense", "", true), ("nonsense", "192.0.2.1", false),
  ])
  func clientAddressesOfAnIPv6NetworkAreEqual(_ one: String, _ other: String, _ isSame: Bool) {
    #expect((ClientAddress(one) == ClientAddress(other)) == isSame)
  }

  @Test func aHostAddressIsTheWholeIPAddress() {
    #expect(HostAddress("::ffff:192.0.2.1") == HostAddress("192.0.2.1"))
    #expect(HostAddress("2001:db8::1") != HostAddress("2001:db8::2"))
    for text in ["proxy.lan", "10.0.0.0/8", "", "192.0.2.1:80"] {
      #expect(HostAddress(text) == nil, "\(text)")
    }
  }
}

struct HashingQueueTests {
  /// A job that waits until it is released, and counts how many of its runs overlap.
  final class Gate: Sendable {
    let started = DispatchSemaphore(value: 0)
    let open = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    private let counts = NIOLockedValueBox((now: 0, most: 0))

    var most: Int { counts.withLockedValue { $0.most } }

    @Sendable func work() {
      counts.withLockedValue { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      started.signal()
      open.wait()
      counts.withLockedValue { $0.now -= 1 }
      finished.signal()
    }
  }

  @Test func twoJobsRunSixteenWaitAndOthersAreRefused() {
    let hashingQueue = HashingQueue()
    let gate = Gate()
    for _ in 0..<18 {
      let isAccepted = hashingQueue.submit(for: .known, gate.work)
      #expect(isAccepted)
    }
    for _ in 0..<5 {
      let isAccepted = hashingQueue.submit(for: .known, gate.work)
      #expect(!isAccepted)
    }
    gate.started.wait()
    gate.started.wait()
    for _ in 0..<18 { gate.open.signal() }
    for _ in 0..<18 { gate.finished.wait() }
    #expect(gate.most == 2)
  }

  @Test func strangersLeaveAThreadAndAListToOthers() {
    let hashingQueue = HashingQueue()
    let (strangers, known) = (Gate(), Gate())
    // One runs, sixteen wait.
    for index in 0..<20 {
      let isAccepted = hashingQueue.submit(for: .stranger, strangers.work)
      #expect(isAccepted == (index < 17))
    }
    strangers.started.wait()
    for _ in 0..<2 {
      let isAccepted = hashingQueue.submit(for: .known, known.work)
      #expect(isAccepted)
    }
    known.started.wait()
    // The second job of a known client runs before the waiting jobs of strangers.
    strangers.open.signal()
    strangers.finished.wait()
    known.started.wait()
    for _ in 0..<2 { known.open.signal() }
    for _ in 0..<16 { strangers.open.signal() }
    for _ in 0..<2 { known.finished.wait() }
    for _ in 0..<16 { strangers.finished.wait() }
    #expect(strangers.most == 1)
  }

  @Test(arguments: HashingQueue.Client.allCases)
  func finishedJobsMakeRoomForOthers(_ client: HashingQueue.Client) async throws {
    let hashingQueue = HashingQueue()
    for round in 0..<100 {
      #expect(try await hashingQueue.run(for: client) { round } == round)
    }
  }

  @Test func aFullQueueIsReportedAsBusyNotAsAFailure() async throws {
    let gate = Gate()
    let fixture = try await AccountFixture(
      hasher: PasswordHasher { _, _, _ in
        gate.work()
        return Array(repeating: 0, count: 32)
      })
    let accountService = fixture.accountService
    // The queue is full of other jobs.
    for _ in 0..<17 { #expect(accountService.hashingQueue.submit(for: .stranger, gate.work)) }
    for _ in 0..<30 {
      let signIn = await thrownError {
        try await accountService.verify(
          name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
      }
      #expect(signIn as? SignInFailure == .busy(retryAfter: 2))
    }
    let register = await thrownError { try await fixture.account() }
    #expect(register as? RegistrationFailure == .busy(retryAfter: 2))
    for _ in 0..<17 { gate.open.signal() }
    for _ in 0..<17 { gate.finished.wait() }
  }
}
