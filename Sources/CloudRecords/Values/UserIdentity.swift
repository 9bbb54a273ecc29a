/// The data that a service discloses about a user.
public struct UserIdentity: Codable, Hashable, Sendable {
  /// The name of the user's record. It is permanent within a container and different in each
  /// container.
  public var userRecordName: String?
  /// The user's name; nil if it is not disclosed.
  public var nameComponents: NameComponents?
  /// The value by which the user was found.
  public var lookupInfo: LookupInfo?

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
    public var namePrefix: String?
    public var givenName: String?
    public var middleName: String?
    public var familyName: String?
    public var nameSuffix: String?
    public var nickname: String?

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
    public var emailAddress: String?
    public var phoneNumber: String?
    public var userRecordName: String?

    public init(
      emailAddress: String? = nil, phoneNumber: String? = nil, userRecordName: String? = nil
    ) {
      self.emailAddress = emailAddress
      self.phoneNumber = phoneNumber
      self.userRecordName = userRecordName
    }
  }
}
