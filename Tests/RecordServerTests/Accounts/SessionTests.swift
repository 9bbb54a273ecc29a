import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct SessionTests {
  let tenMinutes: Int64 = 600_000

  @Test(arguments: Place.allCases)
  func aTokenIdentifiesAccountAndSession(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let an = try await fixture.account("an")
    let binh = try await fixture.account("binh")
    let app = try await fixture.app()
    let tokens = [
      try await fixture.signIn(an, app: app.secret),
      try await fixture.signIn(binh, app: app.secret),
      try await fixture.signIn(an, app: app.secret),
    ]
    #expect(Set(tokens).count == 3)
    var answers: [AuthenticatedUser] = []
    for token in tokens { answers.append(try await fixture.authenticate(token)) }
    #expect(answers.map(\.account) == [an, binh, an])
    #expect(Set(answers.map(\.sessionID)).count == 3)
    #expect(answers.map(\.token) == tokens)
  }

  @Test func invalidTokensAreRefused() async throws {
    let fixture = try await AccountFixture()
    let token = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    for wrong in [
      "", "x", String(repeating: "0", count: SessionToken.formerLength),
      String(repeating: "0", count: SessionToken.length), token.uppercased(), token + "0",
      String(token.dropLast()), token + "\u{0}", String(repeating: "a", count: 1_000_000),
    ] {
      #expect(
        await thrownError { try await fixture.authenticate(wrong) } as? ServiceError
          == .notSignedIn)
    }
    _ = try await fixture.authenticate(token)
  }

  @Test func aTokenIsForItsContainerAndEnvironment() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app(environment: .development)
    let token = try await fixture.signIn(an, app: app.secret)
    for (container, environment) in [
      (AccountFixture.other, ContainerEnvironment.development), (AccountFixture.quran, .production),
    ] {
      let error = await thrownError {
        try await fixture.authenticate(token, container: container, environment: environment)
      }
      #expect(
        error as? ServiceError == ServiceError(.authenticationFailed, cause: .unknownAPIToken))
    }
    _ = try await fixture.authenticate(token)
  }

  @Test func aSessionIsOnlyForItsAPIToken() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    let other = try await fixture.app(label: "Other")
    let token = try await fixture.signIn(an, app: app.secret)
    let error = await thrownError { try await fixture.authenticate(token, app: other.token.id) }
    #expect(error as? ServiceError == .notSignedIn)
    _ = try await fixture.authenticate(token, app: app.token.id)
  }

  // MARK: Rotation

  /// The history of the browser contains the URL with the first token.
  @Test func theTokenOfACallbackIsReplacedAtItsFirstUse() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .callback("http://127.0.0.1:9/"))
    guard
      case .redirect(let url) = try await fixture.accountService.completeSignIn(
        request, as: try await fixture.account(), for: .short)
    else { throw AccountFixture.Unexpected() }
    let first = String(url.split(separator: "=")[1])
    let second = try await fixture.authenticate(first).token
    #expect(second != first)
    // Until the answer has arrived, the first one stays valid.
    #expect(try await fixture.authenticate(first).token == second)
    #expect(try await fixture.authenticate(second).token == second)
    fixture.clock.advance(TokenRotation.grace)
    let error = await thrownError { try await fixture.authenticate(first) }
    #expect(error as? ServiceError == .notSignedIn)
    #expect(try await fixture.authenticate(second).token == second)
  }

  @Test func everyAnswerCarriesTheNewestToken() async throws {
    let fixture = try await AccountFixture(.shared)
    let first = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    #expect(try await fixture.authenticate(first).token == first)
    fixture.clock.advance(tenMinutes)
    let second = try await fixture.authenticate(first).token
    #expect(second != first)
    #expect(second.wholeMatch(of: /[A-Za-z0-9_]{128,}/) != nil)
    // The answer was lost: a request with the first token gets the second one again.
    fixture.clock.advance(24 * 3_600_000)
    #expect(try await fixture.authenticate(first).token == second)
    #expect(try await fixture.authenticate(second).token == second)
    fixture.clock.advance(59_999)
    #expect(try await fixture.authenticate(first).token == second)
    fixture.clock.advance(1)
    let error = await thrownError { try await fixture.authenticate(first) }
    #expect(error as? ServiceError == .notSignedIn)
    // The second token is older than ten minutes by now.
    let third = try await fixture.authenticate(second).token
    #expect(![first, second].contains(third))
    #expect(try await fixture.authenticate(third).token == third)
  }

  @Test func anotherProcessKnowsTheSameTokens() async throws {
    let fixture = try await AccountFixture(.shared)
    let first = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    fixture.clock.advance(tenMinutes)
    let second = try await fixture.authenticate(first).token
    let other = try await fixture.authenticate(
      first, environment: .production, by: fixture.another())
    #expect(other.token == second)
  }

  /// Fifty requests at the same time, in several rounds, each round with the newest token.
  @Test(arguments: Place.allCases)
  func concurrentRequestsGetTheSameNewToken(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    var token = try await fixture.signIn(try await fixture.account(), app: fixture.app().secret)
    var seen = [token]
    for round in 0..<5 {
      fixture.clock.advance(tenMinutes)
      let sent = token
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await fixture.authenticate(sent).token
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 50)
      let new = Set(answers).subtracting([sent])
      #expect(new.count == 1, "round \(round)")
      token = try #require(new.first)
      #expect(!seen.contains(token))
      seen.append(token)
      // Half of the next requests still have the previous token.
      let mixed = try await withThrowingTaskGroup(of: String.self) { group in
        for index in 0..<50 {
          let mine = index % 2 == 0 ? sent : token
          group.addTask {
            try await fixture.authenticate(mine).token
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(mixed == [token])
    }
  }

  // MARK: Expiry and revocation

  @Test func anUnusedSessionExpires() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    for (lifetime, milliseconds) in [
      (SessionLifetime.short, Int64(30 * 60_000)), (.long, 14 * 86_400_000),
    ] {
      let token = try await fixture.signIn(an, app: app.secret, lifetime)
      fixture.clock.advance(milliseconds - 1)
      var newest = try await fixture.authenticate(token).token
      newest = try await fixture.authenticate(newest).token
      fixture.clock.advance(milliseconds)
      let error = await thrownError { try await fixture.authenticate(newest) }
      #expect(error as? ServiceError == .notSignedIn)
    }
    #expect(try await fixture.accountService.sessions(of: an).isEmpty)
  }

  @Test func aSessionInUseDoesNotExpire() async throws {
    let fixture = try await AccountFixture()
    var token = try await fixture.signIn(
      try await fixture.account(), app: fixture.app().secret, .short)
    for _ in 0..<100 {
      fixture.clock.advance(29 * 60_000)
      token = try await fixture.authenticate(token).token
    }
  }

  @Test func sessionsAreListedAndRevoked() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account("an")
    let binh = try await fixture.account("binh")
    let app = try await fixture.app(environment: .development)
    let begun = fixture.clock.now
    let first = try await fixture.signIn(an, app: app.secret)
    fixture.clock.advance(1000)
    let second = try await fixture.signIn(an, app: app.secret, .short)
    let other = try await fixture.signIn(binh, app: app.secret)

    let list = try await fixture.accountService.sessions(of: an)
    #expect(list.map(\.apiTokenID) == [app.token.id, app.token.id])
    #expect(list.map(\.createdAt) == [begun + 1000, begun])
    #expect(
      list.map(\.rotation.expiresAt) == [begun + 1000 + 30 * 60_000, begun + 14 * 86_400_000])
    #expect(
      list.allSatisfy { $0.container == AccountFixture.quran && $0.environment == .development })

    let id = try await fixture.authenticate(first).sessionID
    #expect(list.last?.id == id)
    #expect(try await fixture.accountService.revoke(session: id, of: binh) == false)
    #expect(try await fixture.accountService.isAlive(session: id))
    #expect(try await fixture.accountService.revoke(session: id, of: an))
    #expect(try await fixture.accountService.isAlive(session: id) == false)
    #expect(try await fixture.accountService.revoke(session: id, of: an) == false)
    #expect(
      await thrownError { try await fixture.authenticate(first) } as? ServiceError == .notSignedIn)
    _ = try await fixture.authenticate(second)
    #expect(try await fixture.accountService.revokeSessions(of: an) == 1)
    #expect(
      await thrownError { try await fixture.authenticate(second) } as? ServiceError == .notSignedIn
    )
    #expect(try await fixture.authenticate(other).account == binh)
  }

  @Test func revokingAnAppEndsItsSessions() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let one = try await fixture.app()
    let two = try await fixture.app()
    let token = try await fixture.signIn(an, app: one.secret)
    let other = try await fixture.signIn(an, app: two.secret)
    #expect(try await fixture.accountService.revoke(apiToken: one.token.id))
    #expect(
      await thrownError { try await fixture.authenticate(token) } as? ServiceError
        == ServiceError(.authenticationFailed, cause: .unknownAPIToken))
    #expect(try await fixture.accountService.sessions(of: an).map(\.apiTokenID) == [two.token.id])
    _ = try await fixture.authenticate(other, app: two.token.id)
  }

  @Test func sessionsPerAccountAreLimited() async throws {
    let fixture = try await AccountFixture(options: { $0.sessionsPerAccount = 3 })
    let an = try await fixture.account()
    let app = try await fixture.app()
    var tokens: [String] = []
    for _ in 0..<3 {
      tokens.append(try await fixture.signIn(an, app: app.secret))
      fixture.clock.advance(86_400_000)
    }
    // The oldest session is in use.
    tokens[0] = try await fixture.authenticate(tokens[0]).token
    tokens.append(try await fixture.signIn(an, app: app.secret))
    #expect(try await fixture.accountService.sessions(of: an).count == 3)
    for index in [0, 2, 3] { _ = try await fixture.authenticate(tokens[index]) }
    #expect(
      await thrownError { try await fixture.authenticate(tokens[1]) } as? ServiceError
        == .notSignedIn)
  }

  @Test func removeExpiredDeletesSessionsAndInvitations() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    _ = try await fixture.signIn(an, app: app.secret, .short)
    let token = try await fixture.signIn(an, app: app.secret, .long)
    _ = try await fixture.accountService.invite(for: 1000)
    fixture.clock.advance(30 * 60_000 + WebSession.retention)
    try await fixture.accountService.removeExpired()
    let counts = try await fixture.database.rowCounts()
    #expect(counts["web_session"] == 1)
    #expect(counts["invitation"] == 0)
    _ = try await fixture.authenticate(token)
  }

  // MARK: Secrets

  @Test(.onlySQLite) func noSecretIsOnTheDisk() async throws {
    let fixture = try await AccountFixture(.disk, registration: .invitation)
    let (_, invitation) = try await fixture.accountService.invite()
    let (_, unused) = try await fixture.accountService.invite()
    let an = try await fixture.accountService.register(
      name: "needle in a haystack", password: AccountFixture.password, invitation: invitation,
      address: AccountFixture.clientAddress)
    let app = try await fixture.app()
    var tokens = [try await fixture.signIn(an, app: app.secret)]
    for _ in 0..<5 {
      fixture.clock.advance(tenMinutes)
      tokens.append(try await fixture.authenticate(tokens[tokens.count - 1]).token)
      _ = try await fixture.authenticate(tokens[tokens.count - 1])
    }
    #expect(Set(tokens).count == 6)
    let bytes = try fixture.bytesOnDisk()
    // The search finds text that is stored.
    #expect(bytes.range(of: Data("needle in a haystack".utf8)) != nil)
    let key = [UInt8](0..<32)
    var secrets = tokens + [app.secret, AccountFixture.password, invitation, unused]
    secrets += [invitation, unused].compactMap(InvitationCode.canonical)
    for secret in secrets {
      #expect(bytes.range(of: Data(secret.utf8)) == nil)
      if let raw = Hex.bytes(secret) { #expect(bytes.range(of: Data(raw)) == nil) }
    }
    #expect(bytes.range(of: Data(key)) == nil)
    #expect(bytes.range(of: Data(SecretHash(of: app.secret).bytes)) != nil)
  }
}
