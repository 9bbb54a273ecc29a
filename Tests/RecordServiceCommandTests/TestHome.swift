import CloudRecords
import Foundation
import RecordServer
import TestSupport

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

  /// The first API token, which the program writes to a file.
  func apiToken() throws -> String { try SecretFile.read("\(data)/api-token") ?? "" }

  /// The path of the program, which is beside the program that runs the tests.
  static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/record-service"
  }()

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
    let id = UUID().uuidString
    let inputPath = "\(path)/input-\(id)"
    let files = ["output", "errors"].map { "\(path)/\($0)-\(id)" }
    try write(input, to: "input-\(id)")
    let descriptors =
      [open(inputPath, O_RDONLY | O_CLOEXEC)]
      + files.map { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    defer { for descriptor in descriptors { close(descriptor) } }
    let limited = memory.map { ["-c", #"ulimit -d \#($0) && exec "$0" "$@""#, Self.program] }
    let child = try ChildProcess(
      limited == nil ? Self.program : "/bin/sh", (limited ?? []) + arguments,
      environment: environment ?? self.environment, directory: path,
      input: .open(descriptors[0]), output: .open(descriptors[1]), errors: .open(descriptors[2]))
    let status = try child.end().status
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    for file in files + [inputPath] { unlink(file) }
    return Outcome(status: status, output: texts[0], errors: texts[1])
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

/// The exit status and the output of the program.
struct Outcome: CustomStringConvertible {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }
  var description: String { "status \(status)\noutput: \(output)\nerrors: \(errors)" }

  /// The output as a list of JSON objects.
  var objects: [[String: Any]] {
    (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [[String: Any]] ?? []
  }
}
