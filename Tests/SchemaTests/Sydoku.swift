import CloudRecords
import Foundation

/// Sydoku on a device: it migrates legacy data to its local store, and mirrors the store.
struct Sydoku {
  static let zone = ZoneID("com.apple.coredata.cloudkit.zone")

  let disk: Disk
  /// Whether the legacy data is deleted before the models are saved, which is wrong.
  var deletesFirst = false

  /// The data that survives a crash: the user defaults and the local store.
  final class Disk {
    var defaults: [String: Data]
    /// The local store. It is replaced as a whole, as in one transaction.
    var store = Store()
    /// The number of steps until the next crash; nil for none.
    var stepsLeft: Int?

    struct Store: Hashable {
      var models: SydokuModels?
      /// Whether the models come from the legacy data of this device.
      var isMigrated = false
      /// The change tags of the records that the service has, by record name.
      var tags: [String: String] = [:]
      var syncToken: String?
    }

    init(defaults: [String: Data] = [:]) { self.defaults = defaults }

    /// Ends the app if it is to crash here.
    func step() throws {
      guard let left = stepsLeft else { return }
      guard left > 0 else { throw Crash() }
      stepsLeft = left - 1
    }
  }

  struct Crash: Error {}

  /// How a launch found its models.
  enum Launch: Hashable {
    case usedModels
    case migratedLegacyData
    case foundNothing
  }

  // MARK: Launching

  func launch() throws -> Launch {
    try disk.step()
    if disk.store.models != nil {
      // A crash may have left legacy data that was migrated. Other legacy data stays.
      if disk.store.isMigrated { try deleteLegacyData() }
      return .usedModels
    }
    guard let legacy = try SydokuModels.Legacy(defaults: disk.defaults) else {
      return .foundNothing
    }
    if deletesFirst { try deleteLegacyData() }
    try disk.step()
    let models = SydokuModels(legacy) { UUID() }
    disk.store = Disk.Store(models: models, isMigrated: true)
    try disk.step()
    if !deletesFirst { try deleteLegacyData() }
    return .migratedLegacyData
  }

  private func deleteLegacyData() throws {
    for key in SydokuModels.Legacy.keys where disk.defaults[key] != nil {
      try disk.step()
      disk.defaults[key] = nil
    }
    try disk.step()
  }

  // MARK: Mirroring

  /// Subscribes to the zone, as at each launch.
  func subscribe(_ device: Device) async throws {
    try await device.createZone(Self.zone)
    try await device.subscribe([
      Subscription(
        "zone-changes", .zone, zoneID: Self.zone,
        notificationInfo: NotificationInfo(shouldSendContentAvailable: true))
    ])
  }

  /// Sends the models that the service does not have, and fetches the changes of other devices.
  func sync(_ device: Device) async throws {
    try disk.step()
    try await device.createZone(Self.zone)
    try await send(device)
    try disk.step()
    try await fetch(device)
  }

  /// Changes the statistics and sends them.
  func play(_ device: Device, at time: Int64) async throws {
    disk.store.models?.statistics.gamesPlayed += 1
    disk.store.models?.statistics.lastUpdatedAt = time
    guard let record = try disk.store.models?.records[0] else { return }
    try await save([record], device)
  }

  private func send(_ device: Device) async throws {
    let unsent = try disk.store.models?.records.filter {
      $0.recordName.flatMap { disk.store.tags[$0] } == nil
    }
    guard let unsent, !unsent.isEmpty else { return }
    try await save(unsent, device)
  }

  private func save(_ records: [RecordInput], _ device: Device) async throws {
    let operations = records.map { record in
      var record = record
      record.recordChangeTag = record.recordName.flatMap { disk.store.tags[$0] }
      return Operation(record.recordChangeTag == nil ? .create : .update, record)
    }
    try disk.step()
    let results = try await device.modify(operations, in: Self.zone, atomic: false)
    try disk.step()
    for result in results {
      switch result {
      case .record(let record): disk.store.tags[record.recordName] = record.recordChangeTag
      // The record was saved before a crash. Its tag comes with the changes of the zone.
      case .failure(let error) where error.code == .exists: break
      case .failure(let error): throw error
      case .tombstone: break
      }
    }
  }

  private func fetch(_ device: Device) async throws {
    let (changes, token) = try await device.changes(of: Self.zone, since: disk.store.syncToken)
    try disk.step()
    let records = changes.compactMap(\.record)
    var store = disk.store
    for record in records { store.tags[record.recordName] = record.recordChangeTag }
    store.syncToken = token
    if let models = try store.models ?? SydokuModels(records) {
      store.models = try models.taking(records)
    }
    disk.store = store
    try disk.step()
  }
}

extension SydokuModels {
  /// The models with the newer values of records.
  fileprivate func taking(_ records: [CloudRecords.Record]) throws -> SydokuModels {
    var models = self
    for record in records where record.recordType == Self.types[0] {
      // The other types do not change in these tests.
      var all = try self.records.map { input in
        CloudRecords.Record(
          input.recordName ?? "", type: input.recordType ?? "", fields: input.fields)
      }
      all[0] = record
      if let read = try SydokuModels(all),
        read.statistics.lastUpdatedAt > models.statistics.lastUpdatedAt
      {
        models.statistics = read.statistics
      }
    }
    return models
  }
}
