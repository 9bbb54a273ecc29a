import Foundation
import TestSupport
import Testing

@testable import Commands

struct ExternalEditorTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func editor(_ script: String) throws -> ExternalEditor {
    try directory.program("editor", script)
    return ExternalEditor(environment: ["EDITOR": "'\(directory.path)/editor' -x 'y z'"])
  }

  @Test func theSettingPrecedesVISUALAndEDITOR() {
    func command(_ environment: [String: String], _ command: String? = nil) -> String {
      ExternalEditor(environment: environment, command: command).command
    }
    #expect(command([:]) == "vi")
    #expect(command(["EDITOR": "nano"]) == "nano")
    #expect(command(["EDITOR": "nano", "VISUAL": "code --wait"]) == "code --wait")
    #expect(command(["EDITOR": "nano", "VISUAL": " "]) == "nano")
    #expect(command(["EDITOR": "nano"], "helix") == "helix")
    #expect(command(["EDITOR": "nano"], "") == "nano")
  }

  @Test func theNameIsThatOfTheProgram() {
    for (command, name) in [
      ("vi", "vi"), ("/usr/bin/vim -n", "/usr/bin/vim"), ("code --wait", "code"),
      (" nano ", "nano"), ("'/my editors/ed' -w", "/my editors/ed"),
    ] {
      #expect(ExternalEditor(environment: ["EDITOR": command]).name == name)
    }
  }

  @Test func theFileIsOnlyAccessibleToItsOwner() throws {
    let script = """
      [ "$1" = -x ] && [ "$2" = 'y z' ] || exit 9
      stat -c '%a' "$3" > '\(directory.path)/modes'
      stat -c '%a' "$(dirname "$3")" >> '\(directory.path)/modes'
      basename "$3" >> '\(directory.path)/modes'
      cat "$3" >> '\(directory.path)/modes'
      """
    let edited = try editor(script).edit("đức tin", fileName: "2-255.txt")
    #expect(edited.text == "đức tin")
    #expect(
      try String(contentsOfFile: directory.path + "/modes", encoding: .utf8)
        == "600\n700\n2-255.txt\nđức tin")
  }

  /// vim leaves a file from which it can recover the text.
  @Test func otherFilesOfTheEditorRemain() throws {
    let script = "echo 1 > \"$3.other\"; echo \"$3\" > '\(directory.path)/path'"
    _ = try editor(script).edit("a", fileName: "x.txt")
    let path = try String(contentsOfFile: directory.path + "/path", encoding: .utf8).dropLast()
    #expect(access("\(path)", F_OK) != 0 && access("\(path).other", F_OK) == 0)
    try FileManager.default.removeItem(
      atPath: URL(filePath: String(path)).deletingLastPathComponent().path)
  }

  /// The editor holds the lock on the directory of its file.
  @Test func theEditorHoldsTheLock() throws {
    let script = "ls -l /proc/$$/fd > '\(directory.path)/descriptors'"
    _ = try editor(script).edit("a", fileName: "x.txt", directoryPrefix: directory.path + "/one.")
    let open = try String(contentsOfFile: directory.path + "/descriptors", encoding: .utf8)
    #expect(open.contains(directory.path + "/one."))
  }

  @Test func theDirectoryOfTheFileCanBeChosen() throws {
    let edited = try editor("echo \"$3\" > '\(directory.path)/path'").edit(
      "a", fileName: "x.txt", directoryPrefix: directory.path + "/new/one.")
    #expect(edited.text == "a")
    let path = try String(contentsOfFile: directory.path + "/path", encoding: .utf8)
    #expect(path.hasPrefix(directory.path + "/new/one.") && path.hasSuffix("/x.txt\n"))
    #expect(try permissions(of: directory.path + "/new") == 0o700)
  }

  @Test func theTemporaryFileIsRemovedUnlessKept() throws {
    let script = "echo \"$3\" > '\(directory.path)/path'; echo x >> \"$3\""
    func path() throws -> String {
      try String(contentsOfFile: directory.path + "/path", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
    let editor = try editor(script)
    #expect(try editor.edit("a", fileName: "note.txt").text == "ax\n")
    #expect(!FileManager.default.fileExists(atPath: try path()))
    #expect(
      try editor.edit("a", fileName: "note.txt").keep() == path())
    #expect(try String(contentsOfFile: path(), encoding: .utf8) == "ax\n")
    try FileManager.default.removeItem(at: URL(filePath: path()).deletingLastPathComponent())
  }

  @Test func anEditorMayReplaceTheFile() throws {
    let editor = try editor("echo mới > \"$3.new\" && mv \"$3.new\" \"$3\"")
    #expect(try editor.edit("cũ", fileName: "x").text == "mới\n")
  }

  @Test func anEditorThatDeletesTheFileLeavesTheTextUnchanged() throws {
    #expect(try editor("rm \"$3\"").edit("cũ", fileName: "x").text == "cũ")
  }

  @Test func editorFailuresAreReported() throws {
    #expect(throws: ExternalEditor.Failure.failed(127, file: nil)) {
      try ExternalEditor(environment: ["EDITOR": "/nowhere/editor 2>&-"]).edit("", fileName: "x")
    }
    #expect(throws: ExternalEditor.Failure.failed(1, file: nil)) {
      try editor("exit 1").edit("a", fileName: "x")
    }
  }

  @Test func textWrittenBeforeAFailureIsKept() throws {
    let failure = try #require(throws: ExternalEditor.Failure.self) {
      try editor("echo b >> \"$3\"; exit 3").edit("a", fileName: "x")
    }
    guard case .failed(3, let file?) = failure else {
      Issue.record("\(failure)")
      return
    }
    // The file is deleted when the recovered text is released.
    do {
      let recovered = try #require(ExternalEditor.recoverText(from: file))
      #expect(recovered.text == "ab\n" && FileManager.default.fileExists(atPath: file))
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func invalidUTF8IsKeptInTheFile() throws {
    let failure = try #require(throws: ExternalEditor.Failure.self) {
      try editor("printf '\\300' > \"$3\"").edit("", fileName: "x")
    }
    guard case .notText(let file) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(ExternalEditor.recoverText(from: file)?.text == nil)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data([0xC0]))
    try FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent())
  }
}
