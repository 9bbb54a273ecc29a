import ArgumentParser
import CloudRecords
import CoreDataModels

/// The command `schema lint`, which fails if mirroring to CloudKit does not support a model.
struct SchemaLint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: ModelMessages.lint, discussion: ModelMessages.lintDiscussion)

  @Argument(
    help: ArgumentHelp(ModelMessages.lintPaths, valueName: "path"), completion: .file())
  var paths: [String]

  @Flag(help: ArgumentHelp(ModelMessages.lintCurrent))
  var current = false

  func run() throws {
    var findings: [(file: ModelFile, finding: CloudKitFinding)] = []
    var failures: [ServiceCommandFailure] = []
    for path in paths {
      do {
        for file in current ? [try ModelFile.current(at: path)] : try ModelFile.all(at: path) {
          do {
            let model = try DataModel(contentsOf: file.path)
            for note in ModelMessages.notes(on: model.cloudKitUse, of: file.path) {
              Output.note(note)
            }
            findings += model.cloudKitFindings().map { (file, $0) }
          } catch {
            failures.append(ServiceCommandFailure(error))
          }
        }
      } catch {
        failures.append(ServiceCommandFailure(error))
      }
    }
    for rule in CloudKitRule.allCases {
      let broken = findings.filter { $0.finding.rule == rule }
      if broken.isEmpty { continue }
      try Output.line(rule.heading)
      for (file, finding) in broken { try Output.line(finding.line(in: file)) }
    }
    var sentences = failures.map(\.sentences)
    if !findings.isEmpty {
      let files = Set(findings.map(\.file.path))
      sentences.append(ModelMessages.found(findings.count, models: files.count))
    }
    guard !sentences.isEmpty else { return }
    let isBad = failures.contains { $0.status == .badData }
    throw ServiceCommandFailure(isBad ? .badData : .refused, sentences.joined(separator: "\n"))
  }
}

/// The command `schema generate`, which prints the schema to which a model is mirrored.
struct SchemaGenerate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: ModelMessages.generate,
    discussion: ModelMessages.generateDiscussion)

  @Argument(help: ArgumentHelp(ModelMessages.generatePath), completion: .file())
  var path: String

  func run() throws {
    let file = try ModelFile.current(at: path)
    let model = try DataModel(contentsOf: file.path)
    do {
      let schema = try model.mirroredSchema()
      for note in ModelMessages.notes(on: model.cloudKitUse, of: file.path, isGenerated: true) {
        Output.note(note)
      }
      try Output.verbatim(schema.description)
    } catch let error as MirroringError {
      throw ServiceCommandFailure(.refused, error.sentence(on: file))
    }
  }
}
