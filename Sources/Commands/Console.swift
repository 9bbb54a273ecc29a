import FoundationEssentials
import Glibc
import Text

/// Where a command's output goes: standard output, or a test's buffer.
///
/// Text that comes from outside the program goes through `displayable` before
/// it is written, to a terminal and to a pipe alike.
public struct Console {
  /// Whether people look at the output.
  public let isTerminal: Bool
  /// Columns of the terminal; 80 where there is none.
  public let columns: Int
  /// Whether words found may be marked.
  public let hasStyles: Bool
  private let sink: (String) -> Void

  public init(
    isTerminal: Bool, columns: Int = 80, hasStyles: Bool = false,
    sink: @escaping (String) -> Void
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.hasStyles = hasStyles
    self.sink = sink
  }

  /// Standard output. A reader that goes away ends the writing, as in any filter.
  public static func standard(environment: [String: String]) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var window = winsize()
    let isSized = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0
    let term = environment["TERM"] ?? ""
    return Console(
      isTerminal: isTerminal, columns: isSized && window.ws_col > 0 ? Int(window.ws_col) : 80,
      hasStyles: isTerminal && !["", "dumb"].contains(term)
        && environment["NO_COLOR"]?.isEmpty != false
    ) { text in
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count > 0 {
          bytes = bytes.dropFirst(count)
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  /// Writes text and a line feed.
  public func line(_ text: String) { sink(text + "\n") }

  /// Writes text that ends its own lines.
  func write(_ text: String) { sink(text) }

  /// Writes a value as JSON, its keys in order, with escapes for what a terminal
  /// would act on.
  func json(_ value: some Encodable) throws(CommandFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      line(String(decoding: try encoder.encode(value), as: UTF8.self).escapingControls)
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }

  /// Text with the given ranges in bold, where the terminal shows that.
  func marked(_ text: String, _ ranges: [Range<String.Index>]) -> String {
    guard hasStyles, !ranges.isEmpty else { return text }
    var result = ""
    var position = text.startIndex
    for range in ranges where range.lowerBound >= position {
      result += text[position..<range.lowerBound] + "\u{1B}[1m" + text[range] + "\u{1B}[22m"
      position = range.upperBound
    }
    return result + text[position...]
  }
}

extension String {
  /// This JSON with DEL, C1 and bidirectional controls escaped, as C0 are already.
  fileprivate var escapingControls: String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0...0x7E: false
      case 0x7F...0x9F: true
      default: scalar.properties.isBidiControl
      }
    }
    guard unicodeScalars.contains(where: isControl) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if isControl(scalar) {
        let code = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
