public import CloudRecords

extension UnservedFeature {
  /// A short name for a list.
  public var name: String {
    switch self {
    case .sharing: "sharing"
    case .userLookup: "looking up other users"
    case .assetRereference: "assets/rereference"
    case .distance: "queries by distance"
    case .tokenSearch: "searches for words"
    case .reversedChanges: "change feeds in reverse"
    case .otherSubscriptionTypes: "subscriptions to databases"
    case .applePush: "Apple's push service"
    }
  }

  /// The reason that clients get: a clause without a period.
  public var sentence: String {
    switch self {
    case .sharing: "sharing is not served"
    case .userLookup: "users are not shown to each other"
    case .assetRereference: "assets/rereference is not served"
    case .distance: "queries by distance are not served"
    case .tokenSearch: "searches for words are not served"
    case .reversedChanges: "change feeds are not served in reverse"
    case .otherSubscriptionTypes: "only subscriptions of the types query and zone are served"
    case .applePush:
      "only tokens that tokens/create gave to this session are served, not those of Apple's push "
        + "service"
    }
  }

  /// The reason, with the name of what asks for the feature.
  func sentence(about name: String?) -> String {
    name.map { "\(sentence) (\($0))" } ?? sentence
  }
}
