import CloudRecords
import Foundation
import Synchronization
import Testing

@testable import RecordClient

let container = ContainerID("iCloud.org.example")!

/// A credential store in memory that records the calls that succeed.
final class MemoryCredentialStore: CredentialStore {
  enum Event: Hashable, Sendable {
    case read
    case stored(String)
  }

  struct Failure: Error {}

  private struct State {
    var credentials: Credentials
    var events: [Event] = []
    var failingReads = 0
    var failingStores = 0
  }

  private let state: Mutex<State>
  private let onEvent: @Sendable (Event, MemoryCredentialStore) async -> Void

  init(
    _ webAuthToken: String? = "T0", apiToken: String = "A",
    onEvent: @escaping @Sendable (Event, MemoryCredentialStore) async -> Void = { _, _ in }
  ) {
    state = Mutex(State(credentials: Credentials(apiToken: apiToken, webAuthToken: webAuthToken)))
    self.onEvent = onEvent
  }

  var token: String? {
    get { state.withLock { $0.credentials.webAuthToken } }
    set { state.withLock { $0.credentials.webAuthToken = newValue } }
  }
  var events: [Event] { state.withLock { $0.events } }
  var stored: [String] {
    events.compactMap { if case .stored(let token) = $0 { token } else { nil } }
  }

  func fail(reads: Int = 0, stores: Int = 0) {
    state.withLock { state in
      state.failingReads = reads
      state.failingStores = stores
    }
  }

  func read() async throws -> Credentials {
    await onEvent(.read, self)
    return try state.withLock { state in
      guard state.failingReads == 0 else {
        state.failingReads -= 1
        throw Failure()
      }
      state.events.append(.read)
      return state.credentials
    }
  }

  func store(webAuthToken: String, replacing previous: String?) async throws {
    await onEvent(.stored(webAuthToken), self)
    try state.withLock { state in
      guard state.failingStores == 0 else {
        state.failingStores -= 1
        throw Failure()
      }
      guard state.credentials.webAuthToken == previous else { return }
      state.events.append(.stored(webAuthToken))
      state.credentials.webAuthToken = webAuthToken
    }
  }
}

extension ClientOptions {
  /// The options of a client that sends requests without delay, with further changes.
  static func with(_ change: (inout ClientOptions) -> Void = { _ in }) -> ClientOptions {
    var options = ClientOptions()
    options.operationsPerSecond = 1e9
    // Tests share a machine that may be slow.
    options.connectTimeout = .seconds(600)
    options.requestTimeout = .seconds(600)
    change(&options)
    return options
  }
}

/// Runs a test with a client of a fake service.
func withClient(
  _ script: FakeService.Script, store: MemoryCredentialStore = MemoryCredentialStore(),
  _ options: ClientOptions = .with(),
  _ body: (RecordClient, FakeService) async throws -> Void
) async throws {
  try await FakeService.run(script) { service in
    try await withClient(of: service, store: store, options) { try await body($0, service) }
  }
}

func withClient(
  of service: FakeService, store: MemoryCredentialStore = MemoryCredentialStore(),
  _ options: ClientOptions,
  _ body: (RecordClient) async throws -> Void
) async throws {
  try await withClient(at: service.origin, store: store, options, body)
}

func withClient(
  at origin: String, store: MemoryCredentialStore = MemoryCredentialStore(),
  _ options: ClientOptions,
  _ body: (RecordClient) async throws -> Void
) async throws {
  let address = try ServiceAddress(origin, container: container, environment: .development)
  let client = RecordClient(address, credentials: store, options: options)
  do {
    try await body(client)
  } catch {
    await client.shutdown()
    throw error
  }
  await client.shutdown()
}

/// The failure of a call; nil if it succeeds.
func failure(_ body: () async throws(CallFailure) -> Void) async -> CallFailure? {
  do throws(CallFailure) {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// The failure of a `zones/list` call; nil if it succeeds.
func failure(of client: RecordClient) async -> CallFailure? {
  await failure { () async throws(CallFailure) in
    _ = try await client.call(ZonesList.self, EmptyBody())
  }
}

/// A request that creates records.
func modification(_ count: Int, prefix: String = "r") -> RecordsModify.Request {
  RecordsModify.Request(
    operations: (0..<count).map {
      .init(
        .create, RecordInput("\(prefix)\($0)", type: "T", fields: ["n": Field(.int64(Int64($0)))]))
    })
}

/// An event that happens once and can be awaited.
final class Gate: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Mutex(State.closed([]))

  func open() {
    let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
      guard case .closed(let waiting) = state else { return [] }
      state = .open
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        guard case .closed(let waiting) = state else { return true }
        state = .closed(waiting + [continuation])
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}
