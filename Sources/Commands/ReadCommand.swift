public import Editions
public import Messages
import Quran

/// `quran-vi read`: prints ayahs.
public struct ReadCommand {
  /// The format of the output.
  public enum Form: Hashable, Sendable {
    /// The reference and the text of each ayah on a line.
    case referenced
    /// The text of each ayah on a line.
    case plain
    /// A JSON array.
    case json
  }

  private let ayahs: [ClosedRange<AyahID>]
  private let edition: Edition
  private let form: Form

  /// Creates the command.
  ///
  /// - Throws: Status 2 if a reference is invalid.
  public init(references: [String], edition: Edition, form: Form, messages: Messages)
    throws(CommandFailure)
  {
    self.edition = edition
    self.form = form
    ayahs = try QuranReference.list(references, messages: messages).map(\.ayahs)
  }

  /// Prints the ayahs of all references.
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

/// An ayah in the JSON output.
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
