import CloudRecords
import Foundation
import Testing

@testable import RecordServiceSupport

/// Sydoku: legacy data becomes records of a mirrored model, which the second device sees.
struct SydokuTests {
  private static let legacy = SydokuModels.Legacy(
    statistics: .init(
      played: 42, won: 40, streak: 7, longestStreak: 19, seconds: 12_345.5,
      records: ["easy": 91.25, "evil": 1800], updated: 700_000_000.125),
    savedGame: .init(
      grid: "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
      entries: [0, 4, 0, 255], level: "evil", time: 61.5, errors: 2, hints: 1, daily: true,
      saved: 700_000_001),
    settings: .init(
      appearance: "dark", sound: false, vibration: true, maxErrors: 5, changed: 699_999_999.5))

  private static func run(
    _ place: Place, _ body: @escaping @Sendable (AppFixture) async throws -> Void
  ) async throws {
    try await AppFixture.run(.sydoku, on: place) { app in try await body(app) }
  }

  /// Every record of the zone.
  private static func records(_ device: Device) async throws -> [CloudRecords.Record] {
    try await device.changes(of: Sydoku.zone).records.compactMap(\.record)
  }

  // MARK: Models

  @Test(.covers(.sydokuTypes)) func theModelsHaveTheTypesOfTheSchema() throws {
    let schema = try AppSchema.sydoku.schema
    #expect(schema.recordTypes.keys.sorted() == SydokuModels.types)
    for record in try SydokuModels(Self.legacy, newID: UUID.init).records {
      let type = try #require(record.recordType.flatMap { schema[$0] })
      let written = record.fields.compactMapValues { $0.value?.type }
      // The other fields are for values that are too large, and for mirroring itself.
      for (field, definition) in type.fields
      where !field.hasSuffix("_ckAsset") && field != "CD_moveReceipt" {
        #expect(written[field].map { FieldType($0) } == definition.type, "\(type.name).\(field)")
      }
    }
  }

  @Test(.covers(.sydokuAdapters)) func theAdaptersLoseNothing() throws {
    let models = SydokuModels(Self.legacy, newID: UUID.init)
    #expect(models.legacy == Self.legacy)
    #expect(try SydokuModels.Legacy(defaults: models.legacy.defaults) == Self.legacy)
    var again = SydokuModels(models.legacy, newID: UUID.init)
    #expect(again != models)
    again.statistics.id = models.statistics.id
    again.savedGame.id = models.savedGame.id
    again.settings.id = models.settings.id
    #expect(again == models)
  }

  // MARK: Launching

  @Test(.covers(.sydokuUsesAnExistingModel)) func anExistingModelIsUsed() throws {
    let disk = Sydoku.Disk(defaults: try Self.legacy.defaults)
    let models = SydokuModels(Self.legacy, newID: UUID.init)
    disk.store.models = models
    #expect(try Sydoku(disk: disk).launch() == .usedModels)
    #expect(disk.store.models == models)
    // This device did not migrate the model, so the legacy data may differ from it.
    #expect(disk.defaults.count == 3)
  }

  @Test(.covers(.sydokuMigratesLegacyData)) func legacyDataIsMigratedOnce() throws {
    let disk = Sydoku.Disk(defaults: try Self.legacy.defaults)
    #expect(try Sydoku(disk: disk).launch() == .migratedLegacyData)
    #expect(disk.store.models?.legacy == Self.legacy)
    #expect(disk.defaults.isEmpty)
    let models = disk.store.models
    #expect(try Sydoku(disk: disk).launch() == .usedModels)
    #expect(disk.store.models == models)
  }

  @Test(.covers(.sydokuBeginsAnew)) func withoutModelsAndLegacyDataItBeginsAnew() throws {
    let disk = Sydoku.Disk()
    #expect(try Sydoku(disk: disk).launch() == .foundNothing)
    #expect(disk.store == Sydoku.Disk.Store())
  }

  // MARK: Two devices

