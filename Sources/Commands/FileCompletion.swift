import FoundationEssentials
import Glibc
import Text

/// File names that continue what is typed of one, as a shell completes them.
public struct FileCompletion {
  private let home: String?

  /// - Parameter home: what a `~` stands for.
  public init(home: String?) {
    self.home = home
  }

  /// The paths that begin as typed, in order; directories end in `/`. Hidden files only
  /// where the dot is typed.
  public func paths(beginning typed: String) -> [String] {
    if typed == "~" { return ["~/"] }
    let slash = typed.lastIndex(of: "/")
    let directory = slash.map { String(typed[...$0]) } ?? ""
    let start = slash.map { typed[typed.index(after: $0)...] } ?? typed[...]
    let place = directory.isEmpty ? "." : directory.located(home: home)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    // Strings are equal, and have a prefix, also where one is composed and one is not.
    return names.filter { $0.hasPrefix(start) && ($0.first != "." || start.first == ".") }
      .sorted().map { name in
        var status = stat()
        let isDirectory =
          stat("\(place)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        return directory + name.nfc + (isDirectory ? "/" : "")
      }
  }
}
