import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct UserCommandTests {
  private static let password = "correct horse battery"

  @Test func accountsAreMadeAndListed() throws {
    let home = try TestHome()
    let added = try home.run("user", "add", "  An  Nguyễn ", input: Self.password + "\nmore\n")
    #expect(added.status == 0, "\(added)")
    #expect(added.output == "The account 'an nguyễn' was created.\n")
    let list = try home.run("user", "list")
    #expect(
      list.output == """
        NAME       RECORDS  BYTES  SESSIONS
        an nguyễn  0        0      0

        """)
    let json = try home.run("user", "list", "--json")
    #expect(json.objects.count == 1)
    #expect(json.objects.first?["name"] as? String == "an nguyễn")
    #expect(
      json.objects.first.map { Set($0.keys) } == [
        "name", "records", "bytes", "sessions", "createdAt",
      ])
    for text in [added.description, list.description, json.description] {
      #expect(!text.contains(Self.password))
    }
  }

  @Test func aListWithoutAccountsIsEmpty() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let list = try home.run("user", "list")
    #expect(list.status == 0)
    #expect(list.output.isEmpty)
    #expect(list.errors.contains("There are no accounts yet"))
    let json = try home.run("user", "list", "--json")
    #expect(json.output == "[]\n")
  }

  @Test func invalidNamesAndPasswordsAreRefused() async throws {
    let home = try TestHome()
    let short = try home.run("user", "add", "an", input: "short\n")
    #expect(short.status == 1)
    #expect(short.errors.contains("too short"))
    #expect(try home.run("user", "add", "an").status == 2)
    let name = try home.run("user", "add", "-- an", input: Self.password)
    #expect(name.status != 0)
    #expect(try home.run("user", "add", "a;b", input: Self.password).status == 1)
    try await home.withService { _ = try await $0.account("an") }
    let taken = try home.run("user", "add", "AN", input: Self.password)
    #expect(taken.status == 1)
    #expect(taken.errors.contains("taken"))
  }

  @Test(
    arguments: [
      ["remove", "binh"], ["remove", "binh", "--yes"], ["reset-password", "binh"],
      ["sign-in", "binh"], ["sign-out", "binh"], ["sign-out", ""], ["sign-out", "\u{1B}[31m"],
    ]) func missingAccountsAreNotFound(_ arguments: [String]) throws
  {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let outcome = try home.run(["user"] + arguments, input: Self.password)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("There is no account '"))
    #expect(!outcome.errors.contains("\u{1B}"))
  }

  // MARK: Invitations

  @Test func openInvitationsAreListedAndWithdrawn() throws {
    let home = try TestHome()
    let codes = try (0..<2).map { _ in try #require(home.run("user", "invite").lines.first) }
    let list = try home.run("user", "invitations")
    #expect(list.status == 0)
    #expect(
      list.lines.map { $0.split(separator: " ").first } == ["ID", "1", "2"], "\(list)")
    let invitations = try home.run("user", "invitations", "--json")
    #expect(invitations.objects.map { $0["id"] as? Int } == [1, 2])
    for invitation in invitations.objects {
      let created = try #require(invitation["createdAt"] as? Int)
      #expect(invitation["expiresAt"] as? Int == created + 7 * 86_400_000)
    }
    for code in codes { #expect(!(list.output + invitations.output).contains(code)) }

    let withdrawn = try home.run("user", "withdraw", "1")
    #expect(withdrawn.output == "Invitation 1 was withdrawn. Its code cannot be used any more.\n")
    let again = try home.run("user", "withdraw", "1")
    #expect(again.status == 1)
    #expect(again.errors.contains("There is no invitation 1;"))
    #expect(try home.run("user", "withdraw", "2").status == 0)
    let empty = try home.run("user", "invitations")
    #expect(empty.status == 0 && empty.output.isEmpty)
    #expect(empty.errors.contains("There are no open invitations"))
    #expect(try home.run("user", "invitations", "--json").output == "[]\n")
  }

  // MARK: At a terminal

  @Test func aPasswordIsTypedTwiceAndNotShown() throws {
    let home = try TestHome()
    let terminal = try PseudoTerminal(["user", "add", "an"], in: home)
    try terminal.read(until: "New password for an:")
    try terminal.type(Self.password + "\n")
    try terminal.read(until: "Repeat the password:")
    try terminal.type(Self.password + "\n")
    #expect(try terminal.end() == .exited(0))
    #expect(terminal.text.contains("The account 'an' was created."))
    #expect(!terminal.text.contains("horse"))
    #expect(terminal.settings == terminal.settingsBefore)
  }

  @Test func passwordsThatDifferMakeNoAccount() throws {
    let home = try TestHome()
    let terminal = try PseudoTerminal(["user", "add", "an"], in: home)
    try terminal.read(until: "New password for an:")
    try terminal.type(Self.password + "\n")
    try terminal.read(until: "Repeat the password:")
    try terminal.type(Self.password + "!\n")
    #expect(try terminal.end() == .exited(1))
    #expect(terminal.text.contains("The passwords do not match"))
    #expect(try home.run("user", "list").output.isEmpty)
  }

  @Test(arguments: ["\u{3}", "abc\u{3}", "\u{4}"])
  func anInterruptedPasswordLeavesTheTerminalAsItWas(_ typed: String) throws {
    let home = try TestHome()
    let terminal = try PseudoTerminal(["user", "add", "an"], in: home)
    try terminal.read(until: "New password for an:")
    try terminal.type(typed)
    #expect(try terminal.end() == .exited(1))
    #expect(terminal.text.contains("Nothing was changed."))
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(try home.run("user", "list").output.isEmpty)
  }

  // MARK: Removing

  @Test func removingAnAccountDeletesItsRecords() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { service in
      let account = try await service.account("an")
      try await service.save(
        (1...4).map { RecordInput("f\($0)", type: "FavoriteAyah") }, of: account)
      try await service.save([RecordInput("f", type: "FavoriteAyah")], of: account, .development)
      _ = try await service.account("binh")
    }
    let list = try home.run("user", "list", "--json")
    #expect(list.objects.first?["records"] as? Int == 5)

    let unasked = try home.run("user", "remove", "an")
    #expect(unasked.status == 1)
    #expect(unasked.errors.contains("This permanently deletes the account 'an' and 5 records."))
    let terminal = try PseudoTerminal(["user", "remove", "an"], in: home)
    try terminal.read(until: "[y/N]")
    try terminal.type("no\n")
    #expect(try terminal.end() == .exited(1))
    #expect(try home.run("user", "list", "--json").objects.count == 2)

    let agreed = try PseudoTerminal(["user", "remove", "an"], in: home)
    try agreed.read(until: "[y/N]")
    try agreed.type("y\n")
    #expect(try agreed.end() == .exited(0))
    #expect(agreed.text.contains("Deleted the account 'an' and 5 records."))
    let names = try home.run("user", "list", "--json").objects.map { $0["name"] as? String }
    #expect(names == ["binh"])
    #expect(try home.run("doctor").output.contains("Accounts: 1, records: 0, unfinished jobs: 0."))
  }

  // MARK: Signing in and out

  @Test func theOperatorCanSignAnybodyInAndOut() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { _ = try await $0.account("an") }
    let signedIn = try home.run("user", "sign-in", "an")
    #expect(signedIn.status == 0, "\(signedIn)")
    let token = try #require(signedIn.lines.first)
    #expect(signedIn.lines == [token])
    #expect(token.utf8.count >= 128)
    #expect(!signedIn.errors.contains(token))
    let name = try await home.withService { service in
      // The program uses the real clock; the clock of the service in the test is in the past.
      try await service.accountService.authenticate(
        token, apiToken: home.apiToken(), container: TestHome.container, environment: .production,
        origin: nil
      ).account.name
    }
    #expect(name == "an")
    let list = try home.run("user", "list", "--json")
    #expect(list.objects.first?["sessions"] as? Int == 1)
    #expect(!list.output.contains(token))

    #expect(try home.run("user", "sign-in", "an", "--api-token-id", "9").status == 1)
    _ = try home.run("user", "sign-in", "an", "--api-token-id", "1")
    let signedOut = try home.run("user", "sign-out", "an")
    #expect(signedOut.output == "Ended 2 sessions of 'an'.\n")
    #expect(try home.run("user", "list", "--json").objects.first?["sessions"] as? Int == 0)
    #expect(try home.run("user", "sign-out", "an").output == "Ended 0 sessions of 'an'.\n")
  }

  @Test func signOutAllEndsTheSessionsOfAllAccounts() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { service in
      for name in ["an", "binh"] { _ = try await service.account(name) }
    }
    var tokens: [String] = []
    for name in ["an", "an", "binh"] {
      tokens.append(try #require(try home.run("user", "sign-in", name).lines.first))
    }
    let both = try home.run("user", "sign-out", "an", "--all")
    #expect(both.status == 2)
    #expect(both.errors.contains("Specify either an account or --all."))
    #expect(try home.run("user", "sign-out").status == 2)
    let before = try home.run("user", "list", "--json").objects
    #expect(before.map { $0["sessions"] as? Int } == [2, 1])

    let all = try home.run("user", "sign-out", "--all")
    #expect(all.status == 0, "\(all)")
    #expect(all.output == "Ended 3 sessions of all accounts.\n")
    let after = try home.run("user", "list", "--json").objects
    #expect(after.map { $0["sessions"] as? Int } == [0, 0])
    #expect(
      try home.run("user", "sign-out", "--all").output == "Ended 0 sessions of all accounts.\n")
    try await home.withService { service in
      for token in tokens {
        await #expect(throws: ServiceError.self) {
          try await service.accountService.authenticate(
            token, apiToken: home.apiToken(), container: TestHome.container,
            environment: .production, origin: nil)
        }
      }
    }
  }

  @Test func aNewPasswordEndsSessions() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { _ = try await $0.account("an") }
    _ = try home.run("user", "sign-in", "an")
    let reset = try home.run("user", "reset-password", "an", input: "another horse battery\n")
    #expect(reset.status == 0, "\(reset)")
    #expect(try home.run("user", "list", "--json").objects.first?["sessions"] as? Int == 0)
  }

  @Test func anInvitationIsPrintedAsCodeAndPath() async throws {
    let home = try TestHome()
    let outcome = try home.run("user", "invite")
    #expect(outcome.status == 0)
    let code = try #require(outcome.lines.first)
    #expect(outcome.lines == [code, "/register?invitation=\(code)"])
    #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4, 4, 4])
    #expect(try await home.withService { try await $0.accountService.invitations().count } == 1)
  }
}
