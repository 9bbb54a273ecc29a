import Editions
import Foundation
import Library
import Messages
import Quran
import Sync
import Synchronization
import Terminal
import Testing
import Text

@testable import Reader

/// Drives the model as a user does: presses keys and reads the screen.
///
///     var driver = try ReaderDriver(.medium)
///     driver.press("g2:255<Enter>")
///     driver.screen.contains("255")
struct ReaderDriver {
  private(set) var model: Model
  /// The effects of the model, except for those that are performed or recorded separately here.
  private(set) var effects: [Effect] = []
  /// Whether the model asked for a search for a dump of the older app.
  private(set) var isLookingForDump = false
  /// The requests to the library that are not answered yet.
  private(set) var requests: [LibraryRequest] = []
  let library: Library
  private var handler: RequestHandler
  /// Whether requests to the library and to files are answered at once.
  var isAnswering = true
  /// Whether requested texts are loaded at once.
  var isLoadingAtOnce = true
  /// Performs imports and exports.
  var files: FileExchange = { _, _, _, _ in .refused("") }
  /// The texts that can be shown beside the one that is read.
  private let parallelEditions: [ParallelEdition: Edition]
  private var fileRequests: [FileRequest] = []
  /// The requests about texts that are not answered yet.
  private(set) var textRequests: [EditionRequest] = []
  /// Whether the index of the notes was requested and is not built yet.
  private(set) var hasRequestedNoteIndex = false
  /// Whether the indexes of the other texts were requested.
  private(set) var hasRequestedIndexes = false
  /// Milliseconds since 1970: 22 November 2026, noon.
  var time: Int64 = 1_795_348_800_000

  /// - Parameters:
  ///   - place: the place that the library contains at the start.
  ///   - fill: adds further contents to the library before the start.
  init(
    _ size: Size, language: Language = .vietnamese, place: AyahID? = nil,
    layout: PageLayout? = nil, opening ayah: AyahID? = nil, isIndexed: Bool = true,
    isOpen: Bool = true, edition: Edition = .bundled,
    parallelEditions: [ParallelEdition: Edition] = [:], offersTexts: Bool = false,
    arabic: ArabicDisplay? = .shaped, keys: KeyTable = .standard,
    fill: (Library, Int64) throws -> Void = { _, _ in }
  ) throws {
    library = try Library.inMemory()
    self.parallelEditions = parallelEditions
    handler = RequestHandler(.success(library))
    if let place { try library.setDeviceValues([DeviceKey.position: .some(place.description)]) }
    if let layout { try library.commit([.set("layout", "\"\(layout.rawValue)\"")], at: time) }
    try fill(library, time)
    let ids = Counter()
    var machine = MachineFacts()
    machine.libraryPath = "/home/an/.local/share/quran-vi/library.sqlite"
    machine.configurationPath = "/home/an/.config/quran-vi/config.toml"
    machine.offersTexts = offersTexts
    machine.arabic = ArabicSetting(
      terminal: "test", isKnownToReorder: arabic == .terminal,
      configured: arabic == nil ? .off : nil)
    model = Model(
      edition: edition, messages: Messages(language), size: size, opening: ayah, keys: keys,
      machine: machine, newID: { ids.next() })
    if isIndexed { perform(model.indexed(Self.index, of: Edition.bundled.info)) }
    if isOpen { try open() }
  }

  /// Opens the library.
  mutating func open(_ notices: [Notice] = []) throws {
    receive(.opened(try library.snapshot(), notices))
  }

  mutating func receive(_ reply: LibraryReply) {
    perform(model.received(reply, at: time))
  }

  private mutating func perform(_ new: [Effect]) {
    for effect in new {
      switch effect {
      case .library(let request): requests.append(request)
      case .file(let request): fileRequests.append(request)
      case .findDump: isLookingForDump = true
      case .texts(.load(let parallel)) where isLoadingAtOnce:
        perform(model.textsAnswered(.loaded(parallel, parallelEditions[parallel]), at: time))
      case .texts(.index):
        hasRequestedIndexes = true
        if isAnswering { perform(model.textsAnswered(.indexed(nil), at: time)) }
      case .texts(let request): textRequests.append(request)
      case .indexNotes: hasRequestedNoteIndex = true
      default: effects.append(effect)
      }
    }
    if isAnswering { answer() }
    let requests = model.requestForSearch()
    if !requests.isEmpty { perform(requests) }
  }

