import Logging
import NIOConcurrencyHelpers

/// A log whose lines a test reads.
final class KeptLog: LogHandler {
  private let kept = NIOLockedValueBox<[String]>([])

  var lines: [String] { kept.withLockedValue { $0 } }

  func log(event: LogEvent) {
    kept.withLockedValue { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
  }

  // All loggers share this handler, so it has no level and no metadata of a single logger.
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  subscript(metadataKey _: String) -> Logger.MetadataValue? {
    get { nil }
    set {}
  }
}
