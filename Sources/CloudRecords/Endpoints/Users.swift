/// Who is signed in. The older form.
public enum UsersCurrent: Endpoint {
  public static let route = Route.usersCurrent
  public typealias Request = Nothing

  public struct Answer: Codable, Hashable, Sendable {
    public var userRecordName: String
    public var firstName: String?
    public var lastName: String?
    public var emailAddress: String?

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

/// Who is signed in.
public enum UsersCaller: Endpoint {
  public static let route = Route.usersCaller
  public typealias Request = Nothing

  /// One identity. Apple's page shows it in a list `users`, its own client reads it from the
  /// body itself: both are written, either is read.
  public struct Answer: Codable, Hashable, Sendable {
    public var identity: UserIdentity

    private enum CodingKeys: CodingKey { case users }

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

/// Users by what is known of them.
public enum UsersDiscover: Endpoint {
  public static let route = Route.usersDiscover

  public struct Request: Codable, Hashable, Sendable {
    public var lookupInfos: [UserIdentity.LookupInfo]

    public init(lookupInfos: [UserIdentity.LookupInfo]) {
      self.lookupInfos = lookupInfos
    }
  }

  public struct Answer: Codable, Hashable, Sendable {
    public var users: [UserIdentity]

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
