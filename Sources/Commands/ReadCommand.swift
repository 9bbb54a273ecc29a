public import Editions
public import Messages
import Quran

/// `quran-vi read`: prints ayahs.
public struct ReadCommand {
  /// What is printed beside the text.
  public enum Form: Hashable, Sendable {
    /// The reference and the text, a line each.
    case referenced
    /// The text only, one ayah a line.
    case plain
    case json
  }

  private let ayahs: [ClosedRange<AyahID>]
  private let edition: Edition
  private let form: Form

  /// - Throws: status 2 where a reference leads nowhere.
  public init(references: [String], edition: Edition, form: Form, messages: Messages)
    throws(CommandFailure)
  {
    self.edition = edition
    self.form = form
    ayahs = try Reference.list(references, messages: messages).map(\.ayahs)
  }

  public func run(_ console: Console) throws(CommandFailure) {
    switch form {
    case .plain:
      try console.lines(all.map { edition.text(of: $0) })
    case .referenced:
      try console.lines(all.map { "\($0)  \(edition.text(of: $0))" })
    case .json:
      try console.json(all.map { AyahEntry($0, edition) })
    }
  }

  private var all: [AyahID] { ayahs.flatMap(Array.init) }
}

/// An ayah as `--json` prints it.
struct AyahEntry: Encodable {
  let ayah: String
  let surah: Int
  let number: Int
  let edition: String
  let text: String

  init(_ ayah: AyahID, _ edition: Edition) {
    self.ayah = ayah.description
    surah = ayah.surah.rawValue
    number = ayah.ayah
    self.edition = edition.info.id
    text = edition.text(of: ayah)
  }
}