  @Test(
    .covers(
      .sydokuMigration, .sydokuIsNotified, .sydokuEntityNamesAndZone, .everyStorageServesThem),
    arguments: Place.allCases)
  func theSecondDeviceSeesTheStatisticsAfterANotification(_ place: Place) async throws {
    try await Self.run(place) { app in
      let (phone, tablet) = (try await app.device("an"), try await app.device("an"))
      let old = Sydoku(disk: Sydoku.Disk(defaults: try Self.legacy.defaults))
      let new = Sydoku(disk: Sydoku.Disk())
      #expect(try new.launch() == .foundNothing)
      try await new.subscribe(tablet)
      try await new.sync(tablet)
      let url = try await tablet.listen()
      #expect(try await tablet.notifications(at: url).isEmpty)

      #expect(try old.launch() == .migratedLegacyData)
      try await old.subscribe(phone)
      try await old.sync(phone)
      let records = try await Self.records(phone)
      #expect(records.map(\.recordType).sorted() == SydokuModels.types)
      for record in records {
        #expect(record.zoneID?.zoneName == "com.apple.coredata.cloudkit.zone")
        #expect(record["CD_entityName"] == .string(String(record.recordType.dropFirst(3))))
      }

      let first = try await tablet.notifications(at: url)
      #expect(first.compactMap(\.ck?.zone?.zoneName) == ["com.apple.coredata.cloudkit.zone"])
      #expect(first.compactMap(\.aps?.contentAvailable) == [1])
      try await new.sync(tablet)
      #expect(new.disk.store.models == old.disk.store.models)
      #expect(new.disk.store.models?.legacy == Self.legacy)

      try await old.play(phone, at: 1_700_000_100_000)
      #expect(try await tablet.notifications(at: url).count == 1)
      try await new.sync(tablet)
      #expect(new.disk.store.models?.statistics.gamesPlayed == 43)
      // The tablet changes the statistics, with the tag that it has fetched.
      try await new.play(tablet, at: 1_700_000_200_000)
      try await old.sync(phone)
      #expect(old.disk.store.models?.statistics.gamesPlayed == 44)
      #expect(old.disk.store.models == new.disk.store.models)
      // Both mirror the same three records, and the default zone has none.
      #expect(try await Self.records(tablet).count == 3)
      #expect(try await phone.lookup(records.map(\.recordName)).allSatisfy { $0.record == nil })
    }
  }

  /// A game with many moves: mirroring saves such a value in the field with the suffix `_ckAsset`.
  @Test(.covers(.sydokuOverflows), arguments: Place.allCases)
  func aGameThatIsTooLargeIsAnAsset(_ place: Place) async throws {
    try await Self.run(place) { app in
      let (phone, tablet) = (try await app.device("an"), try await app.device("an"))
      try await phone.createZone(Sydoku.zone)
      let type = "CD_SavedGameState"
      let cells = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
      var game = RecordInput("game", type: type)
      game["CD_entityName"] = .string("SavedGameState")
      game["CD_cells_ckAsset"] = .asset(
        try await phone.upload(cells, type, "CD_cells_ckAsset", in: Sydoku.zone))
      try await phone.save([game], in: Sydoku.zone)
      let read = try #require(try await Self.records(tablet).first)
      let asset = try #require(read["CD_cells_ckAsset"]?.assets.first)
      #expect(try await tablet.download(asset) == cells)
    }
  }

  // MARK: Crashes

  /// Launches and syncs a device that crashes after a number of steps.
  ///
  /// - Returns: False if the device finished before it could crash.
  private static func crash(
    _ app: Sydoku, after steps: Int, _ device: Device
  ) async throws -> Bool {
    app.disk.stepsLeft = steps
    defer { app.disk.stepsLeft = nil }
    do {
      _ = try app.launch()
      try await app.sync(device)
      return false
    } catch is Sydoku.Crash {
      return true
    }
  }

  @Test(
    .covers(.sydokuSavesBeforeItDeletes, .sydokuLosesNothingInACrash), arguments: Place.allCases)
  func aCrashAtAnyStepLosesNothing(_ place: Place) async throws {
    try await Self.run(place) { app in
      var steps = 0
      while true {
        let device = try await app.device("crash-\(steps)")
        let sydoku = Sydoku(disk: Sydoku.Disk(defaults: try Self.legacy.defaults))
        let hasCrashed = try await Self.crash(sydoku, after: steps, device)
        // The store has everything, or the user defaults do.
        let isStored = sydoku.disk.store.models?.legacy == Self.legacy
        let legacy = try SydokuModels.Legacy(defaults: sydoku.disk.defaults)
        #expect(isStored || legacy == Self.legacy, "after \(steps) steps")

        let launch = try sydoku.launch()
        #expect(launch == (isStored ? .usedModels : .migratedLegacyData), "after \(steps) steps")
        try await sydoku.sync(device)
        #expect(sydoku.disk.store.models?.legacy == Self.legacy, "after \(steps) steps")
        #expect(sydoku.disk.defaults.isEmpty, "after \(steps) steps")
        // The other device has each record once, even if the first response was lost.
        let tablet = try await app.device("crash-\(steps)")
        let other = Sydoku(disk: Sydoku.Disk())
        try await other.sync(tablet)
        #expect(other.disk.store.models == sydoku.disk.store.models, "after \(steps) steps")
        #expect(try await Self.records(tablet).count == 3, "after \(steps) steps")
        guard hasCrashed else { break }
        steps += 1
      }
      #expect(steps > 10)
    }
  }

  /// This shows that the test above can fail.
  @Test(.covers(.sydokuSavesBeforeItDeletes)) func deletingBeforeSavingLosesData() throws {
    var lost: [Int] = []
    for steps in 0..<8 {
      let disk = Sydoku.Disk(defaults: try Self.legacy.defaults)
      disk.stepsLeft = steps
      do {
        _ = try Sydoku(disk: disk, deletesFirst: true).launch()
      } catch is Sydoku.Crash {}
      let legacy = try SydokuModels.Legacy(defaults: disk.defaults)
      if disk.store.models == nil && legacy == nil { lost.append(steps) }
    }
    #expect(!lost.isEmpty)
  }
}
