import Synchronization
import Testing

/// Names the requirements that a test covers, and prints them when the test has run.
struct Covers: TestTrait, TestScoping {
  let requirements: [Requirement]

  /// The requirements that were printed.
  private static let printed = Mutex<Set<Requirement>>([])

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    for requirement in requirements
    where Self.printed.withLock({ $0.insert(requirement).inserted }) {
      print("\(requirement.rawValue): \(test.name)")
    }
  }
}

extension Trait where Self == Covers {
  static func covers(_ requirements: Requirement...) -> Self {
    Covers(requirements: requirements)
  }
}
