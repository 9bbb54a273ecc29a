import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct InvitationTests {
  func register(
    _ fixture: AccountFixture, _ name: String, _ code: String?,
    from address: ClientAddress = AccountFixture.clientAddress
  ) async -> RegistrationFailure? {
    await thrownError {
      try await fixture.accountService.register(
        name: name, password: AccountFixture.password, invitation: code, address: address)
    } as? RegistrationFailure
  }

  @Test(arguments: Place.allCases) func anInvitationMakesOneAccount(_ place: Place) async throws {
    let fixture = try await AccountFixture(place, registration: .invitation)
    let (invitation, code) = try await fixture.accountService.invite()
    #expect(invitation.expiresAt == fixture.clock.now + 7 * 86_400_000)
    #expect(try await fixture.accountService.invitations() == [invitation])
    #expect(await register(fixture, "an", code) == nil)
    #expect(try await fixture.accountService.accounts().map(\.name) == ["an"])
    #expect(await register(fixture, "binh", code) == .invitationUnusable)
    #expect(try await fixture.accountService.invitations().isEmpty)
  }

  @Test func registrationNeedsAValidInvitation() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    for none in [nil, "", " \n"] {
      #expect(await register(fixture, "an", none) == .invitationNeeded)
    }
    for wrong in ["x", "0000-0000-0000-0000-0000-0000-0000-0000", "😀"] {
      #expect(await register(fixture, "an", wrong) == .invitationUnusable)
    }
    #expect(try await fixture.accountService.accounts().isEmpty)
    #expect(fixture.hasher.count == 0)
  }

  @Test func expiredAndWithdrawnInvitationsAreRefused() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    let (_, code) = try await fixture.accountService.invite(for: 1000)
    fixture.clock.advance(1000)
    #expect(await register(fixture, "an", code) == .invitationUnusable)
    let (withdrawn, other) = try await fixture.accountService.invite()
    #expect(try await fixture.accountService.withdraw(invitation: withdrawn.id))
    #expect(try await fixture.accountService.withdraw(invitation: withdrawn.id) == false)
    #expect(await register(fixture, "an", other) == .invitationUnusable)
  }

  @Test func aFailedRegistrationKeepsTheInvitation() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    _ = try await fixture.account("an")
    let (_, code) = try await fixture.accountService.invite()
    #expect(await register(fixture, "an", code) == .nameTaken)
    #expect(await register(fixture, "<", code) == .name(.unusable))
    #expect(await register(fixture, "binh", code) == nil)
  }

  @Test func takenNamesAreReportedOnlyWithAnInvitation() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    _ = try await fixture.account("an")
    #expect(await register(fixture, "an", nil) == .invitationNeeded)
    #expect(await register(fixture, "an", "wrong") == .invitationUnusable)
  }

  @Test func codesIgnoreCaseHyphensAndLookalikes() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    for change: (String) -> String in [
      { $0.lowercased() }, { $0.filter { $0 != "-" } }, { " \($0)\n" },
      { $0.replacing("0", with: "o").replacing("1", with: "l") },
    ] {
      let (_, code) = try await fixture.accountService.invite()
      #expect(await register(fixture, "an\(code.prefix(4))", change(code)) == nil, "\(code)")
    }
    // Not every code has a 0 and a 1.
    #expect(
      InvitationCode.canonical("oO0g-40r4-0M30 e209-185G-R38E-iwBI-l4Lk\n")
        == "000G40R40M30E209185GR38E1WB1141K")
  }

  @Test func codesAreEightGroupsOfBase32() async throws {
    let fixture = try await AccountFixture()
    let (_, code) = try await fixture.accountService.invite()
    #expect(code.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
    #expect(InvitationCode.text(Array(0..<20)) == "000G-40R4-0M30-E209-185G-R38E-1W81-24GK")
  }

  @Test func anAddressThatGuessesCodesHasToWait() async throws {
    let fixture = try await AccountFixture(registration: .invitation)
    for _ in 0..<11 { #expect(await register(fixture, "an", "wrong") == .invitationUnusable) }
    let (_, code) = try await fixture.accountService.invite()
    #expect(await register(fixture, "an", code) == .tooManyAttempts(retryAfter: 1))
    let elsewhere = ClientAddress("192.0.2.9")
    #expect(await register(fixture, "an", code, from: elsewhere) == nil)
  }

  @Test func openRegistrationNeedsNoInvitation() async throws {
    let fixture = try await AccountFixture(registration: .open)
    #expect(await register(fixture, "an", nil) == nil)
    #expect(await register(fixture, "binh", "nonsense") == nil)
  }

  @Test func closedRegistrationAllowsOnlyTheOperator() async throws {
    let fixture = try await AccountFixture(registration: .closed)
    let (_, code) = try await fixture.accountService.invite()
    #expect(await register(fixture, "an", code) == .closed)
    #expect(throws: RegistrationFailure.closed) { try fixture.accountService.registrationRequest() }
    _ = try await fixture.account("an")
  }

  /// Of several registrations with one invitation at the same time, one gets an account.
  @Test(arguments: Place.allCases)
  func concurrentRegistrationsUseAnInvitationOnce(_ place: Place) async throws {
    let fixture = try await AccountFixture(place, registration: .invitation)
    let accountService = fixture.accountService
    let (_, code) = try await accountService.invite()
    let failures = await withTaskGroup(of: RegistrationFailure?.self) { group in
      for index in 0..<8 {
        group.addTask {
          await thrownError {
            try await accountService.register(
              name: "name \(index)", password: AccountFixture.password, invitation: code,
              address: ClientAddress("192.0.2.\(index)"))
          } as? RegistrationFailure
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.count { $0 == nil } == 1)
    #expect(failures.count { $0 == .invitationUnusable } == 7)
    #expect(try await accountService.accounts().count == 1)
  }
}
