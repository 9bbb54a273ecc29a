/// A user, as far as one may know.
public struct UserIdentity: Codable, Hashable, Sendable {
  /// The same in one container, another in every other.
  public var userRecordName: String?
  public var nameComponents: NameComponents?
  public var lookupInfo: LookupInfo?

  public init(
    userRecordName: String? = nil, nameComponents: NameComponents? = nil,
    lookupInfo: LookupInfo? = nil
  ) {
    self.userRecordName = userRecordName
    self.nameComponents = nameComponents
    self.lookupInfo = lookupInfo
  }

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

  /// What a user is looked for by: one of them.
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
