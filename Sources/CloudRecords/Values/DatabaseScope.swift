/// Whose records a database holds.
public enum DatabaseScope: String, WireName {
  /// Everybody's; a record type's grants decide who may do what.
  case `public`
  /// One user's own.
  case `private`
  /// What others share with a user.
  case shared

  /// The number that stands for it in notifications, as in CloudKit's `CKDatabase.Scope`.
  public var number: Int {
    switch self {
    case .public: 1
    case .private: 2
    case .shared: 3
    }
  }

  public init?(number: Int) {
    guard let scope = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = scope
  }
}
