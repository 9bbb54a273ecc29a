/// A sequence number of a zone or of a database, and its mark. Clients hold it as a record's change
/// tag (`RecordVersion`) and as the newest state of a zone that they know.
///
///     ChangeTag(number: 101, mark: mark).description   // 2t-00f3a1b29c4d5e6f
public struct ChangeTag: Hashable, Sendable {
  let number: Int64
  let mark: Mark
}

extension ChangeTag {
  /// Parses a tag.
  ///
  /// - Returns: nil if the string is not the `description` of a tag.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0], radix: 36),
      let mark = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(number: number, mark: Mark(stored: Int64(bitPattern: mark)))
    guard description == text else { return nil }
  }
}

extension ChangeTag: CustomStringConvertible {
  /// The number in base 36 and the mark in hexadecimal digits, separated by a hyphen.
  public var description: String { "\(String(number, radix: 36))-\(mark)" }
}
