/// Reads the `Accept-Encoding` header of a request (RFC 9110, 12.5.3).
enum AcceptedEncoding {
  /// Whether a response should be compressed with gzip: the client accepts gzip, and does not
  /// prefer an uncompressed response.
  ///
  /// - Parameter values: the values of the header; empty if there is none.
  static func prefersGzip(_ values: [String]) -> Bool {
    var weights: [String: Double] = [:]
    for item in values.joined(separator: ",").split(separator: ",") {
      let parts = item.split(separator: ";").map { part in
        part.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let coding = parts.first, !coding.isEmpty else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      weights[coding] = weight.map { self.weight($0.dropFirst(2)) } ?? 1
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    return gzip > 0 && gzip >= weights["identity"] ?? 0
  }

  /// Parses a weight (`q`), a number from 0 to 1. Returns 0 if the text is not a valid weight.
  private static func weight(_ text: Substring) -> Double {
    guard text.allSatisfy({ "0123456789.".contains($0) }), let weight = Double(text), weight <= 1
    else { return 0 }
    return weight
  }
}
