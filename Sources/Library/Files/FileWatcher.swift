public import Dispatch
import Glibc

/// Calls a closure when one of several files is written to or removed, or its permissions change: by
/// inotify, or once a second if inotify fails. It stops when the value is deinitialized.
///
/// It is Sendable because after `init` the source is only cancelled, which Dispatch allows on any
/// thread.
public final class FileWatcher: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Starts watching files.
  ///
  /// - Parameters:
  ///   - paths: The paths of the files, which may not exist, in one existing directory.
  ///   - queue: The queue on which `changed` is called.
  ///   - changed: Called after a change, and sometimes without one.
  public init(paths: [String], on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    let places = paths.map(Self.split)
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    let events = UInt32(
      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
    if descriptor >= 0,
      inotify_add_watch(descriptor, places[0].directory, events) >= 0
    {
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      // Nil is the name in the event that says that the queue of events overflowed.
      let names = Set(places.map { String?($0.name) } + [nil])
      source.setEventHandler {
        if !Self.names(waitingAt: descriptor).isDisjoint(with: names) { changed() }
      }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      self.source = source
    } else {
      if descriptor >= 0 { close(descriptor) }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
      timer.setEventHandler(handler: changed)
      timer.activate()
      source = timer
    }
  }

  deinit { source.cancel() }

  /// Splits a path into the directory, with its slash, and the name of the file.
  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("./", path) }
    // A slash and a combining mark after it are one `Character`.
    let name = path.utf8.index(after: slash)
    return (String(path[..<name]), String(path[name...]))
  }

  /// Returns the names of the files of the waiting events; nil for an event without a name. See
  /// inotify(7).
  private static func names(waitingAt descriptor: Int32) -> Set<String?> {
    var names: Set<String?> = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return names }
      var offset = 0
      while offset + 16 <= count {
        let length = buffer.withUnsafeBytes {
          Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }
        let name = buffer[(offset + 16)..<min(offset + 16 + length, count)].prefix { $0 != 0 }
        names.insert(length == 0 ? nil : String(decoding: name, as: UTF8.self))
        offset += 16 + length
      }
    }
  }
}
