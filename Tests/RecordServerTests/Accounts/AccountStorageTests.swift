import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Tests of the stored accounts, invitations, API tokens and sessions.
struct AccountStorageTests {
  func hash(_ byte: UInt8 = 1) -> PasswordHash {
    PasswordHash(cost: .standard, salt: [1], key: Array(repeating: byte, count: 32))
  }

  func newAccount(_ name: String, at now: Int64 = 5) throws -> NewAccount {
    NewAccount(
      name: try AccountName(name), password: hash(), seed: Array(repeating: 7, count: 16),
      createdAt: now)
  }

  func insert(_ name: String, into storage: AccountStorage) async throws -> Account {
    guard case .inserted(let account) = try await storage.insert(newAccount(name), invitation: nil)
    else { throw AccountFixture.Unexpected() }
    return account
  }

  func secret(_ text: String) -> SecretHash { SecretHash(of: text) }

  func app(in storage: AccountStorage, _ name: String = "app") async throws -> APIToken {
    try await storage.insertAPIToken(
      secret(name), APITokenTerms(label: name, container: AccountFixture.quran), at: 5)
  }

  /// A storage with two accounts and an app.
  func setUp(
    _ place: Place
  ) async throws -> (fixture: AccountFixture, an: Account, binh: Account, app: APIToken) {
    let fixture = try await AccountFixture(place)
    return (
      fixture, try await insert("an", into: fixture.storage),
      try await insert("binh", into: fixture.storage), try await app(in: fixture.storage)
    )
  }

  func session(
    of account: Account, by app: APIToken, at now: Int64 = 100, limit: Int = 10
  ) -> NewWebSession {
    NewWebSession(
      account: account, apiTokenID: app.id, container: AccountFixture.quran,
      environment: .production,
      nonce: Array(repeating: 9, count: 16), createdAt: now,
      rotation: TokenRotation(lifetime: 1000, at: now), limit: limit)
  }

  // MARK: Accounts

