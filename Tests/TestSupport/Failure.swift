/// Why a test cannot continue, with the output until then.
public struct Failure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  /// A wait that ended without the expected event.
  public init(waitingFor what: String, seen: some Collection<UInt8>) {
    let tail = seen.suffix(4000)
    let cut = tail.count < seen.count ? "… " : ""
    self.description = "waited in vain for \(what); seen: \(cut)\(tail.readable)"
  }
}

extension Collection<UInt8> {
  /// Text with its control characters made visible.
  public var readable: String {
    var result = ""
    for scalar in String(decoding: Array(self), as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\u{1B}": result += "␛"
      case "\n": result += "\n"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        result += "\\x" + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
