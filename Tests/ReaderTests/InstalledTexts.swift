import Editions
import Foundation
import Quran
import Synchronization
import TestSupport
import Testing
import Text

@testable import Reader

/// Texts that are installed in a directory, which is deleted once they are in memory.
struct InstalledTexts {
  let items: [InstalledEditions.Item]
  /// The current edition if the user chose none.
  let current: Edition
  private let editions: [String: Edition]

  /// Installs invented texts.
  ///
  /// - Parameter damaged: the IDs of texts whose files are damaged after the installation.
  init(_ ids: String..., damaged: Set<String> = []) throws {
    let folder = try TemporaryDirectory()
    let installed = InstalledEditions(directory: folder.path)
    for (index, id) in ids.enumerated() {
      let text = try Self.parsed.withLock { known in
        if let text = known[id] { return text }
        let text = try Self.parsed(id)
        known[id] = text
        return text
      }
      try installed.install(text, at: 1_795_348_800_000 + Int64(index))
    }
    for id in damaged {
      try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/\(id).edition"))
    }
    items = try installed.list()
    current = installed.current().edition
    var editions = ["vi.quranvi": Edition.bundled]
    for id in ids { editions[id] = try? installed.edition(id) }
    self.editions = editions
  }

  func edition(_ id: String) -> Edition { editions[id] ?? .bundled }

  /// All texts, with one of them as the current edition.
  func reading(_ id: String? = nil, problem: String? = nil) -> AvailableTexts {
    AvailableTexts(items: items, current: id.map(edition) ?? current, problem: problem)
  }

  /// The texts that tests have used so far, by their IDs.
  private static let parsed = Mutex<[String: ParsedEdition]>([:])

  /// An invented text. That of `vi.rwwad` has footnotes at 1:1 and 2:255, and a mark without a
  /// footnote at 2:256; each text has a basmala in the first ayah of surah 2. The version of
  /// `vi.long` is long.
  private static func parsed(_ id: String) throws -> ParsedEdition {
    let isArabic = id.hasPrefix("ar.")
    func text(_ ayah: AyahID) -> String {
      // "This is an invented text of ayah 2:255, not a word of the Quran", with some vowel signs
      if isArabic {
        let words = "هَٰذَا نَصٌّ تَجْرِيبِيٌّ لِلْآيَةِ \(ayah) وَلَيْسَ كَلِمَةً مِنَ الْقُرْآنِ"
        return ayah.ayah == 255 ? [words, words, words].joined(separator: " ") : words
      }
      let words = "\(id) nói điều gì đó về câu \(ayah) của Kinh Quran"
      switch ayah.description {
      case "1:1": return "Nhân danh \(id)[1]"
      case "2:1": return "Nhân danh \(id)[1] Alif Lam Mim"
      case "2:255": return "\(words), Đấng[2] Hằng Sống[3] \(String(repeating: "và ", count: 60))"
      case "2:256": return "\(words)[9]"
      default: return words
      }
    }
    func footnotes(_ ayah: AyahID) -> String {
      guard id == "vi.rwwad" else { return "" }
      switch ayah.description {
      case "1:1": return "[1] Chú thích một."
      case "2:255":
        return "[2] Chú thích hai, \(String(repeating: "dài ", count: 40))hết.\n[3] Chú thích ba."
      default: return ""
      }
    }
    let rows = (AyahID.first...AyahID.last).map {
      [
        "sura": "\($0.surah)", "aya": "\($0.ayah)", "translation": text($0),
        "footnotes": footnotes($0),
      ]
    }
    let json = try JSONSerialization.data(
      withJSONObject: ["result": rows], options: .sortedKeys)
    var parsed = try ParsedEdition.parse(Array(json))[0]
    if let known = RecognisedTranslation.all.first(where: { $0.id == id }) {
      parsed.info = known.info
    }
    parsed.info.id = id
    if isArabic {
      parsed.info.language = "ar"
      parsed.info.direction = .rightToLeft
      parsed.info.kind = .original
    }
    parsed.info.version = id == "vi.long" ? String(repeating: "9", count: 60) : "1.0.5"
    parsed.info.notes = "Dịch bởi một nhóm.\nKiểm tra bởi một nhóm khác."
    parsed.info.sourceChecksum = String(repeating: "0123456789abcdef", count: 4)
    return parsed
  }

  // MARK: Samples

  /// A state of the screen of texts.
  enum Sample: Sendable {
    /// Nothing is installed, and the translations are offered.
    case offered
    case bundledOnly
    case downloading
    case installed
    case damaged

    var edition: Edition {
      guard self == .installed else { return .bundled }
      return InstalledTexts.several?.current ?? .bundled
    }

    var parallelEditions: [ParallelEdition: Edition] {
      guard self == .installed, let texts = InstalledTexts.several else { return [:] }
      return [.arabic: texts.edition("ar.hafs"), .text("vi.own"): texts.edition("vi.own")]
    }

    /// Presses keys. If the keys begin with `8`, which opens the screen, or then with `i`, which
    /// begins a download, the requests of these keys are answered.
    func press(_ keys: String, in driver: inout ReaderDriver) throws {
      var rest = keys[...]
      if rest.first == "8" {
        driver.press("8")
        driver.texts(.done(nil, try available))
        rest.removeFirst()
      }
      if self == .downloading, rest.first == "i" {
        driver.press("i")
        driver.texts(.progress(key: "vietnamese_rwwad", done: 40, total: 228))
        rest.removeFirst()
      }
      driver.press(String(rest))
    }

    private var available: AvailableTexts {
      get throws {
        switch self {
        case .offered, .bundledOnly, .downloading: try InstalledTexts().reading()
        case .installed: try #require(InstalledTexts.several).reading()
        case .damaged:
          try InstalledTexts("vi.rwwad", "vi.own", damaged: ["vi.own"]).reading("vi.quranvi")
        }
      }
    }
  }

  /// Three installed texts; the first is the current edition.
  static let several = try? InstalledTexts("vi.rwwad", "ar.hafs", "vi.own")
}
