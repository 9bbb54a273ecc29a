import FoundationEssentials
import Glibc
import LegacyImport

/// Searches for a dump of the iOS app in the directories where users save one: the working
/// directory, the downloads, and `import` in the data directory.
public struct DumpFinder: Sendable {
  private let directories: [String]
  private let home: String?

  /// The maximum number of files that are read. A downloads directory can have many files; the
  /// newest are read first.
  private static let fileLimit = 40
  /// The maximum size of all files that are read, in bytes.
  private static let byteLimit = 64 << 20
  /// The time limit for reading one file. Real dumps take milliseconds.
  private static let timeLimit = Duration.seconds(1)
  private static let endings = [".plist", ".json", ".gz", ".xml", ".txt"]
  /// The file name of the app's preferences in a backup of an iPhone: the SHA-1 of
  /// `AppDomain-com.Donald.Quranvn-Library/Preferences/com.Donald.Quranvn.plist`.
  private static let nameInBackup = "43c10190e8d4e8ee1677ffda029655ace9398775"

  /// - Parameters:
  ///   - directories: The directories to search, without their subdirectories.
  ///   - home: The home directory, which is abbreviated to `~` in the result; nil to not
  ///     abbreviate.
  public init(directories: [String], home: String? = nil) {
    self.directories = directories
    self.home = home
  }

  /// Returns the path of the newest file that is a dump, or nil if none is found within the limits.
  public func find() -> String? {
    var files: [(path: String, size: Int, time: Int)] = []
    for directory in directories {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
        let isLikely =
          name == Self.nameInBackup
          || Self.endings.contains { name.lowercased().hasSuffix($0) }
        guard isLikely else { continue }
        var status = stat()
        let path = directory == "." ? name : "\(directory)/\(name)"
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
          (1...LegacyDump.byteLimit).contains(Int(status.st_size))
        else { continue }
        files.append((path, Int(status.st_size), Int(status.st_mtim.tv_sec)))
      }
    }
    var bytes = 0
    for file in files.sorted(by: { $0.time > $1.time }).prefix(Self.fileLimit) {
      guard bytes + file.size <= Self.byteLimit else { continue }
      bytes += file.size
      if Self.isDump(file.path) { return file.path.abbreviatingTilde(home: home) }
    }
    return nil
  }

  private static func isDump(_ path: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    let end = ContinuousClock.now + timeLimit
    return (try? LegacyDump([UInt8](data), isCancelled: { ContinuousClock.now > end })) != nil
  }
}
