import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Uploading assets, saving them in records and downloading them.
@Suite struct AssetTests {
  private static let chunk = AssetRow.chunkBytes

  @Test(arguments: [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk + 5])
  func anAssetComesBackAsItWasUploaded(_ count: Int) async throws {
    for factory in StorageFactory.all {
      let fixture = try await ServiceFixture.withAssets(factory)
      let bytes = ServiceFixture.bytes(count)
      let asset = try await fixture.upload(bytes)
      #expect(asset.size == Int64(count))
      #expect(asset.downloadURL == nil)
      let saved = try await fixture.save("a", ["cover": .asset(asset)], type: "Album")
      let read = try #require(try await fixture.lookup(["a"]).first?.record)
      for record in [saved, read] {
        let value = try #require(record["cover"]?.assets.first)
        #expect(value.fileChecksum == asset.fileChecksum && value.size == asset.size)
        #expect(value.receipt == nil)
        #expect(try await fixture.download(value) == bytes)
      }
      #expect(try await fixture.faults() == [])
    }
  }

  @Test func listsHaveSeveralAssets() async throws {
    let fixture = try await ServiceFixture.withAssets()
    var pages: [Asset] = []
    for number in 0..<3 {
      pages.append(try await fixture.upload(ServiceFixture.bytes(1000, number), "pages"))
    }
    let saved = try await fixture.save("a", ["pages": .assets(pages)], type: "Album")
    let value = try #require(saved["pages"])
    #expect(value.type.name == "ASSETID_LIST")
    for (number, asset) in value.assets.enumerated() {
      #expect(try await fixture.download(asset) == ServiceFixture.bytes(1000, number))
    }
    // One page is removed: its bytes are deleted, those of the others stay.
    try await fixture.save(
      "a", ["pages": .assets([value.assets[2], value.assets[0]])], type: "Album")
    try await fixture.service.deleteUnusedAssets()
    #expect(try await fixture.assetRows() == [2, 2])
    #expect(
      try await fixture.save("b", ["pages": .assets([])], type: "Album")["pages"] == .assets([]))
  }

  // MARK: Receipts

  /// Only the uploaded asset can be saved, and only in the place for which it was uploaded.
  @Test func aReceiptIsForOneFieldAndContent() async throws {
    let fixture = try await ServiceFixture.withAssets()
    try await fixture.makeZone()
    let asset = try await fixture.upload(ServiceFixture.bytes(10))
    let other = try await fixture.upload(ServiceFixture.bytes(11))
    func changed(_ change: (inout Asset) -> Void) -> Asset {
      var changed = asset
      change(&changed)
      return changed
    }
    let invalid =
      "BAD_REQUEST: the asset in field 'cover' has no valid receipt; upload it for this record and "
      + "field"
    let wrong = [
      changed { $0.receipt = nil }, changed { $0.receipt = "" }, changed { $0.receipt = "x" },
      changed { $0.receipt = Data(count: 48).base64EncodedString() },
      changed { $0.receipt = other.receipt }, changed { $0.fileChecksum = other.fileChecksum },
      changed { $0.size += 1 }, changed { $0.size = -1 },
      Asset(fileChecksum: other.fileChecksum, size: other.size, receipt: asset.receipt),
    ]
    for asset in wrong {
      let results = try await fixture.modify([
        Operation(.create, note("a", ["cover": .asset(asset)], type: "Album"))
      ])
      #expect(results.summary == [invalid])
    }
    // The receipt is not valid for another field, type, zone, environment or account.
    func summary(
      _ field: String, _ type: String = "Album", in zone: ZoneID? = nil,
      at address: DatabaseAddress = ServiceFixture.private, by caller: Caller = ServiceFixture.an
    ) async throws -> String {
      try await fixture.modify(
        [Operation(.create, note("a", [field: .asset(asset)], type: type))], in: zone, at: address,
        by: caller
      ).summary[0]
    }
    #expect(try await summary("back") == invalid.replacing("cover", with: "back"))
    #expect(try await summary("file", "Note") == invalid.replacing("cover", with: "file"))
    #expect(try await summary("cover", in: ServiceFixture.zone) == invalid)
    #expect(try await summary("cover", at: ServiceFixture.development) == invalid)
    #expect(try await summary("cover", by: ServiceFixture.binh) == invalid)
    #expect(try await summary("cover") == "a")
    #expect(try await fixture.faults() == [])
  }

  @Test func anUploadForARecordIsForThatRecord() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let asset = try await fixture.upload(ServiceFixture.bytes(10), record: "a")
    let input = note("b", ["cover": .asset(asset)], type: "Album")
    #expect(
      try await fixture.modify([Operation(.create, input)]).summary[0].hasPrefix("BAD_REQUEST"))
    try await fixture.save("a", ["cover": .asset(asset)], type: "Album")
  }

  @Test func anAssetBelongsToOneRecord() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let asset = try await fixture.upload(ServiceFixture.bytes(10))
    func create(_ name: String) -> Operation {
      Operation(.create, note(name, ["cover": .asset(asset)], type: "Album"))
    }
    let used = "BAD_REQUEST: the asset in field 'cover' belongs to another record"
    #expect(try await fixture.modify([create("a"), create("b")]).summary == ["a", used])
    #expect(try await fixture.modify([create("b")]).summary == [used])
    // If the answer was lost, the client sends the operation again.
    try await fixture.save("a", ["cover": .asset(asset)], type: "Album")
    #expect(try await fixture.assetRows() == [1, 1])
  }

  /// Clients send back what they have read.
  @Test func anAssetOfTheRecordNeedsNoReceipt() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let bytes = ServiceFixture.bytes(10)
    let saved = try await fixture.save(
      "a", ["cover": .asset(try await fixture.upload(bytes))], type: "Album")
    let value = try #require(saved["cover"])
    let again = try await fixture.save("a", ["cover": value, "title": .string("x")], type: "Album")
    #expect(try await fixture.download(again["cover"]?.assets.first) == bytes)
    // Another field and another record need a receipt.
    for (name, field) in [("a", "back"), ("b", "cover")] {
      let results = try await fixture.modify([
        Operation(.forceUpdate, note(name, [field: value], type: "Album"))
      ])
      #expect(results.summary[0].hasPrefix("BAD_REQUEST"))
    }
  }

  // MARK: URLs

  @Test func urlsExpire() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let url = try await fixture.uploadURL("cover")
    let saved = try await fixture.save(
      "a", ["cover": .asset(try await fixture.send(Data("x".utf8), to: url))], type: "Album")
    let asset = try #require(saved["cover"]?.assets.first)
    fixture.clock.advance(AssetSigner.uploadLifetime)
    #expect(await serviceError { try await fixture.send(Data(), to: url) }?.code == .notFound)
    #expect(try await fixture.download(asset) == Data("x".utf8))
    fixture.clock.advance(AssetSigner.downloadLifetime - AssetSigner.uploadLifetime)
    let late = await serviceError { try await fixture.download(asset) }
    #expect(
      late?.summary == "NOT_FOUND: the URL of the asset is wrong or has expired; ask for another")
    // The next answer has a new URL.
    #expect(
      try await fixture.download(fixture.lookup(["a"])[0].record?["cover"]?.assets.first)
        == Data("x".utf8))
  }

  /// A URL serves only its own purpose, and no character of it can be changed.
  @Test func urlsCannotBeMadeUp() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let upload = try await fixture.uploadURL("cover").dropFirst(RecordService.uploadPath.count)
    let saved = try await fixture.save(
      "a", ["cover": .asset(try await fixture.upload(Data("x".utf8)))], type: "Album")
    let url = try #require(saved["cover"]?.assets.first?.downloadURL)
    let download = String(url.dropFirst(AssetLinks.path.count))
    let service = fixture.service
    #expect(await serviceError { try await service.download(String(upload)) } != nil)
    #expect(await serviceError { try await service.beginUpload(download, bytes: 1) } != nil)
    for index in download.indices {
      var changed = download
      changed.replaceSubrange(index...index, with: download[index] == "A" ? "B" : "A")
      // The last character can have bits that mean nothing.
      if index < download.index(before: download.endIndex) {
        #expect(await serviceError { try await service.download(changed) } != nil)
      }
    }
    for text in ["", "A", String(repeating: "A", count: 5000), "ä", "/"] {
      #expect(await serviceError { try await service.download(text) }?.code == .notFound)
    }
  }

  // MARK: Fields and grants

  @Test func onlyFieldsForAssetsGetAURL() async throws {
    let fixture = try await ServiceFixture.withAssets()
    func summary(
      _ field: String, _ type: String, record: String? = nil,
      at address: DatabaseAddress = ServiceFixture.private
    ) async -> String? {
      await serviceError {
        try await fixture.uploadURL(field, type, record: record, at: address)
      }?.summary
    }
    #expect(
      await summary("title", "Album")
        == "BAD_REQUEST: invalid attempt to set value type ASSETID for field 'title' for type "
        + "'Album', defined to be: STRING")
    #expect(
      await summary("none", "Album")
        == "BAD_REQUEST: Cannot create or modify field 'none' in record 'Album' in production schema"
    )
    #expect(
      await summary("cover", "None")
        == "BAD_REQUEST: Cannot create new type None in production schema")
    #expect(await summary("pages", "Album") == nil)
    #expect(
      await summary("cover", "Album", record: "_x")
        == "BAD_REQUEST: the name '_x' must not begin with \"_\"")
    // In development saving the record makes the field.
    let development = ServiceFixture.development
    #expect(await summary("none", "None", at: development) == nil)
    let asset = try await fixture.upload(Data("x".utf8), "none", "None", at: development)
    try await fixture.save("a", ["none": .asset(asset)], type: "None", at: development)
    let schema = try await fixture.service.schema(of: ServiceFixture.container, .development)
    #expect(schema["None"]?.fields["none"]?.type == .asset)
    let names = try await fixture.service.assetsUpload(
      .init(tokens: [
        .init(recordName: "n", recordType: "Album", fieldName: "cover"),
        .init(recordType: "Album", fieldName: "back"),
      ]), at: ServiceFixture.private, by: ServiceFixture.an
    ).tokens
    #expect(names.map(\.fieldName) == ["cover", "back"])
    #expect(names[0].recordName == "n" && !names[1].recordName.isEmpty)
    let many = AssetsUpload.Request(
      tokens: Array(repeating: .init(recordType: "Album", fieldName: "cover"), count: 201))
    let tooMany = await serviceError {
      try await fixture.service.assetsUpload(
        many, at: ServiceFixture.private, by: ServiceFixture.an)
    }
    #expect(tooMany?.code == .badRequest)
  }

  @Test func grantsDecideInThePublicDatabase() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let (an, binh, place) = (ServiceFixture.an, ServiceFixture.binh, ServiceFixture.public)
    func summary(
      _ field: String, _ type: String, record: String? = nil, by caller: Caller?
    ) async -> String? {
      await serviceError {
        try await fixture.uploadURL(field, type, record: record, at: place, by: caller)
      }?.summary
    }
    #expect(
      await summary("cover", "Album", by: an) == "ACCESS_DENIED: CREATE operation not permitted")
    #expect(
      await summary("image", "Poster", by: nil)
        == "AUTHENTICATION_REQUIRED: request needs authorization")
    let bytes = ServiceFixture.bytes(1000)
    let asset = try await fixture.upload(bytes, "image", "Poster", at: place)
    try await fixture.save("p", ["image": .asset(asset)], type: "Poster", at: place)
    // Everyone may read the record, and Bình may change it. Record and asset count for An.
    for caller in [an, binh, nil] {
      let read = try await fixture.lookup(["p"], at: place, by: caller).first?.record
      #expect(try await fixture.download(read?["image"]?.assets.first) == bytes)
    }
    let newer = try await fixture.upload(
      ServiceFixture.bytes(2000), "image", "Poster", record: "p", at: place, by: binh)
    // Only the user who uploaded the asset can use the receipt.
    let stolen = try await fixture.modify(
      [Operation(.forceUpdate, note("p", ["image": .asset(newer)], type: "Poster"))], at: place)
    #expect(stolen.summary[0].hasPrefix("BAD_REQUEST"))
    func usage(_ caller: Caller) async throws -> Int {
      try await fixture.service.usage(of: caller.account).bytes
    }
    #expect(try await usage(binh) == 2000)
    try await fixture.save("p", ["image": .asset(newer)], type: "Poster", at: place, by: binh)
    try await fixture.service.deleteUnusedAssets()
    #expect(try await usage(binh) == 0)
    #expect((2000..<2500).contains(try await usage(an)))
    #expect(try await fixture.faults() == [])
    // Bình's account is deleted, and the record stays complete.
    try await fixture.service.deleteOwner(account: binh.account)
    let left = try await fixture.lookup(["p"], at: place, by: nil).first?.record
    #expect(try await fixture.download(left?["image"]?.assets.first).count == 2000)
    try await fixture.service.deleteOwner(account: an.account)
    #expect(try await fixture.assetRows() == [0, 0])
    #expect(try await fixture.faults() == [])
  }

  /// A record that the caller may not read is not revealed.
  @Test func hiddenRecordsAreNotRevealed() async throws {
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE Secret (
        file ASSET, GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator"
      );
      """
    let fixture = try await ServiceFixture(schema: schema)
    try await fixture.save("s", type: "Secret", at: ServiceFixture.public)
    for name in ["s", "none"] {
      _ = try await fixture.uploadURL(
        "file", "Secret", record: name, at: ServiceFixture.public, by: ServiceFixture.binh)
    }
  }

  /// A user who may change a record but not read it cannot get its asset by naming the checksum.
  @Test func checksumsRevealNothing() async throws {
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE Secret (
        file ASSET, GRANT CREATE, WRITE TO "_icloud", GRANT READ TO "_creator"
      );
      """
    let fixture = try await ServiceFixture(schema: schema)
    let (binh, place) = (ServiceFixture.binh, ServiceFixture.public)
    let asset = try await fixture.upload(ServiceFixture.bytes(1000), "file", "Secret", at: place)
    let saved = try await fixture.save("s", ["file": .asset(asset)], type: "Secret", at: place)
    var guess = try #require(saved["file"]?.assets.first)
    guess.downloadURL = nil
    let change = Operation(.forceUpdate, note("s", ["file": .asset(guess)], type: "Secret"))
    let refused = try await fixture.modify([change], at: place, by: binh)
    #expect(refused.summary[0].hasPrefix("BAD_REQUEST"))
    let own = try await fixture.upload(
      ServiceFixture.bytes(2000), "file", "Secret", record: "s", at: place, by: binh)
    let answer = try await fixture.modify(
      [Operation(.forceUpdate, note("s", ["file": .asset(own)], type: "Secret"))], at: place,
      by: binh)
    let record = try #require(answer.first?.record)
    #expect(record["file"]?.assets.first?.downloadURL == nil)
  }

  /// An asset that a list has several times is paid for once.
  @Test func repeatedAssetsCountOnce() async throws {
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE Pages (pages LIST<ASSET>, GRANT READ, CREATE, WRITE TO "_icloud");
      """
    let fixture = try await ServiceFixture(schema: schema)
    let (an, binh, place) = (ServiceFixture.an, ServiceFixture.binh, ServiceFixture.public)
    try await fixture.save("p", type: "Pages", at: place)
    let asset = try await fixture.upload(
      ServiceFixture.bytes(1000), "pages", "Pages", at: place, by: binh)
    try await fixture.save(
      "p", ["pages": .assets(Array(repeating: asset, count: 10))], type: "Pages", at: place,
      by: binh)
    func usage(_ caller: Caller) async throws -> Int {
      try await fixture.service.usage(of: caller.account).bytes
    }
    #expect(try await usage(binh) == 0)
    #expect(try await fixture.faults() == [])
    _ = try await fixture.modify([Operation(.forceDelete, RecordInput("p"))], at: place)
    try await fixture.service.deleteUnusedAssets()
    #expect(try await usage(an) == 0)
    #expect(try await fixture.faults() == [])
  }

  // MARK: Deleting

  private func usage(_ fixture: ServiceFixture) async throws -> Usage {
    try await fixture.service.usage(of: ServiceFixture.an.account)
  }

  @Test(arguments: ["replace", "clear", "delete", "cascade"])
  func theBytesGoAfterTheRecord(_ way: String) async throws {
    let fixture = try await ServiceFixture.withAssets()
    let bytes = ServiceFixture.bytes(3 * Self.chunk)
    try await fixture.save("target", type: "Album")
    let saved = try await fixture.save(
      "a",
      [
        "cover": .asset(try await fixture.upload(bytes)),
        "about": .reference(Reference("target", action: .deleteSelf)),
      ], type: "Album")
    let old = try #require(saved["cover"]?.assets.first)
    switch way {
    case "replace":
      let newer = try await fixture.upload(ServiceFixture.bytes(5, 1))
      try await fixture.save("a", ["cover": .asset(newer)], type: "Album")
    case "clear": try await fixture.save("a", type: "Album")
    case "delete": try await fixture.delete("a")
    default: try await fixture.delete("target")
    }
    // The URL is invalid at once.
    #expect(await serviceError { try await fixture.download(old) }?.code == .notFound)
    try await fixture.service.deleteUnusedAssets()
    #expect(try await fixture.assetRows() == (way == "replace" ? [1, 1] : [0, 0]))
    #expect(try await usage(fixture).bytes < 1000)
    #expect(try await fixture.faults() == [])
  }

  @Test func anUploadThatIsNeverSavedGoesAfterHours() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let asset = try await fixture.upload(ServiceFixture.bytes(100))
    #expect(try await usage(fixture).bytes == 100)
    fixture.clock.advance(RecordService.unusedAssetLifetime - 1)
    try await fixture.service.deleteUnusedAssets()
    #expect(try await fixture.assetRows() == [1, 1])
    fixture.clock.advance(1)
    let late = try await fixture.modify([
      Operation(.create, note("a", ["cover": .asset(asset)], type: "Album"))
    ])
    #expect(
      late.summary[0].hasPrefix("BAD_REQUEST: the asset in field 'cover' has no valid receipt"))
    try await fixture.service.deleteUnusedAssets()
    #expect(try await fixture.assetRows() == [0, 0])
    #expect(try await usage(fixture) == Usage())
  }

  @Test func anInterruptedUploadLeavesNothing() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let url = try await fixture.uploadURL("cover")
    let permission = String(url.dropFirst(RecordService.uploadPath.count))
    var upload = try await fixture.service.beginUpload(permission, bytes: nil)
    try await upload.append(ServiceFixture.bytes(2 * Self.chunk + 1))
    #expect(try await fixture.assetRows() == [1, 2])
    #expect(try await usage(fixture).bytes == 2 * Self.chunk)
    await upload.discard()
    #expect(try await fixture.assetRows() == [0, 0])
    #expect(try await usage(fixture).bytes == 0)
    // If the process ends instead, the uploaded part expires.
    var lost = try await fixture.service.beginUpload(permission, bytes: nil)
    try await lost.append(ServiceFixture.bytes(Self.chunk))
    fixture.clock.advance(RecordService.unusedAssetLifetime)
    try await fixture.service.deleteUnusedAssets()
    #expect(try await fixture.assetRows() == [0, 0])
    // An upload whose rows were deleted cannot continue.
    let gone = await serviceError { try await lost.append(ServiceFixture.bytes(Self.chunk)) }
    #expect(gone?.code == .notFound)
    #expect(try await fixture.faults() == [])
  }

  @Test func zonesAccountsAndResetsTakeAssetsAlong() async throws {
    let fixture = try await ServiceFixture.withAssets()
    for caller in [ServiceFixture.an, ServiceFixture.binh] {
      for address in [ServiceFixture.private, ServiceFixture.development] {
        try await fixture.makeZone(at: address, by: caller)
        for zone in [nil, ServiceFixture.zone] {
          let asset = try await fixture.upload(
            ServiceFixture.bytes(Self.chunk + 1), in: zone, at: address, by: caller)
          try await fixture.save(
            "a", ["cover": .asset(asset)], type: "Album", in: zone, at: address, by: caller)
          // The zone also gets an asset that no record holds.
          _ = try await fixture.upload(Data("x".utf8), in: zone, at: address, by: caller)
        }
      }
    }
    #expect(try await fixture.assetRows() == [16, 24])
    let url = try await fixture.uploadURL("cover", in: ServiceFixture.zone)
    try await fixture.deleteZone()
    #expect(try await fixture.assetRows() == [14, 21])
    #expect(await serviceError { try await fixture.send(Data(), to: url) }?.code == .notFound)
    #expect(try await fixture.faults() == [])
    _ = try await fixture.service.resetDevelopment(ServiceFixture.container)
    #expect(try await fixture.assetRows() == [6, 9])
    #expect(try await fixture.faults() == [])
    try await fixture.service.deleteOwner(account: ServiceFixture.binh.account)
    #expect(try await fixture.assetRows() == [2, 3])
    #expect(try await fixture.faults() == [])
    let kept = try await fixture.lookup(["a"]).first?.record?["cover"]?.assets.first
    #expect(try await fixture.download(kept).count == Self.chunk + 1)
  }

  // MARK: Quota

  @Test func assetsCountAgainstTheQuota() async throws {
    let quota = 3 * Self.chunk
    let fixture = try await ServiceFixture.withAssets { $0.quota.bytes = quota }
    let first = try await fixture.upload(ServiceFixture.bytes(2 * Self.chunk))
    try await fixture.save("a", ["cover": .asset(first)], type: "Album")
    let url = try await fixture.uploadURL("cover")
    let permission = String(url.dropFirst(RecordService.uploadPath.count))
    // The size is announced, then not announced.
    #expect(
      await serviceError { try await fixture.send(Data(count: Self.chunk), to: url) }?.summary
        == "QUOTA_EXCEEDED: the quota is exceeded")
    var upload = try await fixture.service.beginUpload(permission, bytes: nil)
    let refused = await serviceError { try await upload.append(Data(count: Self.chunk)) }
    #expect(refused?.code == .quotaExceeded)
    await upload.discard()
    // The quota of another account is not affected.
    _ = try await fixture.upload(Data(count: quota), by: ServiceFixture.binh)
    #expect(
      await serviceError { try await fixture.uploadURL("cover", by: ServiceFixture.binh) }?.code
        == .quotaExceeded)
    try await fixture.delete("a")
    try await fixture.service.deleteUnusedAssets()
    _ = try await fixture.upload(Data(count: quota))
    let full = try await fixture.modify([Operation(.create, note("b", type: "Album"))])
    #expect(full.summary == ["QUOTA_EXCEEDED: the quota is exceeded"])
    #expect(try await fixture.faults() == [])
  }

  @Test func anAssetHasAMaximumSize() async throws {
    let fixture = try await ServiceFixture.withAssets()
    let url = try await fixture.uploadURL("cover")
    let permission = String(url.dropFirst(RecordService.uploadPath.count))
    let announced = await serviceError {
      try await fixture.service.beginUpload(permission, bytes: Limits.assetBytes + 1)
    }
    #expect(announced?.code == .limitExceeded)
    var upload = try await fixture.service.beginUpload(permission, bytes: nil)
    let part = Data(count: 5_000_000)
    for _ in 0..<10 { try await upload.append(part) }
    let more = await serviceError { try await upload.append(Data(count: 1)) }
    #expect(more?.code == .limitExceeded)
    await upload.discard()
    #expect(try await fixture.assetRows() == [0, 0])
  }

  // MARK: Files

  /// A file of an earlier version has no tables for assets.
  @Test(.onlySQLite) func aFileFromBeforeAssetsOpens() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/records.sqlite"
    let queue = try DatabaseQueue(path: path)
    try RecordTables.migrator.migrate(queue, upTo: "records-2")
    let tables = try await queue.read { try $0.tableExists("asset") }
    #expect(!tables)
    try queue.close()
    let fixture = try await ServiceFixture.withAssets(
      StorageFactory(testDescription: "old") { _ in try SQLiteRecordStorage(path: path) })
    let asset = try await fixture.upload(Data("x".utf8))
    let saved = try await fixture.save("a", ["cover": .asset(asset)], type: "Album")
    #expect(try await fixture.download(saved["cover"]?.assets.first) == Data("x".utf8))
    withExtendedLifetime(directory) {}
  }

  @Test(.onlySQLite) func aBackupHasTheAssets() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/backup"
    let restoredPath = directory.path + "/restored"
    let fixture = try await ServiceFixture.withAssets(.onDisk)
    let bytes = ServiceFixture.bytes(2 * Self.chunk + 7)
    try await fixture.save(
      "a", ["cover": .asset(try await fixture.upload(bytes))], type: "Album")
    try await #require(fixture.storage as? SQLiteRecordStorage).backUp(to: path)
    try await SQLiteRecordStorage.restore(path, to: restoredPath)
    let restored = try await ServiceFixture.withAssets(
      StorageFactory(testDescription: "restored") { _ in
        try SQLiteRecordStorage(path: restoredPath)
      })
    let read = try await restored.lookup(["a"]).first?.record
    #expect(try await restored.download(read?["cover"]?.assets.first) == bytes)
    #expect(try await restored.faults() == [])
    withExtendedLifetime(directory) {}
  }

  // MARK: Doctor

  @Test func lostBytesAreFound() async throws {
    for (sql, fault) in [
      ("DELETE FROM asset_chunk", DatabaseFault.Inconsistency.assetBytes),
      ("DELETE FROM record", .asset), ("UPDATE asset SET checksum = NULL", .asset),
      ("INSERT INTO asset_chunk SELECT owner_id, asset, 7, bytes FROM asset_chunk", .assetBytes),
    ] {
      let fixture = try await ServiceFixture.withAssets()
      try await fixture.save(
        "a", ["cover": .asset(try await fixture.upload(Data("x".utf8)))], type: "Album")
      try await fixture.database.write { _ = try $0.run(sql, []) }
      #expect(try await fixture.faults().contains(.inconsistent(fault, count: 1)), "\(sql)")
    }
  }
}
