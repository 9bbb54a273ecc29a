extension Filter {
  /// How a filter compares a field with its value.
  public enum Comparator: String, WireName {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case isIn = "IN"
    case notIn = "NOT_IN"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// The index a field needs to be compared so: SORTABLE for ranges, SEARCHABLE for tokens,
    /// QUERYABLE for everything else (cloudkit-web-services.md 2). That prefixes and distances
    /// need QUERYABLE is our reading; Apple does not say.
    public var neededIndex: Indexes {
      switch self {
      case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .sortable
      case .containsAllTokens, .containsAnyTokens: .searchable
      default: .queryable
      }
    }

    /// What is compared: the field itself, or the elements of a list.
    var comparesElements: Bool {
      switch self {
      case .listContains, .notListContains, .listContainsAny, .notListContainsAny,
        .listContainsAll, .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
        true
      default: false
      }
    }

    /// Whether the filter's value is a list.
    var takesList: Bool {
      switch self {
      case .isIn, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll,
        .notListContainsAll:
        true
      default: false
      }
    }

    /// Whether values of a kind can be compared so.
    func applies(to kind: ValueType.Kind) -> Bool {
      switch self {
      case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
        kind.isOrdered
      case .near: kind == .location
      case .beginsWith, .notBeginsWith, .containsAllTokens, .containsAnyTokens,
        .listMemberBeginsWith, .notListMemberBeginsWith:
        kind == .string
      default: kind != .asset && kind != .location
      }
    }
  }
}

extension ValueType.Kind {
  /// Whether values have an order, so that there are ranges of them and they can be sorted:
  /// bytes as such, references by their record names.
  public var isOrdered: Bool { self != .location && self != .asset }
}
