/// A subscription to notifications about changes.
public struct Subscription: Hashable, Sendable {
  /// The subscription's identifier; nil for a new subscription whose identifier the server
  /// generates.
  public var subscriptionID: String?
  /// The type of the subscription; may be nil if the subscription is to be deleted.
  public var subscriptionType: Kind?
  /// The query that a record must match; only for the type `query`.
  public var query: Query?
  /// The zone; required for the type `zone`, nil for all zones with the type `query`.
  public var zoneID: ZoneID?
  /// The events that cause a notification; empty for the type `zone`.
  public var firesOn: Set<Event>
  /// Whether the subscription is deleted after its first notification; nil for false.
  public var firesOnce: Bool?
  /// Whether a query subscription applies to all zones; nil for the default, which is true unless
  /// `zoneID` is set.
  public var zoneWide: Bool?
  /// The content of the notifications; nil if they show nothing.
  public var notificationInfo: NotificationInfo?

  /// The type of a subscription.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    /// Creates the type with this name in requests and responses.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A subscription to the records that match a query.
    public static let query = Kind(rawValue: "query")
    /// A subscription to all changes in a zone.
    public static let zone = Kind(rawValue: "zone")
  }

  /// An event that causes a notification.
  public enum Event: String, WireEnum {
    /// A record was created.
    case create
    /// A record was modified.
    case update
    /// A record was deleted.
    case delete
  }

  /// Creates a subscription. One of the type `zone` needs `zoneID`, one of the type `query` needs
  /// `query` and `firesOn`.
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

/// The content of a subscription's notifications.
public struct NotificationInfo: Codable, Hashable, Sendable {
  /// The text.
  public var alertBody: String?
  /// The key of the text in the app's localized strings.
  public var alertLocalizationKey: String?
  /// The arguments of the localized text. CloudKit replaces field names by the values of these
  /// fields; the record service sends the arguments unchanged.
  public var alertLocalizationArgs: [String]?
  /// The key of the action button's title in the app's localized strings.
  public var alertActionLocalizationKey: String?
  /// The name of the image that is shown when the app is launched from the notification.
  public var alertLaunchImage: String?
  /// The name of the sound that is played.
  public var soundName: String?
  /// Whether the app's icon shows a badge.
  public var shouldBadge: Bool?
  /// Whether the app is woken to fetch the changes.
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
