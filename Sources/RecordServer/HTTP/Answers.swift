import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
  /// An answer of the protocol.
  static func json(_ body: Data, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A request that fails as a whole.
  static func failure(_ error: ServiceError, id: String) -> Response {
    var error = error
    error.uuid = id
    // An error has nothing that cannot be encoded.
    let body = (try? Wire.encode(error)) ?? Data()
    var response = json(body, status: HTTPResponse.Status(code: error.code.httpStatus))
    if let wait = error.retryAfter { response.headers[.retryAfter] = "\(Page.seconds(wait))" }
    return response
  }

  /// A page.
  static func page(_ page: Page) -> Response {
    var headers = HTTPFields()
    for header in page.headers {
      if let name = HTTPField.Name(header.name) { headers[name] = header.value }
    }
    return Response(
      status: HTTPResponse.Status(code: page.status), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
  }

  static func text(_ text: String) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

extension Request {
  /// Reads the body.
  ///
  /// - Parameter claim: what it is counted by.
  /// - Throws: LIMIT_EXCEEDED; TRY_AGAIN_LATER; BAD_REQUEST for one that does not end in time, or
  ///   not as HTTP has it; a `CancellationError`.
  func bytes(upTo limit: Int, counting claim: BodyBudget.Claim? = nil) async throws -> Data {
    let tooLarge = ServiceError(.limitExceeded, reason: Reason.bodyTooLarge(limit: limit))
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
    do {
      var bytes = Data()
      for try await part in body {
        guard bytes.count + part.readableBytes <= limit else { throw tooLarge }
        try claim?.grow(by: part.readableBytes)
        bytes.append(contentsOf: part.readableBytesView)
      }
      return bytes
    } catch let error as ServiceError {
      throw error
    } catch is SlowRequest {
      throw ServiceError(.badRequest, reason: Reason.bodyTooSlow)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // What the other end sends is no HTTP, or it ended in the middle.
      throw ServiceError(.badRequest, reason: Reason.bodyBroken)
    }
  }

  /// A parameter of the query, decoded; the first of several.
  func parameter(_ name: String) -> String? {
    uri.queryParameters[name[...]].map(String.init)
  }
}
