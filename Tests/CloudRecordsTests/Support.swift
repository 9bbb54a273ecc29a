import CloudRecords
import Foundation
import TestSupport
import Testing

/// The bytes of a request body.
func data(_ text: String) -> Data { Data(text.utf8) }

/// The encoded form of a value.
func text(_ value: some Encodable, numbersAsStrings: Bool = false) throws -> String {
  String(decoding: try Wire.encode(value, numbersAsStrings: numbersAsStrings), as: UTF8.self)
}

func request<Body: Decodable>(_ type: Body.Type, _ json: String) throws -> Body {
  try Wire.decode(type, from: data(json), as: .request)
}

func answer<Body: Decodable>(_ type: Body.Type, _ json: String) throws -> Body {
  try Wire.decode(type, from: data(json), as: .response)
}

/// The problem of a request body; nil if it can be decoded.
func bodyProblem<Body: Decodable>(_ type: Body.Type, _ json: String) -> BodyDecodingError? {
  do {
    _ = try Wire.decode(type, from: data(json), as: .request)
    return nil
  } catch {
    return error
  }
}

/// Expects that a value is encoded as `json`, and decoded from it.
func expectBothWays<Value: Codable & Equatable>(
  _ value: Value, _ json: String, location: SourceLocation = #_sourceLocation
) throws {
  #expect(try text(value) == json, sourceLocation: location)
  #expect(try request(Value.self, json) == value, sourceLocation: location)
}

/// The cause of the error that is thrown; nil if none is thrown.
func cause(_ body: () throws -> Void) -> ErrorCause? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ServiceError)?.cause ?? .text("\(error)")
  }
}

/// The content of a file of the package.
func file(_ path: String) throws -> String {
  try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
}

func fixture(_ name: String) throws -> String {
  try file("Tests/CloudRecordsTests/Fixtures/\(name)")
}
