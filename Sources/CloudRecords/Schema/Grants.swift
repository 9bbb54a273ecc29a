/// What one may do with the records of a type.
public enum Permission: String, CaseIterable, Hashable, Sendable {
  case read = "READ"
  case create = "CREATE"
  /// Update and delete.
  case write = "WRITE"
}

/// A group of people that a schema grants something to.
public enum Role: Hashable, Sendable {
  /// Anyone, also who is not signed in.
  case world
  /// Anyone signed in, and who signs requests with a server's key.
  case icloud
  /// Who created the record.
  case creator
  /// One of the schema's own.
  case custom(String)

  public init(name: String) {
    self =
      switch name {
      case "_world": .world
      case "_icloud": .icloud
      case "_creator": .creator
      default: .custom(name)
      }
  }

  public var name: String {
    switch self {
    case .world: "_world"
    case .icloud: "_icloud"
    case .creator: "_creator"
    case .custom(let name): name
    }
  }
}

/// Who may do what with the records of a type, in the public database: what is private
/// belongs to its user, whatever is granted.
public struct Grants: Hashable, Sendable {
  /// No role is without a permission.
  public private(set) var permissions: [Role: Set<Permission>]

  public init(_ permissions: [Role: Set<Permission>] = [:]) {
    self.permissions = permissions.filter { !$0.value.isEmpty }
  }

  /// What development gives a type that appears just in time.
  public static let customary = Grants([
    .world: [.read], .icloud: [.create], .creator: [.write],
  ])

  public subscript(role: Role) -> Set<Permission> {
    get { permissions[role] ?? [] }
    set { permissions[role] = newValue.isEmpty ? nil : newValue }
  }

  /// Whether one of the roles somebody has is granted a permission.
  ///
  /// - Parameter roles: those of the caller towards the record: `.world` always, `.icloud`
  ///   when signed in, `.creator` for records of their own. CREATE is never had as creator:
  ///   nobody is the creator of a record that does not exist.
  public func allow(_ permission: Permission, to roles: Set<Role>) -> Bool {
    roles.contains { role in
      !(permission == .create && role == .creator) && self[role].contains(permission)
    }
  }
}
