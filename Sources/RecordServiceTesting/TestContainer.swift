public import CloudRecords
public import RecordServer

/// A container that one test has to itself, served in this process at an address of this machine.
///
///     @Test(.container(schema: "app.ckdb")) func aNoteIsSaved() async throws {
///       let cloud = try TestContainer.current
///       let app = App(
///         url: cloud.url, container: cloud.container.name, apiToken: cloud.apiToken,
///         webAuthToken: cloud.users[0].webAuthToken)
///       …
///     }
///
/// Nothing is written to the disk, and nothing is left when the test has ended. Any number of tests
/// can run at the same time: none sees the records of another.
public struct TestContainer: Sendable {
  /// The URL of the service, such as `http://127.0.0.1:40123`.
  public let url: String
  /// The service, with its snapshots, seeds, faults and users.
  public let service: EphemeralService

  /// The container that is served.
  public var container: ContainerID { service.container }
  /// The API token of the app, valid in development and production.
  public var apiToken: String { service.apiToken }
  /// The users who are signed in. `service.signIn(_:)` adds more.
  public var users: [EphemeralService.User] { service.users }
  /// Injects faults into the next requests.
  public var faults: FaultInjector { service.faults }
  /// What the test has used of the schema of the development environment so far: the record types
  /// and fields that it saved, the indexes that its queries and subscriptions needed, and in the
  /// public database the grants.
  public var usedSchema: Schema { service.schemaUsage.schema }

  /// Returns what the test has used and a production schema does not have.
  ///
  ///     #expect(try TestContainer.current.declarationsMissing(in: production) == [])
  ///
  /// The parameter `production` of the trait `.container` compares after each test.
  public func declarationsMissing(in production: Schema) -> [MissingDeclaration] {
    usedSchema.missingDeclarations(in: production)
  }

  @TaskLocal private static var ofTest: TestContainer?

  /// The container of the running test.
  ///
  /// - Throws: `NoTestContainer` if the test has no trait `.container`.
  public static var current: TestContainer {
    get throws(NoTestContainer) {
      guard let ofTest else { throw NoTestContainer() }
      return ofTest
    }
  }

  /// Runs a closure with a container of its own, which is also `current` in it. The trait
  /// `.container` does this for a test.
  ///
  /// - Parameters:
  ///   - setup: what the service has when it starts.
  ///   - pollSeconds: how long a long poll without a notification waits, 0 or more seconds.
  /// - Throws: what the closure throws, or the reason why the service did not start:
  ///   `RegistrationFailure` for a user's name that cannot be used, `StorageFailure` or
  ///   `WebServerFailure`.
  public static func run<Value: Sendable>(
    _ setup: EphemeralService.Setup = EphemeralService.Setup(), pollSeconds: Int64 = 50,
    _ body: @Sendable (TestContainer) async throws -> Value
  ) async throws -> Value {
    let service = try await EphemeralService(setup)
    var options = WebOptions()
    options.port = 0
    options.pollSeconds = pollSeconds
    let server = WebServer(ephemeral: service, options: options)
    let (urls, ready) = AsyncThrowingStream.makeStream(of: String.self)
    let serving = Task {
      do {
        try await server.run(stoppedBy: []) { ready.yield($0) }
        ready.finish()
      } catch {
        ready.finish(throwing: error)
      }
    }
    let result: Result<Value, any Error>
    do {
      guard let url = try await urls.first(where: { _ in true }) else { throw CancellationError() }
      let container = TestContainer(url: url, service: service)
      result = .success(
        try await $ofTest.withValue(container) { try await body(container) })
    } catch {
      result = .failure(error)
    }
    serving.cancel()
    await serving.value
    return try result.get()
  }
}

/// The error of a test that asks for its container and has none: it lacks the trait `.container`.
public struct NoTestContainer: Error {
  public init() {}
}
