import CloudRecords

/// The database that a request addresses, and the permissions of the caller, as seen by one
/// transaction.
struct RequestContext {
  let address: DatabaseAddress
  let caller: Caller?
  var state: EnvironmentState
  let owner: OwnerRow
  /// The zone that a reading request is about, once the transaction has read it.
  var zone: ZoneRow?

  var isPublic: Bool { address.database == .public }

  /// Returns the account whose database a request addresses: 0 for a public database.
  ///
  /// - Throws: BAD_REQUEST for the shared database, which is not served; AUTHENTICATION_REQUIRED
  ///   for a private database without a caller.
  static func account(at address: DatabaseAddress, by caller: Caller?) throws(ServiceError) -> Int64
  {
    switch address.database {
    case .public: return 0
    case .shared:
      throw ServiceError(
        .badRequest, cause: .notServed(.sharing, address.database.rawValue))
    case .private: return try caller.signedIn().account
    }
  }

  // MARK: Zones

  /// The owner name of a zone whose owner has no user record name.
  private static let nobody = "_defaultOwner"
  /// The owner names that stand for the caller in a request.
  private static let selves: Set<String> = [nobody, "__defaultOwner__"]

  private var ownerName: String {
    isPublic ? Self.nobody : caller?.userRecordName ?? Self.nobody
  }

  /// Returns the zone with an ID; the default zone if the request names none.
  ///
  /// - Throws: ZONE_NOT_FOUND if the zone does not exist, is deleted or belongs to another user.
  func zone(
    _ zoneID: ZoneID?, in transaction: SQLTransaction
  ) throws -> ZoneRow {
    let zoneID = zoneID ?? .default
    guard let zone = try knownZone(zoneID, in: transaction) else {
      throw ServiceError(.zoneNotFound, cause: .zoneNotFound, zoneID: zoneID)
    }
    return zone
  }

  /// The zone with this ID; nil if it does not exist, is deleted or belongs to another user.
  func knownZone(_ zoneID: ZoneID, in transaction: SQLTransaction) throws -> ZoneRow? {
    guard isOwn(zoneID.ownerRecordName) else { return nil }
    if let zone, zone.name == zoneID.zoneName { return zone }
    guard let found = try transaction.zone(zoneID.zoneName, of: owner.id), !found.isDeleted else {
      return nil
    }
    return found
  }

  /// Whether an owner name is nil, a placeholder for the caller or the caller's own name.
  func isOwn(_ ownerRecordName: String?) -> Bool {
    Self.foreignOwner(ownerRecordName, of: caller) == nil
  }

  /// The owner name if it is another user's; nil if it stands for the caller.
  static func foreignOwner(_ ownerRecordName: String?, of caller: Caller?) -> String? {
    guard let name = ownerRecordName, !selves.contains(name), name != caller?.userRecordName else {
      return nil
    }
    return name
  }

  func scope(_ zone: ZoneRow) -> Scope { Scope(zone, isPublic: isPublic) }

  /// The zone ID as it appears in responses.
  func zoneID(_ name: String) -> ZoneID {
    ZoneID(
      name, ownerRecordName: ownerName,
      zoneType: name == ZoneID.defaultName ? .default : .custom)
  }

  /// The zone ID of a record as it appears in responses: only the name, and nil in the default
  /// zone, where clients send none either. The zone's own entries in responses state the rest.
  /// Apple's service repeats all of it in each record.
  func recordZoneID(_ name: String) -> ZoneID? {
    name == ZoneID.defaultName ? nil : ZoneID(name)
  }

  /// Whether a zone has a change feed. The default zone has one only if the container's option says
  /// so; public databases have none.
  func hasFeed(_ name: String) -> Bool {
    !isPublic && (name != ZoneID.defaultName || state.hasDefaultZoneFeed)
  }

  // MARK: Grants

  /// Whether the caller has a permission for records of a type. The owner of a private database has
  /// all permissions, whatever the schema grants.
  ///
  /// - Parameter creator: the account that created the record; nil for a record that does not exist
  ///   yet, or to ask for records of any creator.
  func allows(_ permission: Permission, type: String, creator: Int64?) -> Bool {
    guard isPublic else { return true }
    return state.schema[type]?.grants.allow(permission, to: roles(creator: creator)) ?? false
  }

  /// Whether the caller has a permission for a record.
  func allows(_ permission: Permission, _ record: RecordHeading) -> Bool {
    allows(permission, type: record.type, creator: record.creator)
  }

  /// Returns the role by which the caller has a permission in a public database; nil without the
  /// permission, and in a private database. Of several roles it is the one with the fewest users.
  ///
  /// - Parameter creator: as in `allows`.
  func role(with permission: Permission, type: String, creator: Int64?) -> Role? {
    guard isPublic, let grants = state.schema[type]?.grants else { return nil }
    let roles = roles(creator: creator)
    return [Role.creator, .icloud, .world].first {
      roles.contains($0) && grants.allow(permission, to: [$0])
    }
  }

  /// The caller's roles for the records of a creator.
  private func roles(creator: Int64?) -> Set<Role> {
    var roles: Set<Role> = [.world]
    if let caller {
      roles.insert(.icloud)
      if caller.account == creator { roles.insert(.creator) }
    }
    return roles
  }
}
