import CloudRecords

/// What a request goes to and may do there, as one transaction sees it.
struct RequestContext {
  let place: Place
  let caller: Caller?
  var state: EnvironmentState
  let owner: OwnerRow

  var isPublic: Bool { place.database == .public }

  /// Whose owner a request goes to: nobody's for a public database.
  static func account(at place: Place, by caller: Caller?) throws(ServiceError) -> Int64 {
    switch place.database {
    case .public: return 0
    case .shared: throw ServiceError(.badRequest, reason: Reason.notShared)
    case .private:
      guard let caller else {
        throw ServiceError(.authenticationRequired, reason: Reason.authorizationNeeded)
      }
      return caller.account
    }
  }

  // MARK: Zones

  /// The owner as zones and clients name it.
  private static let nobody = "_defaultOwner"
  /// What clients send for the caller.
  private static let selves: Set<String> = [nobody, "__defaultOwner__"]

  private var ownerName: String {
    isPublic ? Self.nobody : caller?.userRecordName ?? Self.nobody
  }

  /// The zone that a request names. Those of others are no more found than those that are not
  /// there.
  func zone(
    _ zoneID: ZoneID?, in transaction: any RecordReading
  ) throws -> ZoneRow {
    let zoneID = zoneID ?? .default
    guard let zone = try knownZone(zoneID, in: transaction) else { throw missing(zoneID) }
    return zone
  }

  /// - Returns: nil where there is no such zone.
  func knownZone(_ zoneID: ZoneID, in transaction: any RecordReading) throws -> ZoneRow? {
    guard isOwn(zoneID.ownerRecordName),
      let zone = try transaction.zone(zoneID.zoneName, of: owner.id), !zone.isDeleted
    else { return nil }
    return zone
  }

  /// By the order of their changes, the default zone among them.
  func liveZones(in transaction: any RecordReading) throws -> [ZoneRow] {
    try transaction.zones(of: owner.id, changedAfter: -1, limit: .max).filter { !$0.isDeleted }
  }

  private func missing(_ zoneID: ZoneID) -> ServiceError {
    ServiceError(.zoneNotFound, reason: Reason.zoneNotFound, zoneID: zoneID)
  }

  /// Whether a name is the one of the owner, or stands for it.
  func isOwn(_ ownerRecordName: String?) -> Bool {
    Self.foreignOwner(ownerRecordName, of: caller) == nil
  }

  /// The owner's name where it is another's; nil for the caller's own, however it is named.
  static func foreignOwner(_ ownerRecordName: String?, of caller: Caller?) -> String? {
    guard let name = ownerRecordName, !selves.contains(name), name != caller?.userRecordName else {
      return nil
    }
    return name
  }

  func scope(_ zone: ZoneRow) -> Scope { Scope(zone, isPublic: isPublic) }

  /// The zone's id as answers have it.
  func zoneID(_ name: String) -> ZoneID {
    ZoneID(
      name, ownerRecordName: ownerName,
      zoneType: name == ZoneID.defaultName ? .default : .custom)
  }

  func hasFeed(_ name: String) -> Bool {
    !isPublic && (name != ZoneID.defaultName || state.hasDefaultZoneFeed)
  }

  // MARK: Grants

  /// Whether the caller may do something with records of a type. Private records are their
  /// owner's, whatever is granted.
  ///
  /// - Parameter creator: of the record; nil for one that is not there.
  func allows(_ permission: Permission, type: String, creator: Int64?) -> Bool {
    guard isPublic else { return true }
    var roles: Set<Role> = [.world]
    if let caller {
      roles.insert(.icloud)
      if caller.account == creator { roles.insert(.creator) }
    }
    return state.schema[type]?.grants.allow(permission, to: roles) ?? false
  }
}
