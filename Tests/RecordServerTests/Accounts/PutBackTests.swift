import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Sessions after the files of a service were put back to an earlier state.
@Suite(.onlySQLite) struct PutBackTests {
  let minute: Int64 = 60_000

  /// A copy of everything that is stored.
  private struct Copy {
    private let copy: DatabaseQueue
    private let database: any DatabaseWriter

    init(of fixture: AccountFixture) throws {
      copy = try DatabaseQueue()
      database = try fixture.sqlite
      try database.backup(to: copy)
    }

    func putBack() throws { try copy.backup(to: database) }
  }

  /// Uses a session until its token was replaced the given number of times.
  ///
  /// - Returns: all tokens of the session, the newest one last.
  private func rotate(_ token: String, times: Int, in fixture: AccountFixture) async throws
    -> [String]
  {
    var tokens = [token]
    for _ in 0..<times {
      fixture.clock.advance(11 * minute)
      tokens.append(try await fixture.authenticate(tokens[tokens.count - 1]).token)
      _ = try await fixture.authenticate(tokens[tokens.count - 1])
    }
    try #require(Set(tokens).count == times + 1)
    return tokens
  }

  private func isRefused(_ token: String, in fixture: AccountFixture) async -> Bool {
    await thrownError { try await fixture.authenticate(token) } as? ServiceError == .notSignedIn
  }

