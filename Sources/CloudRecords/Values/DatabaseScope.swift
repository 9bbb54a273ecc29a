/// A database of a container.
public enum DatabaseScope: String, WireEnum {
  /// The records of all users. The grants of a record type control the access to them.
  case `public`
  /// The records of one user.
  case `private`
  /// The records that other users share with a user.
  case shared

  /// The scope's number in notifications, which is the raw value of `CKDatabase.Scope`.
  public var number: Int {
    switch self {
    case .public: 1
    case .private: 2
    case .shared: 3
    }
  }

  /// Creates a scope from its number; nil if the number is unknown.
  public init?(number: Int) {
    guard let scope = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = scope
  }
}
