import Foundation
import TestSupport

extension Outcome {
  /// Standard output as one JSON array of objects.
  func jsonObjects() throws -> [[String: Any]] {
    let value: Any
    do {
      value = try JSONSerialization.jsonObject(with: Data(outputBytes))
    } catch {
      throw Failure("not JSON: \(self)")
    }
    guard let objects = value as? [[String: Any]] else {
      throw Failure("no array of objects: \(self)")
    }
    return objects
  }
}
