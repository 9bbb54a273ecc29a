extension Filter {
  /// How a filter compares a field with its value.
  public enum Comparator: String, WireEnum {
    /// The field equals the value.
    case equals = "EQUALS"
    /// The field does not equal the value.
    case notEquals = "NOT_EQUALS"
    /// The field is less than the value.
    case lessThan = "LESS_THAN"
    /// The field is less than or equal to the value.
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    /// The field is greater than the value.
    case greaterThan = "GREATER_THAN"
    /// The field is greater than or equal to the value.
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    /// The location is within `Filter.distance` of the value.
    case near = "NEAR"
    /// The field equals one of the values in a list.
    case isIn = "IN"
    /// The field equals none of the values in a list.
    case notIn = "NOT_IN"
    /// The string begins with the value.
    case beginsWith = "BEGINS_WITH"
    /// The string does not begin with the value.
    case notBeginsWith = "NOT_BEGINS_WITH"
    /// The field contains all tokens (words) of the value.
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    /// The field contains at least one token (word) of the value.
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    /// The list contains the value.
    case listContains = "LIST_CONTAINS"
    /// The list does not contain the value.
    case notListContains = "NOT_LIST_CONTAINS"
    /// The list contains at least one of the values in a list.
    case listContainsAny = "LIST_CONTAINS_ANY"
    /// The list contains none of the values in a list.
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    /// The list contains all values in a list.
    case listContainsAll = "LIST_CONTAINS_ALL"
    /// The list does not contain all values in a list.
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    /// A string of the list begins with the value.
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    /// No string of the list begins with the value.
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// Decodes a comparator.
    ///
    /// - Throws: A `DecodingError`. An unknown name becomes `.expected(.comparator)` of
    ///   `BodyDecodingError`, which the service answers as an invalid predicate.
    public init(from decoder: any Decoder) throws {
      let name = try decoder.singleValueContainer().decode(String.self)
      guard let comparator = Self(rawValue: name) else {
        throw DecodingError.invalidValue(decoder.codingPath, .comparator)
      }
      self = comparator
    }

    /// The index that the field must have: SORTABLE for less than and greater than,
    /// SEARCHABLE for tokens, QUERYABLE for all other comparators.
    ///
    /// Apple does not document which index comparisons of prefixes and distances need; QUERYABLE is
    /// this project's choice.
    public var neededIndex: Indexes {
      switch self {
      case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .sortable
      case .containsAllTokens, .containsAnyTokens: .searchable
      default: .queryable
      }
    }

    /// Whether the field must be a list, whose elements are compared.
    var comparesElements: Bool {
      switch self {
      case .listContains, .notListContains, .listContainsAny, .notListContainsAny,
        .listContainsAll, .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
        true
      default: false
      }
    }

    /// Whether the filter's value must be a list.
    var takesList: Bool {
      switch self {
      case .isIn, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll,
        .notListContainsAll:
        true
      default: false
      }
    }

    /// Whether values of a kind can be compared in this way.
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
  /// Whether values can be compared with less than and greater than, and sorted. Bytes are ordered
  /// as byte sequences, references by their record names.
  public var isOrdered: Bool { self != .location && self != .asset }
}
