import Synchronization

@testable import RecordClient

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
