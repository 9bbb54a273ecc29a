import Glibc

/// How a program without a terminal ended, and its output.
public struct Outcome: CustomStringConvertible {
  public let ending: Ending
  public let outputBytes: [UInt8]
  public let errorBytes: [UInt8]

  public var output: String { String(decoding: outputBytes, as: UTF8.self) }
  public var errors: String { String(decoding: errorBytes, as: UTF8.self) }
  public var outputLines: [Substring] {
    output.split(separator: "\n", omittingEmptySubsequences: false)
  }

  public var description: String {
    "\(ending)\noutput: \(outputBytes.prefix(4000).readable)\nerrors: \(errorBytes.readable)"
  }

  /// The standard input of a program.
  public enum Input {
    case nothing
    case closed
    case text(String)
  }

  /// Runs a program to its end with pipes for its output, without a terminal.
  public static func of(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    input: Input = .nothing, deadline: Deadline = Deadline()
  ) throws -> Outcome {
    var typed: [UInt8] = []
    var inputEnds: (reading: Int32, writing: Int32)?
    let standardInput: ChildProcess.Descriptor
    switch input {
    case .nothing: standardInput = .null
    case .closed: standardInput = .closed
    case .text(let text):
      typed = Array(text.utf8)
      let ends = try makePipe()
      inputEnds = ends
      // The child's end blocks, as the pipes of a shell do; the end of the test does not.
      _ = fcntl(ends.reading, F_SETFL, 0)
      _ = fcntl(ends.writing, F_SETFL, O_NONBLOCK)
      standardInput = .open(ends.reading)
    }
    let output = try makePipe()
    let errors = try makePipe()
    let child = try ChildProcess(
      program, arguments, environment: environment, directory: directory, input: standardInput,
      output: .open(output.writing), errors: .open(errors.writing))
    close(output.writing)
    close(errors.writing)
    if let inputEnds { close(inputEnds.reading) }
    var writing = inputEnds?.writing ?? -1
    defer {
      close(output.reading)
      close(errors.reading)
      if writing >= 0 { close(writing) }
    }

    var collected: (output: [UInt8], errors: [UInt8]) = ([], [])
    var open = (output: true, errors: true)
    while open.output || open.errors || child.poll() == nil {
      guard !deadline.hasPassed else {
        throw Failure(
          waitingFor: "the end of \(program) \(arguments)",
          seen: collected.output + collected.errors)
      }
      // poll(2) ignores negative descriptors.
      let ended = !open.output && !open.errors
      let events = waitForEvents(
        [
          (open.output ? output.reading : -1, POLLIN), (open.errors ? errors.reading : -1, POLLIN),
          (writing, POLLOUT), (ended ? child.watch : -1, POLLIN),
        ], milliseconds: deadline.milliseconds(atMost: 1000))
      if events[0] != 0 { open.output = readAvailable(output.reading, into: &collected.output) }
      if events[1] != 0 { open.errors = readAvailable(errors.reading, into: &collected.errors) }
      if events[2] != 0 {
        let count = write(writing, typed, typed.count)
        typed.removeFirst(max(count, 0))
        if typed.isEmpty || (count < 0 && errno != EAGAIN) {
          close(writing)
          writing = -1
        }
      }
    }
    guard let ending = child.ending else { throw Failure("\(program) has no status") }
    return Outcome(ending: ending, outputBytes: collected.output, errorBytes: collected.errors)
  }
}
