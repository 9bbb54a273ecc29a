/// What a long poll answers: something changed. It is a hint to fetch, no record of a change.
public struct PushNotification: Codable, Hashable, Sendable {
  public var aps: Alerting?
  public var ck: Change?

  public init(aps: Alerting? = nil, ck: Change? = nil) {
    self.aps = aps
    self.ck = ck
  }

  /// What is shown.
  public struct Alerting: Codable, Hashable, Sendable {
    public var alert: Alert?
    public var sound: String?
    public var badge: Int?
    public var category: String?
    /// 1 for a silent notification.
    public var contentAvailable: Int?

    private enum CodingKeys: String, CodingKey {
      case alert, sound, badge, category
      case contentAvailable = "content-available"
    }

    public init(
      alert: Alert? = nil, sound: String? = nil, badge: Int? = nil, category: String? = nil,
      contentAvailable: Int? = nil
    ) {
      self.alert = alert
      self.sound = sound
      self.badge = badge
      self.category = category
      self.contentAvailable = contentAvailable
    }
  }

  public struct Alert: Codable, Hashable, Sendable {
    public var body: String?
    public var localizationKey: String?
    public var localizationArguments: [String]?
    public var actionLocalizationKey: String?
    public var launchImage: String?

    private enum CodingKeys: String, CodingKey {
      case body
      case localizationKey = "loc-key"
      case localizationArguments = "loc-args"
      case actionLocalizationKey = "action-loc-key"
      case launchImage = "launch-image"
    }

    public init(
      body: String? = nil, localizationKey: String? = nil,
      localizationArguments: [String]? = nil, actionLocalizationKey: String? = nil,
      launchImage: String? = nil
    ) {
      self.body = body
      self.localizationKey = localizationKey
      self.localizationArguments = localizationArguments
      self.actionLocalizationKey = actionLocalizationKey
      self.launchImage = launchImage
    }

    /// An alert may also be its body alone.
    public init(from decoder: any Decoder) throws {
      if let body = try? decoder.singleValueContainer().decode(String.self) {
        self.init(body: body)
        return
      }
      self.init()
      let container = try decoder.container(keyedBy: CodingKeys.self)
      body = try container.decodeIfPresent(String.self, forKey: .body)
      localizationKey = try container.decodeIfPresent(String.self, forKey: .localizationKey)
      localizationArguments = try container.decodeIfPresent(
        [String].self, forKey: .localizationArguments)
      actionLocalizationKey = try container.decodeIfPresent(
        String.self, forKey: .actionLocalizationKey)
      launchImage = try container.decodeIfPresent(String.self, forKey: .launchImage)
    }
  }

  /// What changed: in a zone, or a record of a query.
  public struct Change: Codable, Hashable, Sendable {
    public var notificationID: String?
    public var containerID: String?
    public var zone: ZoneChange?
    public var query: QueryChange?

    private enum CodingKeys: String, CodingKey {
      case notificationID = "nid"
      case containerID = "cid"
      case zone = "fet"
      case query = "qry"
    }

    public init(
      notificationID: String? = nil, containerID: String? = nil, zone: ZoneChange? = nil,
      query: QueryChange? = nil
    ) {
      self.notificationID = notificationID
      self.containerID = containerID
      self.zone = zone
      self.query = query
    }

    /// The subscription that the notification is of.
    public var subscriptionID: String? { zone?.subscriptionID ?? query?.subscriptionID }
  }

  public struct ZoneChange: Codable, Hashable, Sendable {
    public var zoneName: String?
    public var zoneOwner: String?
    public var subscriptionID: String?

    private enum CodingKeys: String, CodingKey {
      case zoneName = "zid"
      case zoneOwner = "zoid"
      case subscriptionID = "sid"
    }

    public init(zoneName: String? = nil, zoneOwner: String? = nil, subscriptionID: String? = nil) {
      self.zoneName = zoneName
      self.zoneOwner = zoneOwner
      self.subscriptionID = subscriptionID
    }
  }

  public struct QueryChange: Codable, Hashable, Sendable {
    public var recordName: String?
    public var zoneName: String?
    public var zoneOwner: String?
    public var subscriptionID: String?
    /// As `DatabaseScope.number`.
    public var database: Int?
    /// What happened to the record: 1 created, 2 updated, 3 deleted.
    public var event: Int?
    public var fields: [String: JSONValue]?

    private enum CodingKeys: String, CodingKey {
      case recordName = "rid"
      case zoneName = "zid"
      case zoneOwner = "zoid"
      case subscriptionID = "sid"
      case database = "dbs"
      case event = "fo"
      case fields = "af"
    }

    public init(
      recordName: String? = nil, zoneName: String? = nil, zoneOwner: String? = nil,
      subscriptionID: String? = nil, database: DatabaseScope? = nil,
      event: Subscription.Event? = nil, fields: [String: JSONValue]? = nil
    ) {
      self.recordName = recordName
      self.zoneName = zoneName
      self.zoneOwner = zoneOwner
      self.subscriptionID = subscriptionID
      self.database = database?.number
      self.event = event.flatMap(Subscription.Event.allCases.firstIndex).map { $0 + 1 }
      self.fields = fields
    }
  }
}
