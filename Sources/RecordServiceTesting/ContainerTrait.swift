public import CloudRecords
import Foundation
public import RecordServer
public import Testing

/// Gives each test, and each case of a test with arguments, a container of its own. See
/// `TestContainer`.
///
/// The trait of a suite applies to all of its tests. If a test has its own `.container` trait, its
/// container is that of its own trait.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
  /// Returns the setup of the service of a test.
  let setup: @Sendable () throws -> EphemeralService.Setup
  /// Returns the production schema, which must have all that a test uses; nil to compare nothing.
  let production: (@Sendable () throws -> Schema)?

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await TestContainer.run(setup()) { container in
      try await function()
      guard let production = try production?() else { return }
      for missing in container.declarationsMissing(in: production) {
        Issue.record(Comment(rawValue: missing.line), sourceLocation: test.sourceLocation)
      }
    }
  }
}

extension Trait where Self == ContainerTrait {
  /// A container for each test.
  ///
  /// - Parameters:
  ///   - path: the path of the schema in CloudKit's schema language (`.ckdb`), absolute or relative
  ///     to the folder of the test's source file. It is read for each test; a test fails if it
  ///     cannot be read or is not valid.
  ///   - production: the path of the production schema, like `path`. A test fails, with one issue
  ///     for each missing declaration, if it uses what that schema does not have. Nil to compare
  ///     nothing.
  ///   - container: the name of the container.
  ///   - users: the names of the users who are signed in at the start.
  ///   - source: the source file of the test.
  public static func container(
    schema path: String, production: String? = nil,
    container: ContainerID = EphemeralService.defaultContainer,
    users: [String] = ["an", "binh"], source: String = #filePath
  ) -> Self {
    let schema: @Sendable (String) throws -> Schema = { path in
      let folder = URL(filePath: source).deletingLastPathComponent()
      let file = URL(filePath: path, relativeTo: folder)
      return try Schema(parsing: try String(contentsOf: file, encoding: .utf8))
    }
    var productionSchema: (@Sendable () throws -> Schema)?
    if let production { productionSchema = { try schema(production) } }
    return ContainerTrait(
      setup: {
        var setup = EphemeralService.Setup()
        setup.schema = try schema(path)
        setup.container = container
        setup.users = users
        return setup
      }, production: productionSchema)
  }

  /// A container for each test.
  ///
  /// - Parameter change: changes the setup, which has no record types, the container `iCloud.test`
  ///   and two users. If it throws, the test fails with that error.
  public static func container(
    _ change: @escaping @Sendable (inout EphemeralService.Setup) throws -> Void = { _ in }
  ) -> Self {
    ContainerTrait(
      setup: {
        var setup = EphemeralService.Setup()
        try change(&setup)
        return setup
      }, production: nil)
  }
}
