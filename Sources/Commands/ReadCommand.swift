public import Editions
import Quran
import Text
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
      console.write(all.map { edition.text(of: $0).displayableLine + "\n" }.joined())
    case .referenced:
      console.write(all.map { "\($0)  \(edition.text(of: $0).displayableLine)\n" }.joined())
    case .json:
      try console.json(all.map { AyahEntry($0, edition) })
    }
  }

  private var all: [AyahID] { ayahs.flatMap(Array.init) }

  /// Each argument is a reference; words that only together are one may stand
  /// apart, as in `read juz 30`.
  private static func parse(_ texts: [String], _ words: Words) throws(CommandFailure) -> [Reference]
  {
    var references: [Reference] = []
    var rest = texts[...]
    while !rest.isEmpty {
      do {
        let (reference, count) = try first(of: rest)
        references.append(reference)
        rest = rest.dropFirst(count)
      } catch {
        throw CommandFailure(.usage, words.explain(error))
      }
    }
    return references
  }

  /// The reference at the start of the texts, and how many of them it takes: the
  /// first alone if that is one, else as many as can be.
  private static func first(
    of texts: ArraySlice<String>
  ) throws(Reference.Failure) -> (Reference, Int) {
    do {
      return (try Reference(parsing: texts[texts.startIndex]), 1)
    } catch {
      var failure = error
      for count in (1...texts.count).dropFirst().reversed() {
        do {
          return (try Reference(parsing: texts.prefix(count).joined(separator: " ")), count)
        } catch .unknown, .ambiguous {
          continue
        } catch {
          // `juz 31` says more than that `juz` is no place.
          failure = error
        }
      }
      throw failure
    }
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
