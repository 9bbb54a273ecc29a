/// Where an entry stands, as in `ayahNotes[2:255][3]`.
///
/// Kept in parts, as a bad id may have 200,000 texts under it: all of them share its name.
struct Place: Hashable, Sendable, CustomStringConvertible {
  let key: LegacyKey
  /// As the file has it, cut.
  private var name: String?
  /// One-based; 0 for none.
  private var number: Int32 = 0

  init(_ key: LegacyKey) {
    self.key = key
  }

  init(_ key: LegacyKey, name: String) {
    self.key = key
    self.name = name
  }

  /// - Parameter number: one-based. No dump has more than `Budget.values`.
  func appending(_ number: Int) -> Place {
    var place = self
    place.number = Int32(clamping: number)
    return place
  }

  var description: String {
    key.rawValue + (name.map { "[\($0)]" } ?? "") + (number > 0 ? "[\(number)]" : "")
  }
}
