import Dispatch
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct PasswordSignInTests {
  @Test func namesAndPasswordsAreNormalisedAtSignIn() async throws {
    let fixture = try AccountFixture()
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
    let fixture = try AccountFixture(hasher: .scrypt)
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
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    let before = fixture.hasher.count
    // Wrong, unknown, unusable, short, empty.
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
    let fixture = try AccountFixture()
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
  func anAccountWithManyFailuresHasToWait(name: String) async throws {
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    await failSignIns(fixture, name, times: 6)
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

  @Test func theWaitOfAnAccountIsAtMostAMinuteAndExpires() async throws {
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    for index in 0..<20 {
      _ = await attempt(fixture, from: ClientAddress("198.51.100.\(index)"))
      fixture.clock.advance(60_000)
    }
    _ = await attempt(fixture)
    #expect(await attempt(fixture) == .tooManyAttempts(retryAfter: 60))
    fixture.clock.advance(24 * 3_600_000)
    await failSignIns(fixture, "an", times: 6)
    #expect(await attempt(fixture) == .tooManyAttempts(retryAfter: 1))
  }

  @Test func aSuccessResetsTheFailuresOfTheAccount() async throws {
    let fixture = try AccountFixture()
    let an = try await fixture.account("an")
    await failSignIns(fixture, "an", times: 5)
    #expect(
      try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
        == an)
    await failSignIns(fixture, "an", times: 5)
    #expect(await attempt(fixture) == .wrongNameOrPassword)
  }

  @Test func anAddressThatTriesManyAccountsHasToWait() async throws {
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    for index in 0..<11 { #expect(await attempt(fixture, "a\(index)") == .wrongNameOrPassword) }
    #expect(
      await attempt(fixture, "an", AccountFixture.password) == .tooManyAttempts(retryAfter: 1))
    #expect(await attempt(fixture, "b", from: ClientAddress("192.0.2.2")) == .wrongNameOrPassword)
  }

  @Test func aSuccessDoesNotResetTheFailuresOfTheAddress() async throws {
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    for index in 0..<11 {
      #expect(await attempt(fixture, "a\(index)") == .wrongNameOrPassword)
      if index < 10 {
        _ = try await fixture.accountService.verify(
          name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
      }
    }
    #expect(
      await attempt(fixture, "an", AccountFixture.password) == .tooManyAttempts(retryAfter: 1))
  }

  @Test func frequentSuccessfulSignInsDoNotHaveToWait() async throws {
    let fixture = try AccountFixture()
    _ = try await fixture.account("an")
    for _ in 0..<50 {
      _ = try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    }
  }

  /// Attempts that have not ended count as failed, so that a hundred at the same time cannot avoid
  /// the wait.
  @Test func attemptsAtTheSameTimeAreCounted() throws {
    let signInGuard = SignInGuard()
    var admitted = 0
    for _ in 0..<100
    where signInGuard.begin(account: "an", address: AccountFixture.clientAddress, at: 0) == nil {
      admitted += 1
    }
    #expect(admitted == 6)
    for _ in 0..<6 { signInGuard.takeBack(account: "an", address: AccountFixture.clientAddress) }
    #expect(signInGuard.begin(account: "an", address: AccountFixture.clientAddress, at: 0) == nil)
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
  /// A job that waits until it is released, and counts how many of it run at the same time.
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
      let isAccepted = hashingQueue.submit(gate.work)
      #expect(isAccepted)
    }
    for _ in 0..<5 {
      let isAccepted = hashingQueue.submit(gate.work)
      #expect(!isAccepted)
    }
    gate.started.wait()
    gate.started.wait()
    for _ in 0..<18 { gate.open.signal() }
    for _ in 0..<18 { gate.finished.wait() }
    #expect(gate.most == 2)
  }

  @Test func finishedJobsMakeRoomForOthers() async throws {
    let hashingQueue = HashingQueue()
    for round in 0..<100 {
      #expect(try await hashingQueue.run { round } == round)
    }
  }

  @Test func aFullQueueIsReportedAsBusyNotAsAFailure() async throws {
    let gate = Gate()
    let fixture = try AccountFixture(
      hasher: PasswordHasher { _, _, _ in
        gate.work()
        return Array(repeating: 0, count: 32)
      })
    let accountService = fixture.accountService
    // The queue is full of other jobs.
    for _ in 0..<18 { #expect(accountService.hashingQueue.submit(gate.work)) }
    for _ in 0..<30 {
      let signIn = await thrownError {
        try await accountService.verify(
          name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
      }
      #expect(signIn as? SignInFailure == .busy(retryAfter: 2))
    }
    let register = await thrownError { try await fixture.account() }
    #expect(register as? RegistrationFailure == .busy(retryAfter: 2))
    for _ in 0..<18 { gate.open.signal() }
    for _ in 0..<18 { gate.finished.wait() }
  }
}
