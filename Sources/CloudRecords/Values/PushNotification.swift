/// A notification, as received by long polling.
///
/// It only indicates that something has changed. The client must fetch the changes.
/// The keys of the JSON are those that CloudKit JS reads.
public struct PushNotification: Codable, Hashable, Sendable {
  /// The content that is shown to the user, or the request to wake the app without showing
  /// anything; nil if there is neither.
  public var aps: Content?
  /// The change that caused the notification.
  public var ck: Change?

  /// Creates a notification from the content that is shown and the change that caused it.
  public init(aps: Content? = nil, ck: Change? = nil) {
    self.aps = aps
    self.ck = ck
  }

  /// The content of a notification, in the format of the Apple Push Notification service.
  public struct Content: Codable, Hashable, Sendable {
    /// The text of the notification; nil if it has none.
    public var alert: Alert?
    /// The name of the sound that is played.
    public var sound: String?
    /// The number on the app's icon.
    public var badge: Int?
    /// The category of the notification, which determines its actions.
    public var category: String?
    /// 1 if the app is woken to fetch the changes.
    public var contentAvailable: Int?

    private enum CodingKeys: String, CodingKey {
      case alert, sound, badge, category
      case contentAvailable = "content-available"
    }

    /// Creates the content that is shown. `contentAvailable` is 1 to wake the app, otherwise nil.
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

  /// The text of a notification.
  public struct Alert: Codable, Hashable, Sendable {
    /// The text.
    public var body: String?
    /// The key of the text in the app's localized strings.
    public var localizationKey: String?
    /// The values for the placeholders in the localized text.
    public var localizationArguments: [String]?
    /// The key of the action button's title in the app's localized strings.
    public var actionLocalizationKey: String?
    /// The name of the image that is shown when the app is launched from the notification.
    public var launchImage: String?

    private enum CodingKeys: String, CodingKey {
      case body
      case localizationKey = "loc-key"
      case localizationArguments = "loc-args"
      case actionLocalizationKey = "action-loc-key"
      case launchImage = "launch-image"
    }

    /// Creates the text of a notification: `body`, or a key of the app's localized strings.
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

    /// Decodes an alert. An alert can also be a string, which is its body.
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

  /// The change that caused a notification: of a zone, or of a record that matches a query.
  public struct Change: Codable, Hashable, Sendable {
    /// The identifier of the notification.
    public var notificationID: String?
    /// The identifier of the container.
    public var containerID: String?
    /// The change of a zone; nil for a query subscription.
    public var zone: ZoneChange?
    /// The change of a record; nil for a zone subscription.
    public var query: QueryChange?

    private enum CodingKeys: String, CodingKey {
      case notificationID = "nid"
      case containerID = "cid"
      case zone = "fet"
      case query = "qry"
    }

    /// Creates a change: either `zone` or `query` is given.
    public init(
      notificationID: String? = nil, containerID: String? = nil, zone: ZoneChange? = nil,
      query: QueryChange? = nil
    ) {
      self.notificationID = notificationID
      self.containerID = containerID
      self.zone = zone
      self.query = query
    }

    /// The subscription that caused the notification.
    public var subscriptionID: String? { zone?.subscriptionID ?? query?.subscriptionID }
  }

  /// A change in the zone of a zone subscription.
  public struct ZoneChange: Codable, Hashable, Sendable {
    /// The name of the zone.
    public var zoneName: String?
    /// The user record name of the zone's owner.
    public var zoneOwner: String?
    /// The subscription that caused the notification.
    public var subscriptionID: String?

    private enum CodingKeys: String, CodingKey {
      case zoneName = "zid"
      case zoneOwner = "zoid"
      case subscriptionID = "sid"
    }

    /// Creates a change in a zone.
    public init(zoneName: String? = nil, zoneOwner: String? = nil, subscriptionID: String? = nil) {
      self.zoneName = zoneName
      self.zoneOwner = zoneOwner
      self.subscriptionID = subscriptionID
    }
  }

  /// A change of a record that matches the query of a subscription.
  public struct QueryChange: Codable, Hashable, Sendable {
    /// The name of the record.
    public var recordName: String?
    /// The name of the record's zone.
    public var zoneName: String?
    /// The user record name of the zone's owner.
    public var zoneOwner: String?
    /// The subscription that caused the notification.
    public var subscriptionID: String?
    /// The database of the record, as a `DatabaseScope.number`.
    public var database: Int?
    /// The event: 1 if the record was created, 2 if it was updated, 3 if it was deleted.
    public var event: Int?
    /// The values of the fields that the subscription includes in its notifications.
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

    /// Creates a change of a record. `database` and `event` become the numbers that are sent.
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
      // The numbers are the positions of the cases, counted from 1.
      self.event = event.flatMap(Subscription.Event.allCases.firstIndex).map { $0 + 1 }
      self.fields = fields
    }
  }
}
