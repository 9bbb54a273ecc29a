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

  /// A field that cannot be read costs only itself.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    position = try? fields.decodeIfPresent(String.self, forKey: .position)
    theme = try? fields.decodeIfPresent(String.self, forKey: .theme)
    layout = try? fields.decodeIfPresent(String.self, forKey: .layout)
    showsArabicNames = try? fields.decodeIfPresent(Bool.self, forKey: .showsArabicNames)
  }

  public var ayah: AyahID? { position.flatMap(AyahID.init) }

  /// This state, with another's looks where it says nothing of them.
  public func completed(by other: SavedState) -> SavedState {
    SavedState(
      position: position, theme: theme ?? other.theme, layout: layout ?? other.layout,
      showsArabicNames: showsArabicNames ?? other.showsArabicNames)
  }

  /// This state with what changed from one state to another.
  func changed(from old: SavedState, to new: SavedState) -> SavedState {
    SavedState(
      position: new.position == old.position ? position : new.position,
      theme: new.theme == old.theme ? theme : new.theme,
      layout: new.layout == old.layout ? layout : new.layout,
      showsArabicNames: new.showsArabicNames == old.showsArabicNames
        ? showsArabicNames : new.showsArabicNames)
  }
}

/// The file that holds a `SavedState`.
public struct StateFile: Sendable {
  /// Nil where there is no place for it: then nothing is kept.
  public let path: String?

  public init(path: String?) {
    self.path = path
  }

  /// What the file holds; the default state where there is none, or it is damaged.
  public func load() -> SavedState {
    guard let path, access(path, R_OK) == 0, let data = try? Data(contentsOf: URL(filePath: path))
    else {
      return SavedState()
    }
    return (try? JSONDecoder().decode(SavedState.self, from: data)) ?? SavedState()
  }

  /// Writes what a session changed, and keeps what another changed meanwhile.
  ///
  /// - Parameter old: the state that the session knows to be in the file.
  /// - Throws: why the place cannot be written.
  public func update(from old: SavedState, to new: SavedState) throws {
    guard old != new else { return }
    try save(load().changed(from: old, to: new))
  }

  /// Replaces the file whole, or leaves it as it was. Its directory is made where missing.
  ///
  /// - Throws: why the place cannot be written.
  public func save(_ state: SavedState) throws {
    guard let path else { return }
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
