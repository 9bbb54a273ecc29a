import CloudRecords

extension PushNotification {
  /// Creates the notification of a subscription that fired.
  ///
  /// - Parameter id: the identifier of the notification.
  init(_ firing: Firing, id: String) {
    let subscription = firing.subscription
    var change = Change(notificationID: id, containerID: firing.address.container.name)
    if subscription.subscriptionType == .zone {
      change.zone = ZoneChange(
        zoneName: firing.zoneID.zoneName, zoneOwner: firing.zoneID.ownerRecordName,
        subscriptionID: subscription.subscriptionID)
    } else {
      change.query = QueryChange(
        recordName: firing.recordName, zoneName: firing.zoneID.zoneName,
        zoneOwner: firing.zoneID.ownerRecordName, subscriptionID: subscription.subscriptionID,
        database: firing.address.database, event: firing.event)
    }
    self.init(aps: subscription.notificationInfo.map(Content.init), ck: change)
  }
}

extension PushNotification.Content {
  fileprivate init(_ info: NotificationInfo) {
    let alert = PushNotification.Alert(
      body: info.alertBody, localizationKey: info.alertLocalizationKey,
      localizationArguments: info.alertLocalizationArgs,
      actionLocalizationKey: info.alertActionLocalizationKey,
      launchImage: info.alertLaunchImage)
    let isSilent = [
      info.alertBody, info.alertLocalizationKey, info.alertActionLocalizationKey,
      info.alertLaunchImage,
    ].allSatisfy { $0 == nil }
    self.init(
      alert: isSilent ? nil : alert, sound: info.soundName,
      badge: info.shouldBadge == true ? 1 : nil,
      contentAvailable: info.shouldSendContentAvailable == true ? 1 : nil)
  }
}
