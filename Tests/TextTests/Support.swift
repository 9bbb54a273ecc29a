import Foundation

extension String {
  /// Normalization Form D, by Foundation.
  var decomposed: String { decomposedStringWithCanonicalMapping }
  var scalars: [Unicode.Scalar] { Array(unicodeScalars) }
}
