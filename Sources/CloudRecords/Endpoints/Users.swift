/// The `users/current` endpoint, which fetches the signed-in user.
///
/// It is the older form of `users/caller`.
public enum UsersCurrent: Endpoint {
  public static let route = Route.usersCurrent
  public typealias Request = EmptyBody

  /// The response body.
  public struct Response: Codable, Hashable, Sendable {
    /// The name of the user's record, which is different in each container.
    public var userRecordName: String
    /// The user's first name; nil if it is not disclosed.
    public var firstName: String?
    /// The user's last name; nil if it is not disclosed.
    public var lastName: String?
    /// The user's email address; nil if it is not disclosed.
    public var emailAddress: String?

    /// Creates the response that names the signed-in user. Names and an email address that are not
    /// disclosed are nil.
    public init(
      userRecordName: String, firstName: String? = nil, lastName: String? = nil,
      emailAddress: String? = nil
    ) {
      self.userRecordName = userRecordName
      self.firstName = firstName
      self.lastName = lastName
      self.emailAddress = emailAddress
    }
  }
}

/// The `users/caller` endpoint, which fetches the signed-in user.
public enum UsersCaller: Endpoint {
  public static let route = Route.usersCaller
  public typealias Request = EmptyBody

  /// The response body.
  ///
  /// Apple documents the identity as an element of a list `users`, but CloudKit JS reads it from
  /// the body itself. Both forms are encoded, and either is decoded.
  public struct Response: Codable, Hashable, Sendable {
    /// The identity of the signed-in user.
    public var identity: UserIdentity

    private enum CodingKeys: CodingKey { case users }

    /// Creates the response with the identity of the current user.
    public init(_ identity: UserIdentity) {
      self.identity = identity
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let flat = try UserIdentity(from: decoder)
      let users = try container.decodeIfPresent([UserIdentity].self, forKey: .users)
      identity = flat.userRecordName == nil ? users?.first ?? flat : flat
    }

    public func encode(to encoder: any Encoder) throws {
      try identity.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode([identity], forKey: .users)
    }
  }
}

/// The `users/discover` endpoint, which fetches users by an email address, a phone number or a
/// user record name.
public enum UsersDiscover: Endpoint {
  public static let route = Route.usersDiscover

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The values by which the users are found.
    public var lookupInfos: [UserIdentity.LookupInfo]

    /// Creates the request for the users with these email addresses, phone numbers or user record
    /// names.
    public init(lookupInfos: [UserIdentity.LookupInfo]) {
      self.lookupInfos = lookupInfos
    }
  }

  /// The response body.
  public struct Response: Codable, Hashable, Sendable {
    /// The identities that were found.
    public var users: [UserIdentity]

    /// Creates the response to `users/discover`: the identities that were found.
    public init(users: [UserIdentity]) {
      self.users = users
    }

    private enum CodingKeys: CodingKey { case users }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      users = try container.decodeIfPresent([UserIdentity].self, forKey: .users) ?? []
    }
  }
}