  @Test(arguments: 0...6) func theNewestTokenIsValidAfterFilesArePutBack(_ rotations: Int)
    async throws
  {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let first = try await fixture.signIn(an, app: fixture.app().secret)
    let copy = try Copy(of: fixture)
    let tokens = try await rotate(first, times: rotations, in: fixture)
    let held = tokens[rotations]
    let session = try await fixture.authenticate(held).sessionID
    try copy.putBack()

    let answer = try await fixture.authenticate(held)
    #expect(answer.account == an)
    #expect(answer.sessionID == session)
    #expect(answer.token == held, "it is the newest one again")
    // Older tokens are invalid again when the minute of grace is over.
    fixture.clock.advance(minute)
    for old in tokens.dropLast() { #expect(await isRefused(old, in: fixture)) }
    // The rotation continues.
    let next = try await rotate(held, times: 3, in: fixture)
    #expect(Set(next).intersection(tokens) == [held])
  }

  /// The session expires after 30 minutes without use, and was used all the time.
  @Test func aShortSessionInUseSurvivesOlderFiles() async throws {
    let fixture = try await AccountFixture()
    let first = try await fixture.signIn(
      try await fixture.account(), app: fixture.app().secret, .short)
    let copy = try Copy(of: fixture)
    let held = try #require(try await rotate(first, times: 5, in: fixture).last)
    try copy.putBack()
    try await fixture.accountService.removeExpired()
    fixture.clock.advance(20 * minute)
    #expect(await isRefused(first, in: fixture))
    #expect(try await fixture.authenticate(held).token == held)
    #expect(try await fixture.accountService.isAlive(session: 1))
  }

  @Test func anExpiredSessionStaysExpired() async throws {
    let fixture = try await AccountFixture()
    let first = try await fixture.signIn(
      try await fixture.account(), app: fixture.app().secret, .short)
    let copy = try Copy(of: fixture)
    let held = try #require(try await rotate(first, times: 2, in: fixture).last)
    fixture.clock.advance(30 * minute)
    #expect(await isRefused(held, in: fixture))
    try copy.putBack()
    #expect(await isRefused(held, in: fixture))
  }

  @Test func tokensStayValidWithFilesCopiedWhileStopped() async throws {
    let directory = try TemporaryDirectory()
    let fixture = try await AccountFixture()
    func open() throws -> (pool: DatabasePool, accountService: AccountService) {
      let pool = try DatabasePool(path: directory.path + "/records.sqlite")
      return (pool, fixture.another(on: try AccountStorage(pool)))
    }
    var service = try open()
    _ = try await service.accountService.addAccount(name: "an", password: AccountFixture.password)
    let app = try await service.accountService.createAPIToken(
      APITokenTerms(label: "Quran", container: AccountFixture.quran))
    func authenticate(_ token: String, _ accountService: AccountService) async throws -> String {
      try await accountService.authenticate(
        token, apiToken: app.secret, container: AccountFixture.quran, environment: .production,
        origin: nil
      )
      .token
    }
    let an = try #require(try await service.accountService.account(named: "an"))
    var token = try await service.accountService.signIn(an, apiTokenID: app.token.id)
    try service.pool.close()
    // All files, including the write-ahead log if there is one.
    let copy = try directory.contents.map { name in
      let file = URL(fileURLWithPath: "\(directory.path)/\(name)")
      return (file: file, bytes: try Data(contentsOf: file))
    }
    for _ in 0..<3 {
      service = try open()
      for _ in 0..<6 {
        fixture.clock.advance(10 * minute)
        token = try await authenticate(token, service.accountService)
        _ = try await authenticate(token, service.accountService)
      }
      try service.pool.close()
      for name in try directory.contents {
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
      }
      for (file, bytes) in copy { try bytes.write(to: file) }
    }
    service = try open()
    #expect(try await authenticate(token, service.accountService) == token)
    try service.pool.close()
  }

  /// Random sequences of requests, lost answers, copies, copies that are put back, and changes of
  /// the clock.
  @Test(arguments: 0..<50) func noOrderOfRequestsInvalidatesTheNewestToken(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let fixture = try await AccountFixture()
    let first = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    var copy = try Copy(of: fixture)
    var held = first
    for _ in 0..<30 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: copy = try Copy(of: fixture)
      case 1: try copy.putBack()
      case 2: fixture.clock.advance(Int64.random(in: -30...30, using: &generator) * minute)
      case 3:
        // The answer to this request is lost.
        _ = try await fixture.authenticate(held)
      default:
        fixture.clock.advance(Int64.random(in: 0...11 * minute, using: &generator))
        held = try await fixture.authenticate(held).token
      }
    }
    _ = try await fixture.authenticate(held)
  }

  @Test func tokensStayValidIfTheClockIsSetBackToo() async throws {
    let fixture = try await AccountFixture()
    let first = try await fixture.signIn(
      try await fixture.account(), app: fixture.app().secret, .short)
    let copy = try Copy(of: fixture)
    let held = try #require(try await rotate(first, times: 5, in: fixture).last)
    try copy.putBack()
    fixture.clock.advance(-55 * minute)
    _ = try await fixture.authenticate(held)
    fixture.clock.advance(55 * minute)
    _ = try await fixture.authenticate(held)
  }

  // MARK: What is refused

  @Test func aSessionMissingInTheFilesIsRefused() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account("an")
    let binh = try await fixture.account("binh")
    let app = try await fixture.app()
    let copy = try Copy(of: fixture)
    let lost = try await fixture.signIn(an, app: app.secret)
    try copy.putBack()
    #expect(await isRefused(lost, in: fixture))
    // Another user's next session gets the id of the lost one.
    let new = try await fixture.signIn(binh, app: app.secret)
    #expect(try await fixture.authenticate(new).sessionID == SessionToken(lost)?.session)
    #expect(await isRefused(lost, in: fixture))
    #expect(try await fixture.authenticate(new).account == binh)
  }

  /// The random source repeats its bytes, as that of a restored virtual machine may.
  @Test func aTokenIsInvalidForTheReusedIDOfItsSession() async throws {
    let fixture = try await AccountFixture()
    let accountService = fixture.another(random: { Array(repeating: 1, count: $0) })
    func signIn(_ name: String) async throws -> String {
      let account = try await accountService.addAccount(
        name: name, password: AccountFixture.password)
      return try await accountService.signIn(account, apiTokenID: 1)
    }
    _ = try await fixture.app()
    let copy = try Copy(of: fixture)
    let lost = try await signIn("an")
    try copy.putBack()
    let new = try await signIn("binh")
    let (one, other) = (try #require(SessionToken(lost)), try #require(SessionToken(new)))
    #expect(one.session == other.session)
    #expect(one.number == other.number)
    #expect(one.issuedAt == other.issuedAt)
    #expect(await isRefused(lost, in: fixture))
    #expect(try await fixture.authenticate(new).account.name == "binh")
  }

  @Test func aRevokedSessionRefusesAllItsTokens() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let first = try await fixture.signIn(an, app: fixture.app().secret)
    let copy = try Copy(of: fixture)
    let held = try #require(try await rotate(first, times: 3, in: fixture).last)
    #expect(try await fixture.accountService.revokeSessions(of: an) == 1)
    #expect(await isRefused(held, in: fixture))
    // Earlier files contain the session again. That is why all sessions can be revoked at once.
    try copy.putBack()
    _ = try await fixture.authenticate(held)
    let binh = try await fixture.account("binh")
    let other = try await fixture.signIn(binh, app: fixture.app().secret)
    #expect(try await fixture.accountService.revokeAllSessions() == 2)
    for token in [first, held, other] { #expect(await isRefused(token, in: fixture)) }
    #expect(try await fixture.accountService.sessions(of: an).isEmpty)
  }

  @Test func aTokenWithOneDigitChangedIsRefused() async throws {
    let fixture = try await AccountFixture()
    let token = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    for index in token.indices {
      var forged = token
      forged.replaceSubrange(index...index, with: token[index] == "0" ? "1" : "0")
      #expect(await isRefused(forged, in: fixture), "\(forged)")
    }
    #expect(try await fixture.authenticate(token).token == token)
  }

  @Test func tokensSignedWithAnotherKeyAreRefused() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let first = try await fixture.signIn(an, app: fixture.app().secret)
    let found = try #require(try await fixture.storage.session(1))
    func token(_ number: Int64, _ issuedAt: Int64, key: ServerKey) -> String {
      SessionToken(
        session: 1, of: an, nonce: found.session.nonce, createdAt: found.session.createdAt,
        number: number, issuedAt: issuedAt, key: key
      ).text
    }
    #expect(token(1, fixture.clock.now, key: fixture.accountService.key) == first)
    for number: Int64 in [1, 2, 100, .max] {
      let forged = token(number, fixture.clock.now, key: ServerKey(bytes: Array(1..<33)))
      #expect(await isRefused(forged, in: fixture))
    }
    #expect(try await fixture.authenticate(first).token == first)
  }

  // MARK: Tokens of former versions

  @Test func aTokenOfAFormerVersionIsReplaced() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let ours = try await fixture.signIn(an, app: fixture.app().secret)
    // A former version of the service stored the two newest tokens of a session like this.
    let (before, newest) = (String(repeating: "a", count: 128), String(repeating: "b", count: 128))
    try await fixture.sqlite.write { [clock = fixture.clock] database in
      try database.execute(
        sql: "UPDATE web_session SET newest = 4, issued_at = ?", arguments: [clock.now])
      for (token, number) in [(before, 3), (newest, 4)] {
        try database.execute(
          sql: "INSERT INTO web_token (hash, session_id, number) VALUES (?, 1, ?)",
          arguments: [SecretHash(of: token).data, number])
      }
    }
    let copy = try Copy(of: fixture)
    let answer = try await fixture.authenticate(before)
    #expect(answer.account == an)
    #expect(SessionToken(answer.token)?.number == 4)
    #expect(try await fixture.authenticate(newest).token == answer.token)
    #expect(try await fixture.authenticate(answer.token).token == answer.token)
    fixture.clock.advance(minute)
    #expect(await isRefused(before, in: fixture))
    let tokens = try await rotate(answer.token, times: 3, in: fixture)
    #expect(await isRefused(newest, in: fixture))
    #expect(await isRefused(ours, in: fixture), "it had the number 1")
    #expect(try await fixture.sqlite.read { try $0.rowCount(of: "web_token") } == 0)
    try copy.putBack()
    #expect(try await fixture.authenticate(tokens[3]).token == tokens[3])
    fixture.clock.advance(minute)
    #expect(await isRefused(newest, in: fixture))
  }

  // MARK: PushChannels

  @Test func pushChannelSecretsAreNotReusedAfterPutBack() async throws {
    let fixture = try await AccountFixture()
    let accountService = fixture.another(random: { Array(repeating: 1, count: $0) })
    _ = try await fixture.app()
    var accounts: [Account] = []
    for name in ["an", "binh"] {
      accounts.append(
        try await accountService.addAccount(name: name, password: AccountFixture.password))
    }
    let copy = try Copy(of: fixture)
    var secrets: [String] = []
    for account in accounts {
      _ = try await accountService.signIn(account, apiTokenID: 1)
      let session = try #require(try await accountService.sessions(of: account).first?.id)
      let made = try await accountService.createPushChannel(
        session: session, environment: .production)
      secrets.append(try #require(made?.secret))
      #expect(
        try await accountService.pushChannel(secrets[secrets.count - 1])?.accountID == account.id)
      try copy.putBack()
      for secret in secrets { #expect(try await accountService.pushChannel(secret) == nil) }
      fixture.clock.advance(1)
    }
    #expect(Set(secrets).count == 2, "though the random source repeated itself")
  }
}
