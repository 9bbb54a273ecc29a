import CloudRecords
import Foundation
import NIOCore
import NIOHTTP1
import RecordServer
import RecordServiceTesting
import Testing

@testable import RecordServiceSupport

/// The trait that gives a test a container of its own.
struct ContainerTraitTests {
  @Test(.container()) func aTestHasAContainer() async throws {
    let cloud = try TestContainer.current
    #expect(cloud.container.name == "iCloud.test")
    #expect(cloud.users.map(\.name) == ["an", "binh"])
    #expect(try await cloud.save("a") == [])
    #expect(try await cloud.names() == ["a"])
  }

  @Test(.container(schema: "notes.ckdb", users: ["chi"])) func theSchemaIsReadFromAFile()
    async throws
  {
    let cloud = try TestContainer.current
    #expect(cloud.users.map(\.name) == ["chi"])
    for environment in ContainerEnvironment.allCases {
      let schema = try await cloud.service.service.schema(of: cloud.container, environment)
      #expect(schema["Note"]?.fields["text"]?.type == .string)
    }
  }

  @Test func withoutTheTraitThereIsNone() {
    #expect(throws: NoTestContainer.self) { try TestContainer.current }
  }

  @Test func whatTheTestThrowsIsThrown() async {
    struct Failed: Error {}
    await #expect(throws: Failed.self) {
      try await TestContainer.run { _ -> Void in throw Failed() }
    }
  }

  @Test func aNameThatCannotBeUsedIsAFailure() async {
    await #expect(throws: RegistrationFailure.self) {
      var setup = EphemeralService.Setup()
      setup.users = ["_"]
      try await TestContainer.run(setup) { _ -> Void in }
    }
  }

  @Test func theServiceEndsWithTheTest() async throws {
    let (url, apiToken) = try await TestContainer.run { ($0.url, $0.apiToken) }
    // Another test may have the port now.
    let reply = try? await HTTPExchange.send(.GET, url + "/ephemeral")
    let text = reply.map { String(decoding: $0.body.readableBytesView, as: UTF8.self) }
    #expect(text?.contains(apiToken) != true)
  }

  /// Each test saves a record with a name of its own, in the same zone of the same user.
  @Test(.container(), arguments: 0..<200)
  func twoHundredTestsHaveAContainerEach(_ number: Int) async throws {
    let cloud = try TestContainer.current
    #expect(try await cloud.names().isEmpty)
    #expect(try await cloud.save("record-\(number)") == [])
    #expect(try await cloud.names() == ["record-\(number)"])
  }

  @Test func twoHundredContainersAtTheSameTimeHaveNothingInCommon() async throws {
    let gate = Meeting(200)
    let seen = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for number in 0..<200 {
        group.addTask {
          try await TestContainer.run { cloud in
            _ = try await cloud.save("record-\(number)")
            // All containers exist at the same time.
            await gate.arrive()
            return (number, try await cloud.names())
          }
        }
      }
      return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
    }
    #expect(seen == Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, ["record-\($0)"]) }))
  }
}

/// The trait of a suite.
@Suite(.container { $0.users = ["dung"] }) struct ContainerSuiteTests {
  @Test(arguments: ["a", "b"]) func eachCaseHasAContainerOfItsOwn(_ name: String) async throws {
    let cloud = try TestContainer.current
    #expect(cloud.users.map(\.name) == ["dung"])
    #expect(try await cloud.names().isEmpty)
    _ = try await cloud.save(name)
  }

  @Test(.container()) func aTestCanHaveAnother() throws {
    #expect(try TestContainer.current.users.map(\.name) == ["an", "binh"])
  }
}

/// A point at which tasks wait for each other.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    guard missing > 0 else {
      for continuation in waiting { continuation.resume() }
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }
}

extension TestContainer {
  private func post<E: Endpoint>(_: E.Type, _ request: E.Request) async throws -> E.Response {
    let path =
      E.route.path(container, .development, .private)
      + "?ckAPIToken=\(apiToken)&ckWebAuthToken=\(users[0].webAuthToken)"
    let exchange = try await HTTPExchange.send(.POST, url + path, body: Wire.encode(request))
    let body = Data(exchange.body.readableBytesView)
    try #require(exchange.response.status == .ok, "\(String(decoding: body, as: UTF8.self))")
    return try Wire.decode(E.Response.self, from: body, as: .response)
  }

  /// Saves a note over HTTP; returns the errors.
  fileprivate func save(_ name: String) async throws -> [ServiceError] {
    try await post(
      RecordsModify.self,
      .init(
        operations: [.init(.create, RecordInput(name, type: "Note"))], zoneID: ZoneID.default)
    ).records.compactMap(\.error)
  }

  /// The names of all records of the first user.
  fileprivate func names() async throws -> [String] {
    let account = try await service.records(of: users[0].name)
    return account.map(\.recordName)
  }
}
