public import Editions
public import Quran
import Text
public import Words

/// The reader line by line, for screen readers and terminals that cannot move
/// their cursor: no escape sequences, no boxes, and every choice has a number.
public struct PlainReader {
  private let edition: Edition
  private let words: Words
  private let console: Console
  private let stateFile: StateFile
  private var state: SavedState
  /// The ayah printed last.
  private var ayah: AyahID?
  /// What a bare number chooses, after a list was printed.
  private var choices: [AyahID] = []
  private var index: SearchIndex?

  /// How many hits are listed at a time.
  private static let page = 10

  public init(
    edition: Edition, words: Words, console: Console, stateFile: StateFile, opening: AyahID?
  ) {
    self.edition = edition
    self.words = words
    self.console = console
    self.stateFile = stateFile
    state = stateFile.load()
    ayah = opening
  }

  /// Reads commands, one a line, until there are no more, or one says to end.
  ///
  /// - Throws: status 3 where the reader's place could not be kept.
  public mutating func run(nextLine: () -> String?) throws(CommandFailure) {
    console.line(words.plainOn)
    if !edition.info.isRecognised { console.line("\(words.bundledTitle) – \(words.notReviewed).") }
    console.line(words.plainHelp)
    if let ayah {
      show(ayah)
    } else if let last = state.ayah {
      console.line(words.plainContinue("\(last)"))
    }
    while true {
      console.write("> ")
      guard let line = nextLine() else {
        console.line("")
        break
      }
      guard handle(line.displayableLine.split(separator: " ").joined(separator: " ")) else { break }
    }
    guard let ayah else { return }
    state.position = ayah.description
    do {
      try stateFile.save(state)
    } catch {
      throw CommandFailure(.badData, words.placeNotKept(stateFile.path))
    }
  }

  /// False when it is time to end.
  private mutating func handle(_ line: String) -> Bool {
    switch line {
    case "q", "quit": return false
    case "?", "help": console.line(words.plainHelp)
    case "":
      step(ayah == nil ? state.ayah ?? .first : ayah?.next, orSay: words.endOfBook)
    case "b":
      let here = ayah ?? state.ayah
      step(here == nil ? .first : here?.previous, orSay: words.startOfBook)
    case "l":
      choices = SurahNumber.all.map(\.firstAyah)
      for surah in SurahNumber.all.map(\.surah) {
        console.line(
          "\(surah.number). \(surah.transliteration) – \(surah.vietnameseName), \(words.ayahCount(surah.ayahCount))"
        )
      }
    case _ where line.hasPrefix("/"): search(String(line.dropFirst()))
    default:
      if let number = Int(line), !choices.isEmpty {
        guard choices.indices.contains(number - 1) else {
          console.line(words.plainNoChoice(choices.count))
          break
        }
        show(choices[number - 1])
      } else {
        goTo(line)
      }
    }
    return true
  }

  private mutating func step(_ ayah: AyahID?, orSay end: String) {
    if let ayah { show(ayah) } else { console.line(end) }
  }

  private mutating func goTo(_ text: String) {
    do {
      show(try Reference(parsing: text).ayahs.lowerBound)
    } catch {
      console.line(words.explain(error))
    }
  }

  private mutating func show(_ ayah: AyahID) {
    choices = []
    if ayah.ayah == 1 {
      let surah = ayah.surah.surah
      console.line("\(surah.number). \(surah.transliteration) – \(surah.vietnameseName)")
      if surah.isHeadedByBasmala { console.line(edition.text(of: .first).displayableLine) }
    }
    console.line("\(ayah)  \(edition.text(of: ayah).displayableLine)")
    self.ayah = ayah
  }

  private mutating func search(_ text: String) {
    let query = SearchQuery(text)
    guard !query.isEmpty else {
      console.line(words.emptySearch)
      return
    }
    let index = self.index ?? SearchIndex(edition)
    self.index = index
    let hits = index.search(query)
    choices = Array(hits.prefix(Self.page))
    console.line(hits.isEmpty ? words.noHits(text) : words.hits(hits.count))
    for (row, ayah) in choices.enumerated() {
      console.line("\(row + 1). \(ayah)  \(edition.text(of: ayah).displayableLine)")
    }
    if !hits.isEmpty { console.line(words.plainChoose(choices.count)) }
  }
}
