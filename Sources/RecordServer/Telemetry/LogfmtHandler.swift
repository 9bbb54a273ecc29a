import FoundationEssentials
import Glibc
public import Logging

/// Writes log events to standard error in the logfmt format, one line each:
/// `time=… level=… message="…" key=value`.
public struct LogfmtHandler: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var logLevel: Logger.Level

  public init(level: Logger.Level) {
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var line =
      "time=\(Date.now.ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true)))"
    line += " level=\(event.level.rawValue) message=\(Self.quoted("\(event.message)"))"
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) where key != "hb.request.id" {
      line += " \(key)=\(Self.quoted("\(value)"))"
    }
    line += "\n"
    // One call of `write`, so that lines of several threads are not interleaved.
    _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Returns the string unchanged if it consists of printable ASCII characters that need no
  /// quotation; otherwise in quotation marks, with escape sequences.
  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
          && byte != UInt8(ascii: "\\")
      }
    guard !isPlain else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case _ where scalar.properties.generalCategory == .control:
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