  /// Reports a status of sync to the model.
  mutating func sync(_ status: SyncStatus, isSignedOut: Bool = false) {
    model.synced(status, isSignedOut: isSignedOut, at: time)
  }

  /// Answers all requests to the library and to files, and builds the index of the notes if it was
  /// requested.
  mutating func answer() {
    if hasRequestedNoteIndex {
      hasRequestedNoteIndex = false
      let library = library
      model.indexed(Result { () throws(LibraryFailure) in try NoteIndex(of: library) })
      perform([])
    }
    while !requests.isEmpty {
      let request = requests.removeFirst()
      receive(handler.perform(request, at: time))
    }
    while !fileRequests.isEmpty {
      let request = fileRequests.removeFirst()
      var answers: [FileReply] = []
      _ = handler.run { library in
        let answer = files(request, library, model.messages) { _ in }
        answers.append(answer)
        return answer.commit
      }
      for answer in answers { perform(model.fileAnswered(answer, at: time)) }
    }
  }

  /// Reports the progress or the result of an import or export to the model.
  mutating func file(_ answer: FileReply) { perform(model.fileAnswered(answer, at: time)) }

  /// Reports progress about texts to the model, or answers the oldest request about them.
  mutating func texts(_ answer: EditionReply) {
    switch answer {
    case .done, .refused: if !textRequests.isEmpty { textRequests.removeFirst() }
    case .progress, .installed, .loaded, .indexed: break
    }
    perform(model.textsAnswered(answer, at: time))
  }

  /// Loads the texts that were requested.
  mutating func loadTexts() {
    for case .load(let parallel) in textRequests {
      perform(model.textsAnswered(.loaded(parallel, parallelEditions[parallel]), at: time))
    }
    textRequests = []
  }

  /// Reports the end of a download to the model.
  mutating func endDownload() { model.downloadEnded() }

  /// Refuses the oldest request to the library.
  mutating func refuse(_ failure: LibraryFailure) {
    receive(.refused(requests.removeFirst(), failure))
  }

  /// Passes a pause without input, in which unsaved changes are saved.
  mutating func pause() {
    requests += model.saveRequests()
    answer()
  }

  /// The requests that save the unsaved changes. The model then waits for their replies.
  mutating func pendingSaveRequests() -> [LibraryRequest] { model.saveRequests() }

  /// Saves unsaved changes and returns the contents of the library.
  mutating func stored() throws -> Snapshot {
    pause()
    return try library.snapshot()
  }

  /// Reports the result of the external editor to the model.
  mutating func edit(_ outcome: ReaderSession.EditorResult) {
    perform(model.applyEditorResult(outcome, by: "ed"))
  }

  static let index = SearchIndex(.bundled)

  /// Presses keys: characters are typed literally, other keys are named in angle brackets.
  mutating func press(_ keys: String) {
    var rest = Substring(keys)
    while let first = rest.first {
      if first == "<", let end = rest.firstIndex(of: ">"),
        let key = Self.named(rest[..<end].dropFirst())
      {
        send(.key(key))
        rest = rest[rest.index(after: end)...]
      } else {
        // A terminal sends scalars, not clusters.
        for scalar in first.unicodeScalars { send(.key(.character(Character(scalar)))) }
        rest = rest.dropFirst()
      }
    }
  }

  mutating func press(_ keys: String, times: Int) {
    for _ in 0..<times { press(keys) }
  }

  mutating func send(_ event: Event) {
    perform(model.update(event, at: time))
  }

  /// Reports the path of a dump of the older app to the model; nil if there is none.
  mutating func find(dump path: String?) { model.dumpFound(path) }

