import FoundationEssentials

/// The fields of a record: values, or the JSON in which the record service stores them.
enum RecordFields: Sendable {
  case values([String: Field])
  /// Fields in the form of `CanonicalJSON`, which are encoded unchanged.
  case json(Data)

  /// The values by name; empty if the JSON is not that of fields.
  var values: [String: Field] {
    switch self {
    case .values(let values): values
    case .json(let data): (try? CanonicalJSON.decode(data)) ?? [:]
    }
  }

  /// Returns only the fields with these names.
  func selecting(_ names: Set<String>) -> RecordFields {
    if case .json(let data) = self, let selected = CanonicalJSON.selecting(names, from: data) {
      return .json(selected)
    }
    return .values(values.filter { names.contains($0.key) })
  }
}

extension RecordFields: Hashable {
  static func == (a: RecordFields, b: RecordFields) -> Bool {
    if case (.json(let a), .json(let b)) = (a, b), a == b { return true }
    return a.values == b.values
  }

  func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
