import Foundation

extension String {
  /// The string in Normalization Form D, by Foundation.
  var decomposed: String { decomposedStringWithCanonicalMapping }
  var scalars: [Unicode.Scalar] { Array(unicodeScalars) }
}
