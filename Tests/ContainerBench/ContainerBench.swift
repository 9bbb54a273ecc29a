import CloudRecords
import Foundation
import RecordServer

/// Measures how long a test waits for a container of its own: from nothing to a service that
/// accepts requests, in this process.
///
///     container-bench SCHEMA
@main
enum ContainerBench {
  /// The bound for the median, in milliseconds.
  private static let bound = 50.0
  private static let times = 100
  private static let together = 200

  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("container-bench SCHEMA")
      exit(2)
    }
    let schema = try Schema(
      parsing: String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8))
    var starts: [Double] = []
    for _ in 0..<times { starts.append(try await start(schema)) }
    starts.sort()
    let (median, worst) = (starts[times / 2], starts[times - 1])
    let verdict = median <= bound ? "holds" : "DOES NOT HOLD"
    print(
      "container of a test: start, median / worst of \(times): \(text(median)) / \(text(worst)) ms; "
        + "median ≤ \(text(bound)) ms: \(verdict)")
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup(of: Double.self) { group in
      for _ in 0..<together { group.addTask { try await start(schema) } }
      try await group.waitForAll()
    }
    let all = (ContinuousClock.now - begin) / .milliseconds(1)
    print(
      "container of a test: \(together) at the same time, until all have ended: \(text(all)) ms")
    exit(median <= bound ? 0 : 1)
  }

  /// Starts a service, and ends it.
  ///
  /// - Returns: the milliseconds until it accepted requests.
  private static func start(_ schema: Schema) async throws -> Double {
    let begin = ContinuousClock.now
    var setup = EphemeralService.Setup()
    setup.schema = schema
    var options = WebOptions()
    options.port = 0
    let server = WebServer(ephemeral: try await EphemeralService(setup), options: options)
    let (urls, ready) = AsyncStream.makeStream(of: String.self)
    let serving = Task {
      try? await server.run(stoppedBy: []) { ready.yield($0) }
      ready.finish()
    }
    for await _ in urls { break }
    let duration = ContinuousClock.now - begin
    serving.cancel()
    await serving.value
    return duration / .milliseconds(1)
  }

  private static func text(_ milliseconds: Double) -> String {
    String(format: "%.1f", milliseconds)
  }
}
