import CloudRecords
import HTTPTypes
import Hummingbird
import NIOCore

/// The handler of the URLs at which assets are uploaded and downloaded. The last part of each URL
/// is the permission, so no token is needed. No asset is in memory as a whole.
struct AssetHandler: Sendable {
  let service: RecordService
  let limits: RateLimits
  let origin: RequestOrigin
  /// They limit the uploads and downloads that run at the same time, of all clients and of each.
  private let uploads = BodyBudget()
  private let downloads = BodyBudget()

  /// The memory that an upload takes, in bytes: a chunk and its copies.
  private static let uploadMemory = 4 * AssetRow.chunkBytes

  /// The size of the parts in which an asset is sent, in bytes.
  private static let partBytes = 1 << 16
  /// The memory that a download takes, in bytes: a part, its copy and what the connection buffers.
  private static let downloadMemory = 4 * partBytes

  // MARK: Uploading

  /// Receives an asset, and responds with its description and receipt.
  func upload(_ request: Request, _ context: HTTPContext) async throws -> Response {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    var upload: AssetUpload
    do {
      upload = try await service.beginUpload(context.parameters.get("secret") ?? "", bytes: length)
    } catch {
      try limits.consume(by: .anonymous(origin.client(request, context)))
      throw error
    }
    let user = RateLimits.Requester.user(upload.permission.account)
    try limits.consume(Self.cost(length ?? Limits.assetBytes, Limits.recordBytes), by: user)
    let claim = uploads.claim(for: user)
    try claim.grow(by: Self.uploadMemory)
    defer { withExtendedLifetime(claim) {} }
    do {
      try await request.eachPart { try await upload.append($0.readableBytesView) }
      guard length.map({ $0 == upload.bytes }) ?? true else {
        throw ServiceError(.badRequest, cause: .bodyBroken)
      }
      return .json(
        try Wire.encode(response: AssetsUpload.UploadResponse(try await upload.finish())))
    } catch {
      await upload.discard()
      throw error
    }
  }

  /// The number of operations that are charged for an asset: as many as for the same number of
  /// bytes in records.
  ///
  /// - Parameter operation: the number of bytes of one operation.
  private static func cost(_ bytes: Int, _ operation: Int) -> Int { 1 + bytes / operation }

  // MARK: Downloading

  /// Sends an asset, or a part of it.
  ///
  /// The content comes from a user. Browsers save it to a file and never show it, so it cannot act
  /// as a page of this service.
  func download(_ request: Request, _ context: HTTPContext) async throws -> Response {
    let client = RateLimits.Requester.anonymous(origin.client(request, context))
    let asset: RecordService.AssetDownload
    do {
      asset = try await service.download(context.parameters.get("secret") ?? "")
    } catch {
      try limits.consume(by: client)
      throw error
    }
    let user = asset.account.map { .user($0) } ?? client
    let size = asset.row.bytes
    var response = Response(
      status: .ok,
      headers: [
        .contentType: "application/octet-stream", .contentDisposition: "attachment",
        .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy: "default-src 'none'; sandbox",
        .cacheControl: "private, no-store", .acceptRanges: "bytes",
      ])
    let range: Range<Int>
    switch RequestedRange(request.headers[.range], of: size) {
    case .whole: range = 0..<size
    case .part(let part):
      range = part
      response.status = .partialContent
      response.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
    case .unsatisfiable:
      try limits.consume(by: user)
      response = .failure(
        ServiceError(.badRequest, cause: .noSuchRange(bytes: size)), id: context.id)
      response.status = .rangeNotSatisfiable
      response.headers[.contentRange] = "bytes */\(size)"
      return response
    }
    try limits.consume(
      request.method == .head ? 1 : Self.cost(range.count, Limits.pageBytes), by: user)
    let claim = downloads.claim(for: user)
    try claim.grow(by: Self.downloadMemory)
    response.body = ResponseBody(contentLength: range.count) { [service] writer in
      var position = range.lowerBound
      while position < range.upperBound {
        // An error closes the connection, so that the client does not take a part for the whole.
        let part = try await service.bytes(
          of: asset, from: position, count: min(Self.partBytes, range.upperBound - position))
        try await writer.write(ByteBuffer(bytes: part))
        position += part.count
      }
      try await writer.finish(nil)
      withExtendedLifetime(claim) {}
    }
    return response
  }
}
