public import Quran

/// The reason why an edition cannot be opened, installed, chosen or removed.
public struct EditionFileFailure: Error, Hashable, Sendable {
  /// The name of the file in the directory of editions; empty if the failure concerns the
  /// directory.
  public let file: String
  public let reason: Reason

  public enum Reason: Error, Hashable, Sendable {
    /// There is no such file.
    case notFound
    /// The ID cannot be the name of a file (see `Edition.Info.isValid(id:)`).
    case invalidID
    /// The bundled edition cannot be replaced or removed.
    case bundled
    /// The edition is part of the installation of the program, where the user does not change it.
    case shared
    /// There is no directory for editions.
    case noDirectory
    /// The file cannot be read, written or deleted.
    ///
    /// - Parameter code: The value of `errno`.
    case system(code: Int32)
    /// The path is not a regular file.
    case notRegularFile
    /// The file does not begin like an edition file.
    case notAnEdition
    /// The file has a version of the format that this program does not support. The edition must be
    /// installed again.
    case otherVersion(Int, supported: Int)
    /// The file is larger than `limit` bytes.
    case tooLarge(limit: Int)
    /// The size in bytes does not match the header.
    case wrongSize(Int, expected: Int)
    /// The checksum does not match the content.
    case wrongChecksum
    /// The metadata cannot be read.
    case wrongMetadata
    /// The metadata has another ID than the file name.
    case otherID(String)
    /// The tables of positions are invalid.
    case wrongTable
    case emptyAyah(AyahID)
    /// The text is not UTF-8.
    case notUTF8
    /// The text has a control character.
    case controlCharacter
  }

  public init(file: String, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }
}
