import FoundationEssentials
import Glibc
public import Quran

/// What one session leaves to the next: where the reader was, and how it looked.
public struct SavedState: Codable, Hashable, Sendable {
  /// An ayah, as `2:255`.
  public var position: String?
  /// A theme's name.
  public var theme: String?
  /// The name of a page layout.
  public var layout: String?
  public var showsArabicNames: Bool?

  public init(
    position: String? = nil, theme: String? = nil, layout: String? = nil,
    showsArabicNames: Bool? = nil
  ) {
    self.position = position
    self.theme = theme
    self.layout = layout
    self.showsArabicNames = showsArabicNames
  }

  public var ayah: AyahID? { position.flatMap(AyahID.init) }
}

/// The file that holds a `SavedState`.
public struct StateFile: Sendable {
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// What the file holds; the default state where there is none, or it is damaged.
  public func load() -> SavedState {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return SavedState() }
    return (try? JSONDecoder().decode(SavedState.self, from: data)) ?? SavedState()
  }

  /// Replaces the file whole, or leaves it as it was. Its directory is made where missing.
  ///
  /// - Throws: why the place cannot be written.
  public func save(_ state: SavedState) throws {
    let directory = URL(filePath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let new = path + ".\(getpid()).new"
    do {
      try JSONEncoder().encode(state).write(to: URL(filePath: new))
      guard chmod(new, 0o600) == 0, rename(new, path) == 0 else {
        throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
      }
    } catch {
      unlink(new)
      throw error
    }
  }
}
