/// The data that a service discloses about a user.
public struct UserIdentity: Codable, Hashable, Sendable {
  /// The name of the user's record. It is permanent within a container and different in each
  /// container.
  public var userRecordName: String?
  /// The user's name; nil if it is not disclosed.
  public var nameComponents: NameComponents?
  /// The value by which the user was found.
  public var lookupInfo: LookupInfo?

  /// Creates the data that a service discloses about a user. What it does not disclose is nil.
  public init(
    userRecordName: String? = nil, nameComponents: NameComponents? = nil,
    lookupInfo: LookupInfo? = nil
  ) {
    self.userRecordName = userRecordName
    self.nameComponents = nameComponents
    self.lookupInfo = lookupInfo
  }

  /// The parts of a user's name, as in Foundation's `PersonNameComponents`.
  public struct NameComponents: Codable, Hashable, Sendable {
    /// The title before the name, such as “Dr.”.
    public var namePrefix: String?
    /// The name that distinguishes the user from other members of the family.
    public var givenName: String?
    /// The name between the given name and the family name.
    public var middleName: String?
    /// The name that the user shares with the family.
    public var familyName: String?
    /// The title after the name, such as “Jr.”.
    public var nameSuffix: String?
    /// The familiar name.
    public var nickname: String?

    /// Creates the parts of a user's name; the missing ones are nil.
    public init(
      namePrefix: String? = nil, givenName: String? = nil, middleName: String? = nil,
      familyName: String? = nil, nameSuffix: String? = nil, nickname: String? = nil
    ) {
      self.namePrefix = namePrefix
      self.givenName = givenName
      self.middleName = middleName
      self.familyName = familyName
      self.nameSuffix = nameSuffix
      self.nickname = nickname
    }
  }

  /// The value by which a user is found: an email address, a phone number or a user record name.
  public struct LookupInfo: Codable, Hashable, Sendable {
    /// The email address of the user; nil if the user is found by another value.
    public var emailAddress: String?
    /// The phone number of the user; nil if the user is found by another value.
    public var phoneNumber: String?
    /// The name of the user's record; nil if the user is found by another value.
    public var userRecordName: String?

    /// Creates the value by which a user is found. The other two are nil.
    public init(
      emailAddress: String? = nil, phoneNumber: String? = nil, userRecordName: String? = nil
    ) {
      self.emailAddress = emailAddress
      self.phoneNumber = phoneNumber
      self.userRecordName = userRecordName
    }
  }
}
