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

  static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
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
  /// - Throws: LIMIT_EXCEEDED; BAD_REQUEST for one that does not end in time, or not as HTTP
  ///   has it; a `CancellationError`.
  func bytes(upTo limit: Int) async throws -> Data {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw ServiceError(.limitExceeded, reason: Reason.bodyTooLarge(limit: limit))
    }
    do {
      return Data(try await body.collect(upTo: limit).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw ServiceError(.limitExceeded, reason: Reason.bodyTooLarge(limit: limit))
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
