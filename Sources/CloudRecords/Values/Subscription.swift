/// A wish to be told of changes.
public struct Subscription: Hashable, Sendable {
  /// Nil for a new one that the server is to name.
  public var subscriptionID: String?
  /// Nil where the subscription is only named, as for deletion.
  public var subscriptionType: Kind?
  /// Which records, with the type `query`.
  public var query: Query?
  public var zoneID: ZoneID?
  /// Empty with the type `zone`.
  public var firesOn: Set<Event>
  /// Whether it is over after the first time; nil for no.
  public var firesOnce: Bool?
  /// Whether all zones are watched; nil for yes with the type `query`.
  public var zoneWide: Bool?
  public var notificationInfo: NotificationInfo?

  /// What is watched.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public static let query = Kind(rawValue: "query")
    public static let zone = Kind(rawValue: "zone")
  }

  public enum Event: String, WireName {
    case create
    case update
    case delete
  }

  public init(
    _ subscriptionID: String? = nil, _ subscriptionType: Kind? = nil, query: Query? = nil,
    zoneID: ZoneID? = nil, firesOn: Set<Event> = [], firesOnce: Bool? = nil,
    zoneWide: Bool? = nil, notificationInfo: NotificationInfo? = nil
  ) {
    self.subscriptionID = subscriptionID
    self.subscriptionType = subscriptionType
    self.query = query
    self.zoneID = zoneID
    self.firesOn = firesOn
    self.firesOnce = firesOnce
    self.zoneWide = zoneWide
    self.notificationInfo = notificationInfo
  }
}

/// What a notification shows.
public struct NotificationInfo: Codable, Hashable, Sendable {
  public var alertBody: String?
  public var alertLocalizationKey: String?
  public var alertLocalizationArgs: [String]?
  public var alertActionLocalizationKey: String?
  public var alertLaunchImage: String?
  public var soundName: String?
  public var shouldBadge: Bool?
  /// Whether it is silent, and only wakes the program.
  public var shouldSendContentAvailable: Bool?

  public init(
    alertBody: String? = nil, alertLocalizationKey: String? = nil,
    alertLocalizationArgs: [String]? = nil, alertActionLocalizationKey: String? = nil,
    alertLaunchImage: String? = nil, soundName: String? = nil, shouldBadge: Bool? = nil,
    shouldSendContentAvailable: Bool? = nil
  ) {
    self.alertBody = alertBody
    self.alertLocalizationKey = alertLocalizationKey
    self.alertLocalizationArgs = alertLocalizationArgs
    self.alertActionLocalizationKey = alertActionLocalizationKey
    self.alertLaunchImage = alertLaunchImage
    self.soundName = soundName
    self.shouldBadge = shouldBadge
    self.shouldSendContentAvailable = shouldSendContentAvailable
  }
}

extension Subscription: Codable {
  private enum CodingKeys: CodingKey {
    case subscriptionID, subscriptionType, query, zoneID, firesOn, firesOnce, zoneWide
    case notificationInfo
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    subscriptionID = try container.decodeIfPresent(String.self, forKey: .subscriptionID)
    subscriptionType = try container.decodeIfPresent(Kind.self, forKey: .subscriptionType)
    query = try container.decodeIfPresent(Query.self, forKey: .query)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    firesOn = Set(try container.decodeIfPresent([Event].self, forKey: .firesOn) ?? [])
    firesOnce = try container.decodeIfPresent(Bool.self, forKey: .firesOnce)
    zoneWide = try container.decodeIfPresent(Bool.self, forKey: .zoneWide)
    notificationInfo = try container.decodeIfPresent(
      NotificationInfo.self, forKey: .notificationInfo)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(subscriptionID, forKey: .subscriptionID)
    try container.encodeIfPresent(subscriptionType, forKey: .subscriptionType)
    try container.encodeIfPresent(query, forKey: .query)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    if !firesOn.isEmpty {
      try container.encode(Event.allCases.filter(firesOn.contains), forKey: .firesOn)
    }
    try container.encodeIfPresent(firesOnce, forKey: .firesOnce)
    try container.encodeIfPresent(zoneWide, forKey: .zoneWide)
    try container.encodeIfPresent(notificationInfo, forKey: .notificationInfo)
  }
}
