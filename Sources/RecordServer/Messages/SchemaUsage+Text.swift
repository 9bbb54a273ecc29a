import CloudRecords

extension SchemaUsage {
  /// The usage as a schema in CloudKit's schema language. Comments say for what each record type
  /// and field was used, such as sorting.
  public var text: String {
    schema.description { type, field in
      let purposes = purposes(ofType: type, field: field)
      let others = field.map { otherTypes(ofField: $0, of: type) } ?? []
      let phrases =
        Purpose.allCases.filter(purposes.contains).map(\.phrase)
        + others.map { "also used as \($0)" }
      return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
    }
  }
}

extension SchemaUsage.Purpose {
  fileprivate var phrase: String {
    switch self {
    case .filter: "filtered by"
    case .sort: "sorted by"
    case .noFilter: "queried without a filter"
    case .subscription: "subscribed to"
    case .subscriptionFilter: "filter of a subscription"
    case .referenceTarget: "target of a reference"
    }
  }
}
