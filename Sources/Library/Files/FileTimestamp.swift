/// A time in a file name, in UTC: `2026-11-22T031530`.
struct FileTimestamp: CustomStringConvertible {
  let description: String

  /// - Parameter time: Milliseconds since 1970, UTC.
  init(_ time: Int64) {
    let seconds = Int(time / 1000)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let ofDay = ((seconds % 86_400) + 86_400) % 86_400
    let day = Day(number: (seconds - ofDay) / 86_400)
    description = "\(day)T\(two(ofDay / 3600))\(two(ofDay / 60 % 60))\(two(ofDay % 60))"
  }

  /// Whether a string has the form of `description`.
  static func isValid(_ text: Substring) -> Bool {
    let form = "0000-00-00T000000".utf8
    return text.utf8.count == form.count
      && zip(text.utf8, form).allSatisfy {
        $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1
      }
  }
}
