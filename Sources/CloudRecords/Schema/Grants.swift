/// A permission for the records of a type.
public enum Permission: String, CaseIterable, Hashable, Sendable {
  /// Fetching records.
  case read = "READ"
  /// Creating records.
  case create = "CREATE"
  /// Updating and deleting records.
  case write = "WRITE"
}

/// A group of users that a schema grants permissions to.
public enum Role: Hashable, Sendable {
  /// All users, including those who are not signed in.
  case world
  /// All signed-in users, and requests that are signed with a server-to-server key.
  case icloud
  /// The user who created the record.
  case creator
  /// A role that the schema defines.
  case custom(String)

  /// Creates a role from its name in a schema. A name other than `_world`, `_icloud` and `_creator`
  /// becomes a custom role.
  public init(name: String) {
    self =
      switch name {
      case "_world": .world
      case "_icloud": .icloud
      case "_creator": .creator
      default: .custom(name)
      }
  }

  /// The name of the role in a schema.
  public var name: String {
    switch self {
    case .world: "_world"
    case .icloud: "_icloud"
    case .creator: "_creator"
    case .custom(let name): name
    }
  }

  /// The predefined roles that all users with this role have, too.
  var includingRoles: [Role] {
    switch self {
    case .world: []
    case .icloud: [.world]
    case .creator, .custom: [.icloud, .world]
    }
  }
}

/// The permissions that a record type grants to roles.
///
/// They apply to the public database. In the private database, users have all permissions for
/// their own records.
public struct Grants: Hashable, Sendable {
  /// The permissions of each role. Roles without a permission have no entry.
  public private(set) var permissions: [Role: Set<Permission>]

  /// Creates grants from the permissions of each role.
  public init(_ permissions: [Role: Set<Permission>] = [:]) {
    self.permissions = permissions.filter { !$0.value.isEmpty }
  }

  /// The grants of a record type that is created by saving a record in the development environment.
  public static let `default` = Grants([
    .world: [.read], .icloud: [.create], .creator: [.write],
  ])

  /// The permissions of a role.
  public subscript(role: Role) -> Set<Permission> {
    get { permissions[role] ?? [] }
    set { permissions[role] = newValue.isEmpty ? nil : newValue }
  }

  /// Whether at least one of the roles has a permission.
  ///
  /// The role `.creator` never has the permission CREATE, because a record that does not exist has
  /// no creator.
  ///
  /// - Parameter roles: The caller's roles for the record: always `.world`, `.icloud` if signed in,
  ///   and `.creator` if the caller created the record.
  public func allow(_ permission: Permission, to roles: Set<Role>) -> Bool {
    roles.contains { role in
      !(permission == .create && role == .creator) && self[role].contains(permission)
    }
  }

  /// Whether every user who has a role also has a permission. The permission can be granted to that
  /// role, or to one that more users have: `_world` includes all users.
  func cover(_ permission: Permission, for role: Role) -> Bool {
    ([role] + role.includingRoles).contains { self[$0].contains(permission) }
  }
}
