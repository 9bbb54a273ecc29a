import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite(.serialized)
struct ClipboardTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func command(_ more: [String: String], path: String? = nil) -> [String]? {
    let environment = more.merging(["PATH": path ?? directory.path]) { $1 }
    return Clipboard(environment: environment)?.command.map {
      $0.replacing(directory.path + "/", with: "")
    }
  }

  // MARK: The tool

  @Test func theToolOfTheDisplayServerIsUsed() throws {
    for tool in ["wl-copy", "xclip", "xsel", "termux-clipboard-set"] {
      try directory.program(tool)
    }
    let wayland = ["WAYLAND_DISPLAY": "wayland-0"]
    let x = ["DISPLAY": ":0"]
    #expect(command(wayland.merging(x) { $1 }) == ["wl-copy"])
    #expect(command(wayland) == ["wl-copy"])
    #expect(command(x) == ["xclip", "-selection", "clipboard"])
    #expect(command([:]) == ["termux-clipboard-set"])
    unlink(directory.path + "/xclip")
    #expect(command(x) == ["xsel", "--clipboard", "--input"])
  }

  @Test func withoutAUsableToolThereIsNoCommand() throws {
    #expect(command(["DISPLAY": ":0", "WAYLAND_DISPLAY": "w"]) == nil)
    #expect(Clipboard(environment: [:]) == nil)
    // One tool is of another display server, and the other is not executable.
    try directory.program("wl-copy")
    try directory.program("xsel")
    chmod(directory.path + "/xsel", 0o600)
    #expect(command(["DISPLAY": ":0"]) == nil)
    // clip.exe reads the code page of Windows, and would garble what the terminal copied.
    try directory.program("clip.exe")
    #expect(command([:]) == nil)
  }

  @Test func theFirstToolInPATHIsUsed() throws {
    for name in ["a", "b"] {
      mkdir("\(directory.path)/\(name)", 0o700)
      try directory.program("xclip", in: "\(name)/")
    }
    let path = ["/nowhere", "", directory.path + "/b", directory.path + "/a"]
    #expect(command(["DISPLAY": ":0"], path: path.joined(separator: ":"))?.first == "b/xclip")
  }

  // MARK: Handing over

  /// Hands a text to a tool that runs this shell script; returns what the tool writes to `$out`.
  private func written(by script: String, given text: String) throws -> String {
    let fifo = directory.path + "/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    defer { unlink(fifo) }
    try directory.program("termux-clipboard-set", "out='\(fifo)'\n\(script)")
    let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let path = "\(directory.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/bin")"
    let clipboard = try #require(Clipboard(environment: ["PATH": path]))
    #expect(clipboard.set(text))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      try #require(poll(&ready, 1, 60_000) == 1, "the tool wrote nothing")
      let count = read(reader, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aToolThatCannotBeStartedIsReported() throws {
    try directory.program("termux-clipboard-set")
    let clipboard = try #require(Clipboard(environment: ["PATH": directory.path]))
    unlink(directory.path + "/termux-clipboard-set")
    #expect(!clipboard.set("x"))
  }

  @Test func theToolIsHandedTheText() throws {
    for text in ["2:255  Allah, không có Thượng Đế nào ngoài Ngài", "بِسۡمِ ٱللَّهِ\n", ""] {
      #expect(try written(by: "cat > \"$out\"", given: text) == text)
    }
  }

  @Test func aLongTextIsHandedOverWhole() throws {
    let text = String(repeating: "đức tin ", count: 40_000)
    let found = try written(by: "cat > \"$out\"", given: text)
    #expect(found.utf8.count == text.utf8.count)
    #expect(found == text)
  }

  @Test func aToolThatClosesItsInputIsTolerated() throws {
    let text = String(repeating: "x", count: 1 << 20)
    #expect(try written(by: "exec <&-; echo done > \"$out\"", given: text) == "done\n")
  }

  @Test func theOutputOfTheToolIsDiscarded() throws {
    // Otherwise the output would appear on the screen of the reader.
    let script = "outputs=$(readlink /proc/$$/fd/1 /proc/$$/fd/2); echo \"$outputs\" > \"$out\""
    let outputs = try written(by: script, given: "x")
    #expect(outputs == "/dev/null\n/dev/null\n")
  }

  /// The tool would inherit an ignored SIGCHLD, and wl-copy waits for a child of its own.
  @Test func sigchldIsNotIgnored() throws {
    _ = try written(by: "cat > \"$out\"", given: "x")
    var action = sigaction()
    sigaction(SIGCHLD, nil, &action)
    let handler = action.__sigaction_handler.sa_handler
    #expect(handler.map { unsafeBitCast($0, to: Int.self) } != unsafeBitCast(SIG_IGN, to: Int.self))
  }

  @Test func endedToolsAreWaitedForAtTheNextCopyAlthoughAnotherOneHangs() throws {
    let fifo = directory.path + "/hold"
    try #require(mkfifo(fifo, 0o600) == 0)
    func pid(_ script: String) throws -> pid_t {
      try #require(pid_t(try written(by: "echo $$ > \"$out\"\n\(script)", given: "x").dropLast()))
    }
    let hanging = try pid("exec cat '\(fifo)'")
    defer {
      kill(hanging, SIGKILL)
      waitpid(hanging, nil, 0)
    }
    let ended = try pid("")
    var information = siginfo_t()
    // Wait for the end, but leave the zombie. If another test copies meanwhile, there is none.
    waitid(P_PID, id_t(ended), &information, WEXITED | WNOWAIT)
    _ = try pid("")
    #expect(waitpid(ended, nil, WNOHANG) == -1)
    #expect(waitpid(hanging, nil, WNOHANG) == 0)
  }
}
