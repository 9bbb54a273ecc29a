import CloudRecords
import Foundation
import Synchronization
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

let container = ContainerID("iCloud.org.example")!

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
