public import Editions
public import Library
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
  /// The state that was kept last.
  private var kept: SavedState
  /// The ayah printed last.
  private var ayah: AyahID?
  /// What a bare number chooses, after a list was printed.
  private var choices: [AyahID] = []
  /// How many of the choices are printed already.
  private var listed = 0
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
    kept = state
    ayah = opening
  }

  /// Reads commands, one a line, until there are no more, or one says to end.
  ///
  /// - Throws: status 3 where the reader's place could not be kept.
  public mutating func run(nextLine: () -> String?) throws(CommandFailure) {
    try console.line(words.plainOn)
    if !edition.info.isRecognised {
      try console.line("\(words.bundledTitle) – \(words.notReviewed).")
    }
    try console.line(words.plainHelp)
    if let ayah {
      try show(ayah)
    } else if let last = state.ayah {
      try console.line(words.plainContinue("\(last)"))
    }
    while true {
      try console.verbatim("> ")
      guard let line = nextLine() else {
        try console.line("")
        break
      }
      let typed = line.displayableLine.split(separator: " ").joined(separator: " ")
      guard try handle(typed) else { break }
    }
    do {
      try keepPlace()
    } catch {
      throw CommandFailure(.badData, words.placeNotKept(stateFile.path ?? ""))
    }
  }

  private mutating func keepPlace() throws {
    try stateFile.update(from: kept, to: state)
    kept = state
  }

  /// False when it is time to end.
  private mutating func handle(_ line: String) throws(CommandFailure) -> Bool {
    switch line {
    case "q", "quit": return false
    case "?", "help": try console.line(words.plainHelp)
    case "":
      try step(ayah == nil ? state.ayah ?? .first : ayah?.next, orSay: words.endOfBook)
    case "b":
      let here = ayah ?? state.ayah
      try step(here == nil ? .first : here?.previous, orSay: words.startOfBook)
    case "l":
      choices = SurahNumber.all.map(\.firstAyah)
      listed = choices.count
      try console.lines(
        SurahNumber.all.map { "\(heading($0)), \(words.ayahCount($0.ayahCount))" })
    case "+":
      if listed < choices.count { try listMore() } else { try console.line(words.plainNoMore) }
    case _ where line.hasPrefix("/"): try search(String(line.dropFirst()))
    default:
      if let number = Int(line), !choices.isEmpty {
        if (1...listed).contains(number) {
          try show(choices[number - 1])
        } else {
          try console.line(words.plainNoChoice(listed))
        }
      } else {
        try goTo(line)
      }
    }
    return true
  }

  private mutating func step(_ ayah: AyahID?, orSay end: String) throws(CommandFailure) {
    if let ayah { try show(ayah) } else { try console.line(end) }
  }

  private mutating func goTo(_ text: String) throws(CommandFailure) {
    let reference: Reference
    do {
      reference = try Reference(parsing: text)
    } catch {
      return try console.line(words.explain(error))
    }
    try show(reference.ayahs.lowerBound)
  }

  private mutating func show(_ ayah: AyahID) throws(CommandFailure) {
    choices = []
    listed = 0
    self.ayah = ayah
    state.position = ayah.description
    // Now, because Ctrl-C may end it at any moment. A failure is told at the end.
    try? keepPlace()
    if ayah.ayah == 1 {
      try console.line(heading(ayah.surah))
      if ayah.surah.surah.isHeadedByBasmala { try console.line(edition.text(of: .first)) }
    }
    try console.line("\(ayah)  \(edition.text(of: ayah))")
  }

  private func heading(_ number: SurahNumber) -> String {
    "\(number). \(number.surah.transliteration) – \(number.surah.vietnameseName)"
  }

  private mutating func search(_ text: String) throws(CommandFailure) {
    let query = SearchQuery(text)
    guard !query.isEmpty else { return try console.line(words.plainEmptySearch) }
    let index = self.index ?? SearchIndex(edition)
    self.index = index
    choices = index.search(query)
    listed = 0
    guard choices.isEmpty else {
      try console.line(words.hits(choices.count))
      return try listMore()
    }
    if let place = try? Reference(parsing: text) {
      try show(place.ayahs.lowerBound)
    } else {
      try console.line(words.noHits(text))
    }
  }

  private mutating func listMore() throws(CommandFailure) {
    let page = choices.indices[listed...].prefix(Self.page)
    try console.lines(
      page.map { "\($0 + 1). \(choices[$0])  \(edition.text(of: choices[$0]))" })
    listed = page.endIndex
    try console.line(words.plainChoose(listed, hasMore: listed < choices.count))
  }
}
