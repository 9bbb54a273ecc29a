public import Editions
import FoundationEssentials
import Library
public import Messages
public import Quran
import Text

/// A line-oriented user interface for screen readers and terminals that cannot position the cursor.
/// It prints no escape sequences and no boxes, and every choice has a number.
public struct PlainReader {
  let edition: Edition
  let messages: Messages
  let console: Console
  let now: () -> Int64
  let library: PlainLibrary
  private let files: FileTransfer
  private let findDump: () -> String?
  /// The content of the library; empty if there is no library.
  var snapshot = Snapshot()
  /// The reason why there is no library, or why it cannot be changed.
  private var refusal: LibraryFailure?
  private var notices: [Notice] = []
  /// The place at which reading continues.
  var place = ReadingPlace()
  /// The ayah that was printed last; before the first one is printed, the ayah to begin with.
  var ayah: AyahID?
  /// Whether an ayah was printed.
  private var hasShown = false
  /// The ayahs of the last printed list, which the user can choose by number.
  private(set) var choices: [AyahID] = []
  /// The number of choices that have been printed.
  private(set) var listed = 0
  /// Returns the editions that are searched besides the current one.
  private let otherEditions: () -> [Edition]
  /// The indexes of all editions; nil until the first search.
  private var editionSearch: EditionSearch?
  /// The result of the last search if `choices` are its hits; otherwise nil.
  private var lastHits: SearchHits?
  /// The notes of `choices` if they were found by their text; otherwise empty.
  var foundNotes: [Note] = []
  /// For each ayah, its notes as they were last printed or typed. The numbers that the user types
  /// are positions in these lists.
  var knownNotes: [AyahID: [Note]] = [:]

  /// The number of choices that are printed at a time.
  private static let pageSize = 10

