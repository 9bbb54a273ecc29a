import CloudRecords
import Foundation
import GRDB
import Testing

@testable import RecordServer

/// Short forms for assets.
extension ServiceFixture {
  /// Types with assets, which are added to `schema`.
  static let assetTypes = """

    RECORD TYPE Album (
      cover ASSET, back ASSET, pages LIST<ASSET>, title STRING,
      about REFERENCE, GRANT READ, CREATE, WRITE TO "_creator"
    );
    RECORD TYPE Poster (
      image ASSET,
      GRANT READ TO "_world", GRANT CREATE, WRITE TO "_icloud"
    );
    """

  /// A service whose schema has `assetTypes`.
  static func withAssets(
    _ factory: StorageFactory = .standard, _ change: (inout ServiceOptions) -> Void = { _ in }
  ) async throws -> ServiceFixture {
    try await ServiceFixture(factory, schema: schema + assetTypes, change)
  }

  /// Different bytes for each number.
  static func bytes(_ count: Int, _ number: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ number &* 7) })
  }

  func uploadURL(
    _ field: String, _ type: String = "Album", record: String? = nil, in zone: ZoneID? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller? = ServiceFixture.an
  ) async throws -> String {
    let answer = try await service.assetsUpload(
      .init(tokens: [.init(recordName: record, recordType: type, fieldName: field)], zoneID: zone),
      at: address, by: caller)
    return try #require(answer.tokens.first).url
  }

  /// Sends bytes to an upload URL, in parts of at most 50,001 bytes.
  func send(_ bytes: Data, to url: String) async throws -> Asset {
    let permission = String(url.dropFirst(RecordService.uploadPath.count))
    var upload = try await service.beginUpload(permission, bytes: bytes.count)
    do {
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(50_001)
        rest = rest.dropFirst(part.count)
        try await upload.append(part)
      }
      return try await upload.finish()
    } catch {
      await upload.discard()
      throw error
    }
  }

  /// Uploads bytes for a field.
  func upload(
    _ bytes: Data, _ field: String = "cover", _ type: String = "Album", record: String? = nil,
    in zone: ZoneID? = nil, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller? = ServiceFixture.an
  ) async throws -> Asset {
    try await send(
      bytes, to: uploadURL(field, type, record: record, in: zone, at: address, by: caller))
  }

  /// The bytes of an asset in a response.
  func download(_ asset: Asset?) async throws -> Data {
    let url = try #require(asset?.downloadURL)
    let download = try await service.download(String(url.dropFirst(AssetLinks.path.count)))
    var bytes = Data()
    while bytes.count < download.row.bytes {
      bytes += try await service.bytes(of: download, from: bytes.count, count: 100_000)
    }
    return bytes
  }

  /// The number of rows of assets and of their chunks.
  func assetRows() async throws -> [Int] {
    let counts = try await rowCounts()
    return ["asset", "asset_chunk"].map { counts[$0] ?? 0 }
  }

  /// The inconsistencies that `doctor` finds.
  func faults() async throws -> [DatabaseFault] {
    if let storage = storage as? SQLiteRecordStorage { return try await storage.faults() }
    return try await database.read(within: nil) { try $0.inconsistencies() }
  }
}
