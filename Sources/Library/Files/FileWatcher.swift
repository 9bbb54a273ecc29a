public import Dispatch
import FoundationEssentials
import Glibc

/// Calls a closure when a file is created, written to, renamed or removed, or its attributes
/// change. It uses inotify; if inotify fails, it calls the closure once a second. It stops when the
/// object is deinitialized.
///
/// It is Sendable because after `init` the source is only cancelled, which Dispatch allows on any
/// thread.
public final class FileWatcher: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Starts watching a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file. The file need not exist, but its directory must.
  ///   - queue: The queue on which `changed` is called.
  ///   - changed: Called after a change, and sometimes without one.
  public init(path: String, on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    let url = URL(filePath: path)
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    let events = UInt32(
      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
    if descriptor >= 0,
      inotify_add_watch(descriptor, url.deletingLastPathComponent().path, events) >= 0
    {
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      let name = url.lastPathComponent
      source.setEventHandler {
        let names = Self.readNames(from: descriptor)
        // A name is nil if the directory itself changed, or if the queue of events overflowed.
        if names.contains(name) || names.contains(nil) { changed() }
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

  /// Reads the pending events, and returns their file names; nil for an event without a name. See
  /// inotify(7).
  private static func readNames(from descriptor: Int32) -> Set<String?> {
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
