import CloudRecords
import Compression
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
  /// Returns a JSON response with the headers that all responses of CloudKit Web Services have.
  static func json(
    _ body: some Collection<UInt8>, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// The size from which a body is compressed, in bytes. A smaller one fits into one packet anyway.
  static let compressedBytes = 1024

  /// Returns a JSON response whose body is compressed if the client asks for it.
  ///
  /// Call it only for responses that consist of records. An attacker who can put text into a
  /// response and sees its length can guess a secret in it, if the secret is the same in many
  /// responses (the BREACH attack). Responses with records have no such secret: web auth tokens are
  /// in a header, the URLs of assets are encrypted anew each time, and the tokens of feeds and
  /// queries permit nothing by themselves. A page of a public database can contain text of other
  /// users, but these may read the page, too.
  static func json(_ body: Data, compressedFor request: Request) -> Response {
    var response: Response
    if body.count >= compressedBytes,
      AcceptedEncoding.prefersGzip(request.headers[values: .acceptEncoding]),
      let gzip = Deflater.gzip(body)
    {
      response = json(gzip)
      response.headers[.contentEncoding] = "gzip"
    } else {
      response = json(body)
    }
    response.headers[.vary] = "Accept-Encoding"
    return response
  }

  /// Returns the response to a request that failed as a whole.
  ///
  /// - Parameter id: the request's UUID, which the error's body contains.
  static func failure(_ error: ServiceError, id: String) -> Response {
    var error = error
    error.uuid = id
    // Encoding a `ServiceError` does not fail.
    let body = (try? Wire.encode(response: error)) ?? Data()
    var response = json(body, status: HTTPResponse.Status(code: error.code.httpStatus))
    if let wait = error.retryAfter { response.headers[.retryAfter] = "\(Page.seconds(wait))" }
    return response
  }

  /// Returns the response that sends an HTML page.
  static func page(_ page: Page) -> Response {
    Response(
      status: HTTPResponse.Status(code: page.status), headers: page.headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
  }

  /// Returns a response in plain text.
  static func text(
    _ text: String, contentType: String = "text/plain; charset=utf-8"
  ) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: contentType, .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

extension Request {
  /// Reads the body.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - claim: counts the bytes against the budget of all bodies.
  /// - Throws: A `ServiceError`: LIMIT_EXCEEDED if the body is larger than `limit`, TRY_AGAIN_LATER
  ///   if the budget is used up, BAD_REQUEST if the body does not end in time or is not valid HTTP.
  ///   `CancellationError` if the task is cancelled.
  func bytes(upTo limit: Int, counting claim: BodyBudget.Claim? = nil) async throws -> Data {
    let tooLarge = ServiceError(.limitExceeded, cause: .bodyTooLarge(limit: limit))
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
    var bytes = Data()
    try await eachPart { part in
      guard bytes.count + part.readableBytes <= limit else { throw tooLarge }
      try claim?.grow(by: part.readableBytes)
      bytes.append(contentsOf: part.readableBytesView)
    }
    return bytes
  }

  /// Reads the parts of the body one after the other.
  ///
  /// - Parameter receive: called with each part. The next one is read when it returns.
  /// - Throws: what `receive` throws; a `ServiceError` BAD_REQUEST if the body does not end in time
  ///   or is not valid HTTP; `CancellationError` if the task is cancelled.
  func eachPart(_ receive: (ByteBuffer) async throws -> Void) async throws {
    do {
      for try await part in body { try await receive(part) }
    } catch let error as ServiceError {
      throw error
    } catch is SlowRequest {
      throw ServiceError(.badRequest, cause: .bodyTooSlow)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The client sent malformed HTTP, or the connection ended within the body.
      throw ServiceError(.badRequest, cause: .bodyBroken)
    }
  }

  /// Returns the decoded value of a query parameter: the first one if there are several.
  func parameter(_ name: String) -> String? {
    uri.queryParameters[name[...]].map(String.init)
  }
}
