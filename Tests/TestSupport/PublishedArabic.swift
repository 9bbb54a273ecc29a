import Foundation

/// The Arabic and the Vietnamese text as published, which are not part of the project.
public enum PublishedArabic {
  private struct Book: Decodable {
    struct Surah: Decodable { let ayahs: [Ayah] }
    struct Ayah: Decodable {
      let arabic: String
      let vietnamese: String
    }
    let surahs: [Surah]
  }

  /// Reads the text of all ayahs, in order.
  ///
  /// - Throws: An error if the file is absent or cannot be decoded.
  public static func ayahs() throws -> [String] { try published().map(\.arabic) }

  /// Reads the Vietnamese text of all ayahs, in order.
  static func vietnameseAyahs() throws -> [String] { try published().map(\.vietnamese) }

  private static func published() throws -> [Book.Ayah] {
    guard let file = PublishedFiles.phoneApp else { throw CocoaError(.fileNoSuchFile) }
    let book = try JSONDecoder().decode(Book.self, from: Data(contentsOf: file))
    return book.surahs.flatMap(\.ayahs)
  }
}
