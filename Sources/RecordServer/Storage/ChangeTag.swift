/// A number of a zone, or of a database, and its mark: what clients hold as the newest that they
/// have learned of a zone, and as a record's change tag (`RecordVersion`).
///
///     ChangeTag(number: 101, mark: mark).description   // 2t-00f3a1b29c4d5e6f
public struct ChangeTag: Hashable, Sendable {
  let number: Int64
  let mark: Mark

  init(number: Int64, mark: Mark) {
    self.number = number
    self.mark = mark
  }

  /// - Returns: nil for what no `description` is.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0], radix: 36),
      let mark = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(number: number, mark: Mark(rawValue: mark))
    guard description == text else { return nil }
  }

}

extension ChangeTag: CustomStringConvertible {
  public var description: String { "\(String(number, radix: 36))-\(mark)" }
}
