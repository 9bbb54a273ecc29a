import FoundationEssentials
import Glibc
import Text

/// Completes file names as a shell does.
public struct FileCompletion {
  private let home: String?

  /// - Parameter home: The directory that `~` stands for.
  public init(home: String?) {
    self.home = home
  }

  /// Returns the paths that begin with the typed text, sorted. Directories end with `/`. Hidden
  /// files are included only if the dot was typed.
  public func paths(beginningWith typed: String) -> [String] {
    if typed == "~" { return ["~/"] }
    let slash = typed.lastIndex(of: "/")
    let directory = slash.map { String(typed[...$0]) } ?? ""
    let prefix = slash.map { typed[typed.index(after: $0)...] } ?? typed[...]
    let directoryPath = directory.isEmpty ? "." : directory.expandingTilde(home: home)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directoryPath)) ?? []
    // File names from other systems can have another normalization. String comparison ignores it;
    // the result is in NFC like typed text, and `expandingTilde` finds the file.
    return names.filter { $0.hasPrefix(prefix) && ($0.first != "." || prefix.first == ".") }
      .sorted().map { name in
        var status = stat()
        let isDirectory =
          stat("\(directoryPath)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        return directory + name.nfc + (isDirectory ? "/" : "")
      }
  }
}
