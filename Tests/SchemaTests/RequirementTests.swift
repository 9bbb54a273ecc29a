import Foundation
import Testing

/// Every requirement has a test.
struct RequirementTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func sources(of folder: URL) throws -> [String] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let paths = (files?.allObjects ?? []).compactMap { $0 as? URL }
    return try paths.filter { $0.pathExtension == "swift" }.map {
      try String(contentsOf: $0, encoding: .utf8)
    }
  }

  /// The requirements that the tests of this target name.
  private static func covered() throws -> Set<String> {
    var names: Set<String> = []
    for source in try sources(of: tests.appending(path: "SchemaTests")) {
      for list in source.matches(of: /@Test\(\s*\.covers\(([^)]*)\)/) {
        names.formUnion(list.1.matches(of: /\.(\w+)/).map { String($0.1) })
      }
    }
    return names
  }

  @Test func everyRequirementHasATest() throws {
    let covered = try Self.covered()
    for requirement in Requirement.allCases where Requirement.elsewhere[requirement] == nil {
      #expect(covered.contains("\(requirement)"), "no test covers: \(requirement.rawValue)")
    }
  }

  /// Whether this checkout has the linter and its tests.
  private static let hasLinter = FileManager.default.fileExists(
    atPath: tests.appending(path: "CoreDataModelsTests").path)

  @Test func testsOfOtherTargetsAreThere() throws {
    let sources = try Self.sources(of: Self.tests)
    for (requirement, test) in Requirement.elsewhere {
      guard Self.hasLinter || requirement == .quranIndexes else { continue }
      #expect(
        sources.contains { $0.contains("func \(test)(") },
        "\(test) is not there, which covers: \(requirement.rawValue)")
    }
  }
}
