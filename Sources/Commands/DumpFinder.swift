import FoundationEssentials
import Glibc
import LegacyImport

/// Looks for a dump of the older app where people put one: where the program was
/// started, among the downloads, and in `import` beside the library.
public struct DumpFinder: Sendable {
  private let directories: [String]
  private let home: String?

  /// Files looked into, newest first, and their bytes in all: somebody's downloads may
  /// be many.
  private static let fileLimit = 40
  private static let byteLimit = 64 << 20
  /// How long to look into one file. People's own take milliseconds.
  private static let patience = Duration.seconds(1)
  private static let endings = [".plist", ".json", ".gz", ".xml", ".txt"]
  /// What the app's preferences are called in a backup of a phone: the SHA-1 of
  /// `AppDomain-com.Donald.Quranvn-Library/Preferences/com.Donald.Quranvn.plist`.
  private static let nameInBackup = "43c10190e8d4e8ee1677ffda029655ace9398775"

  /// - Parameter home: shortened to `~` in what is found; nil where there is none.
  public init(directories: [String], home: String? = nil) {
    self.directories = directories
    self.home = home
  }

  /// The newest file that is a dump, as people would type it; nil where there is none.
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
      if Self.isDump(file.path) { return file.path.abbreviated(home: home) }
    }
    return nil
  }

  private static func isDump(_ path: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    let end = ContinuousClock.now + patience
    return (try? LegacyDump([UInt8](data), isCancelled: { ContinuousClock.now > end })) != nil
  }
}
