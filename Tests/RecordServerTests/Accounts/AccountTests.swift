import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct AccountNameTests {
  @Test(arguments: [
    ("an", "an"), ("  An  ", "an"), ("NGUYỄN An", "nguyễn an"), ("a\u{0065}\u{0302}\u{0323}", "aệ"),
    ("an\t\n an", "an an"), ("an@example.org", "an@example.org"), ("7", "7"), ("محمد", "محمد"),
    ("a.b_c-d+e", "a.b_c-d+e"),
  ])
  func namesAreNormalised(_ typed: String, _ name: String) throws {
    #expect(Array(try AccountName(typed).text.unicodeScalars) == Array(name.unicodeScalars))
    #expect(try AccountName(AccountName(typed).text) == AccountName(typed))
  }

  @Test(arguments: [
    ("", AccountNameProblem.empty), (" \t\n", .empty),
    (String(repeating: "a", count: 65), .tooLong(limit: 64)),
    ("<b>", .unusable), ("an<", .unusable), ("an\u{0}", .unusable), ("an\u{202E}", .unusable),
    ("an\u{200B}", .unusable), (".an", .unusable), ("\u{301}a", .unusable), ("😀", .unusable),
    ("an;drop", .unusable), ("an\u{7F}", .unusable),
  ])
  func invalidNamesAreRefused(_ typed: String, _ problem: AccountNameProblem) {
    #expect(throws: problem) { try AccountName(typed) }
  }

  @Test func aVeryLongNameIsRefused() {
    #expect(throws: AccountNameProblem.tooLong(limit: 64)) {
      try AccountName("a" + String(repeating: "\u{301}\u{323}", count: 1_000_000))
    }
  }

  @Test func aNameMayHaveSixtyFourCharacters() throws {
    #expect(try AccountName(String(repeating: "ệ", count: 64)).text.unicodeScalars.count == 64)
  }
}

struct PasswordTests {
  @Test func aPasswordHas10CharactersAndAtMost1024Bytes() throws {
    _ = try Password(choosing: "0123498765")
    // Two have more than 10 bytes, one of them with separate marks.
    for text in ["", "012345678", "thướcđộ", "ti\u{65}\u{302}\u{301}ng Vi\u{65}"] {
      #expect(throws: PasswordProblem.tooShort(characters: 10)) { try Password(choosing: text) }
    }
    _ = try Password(choosing: String(repeating: "abcdefgh", count: 128))
    #expect(throws: PasswordProblem.tooLong(bytes: 1024)) {
      try Password(choosing: String(repeating: "a", count: 1025))
    }
  }

  @Test(arguments: [
    "password1234", "Password 2026!", "P@ssword12", "passw0rd12345", "1234567890", "0987654321",
    "1111111111", "1212121212", "abcabcabcabc", "qwertyuiop", "1q2w3e4r5t", "abcdefghij",
    "Mật khẩu 123", "matkhau123456", "Anh yêu em 1", "Việt Nam 2026", "Bismillah!!",
    "Alhamdulillah",
  ])
  func commonPasswordsAreRefused(_ password: String) {
    #expect(throws: PasswordProblem.common) { try Password(choosing: password) }
  }

  @Test(arguments: [
    "mật khẩu dài", "một câu dài dễ nhớ", "a long password", "Việt Nam quê hương tôi",
    "correct horse battery staple", "0123498765", "đọc kinh mỗi sáng",
  ])
  func otherPasswordsAreAccepted(_ password: String) throws {
    _ = try Password(choosing: password)
  }

  @Test func composedAndDecomposedPasswordsAreEqual() throws {
    let composed = try Password(choosing: "tiếng Việt")
    let decomposed = try Password(choosing: "ti\u{65}\u{302}\u{301}ng Vi\u{65}\u{323}\u{302}t")
    #expect(composed == decomposed)
    #expect(composed.bytes.count == 14)
  }

  @Test func aPasswordIsNeverPrinted() throws {
    let password = try Password(choosing: "correct horse")
    var dumped = ""
    dump(password, to: &dumped)
    for text in ["\(password)", String(reflecting: password), dumped] {
      #expect(!text.contains("horse"))
      #expect(!text.contains("99"), "the bytes")
    }
  }

  @Test func storedPasswordHashesAreParsed() throws {
    let hash = PasswordHash(cost: .standard, salt: [1, 2], key: Array(0..<32))
    #expect(hash.stored.hasPrefix("scrypt$15$8$1$0102$000102"))
    #expect(PasswordHash(stored: hash.stored) == hash)
    #expect(hash.matches(Array(0..<32)))
    #expect(!hash.matches(Array(1..<33)))
    #expect(!hash.matches([]))
  }

  @Test(arguments: [
    "", "scrypt", "scrypt$15$8$1$01$02", "bcrypt$15$8$1$01$\(String(repeating: "00", count: 32))",
    "scrypt$40$8$1$01$\(String(repeating: "00", count: 32))",
    "scrypt$15$8$1$$\(String(repeating: "00", count: 32))",
    "scrypt$15$8$-1$01$\(String(repeating: "00", count: 32))",
    "scrypt$15$8$1$0$\(String(repeating: "00", count: 32))",
    "scrypt$15$8$1$01$\(String(repeating: "00", count: 32))$",
    // Each number is in its range, but hashing would take 4 GB, 128 MB or 16 times the usual time.
    "scrypt$20$32$1$01$\(String(repeating: "00", count: 32))",
    "scrypt$17$8$1$01$\(String(repeating: "00", count: 32))",
    "scrypt$15$8$16$01$\(String(repeating: "00", count: 32))",
  ])
  func invalidPasswordHashesAreNotParsed(_ text: String) {
    #expect(PasswordHash(stored: text) == nil)
  }

  /// The third test vector of RFC 7914, section 12, with N = 2^14, and the standard cost.
  @Test func scryptMatchesTheTestVectorOfRFC7914() throws {
    let cost = try #require(ScryptCost(["14", "8", "1"]))
    let key = try PasswordHasher.scrypt.derive(
      Array("pleaseletmein".utf8), Array("SodiumChloride".utf8), cost)
    #expect(Hex.text(key) == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2")
    #expect(ScryptCost.standard.rounds == 32_768)
    #expect(ScryptCost.standard.blockSize == 8)
    #expect(ScryptCost.standard.parallelism == 1)
  }
}

