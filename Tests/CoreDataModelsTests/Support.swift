import CoreDataModels
import Foundation
import TestSupport

let models = checkout.path + "/Resources/schema/models"

/// The text of a model file, whose root element has the content.
func xml(_ content: String, usedWithCloudKit: String = "YES") -> String {
  """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" usedWithCloudKit="\(usedWithCloudKit)">
  \(content)
  </model>
  """
}

/// A model whose root element has the content, which begins in line 3.
func model(_ content: String, usedWithCloudKit: String = "YES") throws -> DataModel {
  try DataModel(parsing: xml(content, usedWithCloudKit: usedWithCloudKit).utf8)
}

/// The error with which the text is refused as a model; nil if it is not.
func refusal(_ text: String) -> ModelError? { refusal(Array(text.utf8)) }

func refusal(_ bytes: [UInt8]) -> ModelError? {
  do {
    _ = try DataModel(parsing: bytes)
    return nil
  } catch {
    return error
  }
}

extension CloudKitFinding {
  /// The finding in short: `inverse Trip.stops 5`.
  var short: String { "\(rule) \(entity).\(properties.joined(separator: "+")) \(line)" }
}
