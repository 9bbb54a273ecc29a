import ConfigFile
import Foundation
import TestSupport
import Testing

struct LoadTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/config.toml"
  }

  private func write(_ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  private func expect(
    _ problems: Configuration.Problem..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = Configuration.load(path: path)
    #expect(found.0 == Configuration(), sourceLocation: sourceLocation)
    #expect(found.1 == problems, sourceLocation: sourceLocation)
  }

  @Test func theFileIsReadAndNotChanged() throws {
    let text = "mouse = \"off\"\n[keys]\n\"đọc\" = \"đ\"\n"
    try write(text.utf8)
    chmod(path, 0o400)
    let (found, problems) = Configuration.load(path: path)
    #expect(!found.mouse)
    #expect(found.keys == ["đọc": ["đ"]])
    #expect(problems.isEmpty)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(try directory.contents == ["config.toml"])
  }

  @Test func aMissingFileIsNoProblemAndIsNotCreated() throws {
    expect()
    #expect(try directory.contents.isEmpty)
    #expect(Configuration.load(path: nil) == (Configuration(), []))
    #expect(Configuration.load(path: directory.path + "/a/b/config.toml") == (Configuration(), []))
    #expect(Configuration.load(path: "/dev/null/config.toml") == (Configuration(), []))
  }

  @Test func aSymbolicLinkIsFollowed() throws {
    try "mouse = false".write(
      toFile: directory.path + "/real", atomically: false, encoding: .utf8)
    symlink("real", path)
    #expect(!Configuration.load(path: path).0.mouse)
    unlink(path)
    symlink("config.toml", path)
    expect(.unreadable(code: ELOOP))
    unlink(path)
    symlink("/dev/null", path)
    expect()
  }

  @Test func aDirectoryIsReportedAsUnreadable() {
    mkdir(path, 0o700)
    expect(.unreadable(code: EISDIR))
  }

  @Test(.disabled(if: getuid() == 0, "root may read everything"))
  func aFileWithoutPermissionIsReported() throws {
    try write("mouse = false".utf8)
    chmod(path, 0)
    expect(.unreadable(code: EACCES))
  }

  @Test func anEmptyPipeDoesNotBlock() {
    mkfifo(path, 0o600)
    expect()
    // A writer that writes nothing.
    let pipe = open(path, O_RDWR | O_NONBLOCK)
    expect(.unreadable(code: EAGAIN))
    close(pipe)
  }

  @Test func invalidUTF8IsReported() throws {
    for bytes: [UInt8] in [
      [0xFF], [0xC4], Array("mouse = false #".utf8) + [0xE1, 0xBA], [0xED, 0xA0, 0x80],
      [0xFF, 0xFE, 0x6D, 0x00], [0xC0, 0x80],
    ] {
      try write(bytes)
      expect(.notUTF8)
    }
  }

  @Test func aNULIsReportedAndDoesNotEndTheText() throws {
    for text in ["\0", "mouse = false\0", "mouse = \"off\0\"", "# \0\nmouse = false"] {
      try write(text.utf8)
      expect(.notUTF8)
    }
  }

  @Test func filesLargerThanAMegabyteAreRefused() throws {
    let setting = Array("mouse = false\n".utf8)
    let comment = Array(repeating: UInt8(ascii: "#"), count: (1 << 20) - setting.count)
    try write(setting + comment)
    #expect(Configuration.load(path: path).1.isEmpty)
    #expect(!Configuration.load(path: path).0.mouse)
    try write(setting + comment + [UInt8(ascii: "#")])
    expect(.tooLarge)
    unlink(path)
    symlink("/dev/zero", path)
    expect(.tooLarge)
  }
}
