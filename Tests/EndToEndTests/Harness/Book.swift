import Foundation
import TestSupport

/// The bundled text and the tables as the repository has them, read here
/// without the program's own code.
enum Book {
  /// Every ayah's reference, as `2:255`, and text, in the order of the book.
  static let ayahs: [(reference: String, text: String)] = resource("vi.quranvi.txt")
    .split(separator: "\n").filter { !$0.hasPrefix("#") }
    .map { line in
      let fields = line.split(separator: "|", maxSplits: 2)
      return ("\(fields[0]):\(fields[1])", String(fields[2]))
    }

  static func text(of reference: String) -> String {
    ayahs.first { $0.reference == reference }!.text
  }

  /// The first ayah of a page of the Madinah print, as `112:1`.
  static func firstAyah(ofPage page: Int) throws -> String {
    let tables = try JSONSerialization.jsonObject(with: Data(resource("divisions.json").utf8))
    guard let pages = (tables as? [String: Any])?["pages"] as? [[Int]] else {
      throw Failure("divisions.json has no pages")
    }
    return pages[page - 1].map(String.init).joined(separator: ":")
  }

  private static func resource(_ name: String) -> String {
    let path = "\(checkout.path)/Resources/quran/\(name)"
    return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
