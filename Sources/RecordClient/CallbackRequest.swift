import FoundationEssentials

/// A browser's request to a `SignInCallback`.
struct CallbackRequest: Hashable, Sendable {
  let method: String
  /// The path and query, not decoded.
  let target: String
  /// The values of all `Host` header fields.
  let hosts: [String]

  /// Parses the head of a request.
  ///
  /// - Parameter head: The head, including the empty line that ends it.
  /// - Returns: nil if it is not an HTTP/1 request.
  init?(_ head: Data) {
    guard let text = String(validating: head, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(parts[0])
    target = String(parts[1])
    hosts = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else {
        return nil
      }
      return line[line.index(after: colon)...].trimmed
    }
  }
}

/// A response of a `SignInCallback`.
enum CallbackResponse: Hashable, Sendable {
  /// A redirect to a URL.
  case seeOther(String)
  /// The page after the sign-in, as HTML.
  case page(String)
  /// The response with the status 400.
  case badRequest
  /// The response with the status 404.
  case notFound

  /// The response as it is sent. The connection is closed after it.
  var bytes: Data {
    var body = ""
    var location: String?
    let status: String
    switch self {
    case .seeOther(let page):
      status = "303 See Other"
      location = page
    case .page(let html):
      status = "200 OK"
      body = html
    case .badRequest: status = "400 Bad Request"
    case .notFound: status = "404 Not Found"
    }
    var lines = [
      "HTTP/1.1 \(status)",
      "Content-Type: text/\(body.isEmpty ? "plain" : "html"); charset=utf-8",
      "Content-Length: \(body.utf8.count)",
      "Cache-Control: no-store",
      "Referrer-Policy: no-referrer",
      "Content-Security-Policy: default-src 'none'",
      "X-Content-Type-Options: nosniff",
      "Connection: close",
    ]
    if let location { lines.append("Location: \(location)") }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
