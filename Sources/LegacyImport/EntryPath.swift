/// The path of an entry in a dump, such as `ayahNotes[2:255][3]`.
///
/// The parts are stored instead of the description: an invalid ID can have 200,000 texts, and their
/// paths then share one copy of its name.
struct EntryPath: Hashable, Sendable, CustomStringConvertible {
  let key: LegacyKey
  /// The name in the file, shortened.
  private var name: String?
  /// The one-based position in a list; 0 if there is none.
  private var number: Int32 = 0

  init(_ key: LegacyKey) {
    self.key = key
  }

  init(_ key: LegacyKey, name: String) {
    self.key = key
    self.name = name
  }

  /// Returns the path of an element of a list.
  ///
  /// - Parameter number: The one-based position of the element; at most `Budget.values`.
  func appending(_ number: Int) -> EntryPath {
    var path = self
    path.number = Int32(clamping: number)
    return path
  }

  var description: String {
    key.rawValue + (name.map { "[\($0)]" } ?? "") + (number > 0 ? "[\(number)]" : "")
  }
}
