import CloudRecords

/// The head of an answer of HTTP.
struct AnswerHead: Sendable {
  let status: Int
  /// By their names in lower case, in the order in which they came.
  private(set) var fields: [(name: String, value: String)] = []

  /// - Parameter line: the first of a head, without its line ending: `HTTP/1.1 200 OK`.
  /// - Returns: nil for another line.
  init?(statusLine line: String) {
    guard line.hasPrefix("HTTP/") else { return nil }
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count > 1, let status = Int(parts[1]), (100..<1000).contains(status) else {
      return nil
    }
    self.status = status
  }

  /// What follows the status line. What has no colon is passed over.
  mutating func add(line: String) {
    // Formerly a field could go on in the next line: RFC 9112, 5.2.
    if let first = line.first, first == " " || first == "\t" {
      if !fields.isEmpty { fields[fields.count - 1].value += " " + line[...].trimmed }
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    fields.append((line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed))
  }

  /// - Parameter name: in any case.
  func first(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.value
  }
}

extension AnswerHead {
  /// Without its parameters; empty where there is none.
  var contentType: String {
    let value = first(name: "content-type") ?? ""
    // As it is told to people, it is to be short and harmless.
    let type = value.prefix { $0 != ";" }.utf8.filter(ASCII.isGraphic).prefix(60)
    return String(decoding: Array(type), as: UTF8.self)
  }

  /// Seconds. A date is not read: it would need both clocks to be right.
  var retryAfter: Double? {
    guard let text = first(name: "retry-after"), !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Double(text)
  }

  var contentLength: Int? { first(name: "content-length").flatMap { Int($0) } }

  var history: HistoryReport? {
    first(name: HistoryReport.header).flatMap(HistoryReport.init(header:))
  }

  var serviceID: String? {
    first(name: HistoryReport.serviceHeader).flatMap { HistoryReport.isTag($0) ? $0 : nil }
  }
}

extension Substring {
  /// Without the spaces and tabs around it.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
