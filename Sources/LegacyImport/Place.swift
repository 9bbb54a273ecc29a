/// Where an entry stands, as in `ayahNotes[2:255][3]`.
struct Place: CustomStringConvertible {
  enum Part {
    /// One-based.
    case number(Int)
    /// As the file has it, cut.
    case name(String)
  }

  let key: LegacyKey
  private let parts: [Part]

  init(_ key: LegacyKey, _ parts: [Part] = []) {
    self.key = key
    self.parts = parts
  }

  func appending(_ number: Int) -> Place { Place(key, parts + [.number(number)]) }

  var description: String {
    parts.reduce(into: key.rawValue) { text, part in
      switch part {
      case .number(let number): text += "[\(number)]"
      case .name(let name): text += "[\(name)]"
      }
    }
  }
}