  @Test(arguments: Place.allCases) func accountsAreReadAsStored(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let storage = fixture.storage
    let binh = try await insert("binh", into: storage)
    let an = try await insert("ấn", into: storage)
    #expect(an.createdAt == 5)
    #expect(an.seed == Array(repeating: 7, count: 16))
    #expect(try await storage.accounts() == [binh, an], "by the bytes of the name")
    #expect(try await storage.account(an.id) == an)
    #expect(try await storage.account(99) == nil)
    #expect(
      try await storage.account(named: AccountName("ấn"))
        == StoredAccount(account: an, password: hash()))
    #expect(try await storage.account(named: AccountName("an")) == nil)
  }

  @Test(arguments: Place.allCases)
  func accountNamesAreUniqueUntilRemovalEnds(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let storage = fixture.storage
    let an = try await insert("an", into: storage)
    #expect(try await storage.insert(newAccount("an"), invitation: nil) == .nameTaken)
    #expect(try await storage.beginRemoval(ofAccount: an.id, at: 6))
    #expect(try await storage.insert(newAccount("an"), invitation: nil) == .nameTaken)
    try await storage.finishRemoval(ofAccount: an.id)
    let later = try await insert("an", into: storage)
    #expect(later.id > an.id, "ids are never given again")
  }

  @Test(arguments: Place.allCases)
  func setPasswordReplacesTheHashAndEndsSessions(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    let a = try #require(try await storage.insertSession(session(of: an, by: app)))
    let b = try #require(try await storage.insertSession(session(of: binh, by: app)))
    #expect(try await storage.setPassword(hash(2), ofAccount: an.id))
    let found = try #require(try await storage.account(named: AccountName("an")))
    #expect(found.password == hash(2))
    #expect(found.account.passwordVersion == an.passwordVersion + 1)
    #expect(try await storage.session(a) == nil)
    #expect(try await storage.session(b) != nil)
    #expect(try await storage.setPassword(hash(2), ofAccount: 99) == false)
  }

  @Test(arguments: Place.allCases) func removalHasTwoSteps(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    let id = try #require(try await storage.insertSession(session(of: an, by: app)))
    // A removal that was not begun cannot be finished.
    try await storage.finishRemoval(ofAccount: an.id)
    #expect(try await storage.account(an.id) == an)

    #expect(try await storage.beginRemoval(ofAccount: an.id, at: 6))
    #expect(try await storage.beginRemoval(ofAccount: an.id, at: 7) == false)
    #expect(try await storage.beginRemoval(ofAccount: 99, at: 7) == false)
    #expect(try await storage.removals() == [an])
    #expect(try await storage.accounts() == [binh])
    #expect(try await storage.account(an.id) == nil)
    #expect(try await storage.account(named: AccountName("an")) == nil)
    #expect(try await storage.setPassword(hash(2), ofAccount: an.id) == false)
    #expect(try await storage.session(id) == nil)
    #expect(try await storage.insertSession(session(of: an, by: app)) == nil)

    try await storage.finishRemoval(ofAccount: an.id)
    try await storage.finishRemoval(ofAccount: an.id)
    #expect(try await storage.removals().isEmpty)
    #expect(try await storage.accounts() == [binh])
  }

  // MARK: Invitations

  @Test(arguments: Place.allCases)
  func anInvitationIsValidOnceAndUntilItExpires(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let storage = fixture.storage
    let one = try await storage.insertInvitation(secret("1"), at: 1, expiresAt: 10)
    let two = try await storage.insertInvitation(secret("2"), at: 1, expiresAt: 20)
    #expect(try await storage.invitations(at: 9) == [one, two])
    #expect(try await storage.invitations(at: 10) == [two])
    #expect(try await storage.invitation(secret("1"), at: 9) == one)
    #expect(try await storage.invitation(secret("1"), at: 10) == nil)
    #expect(try await storage.invitation(secret("3"), at: 9) == nil)

    let tooLate = try await storage.insert(newAccount("an", at: 10), invitation: secret("1"))
    #expect(tooLate == .invitationUnusable)
    let unknown = try await storage.insert(newAccount("an"), invitation: secret("3"))
    #expect(unknown == .invitationUnusable)
    #expect(try await storage.accounts().isEmpty)
    _ = try await insert("binh", into: storage)
    let taken = try await storage.insert(newAccount("binh"), invitation: secret("2"))
    #expect(taken == .nameTaken)
    #expect(try await storage.invitation(secret("2"), at: 9) == two)
    guard case .inserted = try await storage.insert(newAccount("an"), invitation: secret("2"))
    else { throw AccountFixture.Unexpected() }
    #expect(try await storage.invitation(secret("2"), at: 9) == nil)
    #expect(try await storage.removeInvitation(one.id))
    #expect(try await storage.removeInvitation(one.id) == false)
  }

  // MARK: API tokens

  @Test(arguments: Place.allCases) func apiTokensAreReadAsStored(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let storage = fixture.storage
    let terms = try APITokenTerms(
      label: "Đọc <\"'&>", container: AccountFixture.quran, environment: .development,
      origins: ["https://a.example", "http://b.example:81"],
      callbacks: ["https://a.example/?a=b&c", "http://localhost/"])
    let one = try await storage.insertAPIToken(secret("1"), terms, at: 3)
    let two = try await app(in: storage, "2")
    #expect(one == APIToken(id: one.id, terms: terms, createdAt: 3))
    #expect(try await storage.apiTokens() == [one, two])
    #expect(try await storage.apiToken(secret("1")) == one)
    #expect(try await storage.apiToken(secret("3")) == nil)
    #expect(try await storage.apiToken(two.id) == two)
    #expect(try await storage.removeAPIToken(one.id))
    #expect(try await storage.removeAPIToken(one.id) == false)
    #expect(try await storage.apiToken(secret("1")) == nil)
    #expect(try await storage.apiToken(one.id) == nil)
  }

  @Test(arguments: Place.allCases)
  func removingAnAPITokenEndsItsSessions(_ place: Place) async throws {
    let (fixture, an, _, one) = try await setUp(place)
    let storage = fixture.storage
    let two = try await app(in: storage, "2")
    let a = try #require(try await storage.insertSession(session(of: an, by: one)))
    let b = try #require(try await storage.insertSession(session(of: an, by: two)))
    #expect(try await storage.removeAPIToken(one.id))
    #expect(try await storage.session(a) == nil)
    #expect(try await storage.session(b) != nil)
    #expect(try await storage.insertSession(session(of: an, by: one)) == nil)
  }

  // MARK: Sessions

  @Test(arguments: Place.allCases) func sessionsAreReadAsStored(_ place: Place) async throws {
    let (fixture, an, _, app) = try await setUp(place)
    let storage = fixture.storage
    let new = session(of: an, by: app)
    let id = try #require(try await storage.insertSession(new))
    let expected = WebSession(
      id: id, apiTokenID: app.id, container: AccountFixture.quran, environment: .production,
      createdAt: 100, rotation: new.rotation, nonce: new.nonce)
    #expect(try await storage.session(id) == SessionAndAccount(session: expected, account: an))
    #expect(try await storage.session(id + 1) == nil)
    #expect(try await storage.formerToken(secret("a")) == nil)
    #expect(try await storage.sessions(ofAccount: an.id, at: 1099) == [expected])
    #expect(try await storage.sessions(ofAccount: an.id, at: 1100).isEmpty)
    #expect(try await storage.sessions(ofAccount: 99, at: 0).isEmpty)
    #expect(try await storage.hasSession(id, at: 1099))
    #expect(try await storage.hasSession(id, at: 1100) == false)
    #expect(try await storage.hasSession(99, at: 0) == false)
  }

  @Test(arguments: Place.allCases)
  func aRotationAdvancesOnlyFromItsStoredState(_ place: Place) async throws {
    let (fixture, an, _, app) = try await setUp(place)
    let storage = fixture.storage
    let new = session(of: an, by: app)
    let id = try #require(try await storage.insertSession(new))
    var former = new.rotation
    for number in 2...4 {
      var used = former
      _ = used.use(used.newest, at: 110)
      let next = TokenRotation(
        lifetime: 1000, newest: Int64(number), issuedAt: Int64(100 * number), firstUsedAt: nil,
        expiresAt: Int64(1000 + 100 * number))
      // The first use of a token: the stored `firstUsedAt` changes from nil to a time.
      #expect(try await storage.advance(session: id, from: former, to: used))
      #expect(try await storage.session(id)?.session.rotation == used)
      // A call with the former rotation changes nothing.
      #expect(try await storage.advance(session: id, from: former, to: next) == false)
      #expect(try await storage.session(id)?.session.rotation == used)
      #expect(try await storage.advance(session: id, from: used, to: next))
      #expect(try await storage.session(id)?.session.rotation == next)
      former = next
    }
    #expect(try await storage.advance(session: 99, from: former, to: former) == false)
    #expect(try await storage.removeSession(id, ofAccount: an.id))
    #expect(try await storage.advance(session: id, from: former, to: new.rotation) == false)
    #expect(try await storage.session(id) == nil)
  }

  /// Of many concurrent calls that advance the same stored rotation, one succeeds.
  @Test(arguments: Place.allCases)
  func onlyOneOfConcurrentAdvancesSucceeds(_ place: Place) async throws {
    let (fixture, an, _, app) = try await setUp(place)
    let storage = fixture.storage
    let new = session(of: an, by: app)
    let id = try #require(try await storage.insertSession(new))
    let wins = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for index in Int64(0)..<20 {
        group.addTask {
          let next = TokenRotation(
            lifetime: 1000, newest: 2, issuedAt: index, firstUsedAt: nil, expiresAt: 1200)
          return try await storage.advance(session: id, from: new.rotation, to: next) ? index : nil
        }
      }
      return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
    }
    #expect(wins.count == 1)
    #expect(try await storage.session(id)?.session.rotation.issuedAt == wins.first)
  }

  @Test(arguments: Place.allCases)
  func aSessionNeedsTheCurrentPasswordVersion(_ place: Place) async throws {
    let (fixture, an, _, app) = try await setUp(place)
    let storage = fixture.storage
    #expect(try await storage.setPassword(hash(2), ofAccount: an.id))
    #expect(try await storage.insertSession(session(of: an, by: app)) == nil)
    let now = try #require(try await storage.account(an.id))
    #expect(try await storage.insertSession(session(of: now, by: app)) != nil)
    #expect(try await storage.insertSession(session(of: now, by: app)) != nil)
  }

  @Test(arguments: Place.allCases)
  func theLeastRecentlyUsedSessionIsReplaced(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    let other = try await storage.insertSession(session(of: binh, by: app, at: 1))
    var ids: [Int64] = []
    for index in Int64(0)..<3 {
      ids.append(
        try #require(
          try await storage.insertSession(session(of: an, by: app, at: 100 + index, limit: 2))))
    }
    #expect(try await storage.session(ids[0]) == nil)
    for id in [ids[1], ids[2], other] {
      #expect(try await storage.session(try #require(id)) != nil, "\(id ?? 0)")
    }
    // The new session is kept, even if the clock was set back.
    let new = try await storage.insertSession(session(of: an, by: app, at: 50, limit: 2))
    #expect(try await storage.session(try #require(new)) != nil)
    #expect(try await storage.session(ids[2]) != nil)
    #expect(try await storage.session(ids[1]) == nil)
  }

  /// The expired session was used later than the one that has not expired.
  @Test(arguments: Place.allCases)
  func expiredSessionsAreReplacedFirst(_ place: Place) async throws {
    let (fixture, an, _, app) = try await setUp(place)
    let storage = fixture.storage
    var long = session(of: an, by: app, at: 100, limit: 2)
    long.rotation = TokenRotation(lifetime: 100_000, at: 100)
    let living = try #require(try await storage.insertSession(long))
    let over = try #require(try await storage.insertSession(session(of: an, by: app, at: 200)))
    _ = try await storage.insertSession(session(of: an, by: app, at: 1200, limit: 2))
    #expect(try await storage.session(living) != nil)
    #expect(try await storage.session(over) == nil)
  }

  @Test(arguments: Place.allCases)
  func sessionsAreRemovedOnlyByTheirAccount(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    let one = try #require(try await storage.insertSession(session(of: an, by: app)))
    _ = try await storage.insertSession(session(of: an, by: app))
    _ = try await storage.insertSession(session(of: an, by: app, at: -1000))
    let other = try #require(try await storage.insertSession(session(of: binh, by: app)))
    #expect(try await storage.removeSession(one, ofAccount: binh.id) == false)
    #expect(try await storage.session(one) != nil)
    #expect(try await storage.removeSession(one, ofAccount: an.id))
    #expect(try await storage.session(one) == nil)
    #expect(
      try await storage.removeSessions(ofAccount: an.id, at: 1) == 1, "the other was over")
    #expect(try await storage.removeSessions(ofAccount: an.id, at: 1) == 0)
    #expect(try await storage.session(other) != nil)
  }

  @Test(arguments: Place.allCases) func allSessionsAreRemoved(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    var ids: [Int64] = []
    for (account, now) in [(an, Int64(100)), (binh, 100), (binh, 200)] {
      ids.append(
        try #require(try await storage.insertSession(session(of: account, by: app, at: now))))
    }
    #expect(try await storage.removeSessions(ofAccount: nil, at: 1100) == 1, "two were over")
    for id in ids { #expect(try await storage.session(id) == nil) }
    #expect(try await storage.removeSessions(ofAccount: nil, at: 1100) == 0)
    #expect(try await storage.accounts() == [an, binh])
  }

  @Test(arguments: Place.allCases)
  func expiredInvitationsAndSessionsAreRemoved(_ place: Place) async throws {
    let (fixture, an, binh, app) = try await setUp(place)
    let storage = fixture.storage
    let gone = try #require(try await storage.insertSession(session(of: an, by: app, at: 100)))
    let left = try #require(try await storage.insertSession(session(of: an, by: app, at: 101)))
    _ = try await storage.insertInvitation(secret("1"), at: 1, expiresAt: 1100)
    let kept = try await storage.insertInvitation(secret("2"), at: 1, expiresAt: 1101)
    try await storage.removeExpired(at: 1100)
    #expect(try await storage.invitations(at: 0) == [kept])
    #expect(try await storage.session(gone) != nil, "kept in case the files were put back")
    try await storage.removeExpired(at: 1100 + WebSession.retention)
    #expect(try await storage.session(gone) == nil)
    #expect(try await storage.session(left) != nil)
    #expect(try await storage.accounts() == [an, binh])
  }
}

/// Tests of the tables of accounts, and of storage that fails.
struct AccountDatabaseTests {
  @Test(.onlySQLite) func accountTablesShareAFileWithOtherTables() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/records.sqlite"
    let first = try DatabasePool(path: path)
    var others = DatabaseMigrator()
    others.registerMigration("records-1") { try $0.execute(sql: "CREATE TABLE record (id)") }
    try others.migrate(first)
    let storage = try AccountStorage(first)
    _ = try await storage.insertInvitation(SecretHash(of: "1"), at: 1, expiresAt: 10)
    try first.close()

    let second = try DatabasePool(path: path)
    try others.migrate(second)
    let again = try AccountStorage(second)
    #expect(try await again.invitations(at: 1).count == 1)
    let names = try await second.read {
      try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1")
    }
    #expect(names == ["people-1", "people-2", "records-1"])
  }

  @Test(.onlySQLite) func aFileFromBeforeServerToServerKeysOpens() async throws {
    let queue = try DatabaseQueue()
    try AccountTables.migrator.migrate(queue, upTo: "people-1")
    #expect(try await AccountStorage(queue).serverToServerKeys().isEmpty)
  }

  @Test(.onlySQLite) func queriesOfRequestsUseIndexes() async throws {
    let database = try DatabaseQueue()
    _ = try AccountStorage(database)
    // The queries, and the columns by which the first table is searched.
    let queries = [
      (
        "SELECT * FROM web_session s JOIN api_token p ON p.id = s.api_token_id "
          + "JOIN account a ON a.id = s.account_id WHERE s.id = 1", "(rowid=?)"
      ),
      ("SELECT session_id, number FROM web_token WHERE hash = x'00'", "(hash=?)"),
      ("SELECT * FROM api_token WHERE hash = x'00'", "(hash=?)"),
      ("SELECT * FROM invitation WHERE hash = x'00'", "(hash=?)"),
      ("SELECT * FROM account WHERE name = 'an'", "(name=?)"),
      (
        "SELECT * FROM web_session WHERE account_id = 1 AND expires_at > 1",
        "(account_id=? AND expires_at>?)"
      ),
      ("DELETE FROM web_session WHERE expires_at <= 1", "(expires_at<?)"),
      ("DELETE FROM web_token WHERE session_id = 1", "(session_id=?)"),
      ("DELETE FROM web_session WHERE api_token_id = 1", "(api_token_id=?)"),
    ]
    try await database.read { database in
      for (query, columns) in queries {
        let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + query)
        let steps = plan.map { $0["detail"] as String }
        #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") }, "\(query): \(steps)")
        #expect(steps.first?.hasSuffix(columns) == true, "\(query): \(steps)")
      }
    }
  }

  @Test func damagedRowsAreReportedAsErrors() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    let token = try await fixture.signIn(an, app: app.secret)
    try await fixture.database.write { connection in
      try connection.run("UPDATE account SET password = 'x'", [])
      try connection.run("UPDATE web_session SET container = 'x'", [])
      try connection.run("UPDATE api_token SET callbacks = '[1]'", [])
    }
    let failed = ServiceError(.internalError, cause: .internalFailure)
    let signIn = await thrownError {
      try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    }
    #expect(signIn as? SignInFailure == .unavailable(.failed(.damaged(.account(1)))))
    #expect(await thrownError { try await fixture.authenticate(token) } as? ServiceError == failed)
    let check = await thrownError {
      try await fixture.accountService.check(
        apiToken: app.secret, container: AccountFixture.quran, environment: .production, origin: nil
      )
    }
    #expect(check as? ServiceError == failed)
  }

  // MARK: Failing

  /// Another connection locks the file for longer than the service waits.
  @Test(.onlySQLite) func aBusyStorageSaysTryAgainLater() async throws {
    let fixture = try await AccountFixture(.disk, registration: .invitation)
    let an = try await fixture.account()
    let app = try await fixture.app()
    let token = try await fixture.signIn(an, app: app.secret)
    let (_, code) = try await fixture.accountService.invite()
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code)
    fixture.clock.advance(TokenRotation.interval)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let holder = try DatabaseQueue(
      path: #require(fixture.directory).path + "/records.sqlite", configuration: configuration)
    try await holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

    let authentication = await thrownError { try await fixture.authenticate(token) }
    #expect(
      authentication as? ServiceError
        == ServiceError(.tryAgainLater, cause: .storageBusy, retryAfter: 1))
    let completion = await thrownError {
      try await fixture.accountService.completeSignIn(request, as: an, for: .long)
    }
    #expect(completion as? SignInFailure == .unavailable(.busy))
    let registration = await thrownError {
      try await fixture.accountService.register(
        name: "binh", password: AccountFixture.password, invitation: code,
        address: AccountFixture.clientAddress)
    }
    #expect(registration as? RegistrationFailure == .unavailable(.busy))
    let reset = await thrownError {
      try await fixture.accountService.resetPassword(of: an, to: "another password")
    }
    #expect(reset as? RegistrationFailure == .unavailable(.busy))
    #expect(
      await thrownError { try await fixture.accountService.remove(an) } as? StorageFailure == .busy)

    try await holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    _ = try await fixture.authenticate(token)
    _ = try await fixture.accountService.register(
      name: "binh", password: AccountFixture.password, invitation: code,
      address: AccountFixture.clientAddress)
  }

  @Test func storageErrorsAreInternalAndNotFailedAttempts() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    let an = try await fixture.account()
    let app = try await fixture.app()
    let token = try await fixture.signIn(an, app: app.secret)
    let (_, code) = try await fixture.accountService.invite()
    try await fixture.database.write { connection in
      // Only PostgreSQL has these tables.
      for table in ["notification", "poll"] {
        try connection.run("DROP TABLE IF EXISTS \(table)", [])
      }
      for table in [
        "web_token", "courier", "web_session", "api_token", "server_to_server_key", "invitation",
        "account",
      ] {
        try connection.run("DROP TABLE \(table)", [])
      }
    }

    let failed = ServiceError(.internalError, cause: .internalFailure)
    #expect(await thrownError { try await fixture.authenticate(token) } as? ServiceError == failed)
    let check = await thrownError {
      try await fixture.accountService.check(
        apiToken: app.secret, container: AccountFixture.quran, environment: .production, origin: nil
      )
    }
    #expect(check as? ServiceError == failed)
    for _ in 0..<30 {
      let signIn = await thrownError {
        try await fixture.accountService.verify(
          name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
      }
      guard case .unavailable(.failed) = signIn as? SignInFailure else {
        throw AccountFixture.Unexpected()
      }
      let registration = await thrownError {
        try await fixture.accountService.register(
          name: "binh", password: AccountFixture.password, invitation: code,
          address: AccountFixture.clientAddress)
      }
      guard let failure = registration as? RegistrationFailure, case .unavailable(.failed) = failure
      else { throw AccountFixture.Unexpected() }
      #expect(!failure.sentence.contains("binh"), "no one's name: \(failure.sentence)")
    }
  }
}
