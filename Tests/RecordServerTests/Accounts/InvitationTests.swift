import TestSupport
import Testing

@testable import RecordServer

struct InvitationTests {
  func register(
    _ town: Town, _ name: String, _ code: String?, from address: ClientAddress = Town.home
  ) async -> RegistrationFailure? {
    await refusal {
      try await town.accountService.register(
        name: name, password: Town.password, invitation: code, address: address)
    } as? RegistrationFailure
  }

  @Test(arguments: Town.Place.allCases) func anInvitationMakesOneAccount(_ place: Town.Place)
    async throws
  {
    let town = try Town(place, registration: .invitation)
    let (invitation, code) = try await town.accountService.invite()
    #expect(invitation.expiresAt == town.clock.now + 7 * 86_400_000)
    #expect(try await town.accountService.invitations() == [invitation])
    #expect(await register(town, "an", code) == nil)
    #expect(try await town.accountService.accounts().map(\.name) == ["an"])
    #expect(await register(town, "binh", code) == .invitationUnusable)
    #expect(try await town.accountService.invitations().isEmpty)
  }

  @Test func withoutOneNobodyRegisters() async throws {
    let town = try Town(registration: .invitation)
    for none in [nil, "", " \n"] {
      #expect(await register(town, "an", none) == .invitationNeeded)
    }
    for wrong in ["x", "0000-0000-0000-0000-0000-0000-0000-0000", "😀"] {
      #expect(await register(town, "an", wrong) == .invitationUnusable)
    }
    #expect(try await town.accountService.accounts().isEmpty)
    #expect(town.hasher.count == 0)
  }

  @Test func itEnds() async throws {
    let town = try Town(registration: .invitation)
    let (_, code) = try await town.accountService.invite(for: 1000)
    town.clock.advance(1000)
    #expect(await register(town, "an", code) == .invitationUnusable)
    let (withdrawn, other) = try await town.accountService.invite()
    #expect(try await town.accountService.withdraw(invitation: withdrawn.id))
    #expect(try await town.accountService.withdraw(invitation: withdrawn.id) == false)
    #expect(await register(town, "an", other) == .invitationUnusable)
  }

  @Test func whatFailsDoesNotUseItUp() async throws {
    let town = try Town(registration: .invitation)
    _ = try await town.account("an")
    let (_, code) = try await town.accountService.invite()
    #expect(await register(town, "an", code) == .nameTaken)
    #expect(await register(town, "<", code) == .name(.unusable))
    #expect(await register(town, "binh", code) == nil)
  }

  @Test func onlyTheInvitedLearnWhichNamesAreTaken() async throws {
    let town = try Town(registration: .invitation)
    _ = try await town.account("an")
    #expect(await register(town, "an", nil) == .invitationNeeded)
    #expect(await register(town, "an", "wrong") == .invitationUnusable)
  }

  @Test func itIsTakenHoweverItIsTyped() async throws {
    let town = try Town(registration: .invitation)
    for change: (String) -> String in [
      { $0.lowercased() }, { $0.filter { $0 != "-" } }, { " \($0)\n" },
      { $0.replacing("0", with: "o").replacing("1", with: "l") },
    ] {
      let (_, code) = try await town.accountService.invite()
      #expect(await register(town, "an\(code.prefix(4))", change(code)) == nil, "\(code)")
    }
  }

  @Test func codesLookLikeCodes() async throws {
    let town = try Town()
    let (_, code) = try await town.accountService.invite()
    #expect(code.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
    #expect(InvitationCode.text(Array(0..<20)) == "000G-40R4-0M30-E209-185G-R38E-1W81-24GK")
  }

  @Test func whoGuessesHasToWait() async throws {
    let town = try Town(registration: .invitation)
    for _ in 0..<11 { #expect(await register(town, "an", "wrong") == .invitationUnusable) }
    let (_, code) = try await town.accountService.invite()
    #expect(await register(town, "an", code) == .tooManyAttempts(retryAfter: 1))
    let elsewhere = ClientAddress("192.0.2.9")
    #expect(await register(town, "an", code, from: elsewhere) == nil)
  }

  @Test func whereAnyoneMayRegisterNoneIsNeeded() async throws {
    let town = try Town(registration: .open)
    #expect(await register(town, "an", nil) == nil)
    #expect(await register(town, "binh", "nonsense") == nil)
  }

  @Test func whereNobodyMayTheOperatorStillMay() async throws {
    let town = try Town(registration: .closed)
    let (_, code) = try await town.accountService.invite()
    #expect(await register(town, "an", code) == .closed)
    #expect(throws: RegistrationFailure.closed) { try town.accountService.registrationRequest() }
    _ = try await town.account("an")
  }

  /// Two at the same time with one invitation: one gets an account.
  @Test(arguments: Town.Place.allCases) func oneInvitationIsNotUsedTwiceAtOnce(
    _ place: Town.Place
  ) async throws {
    let town = try Town(place, registration: .invitation)
    let accountService = town.accountService
    let (_, code) = try await accountService.invite()
    let failures = await withTaskGroup(of: RegistrationFailure?.self) { group in
      for index in 0..<8 {
        group.addTask {
          await refusal {
            try await accountService.register(
              name: "name \(index)", password: Town.password, invitation: code,
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
