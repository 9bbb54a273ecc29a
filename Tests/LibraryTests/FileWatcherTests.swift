import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Library

struct FileWatcherTests {
  private let directory: TemporaryDirectory
  private let queue = DispatchQueue(label: "test")

  init() throws {
    directory = try TemporaryDirectory()
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  private func append(_ name: String) throws {
    let file = try #require(fopen(directory.path + "/" + name, "a"))
    fputs("x", file)
    fclose(file)
  }

  @Test func everyChangeOfTheFileIsReported() throws {
    let counter = Counter()
    let watcher = FileWatcher(path: directory.path + "/file", on: queue) { counter.add() }
    // The file does not exist at first, is created, and is written to.
    for _ in 0..<3 {
      let before = counter.value
      try append("file")
      #expect(eventually { counter.value > before })
    }
    withExtendedLifetime(watcher) {}
  }

  @Test func changesOfOtherFilesAreNotReported() throws {
    let counter = Counter()
    let watcher = FileWatcher(path: directory.path + "/file", on: queue) { counter.add() }
    try append("file2")
    try append("fil")
    try append("other")
    // This is the only event of the watched file. The events of the other files come before it.
    rename(directory.path + "/file2", directory.path + "/file")
    #expect(eventually { counter.value > 0 })
    #expect(counter.value == 1)
    withExtendedLifetime(watcher) {}
  }

  @Test func namesMayBeginWithACombiningMark() throws {
    let counter = Counter()
    // If the slash and the mark were read as one character, this directory would be watched
    // instead.
    let mark = "\u{301}"
    try FileManager.default.createDirectory(
      atPath: directory.path + "/" + mark, withIntermediateDirectories: false)
    let path = directory.path + "/" + mark + "file"
    let watcher = FileWatcher(path: path, on: queue) { counter.add() }
    try append(mark + "file")
    #expect(eventually { counter.value > 0 })
    withExtendedLifetime(watcher) {}
  }

  @Test func aFileThatCannotBeWatchedIsPolled() {
    let counter = Counter()
    let watcher = FileWatcher(path: directory.path + "/none/file", on: queue) { counter.add() }
    #expect(eventually { counter.value > 1 })
    withExtendedLifetime(watcher) {}
  }

  @Test func aReleasedWatcherReportsNothingAndClosesItsFiles() throws {
    let counter = Counter()
    for _ in 0..<2000 {
      // More than the number of files that a process may have open.
      _ = FileWatcher(path: directory.path + "/file", on: queue) { counter.add() }
      queue.sync {}
    }
    try append("file")
    queue.sync {}
    #expect(counter.value == 0)
    let watcher = FileWatcher(path: directory.path + "/file", on: queue) { counter.add() }
    try append("file")
    #expect(eventually { counter.value > 0 })
    withExtendedLifetime(watcher) {}
  }
}
