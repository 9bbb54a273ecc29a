import CloudRecords

extension SchemaUsage {
  /// The usage as a schema in CloudKit's schema language. Comments say what was sorted by, and the
  /// like.
  public var text: String {
    schema.description { type, field in
      let purposes = purposes(ofType: type, field: field)
      guard !purposes.isEmpty else { return nil }
      return Purpose.allCases.filter(purposes.contains).map(\.phrase).joined(separator: ", ")
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
