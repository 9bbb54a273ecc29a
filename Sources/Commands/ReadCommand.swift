public import Editions
import Quran
public import Words

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
  public init(references: [String], edition: Edition, form: Form, words: Words)
    throws(CommandFailure)
  {
    self.edition = edition
    self.form = form
    ayahs = try Self.parse(references, words).map(\.ayahs)
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

  /// Each argument is a reference; words that only together are one may stand
  /// apart, as in `read juz 30`.
  private static func parse(_ texts: [String], _ words: Words) throws(CommandFailure) -> [Reference]
  {
    guard !texts.isEmpty else { throw CommandFailure(.empty, words: words) }
    var references: [Reference] = []
    var rest = texts[...]
    while !rest.isEmpty {
      do {
        let (reference, count) = try first(of: rest)
        references.append(reference)
        rest = rest.dropFirst(count)
      } catch {
        throw CommandFailure(error, words: words)
      }
    }
    return references
  }

  /// The reference at the start of the texts, and how many of them it takes: as
  /// many as can be where the first is a word, else one.
  private static func first(
    of texts: ArraySlice<String>
  ) throws(Reference.Failure) -> (Reference, Int) {
    let isWord = texts.first?.contains(where: \.isLetter) == true
    // No reference has more words than this.
    for count in (1...(isWord ? min(texts.count, 12) : 1)).reversed() {
      do {
        return (try Reference(parsing: texts.prefix(count).joined(separator: " ")), count)
      } catch {
        switch error {
        case .unknown, .ambiguous, .link: if count == 1 { throw error }
        // `juz 31` says more than that `juz` is no place.
        default: throw error
        }
      }
    }
    throw .empty
  }
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
