import Foundation
import Testing

/// The scripts beside this file: other people's clients, browsers and mischief, against the real
/// program. One after the other, as some look at how much memory it takes.
@Suite(.serialized) struct ScriptTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().path

  /// Beside the program that runs the tests.
  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/record-service"
  }()

  private func run(_ script: String, _ arguments: String...) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "\(Self.directory)/\(script)"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging([
      "RECORD_SERVICE_BINARY": Self.program, "PYTHONDONTWRITEBYTECODE": "1",
      "PYTHONUNBUFFERED": "1", "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = String(
      decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    // The counts, or why it was skipped.
    print("\(script): \(output)")
    // 77 says that something is missing here, and what.
    #expect([0, 77].contains(process.terminationStatus), "\(script): \(output)")
  }

  @Test func theExamplesOfTheReadMeDoWhatTheySay() async throws {
    let readMe = "\(Self.directory)/../../README.md"
    try await run("examples.py", readMe, "Run the record service")
  }

  @Test func anotherClientUnderstandsTheService() async throws {
    try await run("pyicloud_client.py")
  }

  @Test func peopleSignInByBrowsers() async throws { try await run("browsers.py") }

  @Test func tokensRotateAndEnd() async throws { try await run("rotation.py") }

  @Test func longPollsWakeAndEnd() async throws {
    // Debug builds take more memory; `make bench-server` measures the real one.
    try await run("polls.py", "--scale", "3")
  }

  @Test func hostileRequestsDoNoHarm() async throws { try await run("hostile.py") }

  @Test func whatWasAcknowledgedOutlivesAKill() async throws { try await run("kill.py") }
}
