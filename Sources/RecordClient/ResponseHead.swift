import CloudRecords

/// The status line and header fields of an HTTP response.
struct ResponseHead: Sendable {
  let status: Int
  /// The header fields in the order of the response, with names in lowercase.
  private(set) var fields: [(name: String, value: String)] = []

  /// Creates a head from a status line.
  ///
  /// - Parameter line: The first line of a response, without its line ending: `HTTP/1.1 200 OK`.
  /// - Returns: nil if the line is not a status line.
  init?(statusLine line: String) {
    guard line.hasPrefix("HTTP/") else { return nil }
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count > 1, let status = Int(parts[1]), (100..<1000).contains(status) else {
      return nil
    }
    self.status = status
  }

  /// Adds a line after the status line, without its line ending. Lines without a colon are ignored.
  mutating func add(line: String) {
    // An obsolete line folding continues the previous field (RFC 9112, 5.2).
    if let first = line.first, first == " " || first == "\t" {
      if !fields.isEmpty { fields[fields.count - 1].value += " " + line[...].trimmed }
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    fields.append((line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed))
  }

  /// Returns the value of the first field with a name.
  ///
  /// - Parameter name: The name of the field, in any case.
  func first(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.value
  }
}

extension ResponseHead {
  /// The media type of the body without its parameters; empty if the response does not state it.
  var contentType: String {
    let value = first(name: "content-type") ?? ""
    // The media type is shown to the user, so it is shortened and restricted to printable ASCII.
    let type = value.prefix { $0 != ";" }.utf8.filter(ASCII.isGraphic).prefix(60)
    return String(decoding: Array(type), as: UTF8.self)
  }

  /// The value of `Retry-After` in seconds; nil if it is missing or is a date. A date would only be
  /// useful if the clocks of the client and the server agreed.
  var retryAfter: Double? {
    guard let text = first(name: "retry-after"), !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Double(text)
  }

  /// The length of the body in bytes as it is transferred, which may be compressed; nil if the
  /// response does not state it.
  var contentLength: Int? { first(name: "content-length").flatMap { Int($0) } }

  /// The service's report on the history of the zone.
  var history: HistoryReport? {
    first(name: HistoryReport.header).flatMap(HistoryReport.init(header:))
  }

  /// The permanent identifier of the service.
  var serviceID: String? {
    first(name: HistoryReport.serviceHeader).flatMap { HistoryReport.isTag($0) ? $0 : nil }
  }
}

extension Substring {
  /// The string without leading and trailing spaces and tabs.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
