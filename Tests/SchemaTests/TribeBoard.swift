import CloudRecords

@testable import RecordServiceSupport

/// The actions of TribeBoard on a device: families with codes, and their members.
struct TribeBoard {
  static let zone = ZoneID("TribeBoardZone")

  let device: Device
  /// The private database, where the records are in the app's zone, or the public one, which has
  /// only the default zone.
  var database = DatabaseScope.private

  private var zone: ZoneID? { database == .private ? Self.zone : nil }

  // MARK: Records

  static func family(_ name: String, code: String, by user: String) -> RecordInput {
    note(
      "family-\(name)",
      [
        "name": .string(name), "code": .string(code), "createdByUserId": .string(user),
        "createdAt": .timestamp(Timestamp(milliseconds: 1000)),
      ], type: "CKFamily")
  }

  static func profile(_ name: String) -> RecordInput {
    note(
      "profile-\(name)",
      [
        "displayName": .string(name), "appleUserIdHash": .string("hash-\(name)"),
        "createdAt": .timestamp(Timestamp(milliseconds: 2000)),
      ], type: "CKUserProfile")
  }

  static func membership(
    of name: String, in family: String, role: String = "child", status: String = "active",
    joined: Int64 = 3000, _ action: Reference.Action = .deleteSelf
  ) -> RecordInput {
    note(
      "membership-\(family)-\(name)",
      [
        "role": .string(role), "status": .string(status),
        "joinedAt": .timestamp(Timestamp(milliseconds: joined)),
        "lastRoleChangeAt": .timestamp(Timestamp(milliseconds: joined)),
        "family": .reference(Reference("family-\(family)", action: action)),
        "user": .reference(Reference("profile-\(name)", action: action)),
      ], type: "CKMembership")
  }

  /// The subscriptions, one for each type.
  static func subscriptions(in zone: ZoneID = zone) -> [Subscription] {
    let types = [
      "family-changes": "CKFamily", "membership-changes": "CKMembership",
      "userprofile-changes": "CKUserProfile",
    ]
    return types.sorted(by: <).map { id, type in
      Subscription(
        id, .query, query: Query(type), zoneID: zone, firesOn: [.create, .update, .delete],
        notificationInfo: NotificationInfo(shouldSendContentAvailable: true))
    }
  }

  // MARK: Queries

  static func familyQuery(code: String) -> Query {
    Query("CKFamily", filters: [Filter("code", .equals, .string(code))])
  }

  static func profileQuery(hash: String) -> Query {
    Query("CKUserProfile", filters: [Filter("appleUserIdHash", .equals, .string(hash))])
  }

  /// The active members of a family, in the order in which they joined.
  ///
  /// - Parameter role: Nil for all roles.
  static func membersQuery(of family: String, role: String? = nil) -> Query {
    var filters = [
      Filter("family", .equals, .reference(Reference("family-\(family)", action: nil))),
      Filter("status", .equals, .string("active")),
    ]
    if let role { filters.insert(Filter("role", .equals, .string(role)), at: 1) }
    return Query("CKMembership", filters: filters, sorts: [Sort("joinedAt")])
  }

  // MARK: Actions

  /// Creates the zone and the subscriptions, as at each launch.
  func launch() async throws {
    try await device.createZone(Self.zone)
    try await device.subscribe(Self.subscriptions())
  }

  /// Creates a family, the profile of its founder, and the founder's membership, in one request.
  func found(_ name: String, code: String, by founder: String) async throws {
    try await device.save(
      [
        Self.family(name, code: code, by: device.user), Self.profile(founder),
        Self.membership(of: founder, in: name, role: "parent_admin"),
      ], in: zone, of: database)
  }

  /// Adds members whose profiles do not exist yet.
  func add(_ names: [String], to family: String, status: String = "active") async throws {
    try await device.save(
      names.map(Self.profile)
        + names.enumerated().map { index, name in
          Self.membership(of: name, in: family, status: status, joined: 4000 - Int64(index))
        }, in: zone, of: database)
  }

  func find(_ query: Query) async throws -> [String] {
    try await device.outcome(query, in: zone, of: database)
  }
}
