import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

/// The data directory of one test, and the program that works on it.
final class TestHome {
  private let directory: TemporaryDirectory
  /// The path of the data directory, which the program creates.
  let data: String

  static let container = ContainerID("iCloud.donald.kvietnamisht")!

  init() throws {
    directory = try TemporaryDirectory()
    data = "\(directory.path)/data"
  }

  var path: String { directory.path }

  /// A service with one account, which has one record.
  static func withOneRecord() async throws -> TestHome {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { service in
      try await service.save(
        [RecordInput("f1", type: "FavoriteAyah")], of: try await service.account("an"))
    }
    return home
  }

  /// The first API token, which the program writes to a file.
  func apiToken() throws -> String { try SecretFile.read("\(data)/api-token") ?? "" }

  static let program = programBesideTests("record-service")

  /// The whole environment of the program.
  var environment: [String: String] {
    ["PATH": "/usr/bin:/bin", "HOME": "\(path)/home", "RECORD_SERVICE_DATA": data]
  }

  @discardableResult
  func run(
    _ arguments: String..., input: String = "", environment: [String: String]? = nil
  ) throws -> Outcome {
    try run(arguments, input: input, environment: environment)
  }

  /// Runs the program to its end, without a terminal.
  ///
  /// - Parameter memory: the limit of the memory for data, in kilobytes; nil for no limit.
  func run(
    _ arguments: [String], input: String = "", environment: [String: String]? = nil,
    memory: Int? = nil
  ) throws -> Outcome {
    let limited = memory.map { ["-c", #"ulimit -d \#($0) && exec "$0" "$@""#, Self.program] }
    return try Outcome.of(
      limited == nil ? Self.program : "/bin/sh", (limited ?? []) + arguments,
      environment: environment ?? self.environment, directory: path, input: .text(input))
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }

  // MARK: The service itself

  /// The service of the directory, opened by the test itself.
  struct Service {
    let storage: SQLiteRecordStorage
    let accountService: AccountService
    let records: RecordService

    /// Creates an account whose password is hashed at no cost.
    func account(_ name: String) async throws -> Account {
      try await accountService.addAccount(name: name, password: "correct horse battery")
    }

    func save(
      _ drafts: [RecordInput], of account: Account, container: ContainerID = TestHome.container,
      _ environment: ContainerEnvironment = .production
    ) async throws {
      let request = RecordsModify.Request(
        operations: drafts.map { RecordsModify.Operation(.forceUpdate, $0) }, atomic: false)
      let caller = Caller(
        account: account.id, userRecordName: account.userRecordName(in: container))
      let answer = try await records.modify(
        request, at: DatabaseAddress(container, environment, .private), by: caller)
      for result in answer.records { if let error = result.error { throw error } }
    }
  }

  /// Opens the service while `body` runs. Afterwards its database is closed.
  func withService<Value>(_ body: (Service) async throws -> Value) async throws -> Value {
    let random: @Sendable (Int) -> [UInt8] = { count in
      (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }
    let key = try ServerKey.load(path: "\(data)/server.key", random: random)
    let storage = try SQLiteRecordStorage(path: "\(data)/records.sqlite")
    let now: @Sendable () -> Int64 = { 1_700_000_000_000 }
    let service = Service(
      storage: storage,
      accountService: AccountService(
        storage: try AccountStorage(storage.database), key: key,
        hasher: PasswordHasher { _, salt, _ in salt + salt },
        now: now, random: random),
      records: RecordService(
        storage: storage, signer: TokenSigner(secret: Data(key.secret(for: "tokens"))), now: now))
    do {
      let value = try await body(service)
      try storage.close()
      return value
    } catch {
      try storage.close()
      throw error
    }
  }
}

extension Outcome {
  var status: Int32 { ending.status }
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The output as a list of JSON objects.
  var objects: [[String: Any]] {
    (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [[String: Any]] ?? []
  }
}

extension PseudoTerminal {
  /// The service's program on a terminal.
  convenience init(_ arguments: [String], in home: TestHome) throws {
    try self.init(
      TestHome.program, arguments, environment: home.environment, directory: home.path,
      retaining: home)
  }

  /// Everything written to the terminal.
  var text: String { String(decoding: output, as: UTF8.self) }
}