  /// Creates the reader.
  ///
  /// - Parameters:
  ///   - edition: The current edition.
  ///   - messages: The sentences of the interface.
  ///   - console: The output.
  ///   - library: The user's library.
  ///   - ayah: The ayah to begin with, or nil.
  ///   - otherEditions: Returns the editions to search besides the current one.
  ///   - files: Imports the file of the `import` command.
  ///   - findDump: Returns the path of a dump of the iOS app, or nil if there is none.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  public init(
    edition: Edition, messages: Messages, console: Console,
    library: PlainLibrary, opening ayah: AyahID?,
    otherEditions: @escaping () -> [Edition] = { [] }, files: FileTransfer,
    findDump: @escaping () -> String? = { nil }, now: @escaping () -> Int64
  ) {
    self.edition = edition
    self.messages = messages
    self.console = console
    self.now = now
    self.ayah = ayah
    self.otherEditions = otherEditions
    self.files = files
    self.findDump = findDump
    self.library = library
    applyReplies()
    place.load(snapshot.continueReading, cursor: nil)
  }

  /// Applies the replies and events that the library has queued.
  private mutating func applyReplies() {
    for reply in library.dequeueReplies() {
      switch reply {
      case .opened(let snapshot, let notices):
        self.snapshot = snapshot
        self.notices += notices
        refusal = nil
        for case .unchangeable(let failure) in notices { refusal = failure }
      case .unavailable(let failure): refusal = failure
      case .refreshed(let snapshot): self.snapshot = snapshot
      case .changed(let commit): snapshot.apply(commit)
      case .noticed(let notice): notices.append(notice)
      default: break
      }
    }
  }

  /// Prints the notices of the library.
  private mutating func printNotices() throws(CommandFailure) {
    for notice in notices { try console.line(messages.explain(notice)) }
    notices = []
  }

  /// Reads commands, one per line, until the end of the input or the command to quit.
  ///
  /// - Parameter nextLine: Returns the next line of the input, or nil at its end.
  /// - Throws: Status 3 if the output cannot be written.
  public mutating func run(nextLine: () -> InputLine?) throws(CommandFailure) {
    try console.line(messages.plainOn)
    try console.line("\(messages.fullTitle(of: edition.info)).")
    try console.line(messages.plainStart)
    if notices.isEmpty, let refusal { try console.line(messages.explain(refusal)) }
    try printNotices()
    for draft in snapshot.drafts { try console.line(messages.plainDraft("\(draft.ayah)")) }
    try offerImport()
    if let ayah {
      try jump(to: ayah)
    } else if let last = snapshot.continueReading {
      try console.line(messages.plainContinue("\(last)"))
    }
    while true {
      try console.verbatim("> ")
      guard let line = nextLine() else {
        try console.line("")
        break
      }
      applyReplies()
      try printNotices()
      switch line {
      case .truncated: try console.line(messages.lineWasCut)
      case .notUTF8: try console.line(messages.textIsNotUTF8)
      case .text(let text): guard try handle(line: text) else { return }
      }
    }
  }

  /// Executes a line. Returns false for the command to quit.
  private mutating func handle(line: String) throws(CommandFailure) -> Bool {
    // Paths and texts keep their spaces, and every character.
    let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
    let words = line.drop { $0 == " " }.split(separator: " ", maxSplits: 1)
    let argument = words.count == 2 ? String(words[1].drop { $0 == " " }) : ""
    switch words.first {
    case "import" where !argument.isEmpty: try importFile(at: argument)
    case "n" where !argument.isEmpty: try addNote(argument)
    case "e", "d": try change(words[0] == "e" ? "e" : "d", argument)
    default: return try handle(line.sanitizedLine.split(separator: " ").joined(separator: " "))
    }
    return true
  }

  /// Executes a command. Returns false for the command to quit.
  private mutating func handle(_ line: String) throws(CommandFailure) -> Bool {
    switch line {
    case "q", "quit": return false
    case "?", "help": try console.lines(messages.plainHelp)
    case "":
      if let ayah { countAsRead(ayah) }
      try step(
        ayah == nil ? place.ayah ?? .first : ayah?.next, orSay: messages.endOfBook)
    case "f": try toggleFavorite()
    case "r": try markRead()
    case "w": try printPlace()
    case "p": try printProgress()
    case "n": try printNotes()
    case "o": try printFootnotes()
    case _ where line.hasPrefix("g "): try goTo(String(line.dropFirst(2)))
    case _ where line.hasPrefix("n/"): try searchNotes(String(line.dropFirst(2)))
    case "fl":
      setChoices(snapshot.favorites.map(\.ayah))
      if choices.isEmpty { try console.line(messages.noFavorites("f")) } else { try listMore() }
    case "u": try undo()
    case "b":
      let here = ayah ?? place.ayah
      try step(here == nil ? .first : here?.previous, orSay: messages.startOfBook)
    case "l":
      setChoices(SurahNumber.all.map(\.firstAyah))
      listed = choices.count
      try console.lines(
        SurahNumber.all.map { "\(heading($0)), \(messages.ayahCount($0.ayahCount))" })
    case "+":
      if listed < choices.count { try listMore() } else { try console.line(messages.plainNoMore) }
    case _ where line.hasPrefix("/"): try search(String(line.dropFirst()))
    default:
      if let number = Int(line), !choices.isEmpty {
        if (1...listed).contains(number) {
          try jump(to: choices[number - 1])
        } else {
          try console.line(messages.plainNoChoice(listed))
        }
      } else {
        try goTo(line)
      }
    }
    return true
  }

  /// Shows the next or previous ayah of the reading, or prints `end` if there is none.
  private mutating func step(_ ayah: AyahID?, orSay end: String) throws(CommandFailure) {
    guard let ayah else { return try console.line(end) }
    place.read(to: ayah)
    try show(ayah)
  }

  /// Shows an ayah that the user jumped to. If the reading place stays elsewhere, prints that
  /// place.
  private mutating func jump(to ayah: AyahID) throws(CommandFailure) {
    let wasJumpPending = place.isJumpPending
    place.jump(to: ayah)
    try show(ayah)
    if place.isJumpPending, !wasJumpPending, let place = place.ayah {
      try console.line(messages.plainElsewhere("\(place)"))
    }
  }

  private mutating func goTo(_ text: String) throws(CommandFailure) {
    let reference: QuranReference
    do {
      reference = try QuranReference(parsing: text)
    } catch {
      return try console.line(messages.explain(error))
    }
    try jump(to: reference.ayahs.lowerBound)
  }

  private mutating func show(_ ayah: AyahID) throws(CommandFailure) {
    setChoices([])
    let isInOtherSurah = ayah.surah != self.ayah?.surah || !hasShown
    self.ayah = ayah
    hasShown = true
    // Save the place now, because Ctrl-C can end the process at any moment.
    if let position = place.ayah?.description,
      position != snapshot.device[DeviceKey.position]
    {
      saveReading { $0.device[DeviceKey.position] = .some(position) }
    }
    if isInOtherSurah || ayah.ayah == 1 { try console.line(heading(ayah.surah)) }
    if ayah.ayah == 1 {
      if let basmala = edition.heading(of: ayah.surah) { try console.line(basmala) }
    }
    let marks = [
      snapshot.isFavorite(ayah) ? messages.plainIsFavorite : "",
      snapshot.noteCount(of: ayah) > 0 ? messages.noteCount(snapshot.noteCount(of: ayah)) : "",
    ].filter { !$0.isEmpty }.joined(separator: ", ")
    try console.line(
      "\(ayah)  \(edition.textWithoutBasmala(of: ayah))" + (marks.isEmpty ? "" : "  (\(marks))"))
  }

  // MARK: The user's data

  /// Records that an ayah was read. As in the full-screen interface, only the ayah after the last
  /// read one of its surah counts.
  private mutating func countAsRead(_ ayah: AyahID) {
    guard snapshot.readingStep(at: ayah) == .next else { return }
    let today = Day(containing: now())
    saveReading { reading in
      reading.progress[ayah.surah] = ayah.ayah
      reading.ayahsRead[today] = 1
    }
  }

  /// Saves progress, statistics and the reading place. Ignores failures: a library that cannot be
  /// changed was reported at the start.
  private mutating func saveReading(_ body: (inout ReadingChanges) -> Void) {
    var reading = ReadingChanges()
    body(&reading)
    guard refusal == nil,
      case .done(_, let commit) = library.owner.perform(.saveReading(reading))
    else { return }
    snapshot.apply(commit)
    for (key, value) in reading.device { snapshot.device[key] = value }
  }

  /// Sends a change to the library and prints the result.
  mutating func perform(
    _ request: LibraryRequest, saying done: (Commit) -> String
  ) throws(CommandFailure) {
    switch library.owner.perform(request) {
    case .done(_, let commit):
      snapshot.apply(commit)
      try console.line(done(commit))
    case .refused(_, let failure):
      try console.line(messages.explain(failure))
    default:
      break
    }
  }

  /// Tells the user once that there is a dump of the iOS app.
  private mutating func offerImport() throws(CommandFailure) {
    guard refusal == nil, snapshot.device[DeviceKey.importOffered] == nil,
      let path = findDump()
    else { return }
    try console.line(messages.plainImportOffer(path))
    var reading = ReadingChanges()
    reading.device = [DeviceKey.importOffered: "1"]
    _ = library.owner.perform(.saveReading(reading))
  }

  private mutating func importFile(at path: String) throws(CommandFailure) {
    var result: Result<FileImport, CommandFailure>?
    library.owner.runAndWait { library in
      do throws(CommandFailure) {
        let file = try files.importFile(path, into: library, messages: messages)
        result = .success(file)
        return file.commit
      } catch {
        result = .failure(error)
        return Commit([])
      }
    }
    switch result {
    case .success(let file):
      snapshot = file.snapshot
      try console.lines(file.report)
      try console.line(file.commit.isEmpty ? file.summary : messages.withUndo(file.summary, "u"))
    case .failure(let failure): try console.line(failure.message)
    case nil: break
    }
  }

  private mutating func toggleFavorite() throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openAyahFirst) }
    let isFavorite = !snapshot.isFavorite(ayah)
    let messages = messages
    try perform(.commit([.setFavorite(ayah, isFavorite)])) { _ in
      isFavorite ? messages.favoriteAdded("u") : messages.favoriteRemoved("\(ayah)", "u")
    }
  }

  private func printFootnotes() throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openAyahFirst) }
    let footnotes = edition.footnotes(of: ayah)
    guard footnotes.isEmpty else {
      return try console.lines(
        footnotes.map { ($0.number.map { "[\($0)] " } ?? "") + $0.text })
    }
    let hasMarks = !FootnoteMark.marks(in: edition.text(of: ayah)).isEmpty
    try console.line(hasMarks ? messages.marksWithoutFootnotes : messages.noFootnotes)
  }

  private mutating func undo() throws(CommandFailure) {
    let messages = messages
    try perform(.undo) { commit in
      if commit.count > 1 { return messages.undone(messages.things(commit.count)) }
      return commit.edits.first.map { messages.undone(messages.name(of: $0.thing)) }
        ?? messages.nothingToUndo
    }
  }

  private func heading(_ number: SurahNumber) -> String {
    "\(number). \(number.surah.names)"
  }

  private mutating func search(_ text: String) throws(CommandFailure) {
    let query = SearchQuery(text, isComplete: true)
    guard !query.isEmpty else {
      return try console.line(
        query.onlyExcludes ? messages.nothingToSearchFor : messages.plainEmptySearch("/"))
    }
    let editionSearch =
      self.editionSearch ?? EditionSearch(([edition] + otherEditions()).map(SearchIndex.init))
    self.editionSearch = editionSearch
    let hits = editionSearch.search(query)
    setChoices(hits.ayahs, of: hits)
    guard choices.isEmpty else {
      try console.line(messages.hits(hits))
      return try listMore()
    }
    let reference: QuranReference
    do {
      reference = try QuranReference(parsing: text)
    } catch {
      return try console.line(
        error.isNoSuchPassage
          ? messages.explain(error)
          : messages.noHits(text, similar: editionSearch.suggestion(for: query)))
    }
    try jump(to: reference.ayahs.lowerBound)
  }

  /// Sets the list from which the user chooses, before its elements are printed.
  ///
  /// - Parameters:
  ///   - hits: The hits of the search whose result the list is; nil for another list.
  ///   - notes: The notes of the ayahs, if the list is the result of a search in notes.
  mutating func setChoices(
    _ ayahs: [AyahID], of hits: SearchHits? = nil, notes: [Note] = []
  ) {
    choices = ayahs
    foundNotes = notes
    lastHits = hits
    listed = 0
  }

  /// Returns the text of a choice: of a note that was found, or of the ayah. For a hit in another
  /// edition, returns that edition's ID and text.
  private func text(ofChoice choice: Int) -> String {
    let ayah = choices[choice]
    if !foundNotes.isEmpty { return foundNotes[choice].text.text.sanitizedLine }
    guard let lastHits, choice >= lastHits.firstEditionCount,
      let other = editionSearch?.edition(ofHit: choice, in: lastHits)
    else { return edition.text(of: ayah) }
    return "[\(other.info.id)] \(other.text(of: ayah))"
  }

  mutating func listMore() throws(CommandFailure) {
    let page = choices.indices[listed...].prefix(Self.pageSize)
    try console.lines(
      page.map { "\($0 + 1). \(choices[$0])  \(text(ofChoice: $0))" })
    listed = page.endIndex
    try console.line(messages.plainChoose(listed, hasMore: listed < choices.count))
  }
}