struct AccountTests {
  @Test(arguments: Place.allCases) func anAccountIsMadeListedAndFound(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let an = try await fixture.accountService.addAccount(
      name: " An ", password: AccountFixture.password)
    let binh = try await fixture.accountService.addAccount(
      name: "BÌNH", password: AccountFixture.password)
    #expect(an.name == "an")
    #expect(an.createdAt == fixture.clock.now)
    #expect(an.id != binh.id)
    #expect(try await fixture.accountService.accounts() == [an, binh])
    #expect(try await fixture.accountService.account(named: "AN") == an)
    #expect(try await fixture.accountService.account(named: "nobody") == nil)
    #expect(try await fixture.accountService.account(named: "<") == nil)
  }

  @Test func aTakenNameIsRefusedHoweverItIsWritten() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.account("Việt")
    for name in ["việt", " VIỆT ", "vi\u{65}\u{323}\u{302}t"] {
      let error = await thrownError {
        try await fixture.accountService.addAccount(name: name, password: AccountFixture.password)
      }
      #expect(error as? RegistrationFailure == .nameTaken, "\(name)")
    }
    #expect(try await fixture.accountService.accounts().count == 1)
  }

  @Test func invalidNamesAndPasswordsAreRefusedBeforeHashing() async throws {
    let fixture = try await AccountFixture()
    let cases: [(String, String, RegistrationFailure)] = [
      ("", AccountFixture.password, .name(.empty)),
      ("a<b", AccountFixture.password, .name(.unusable)),
      ("an", "short", .password(.tooShort(characters: 10))),
      ("an", String(repeating: "a", count: 1025), .password(.tooLong(bytes: 1024))),
    ]
    for (name, password, expected) in cases {
      let error = await thrownError {
        try await fixture.accountService.addAccount(name: name, password: password)
      }
      #expect(error as? RegistrationFailure == expected)
      let other = await thrownError {
        try await fixture.accountService.register(
          name: name, password: password, invitation: nil, address: AccountFixture.clientAddress)
      }
      #expect(other as? RegistrationFailure == expected)
    }
    #expect(fixture.hasher.count == 0)
  }

  @Test func userRecordNamesDependOnAccountAndContainerOnly() async throws {
    let fixture = try await AccountFixture(.shared)
    let an = try await fixture.account("an")
    let binh = try await fixture.account("binh")
    let names = [an, binh].flatMap { account in
      [AccountFixture.quran, AccountFixture.other].map {
        account.userRecordName(in: $0)
      }
    }
    #expect(Set(names).count == 4)
    for name in names { #expect(name.wholeMatch(of: /_[0-9a-f]{32}/) != nil, "\(name)") }
    // The names are the same on a server that was restored without the key.
    let restored = fixture.another(key: ServerKey(bytes: Array(1..<33)))
    let found = try #require(try await restored.account(named: "an"))
    #expect(found.userRecordName(in: AccountFixture.quran) == names[0])
  }

  @Test func aNewAccountWithARemovedNameHasANewIdentity() async throws {
    let fixture = try await AccountFixture()
    let first = try await fixture.account("an")
    #expect(try await fixture.accountService.remove(first))
    let second = try await fixture.account("an")
    #expect(first.id < second.id)
    #expect(
      first.userRecordName(in: AccountFixture.quran)
        != second.userRecordName(in: AccountFixture.quran))
  }

  @Test func usageComesFromAccountDataAccess() async throws {
    let fixture = try await AccountFixture(
      accountData: .init(
        usage: { Usage(bytes: 5, records: Int($0.id)) }, erase: { _ in }))
    let an = try await fixture.account()
    #expect(try await fixture.accountService.usage(of: an) == Usage(bytes: 5, records: Int(an.id)))
  }

  // MARK: Removing

  @Test(arguments: Place.allCases) func removingLeavesNoRow(_ place: Place) async throws {
    let erased = NIOLockedValueBox<[Int64]>([])
    let fixture = try await AccountFixture(
      place,
      accountData: .init(
        usage: { _ in Usage() },
        erase: { account in erased.withLockedValue { $0.append(account.id) } }))
    let an = try await fixture.account("an")
    let binh = try await fixture.account("binh")
    let app = try await fixture.app()
    for account in [an, binh] {
      for _ in 0..<3 {
        let token = try await fixture.signIn(account, app: app.secret)
        fixture.clock.advance(700_000)
        _ = try await fixture.authenticate(token)
      }
      _ = try await fixture.accountService.createServerToServerKey(
        ServerToServerKeyTerms(
          label: "import", container: AccountFixture.quran, environment: nil, account: account.id,
          publicKey: Data(count: 65)))
    }
    #expect(try await fixture.accountService.remove(an))
    #expect(erased.withLockedValue { $0 } == [an.id])
    // Checks every table that has a column for accounts, and the foreign keys.
    let counts = try await fixture.database.rowCounts()
    try await fixture.database.read(within: nil) { connection in
      var looked: Set<String> = []
      for table in counts.keys {
        for column in try connection.columns(of: table)
        where table == "account" && column == "id" || column == "account_id" {
          looked.insert(table)
          let accounts = try connection.rows("SELECT \(column) FROM \(table)") {
            try $0[0] as Int64
          }
          #expect(Set(accounts) == [binh.id], "\(table)")
        }
      }
      #expect(looked == ["account", "server_to_server_key", "web_session"])
      if case .sqlite = connection.dialect {
        #expect(try connection.row("PRAGMA foreign_key_check") { _ in true } == nil)
      }
    }
    #expect(counts["web_session"] == 3)
    #expect(try await fixture.accountService.remove(an) == false)
    let error = await thrownError {
      try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    }
    #expect(error as? SignInFailure == .wrongNameOrPassword)
  }

  @Test func anInterruptedRemovalIsResumed() async throws {
    let fails = NIOLockedValueBox(true)
    let fixture = try await AccountFixture(
      accountData: .init(
        usage: { _ in Usage() },
        erase: { _ in if fails.withLockedValue({ $0 }) { throw AccountFixture.Unexpected() } }))
    let an = try await fixture.account()
    let app = try await fixture.app()
    let token = try await fixture.signIn(an, app: app.secret)
    #expect(
      await thrownError { try await fixture.accountService.remove(an) } is AccountFixture.Unexpected
    )

    // The account cannot be used any more, but its name is not free yet.
    #expect(try await fixture.accountService.accounts().isEmpty)
    #expect(try await fixture.accountService.account(named: "an") == nil)
    #expect(
      await thrownError { try await fixture.authenticate(token) } as? ServiceError == .notSignedIn)
    let taken = await thrownError { try await fixture.account() }
    #expect(taken as? RegistrationFailure == .nameTaken)
    let signIn = await thrownError { try await fixture.signIn(an, app: app.secret) }
    #expect(signIn as? SignInFailure == .wrongNameOrPassword)
    #expect(
      await thrownError { try await fixture.accountService.resumeRemovals() }
        is AccountFixture.Unexpected)

    fails.withLockedValue { $0 = false }
    #expect(try await fixture.accountService.resumeRemovals() == 1)
    #expect(try await fixture.accountService.resumeRemovals() == 0)
    _ = try await fixture.account()
  }

  // MARK: Resetting

  @Test func aNewPasswordEndsTheFormerOneAndEverySession() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    let token = try await fixture.signIn(an, app: app.secret)
    #expect(try await fixture.accountService.resetPassword(of: an, to: "another password"))
    #expect(
      await thrownError { try await fixture.authenticate(token) } as? ServiceError == .notSignedIn)
    let old = await thrownError {
      try await fixture.accountService.verify(
        name: "an", password: AccountFixture.password, address: AccountFixture.clientAddress)
    }
    #expect(old as? SignInFailure == .wrongNameOrPassword)
    let verified = try await fixture.accountService.verify(
      name: "an", password: "another password", address: AccountFixture.clientAddress)
    #expect(verified.id == an.id)
    #expect(
      verified.userRecordName(in: AccountFixture.quran)
        == an.userRecordName(in: AccountFixture.quran))
    // A user whose former password was verified before the reset gets no session after it.
    let late = await thrownError { try await fixture.signIn(an, app: app.secret) }
    #expect(late as? SignInFailure == .wrongNameOrPassword)
    _ = try await fixture.signIn(verified, app: app.secret)
  }

  @Test func resetPasswordChecksThePasswordAndTheAccount() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let short = await thrownError {
      try await fixture.accountService.resetPassword(of: an, to: "short")
    }
    #expect(short as? RegistrationFailure == .password(.tooShort(characters: 10)))
    #expect(try await fixture.accountService.remove(an))
    #expect(try await fixture.accountService.resetPassword(of: an, to: "another password") == false)
  }
}