  /// Answers the last request for file names.
  mutating func list(_ files: [String]) {
    guard case .listFiles(let typed) = effects.last else {
      Issue.record("no files were asked for")
      return
    }
    model.filesListed(files, for: typed)
  }

  /// Gives the model the search index of the bundled text.
  mutating func index() { perform(model.indexed(Self.index, of: Edition.bundled.info)) }

  /// Gives the model the search indexes of other texts.
  mutating func index(others editions: [Edition]) {
    perform(model.textsAnswered(.indexed(editions.map(SearchIndex.init)), at: time))
  }

  mutating func index(of edition: Edition) {
    perform(model.indexed(SearchIndex(edition), of: edition.info))
  }

  mutating func resize(_ size: Size) {
    send(.resized(size))
  }

  var canvas: Canvas { model.view() }
  var screen: String { canvas.text }
  var rows: [String] {
    let canvas = canvas
    return (0..<canvas.size.rows).map { canvas.text(row: $0) }
  }

  /// The styles of the cells as letters, one line for each row, and a legend of the letters. Cells
  /// in the style of the page are blank.
  var styles: String {
    let canvas = canvas
    var letters: [Style: Character] = [model.theme[.text]: " "]
    var legend: [String] = []
    let rows = (0..<canvas.size.rows).map { row in
      var line = ""
      for column in 0..<canvas.size.columns {
        let style = canvas.style(row: row, column: column)
        if letters[style] == nil {
          let letter = Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(legend.count)))
          letters[style] = letter
          legend.append("\(letter): \(style.summary)")
        }
        line.append(letters[style] ?? "?")
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    return (rows + legend).joined(separator: "\n") + "\n"
  }

  private static func named(_ name: Substring) -> Key? {
    if name.hasPrefix("C-"), let letter = name.dropFirst(2).first { return .control(letter) }
    let names: [Substring: Key.Code] = [
      "Enter": .enter, "Esc": .escape, "Tab": .tab, "BS": .backspace, "Up": .up, "Down": .down,
      "Left": .left, "Right": .right, "PgUp": .pageUp, "PgDn": .pageDown, "Home": .home,
      "End": .end, "Del": .delete,
    ]
    if name.hasPrefix("A-"), let letter = name.dropFirst(2).first {
      return Key(.character(letter), .alt)
    }
    if name == "S-Tab" { return Key(.tab, .shift) }
    return names[name].map { Key($0) }
  }
}

extension Style {
  /// The colours and attributes in words.
  fileprivate var summary: String {
    func name(_ color: Color) -> String {
      switch color {
      case .standard: "standard"
      case .palette(let number): "\(number)"
      }
    }
    let names: [(Attributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"),
      (.reverse, "reverse"), (.underlineWithoutColors, "underline without colours"),
    ]
    return
      (["\(name(foreground)) on \(name(background))"]
      + names.filter { attributes.contains($0.0) }.map(\.1)).joined(separator: ", ")
  }
}

extension Size {
  static let small = Size(rows: 12, columns: 40)
  static let medium = Size(rows: 24, columns: 80)
  static let large = Size(rows: 40, columns: 120)
}

extension AyahID {
  init(_ text: StaticString) { self.init("\(text)")! }
}

/// IDs of notes, the same in every run.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> UUID {
    let count = count.withLock { count in
      count += 1
      return count
    }
    let digits = String(count)
    let tail = String(repeating: "0", count: 12 - digits.count) + digits
    return UUID(uuidString: "00000000-0000-4000-8000-\(tail)") ?? UUID()
  }
}

extension Model {
  /// The ayah under the cursor, and the appearance of the page.
  struct VisibleState: Hashable {
    let ayah: AyahID?
    let theme: String
    let layout: String
    let showsArabic: Bool

    var position: String? { ayah?.description }
  }

  var state: VisibleState {
    VisibleState(
      ayah: hasOpenedAyah ? position.cursor : nil, theme: theme.id.rawValue,
      layout: layout.rawValue, showsArabic: texts.shown.showsArabic)
  }
}
