public import Editions
public import FoundationEssentials
import Library
public import Messages
public import Quran
import Sync
public import Terminal
import Text

/// Everything the reader's screen depends on. Changed by `update` alone, drawn by `view`.
public struct Model {
  enum Tab: Hashable {
    case surahs, juz, favorites, notes, search, progress, settings

    /// What opens it.
    var action: Action {
      switch self {
      case .surahs: .surahs
      case .juz: .juz
      case .favorites: .favorites
      case .notes: .notes
      case .search: .searchScreen
      case .progress: .progress
      case .settings: .settings
      }
    }
  }

  /// Which of the two panes takes the keys; on a narrow screen it is the one shown.
  enum Pane: Hashable { case list, text }

  struct ListState: Hashable {
    var selection = 0
    /// The first row shown.
    var top = 0
  }

  /// What is being searched for, and what that finds.
  struct Search: Hashable {
    var field = TextField()
    var query = SearchQuery("")
    var reference: QuranReference?
    /// Best first.
    var hits: [AyahID] = []
    /// Where the search was opened from, to go back to.
    var originTab = Tab.surahs
    var originPane = Pane.list

    /// Rows of the list: the place the query names, then the hits.
    var rowCount: Int { hits.count + referenceRows }
    var referenceRows: Int { reference == nil ? 0 : 1 }

    func target(_ row: Int) -> AyahID? {
      let hit = row - referenceRows
      if hit == -1 { return reference?.ayahs.lowerBound }
      return hits.indices.contains(hit) ? hits[hit] : nil
    }
  }

  /// A search whose hits are marked in the text, until Esc.
  struct Marked: Hashable {
    let query: SearchQuery
    /// Best first.
    let hits: [AyahID]
  }

  /// What lies over the screen and takes the keys first.
  enum Overlay: Hashable {
    case goTo(TextField)
    case filter
    case command(TextField, Completion?)
    case palette(TextField, ListState)
    /// What can be done with one ayah.
    case menu(ListState)
    /// The notes of an ayah.
    case notes(NotesPanel)
    /// The nine cues: to jump to one, or to set one here.
    case cues(isSetting: Bool)
    case question(Question)
    /// The first row shown.
    case page(Page, Int)
  }

  /// A text that fills the screen.
  enum Page: Hashable {
    case help
    /// What an import did.
    ///
    /// - Parameter isUndoable: whether it changed anything.
    case report([String], isUndoable: Bool)
    case sync
  }

  /// What is asked before it is done.
  enum Question: Hashable {
    case restart(SurahNumber)
    case leaveNote
    case dropPlan
    case acceptDeletions(MassDeletion)
    case answerRestored(SyncAccount.Restoration)
    case restoreNote(UUID, AyahID)
  }

  /// A note that is opened for editing once its text is here.
  struct WantedNote: Hashable {
    let ayah: AyahID
    /// Nil for the ayah's only one.
    var id: UUID?
    let isExternal: Bool
    /// What was written of it before.
    var draft: Draft?
  }

  /// A look at a note that leads back.
  struct Detour: Hashable {
    let reading: Reading
    let place: ReadingPlace
    let browsing: Browsing
    let hasBegun: Bool
  }

  /// While looking around, nothing counts as read.
  enum Browsing: Hashable {
    case off
    /// Since the reader came to a place otherwise than by reading on; until reading
    /// goes on where it was left.
    case arrived
    /// Since the reader asked for it; until the reader asks again.
    case chosen
  }

  struct Message: Hashable {
    var text: String
    var isError = false
  }

  struct Click: Hashable {
    var mouse: Mouse
    var time: Int64
  }

  let edition: Edition
  let keys: KeyTable
  var messages: Messages
  public internal(set) var size: Size
  var theme: Theme
  var layout: PageLayout
  var showsArabicNames: Bool
  var tab = Tab.surahs
  var pane = Pane.list
  /// Where each list was left.
  var lists: [Tab: ListState] = [:]
  var filter = TextField()
  var search = Search()
  var marked: Marked?
  var index: SearchIndex?
  /// What the text shows.
  var reading: Reading
  /// Where reading goes on.
  var place = ReadingPlace()
  /// Where the text beside a list was scrolled to, without being read.
  var preview: Reading?
  var overlay: Overlay?
  var message: Message?
  var lastClick: Click?
  /// Whether there is a place to go on from.
  var hasBegun: Bool
  var typesetter: Typesetter
  /// What the library holds, as the screen shows it; and what is on its way there.
  var libraryState = LibraryState()
  var browsing = Browsing.off
  /// The note being written.
  var editor: NoteEditor?
  var wantedNote: WantedNote?
  /// Whether something was asked for that has to wait until the library is open.
  var isLibraryWanted = false
  /// What was done while the library or the text of a note was waited for.
  var typedAhead: [Event] = []
  /// A note that was not finished, to be offered in the message line as soon as it is free.
  var offeredDraft: Draft?
  /// Whether it was offered.
  var isOfferingDraft = false
  /// A dump of the older app that was found, and whether it is still to be offered.
  var foundDump: String?
  /// What an import did, until there is room to tell it.
  var dueReport: Page?
  var isDumpOfferDue = false
  /// Texts that the library did not take yet, and that are on no screen.
  var rescued: [Draft] = []
  /// Where the reader was before looking at a note from a list.
  var detour: Detour?
  /// When what was refused is tried again, and after how long.
  var keepsAgainAt: Int64 = 0
  var keepingPause: Int64 = 0
  /// The reason that was told already.
  var toldFailure: LibraryFailure?
  /// Every note, once the list was asked for.
  var noteList: [NoteSummary]?
  /// How it stands with sync.
  var sync = SyncStatus()
  /// Whether the reader waits to hear how it goes.
  var isSyncAsked = false
  /// What was said of sync, to be said once.
  var toldSyncProblem: String?
  /// The rows of the two screens that are made of what is known, as long as they are shown.
  var progressRows: [ProgressRow] = []
  var settingRows: [SettingRow] = []
  /// The ayahs counted as read on a day.
  var counted: (day: Day?, ayahs: Set<Int>) = (nil, [])
  /// Names the notes that are made.
  let newID: @Sendable () -> UUID
  /// Milliseconds since 1970, UTC, of the last event.
  var now: Int64 = 0
  /// What the settings screen tells of the machine.
  let machine: MachineFacts
  /// Whether the language was asked for where the setting cannot.
  private let isLanguageFixed: Bool
  /// Whether the reader did anything yet: what the library says later moves nobody.
  private var hasActed = false

  /// - Parameters:
  ///   - ayah: where to open the text, nil for the list of surahs.
  ///   - isLanguageFixed: whether the words stay in their language, whatever the settings.
  public init(
    edition: Edition, messages: Messages, size: Size, opening ayah: AyahID? = nil,
    keys: KeyTable = .standard, machine: MachineFacts = MachineFacts(),
    isLanguageFixed: Bool = false, newID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.edition = edition
    self.messages = messages
    self.keys = keys
    self.size = size
    self.machine = machine
    self.isLanguageFixed = isLanguageFixed
    self.newID = newID
    theme = Theme(.terminal)
    layout = .verse
    showsArabicNames = true
    hasBegun = ayah != nil
    pane = ayah == nil ? .list : .text
    typesetter = Typesetter(edition, layout: layout, width: 80)
    reading = Reading(cursor: ayah ?? .first, top: Anchor(block: 1, row: 0))
    browsing = ayah == nil ? .off : .arrived
    if let ayah { place.jump(to: ayah) }
    resize(to: size)
    open(at: reading.cursor)
    if let problem = machine.problems.first { complain(problem) }
  }

  /// Takes the looks that the settings ask for.
  mutating func takeSettings() {
    let libraryState = libraryState.shown
    if let theme = libraryState.string(.theme).flatMap(Theme.ID.init) { self.theme = Theme(theme) }
    if let layout = libraryState.string(.layout).flatMap(PageLayout.init) { self.layout = layout }
    if let value = libraryState.settings[SettingKey.arabicNames.rawValue] {
      showsArabicNames = value != "false"
    }
    if !isLanguageFixed, let language = libraryState.string(.language).flatMap(Language.init) {
      messages = Messages(language)
    }
    typeset()
  }

  /// The library is open: reading goes on where it was left, unless it is going on already.
  mutating func takePlace() {
    place.begin(at: libraryState.shown.continueReading, cursor: hasBegun ? reading.cursor : nil)
    if hasBegun { arrived(at: reading.cursor) }
    guard !hasActed, !hasBegun, let ayah = libraryState.shown.continueReading else { return }
    hasBegun = true
    let isFarther = ayah.ayah > libraryState.shown.lastReadAyah(of: ayah.surah) + 1
    browsing = isFarther ? .arrived : .off
    open(at: ayah)
  }

  /// Where reading goes on: where it is, else where the library says it was left, as an
  /// import may have told it. Nil where it was never begun.
  var nextPlace: AyahID? {
    place.ayah ?? (hasBegun ? reading.cursor : libraryState.shown.continueReading)
  }

  /// Whether there is a note on the screen that is being written.
  public var isWriting: Bool { editor != nil }

  /// Something was done that what the library says later must not undo.
  mutating func act() { hasActed = true }

  /// Shows an ayah in the text, and selects it in the lists.
  private mutating func open(at ayah: AyahID) {
    reading = pager.open(ayah)
    lists[.surahs, default: ListState()].selection = ayah.surah.rawValue - 1
    lists[.juz, default: ListState()].selection = ayah.juz - 1
    revealSelection()
  }

  var geometry: Geometry {
    let share: Double
    if editor != nil {
      share = 0.6
    } else if case .notes = overlay {
      share = 0.5
    } else {
      share = 0
    }
    return Geometry(size: size, pane: pane, noteShare: share)
  }
  var pager: Pager { Pager(typesetter, height: geometry.text?.height ?? 1) }

  /// The surahs that the filter lets through.
  var listedSurahs: [SurahNumber] {
    filter.isEmpty ? SurahNumber.all : SurahFilter.surahs(matching: filter.text)
  }

  /// The list on the screen and how many rows it has.
  var list: (state: ListState, count: Int) {
    let count =
      switch tab {
      case .surahs: listedSurahs.count
      case .juz: Division.juz.count
      case .favorites: libraryState.favorites.count
      case .notes: noteList?.count ?? 0
      case .search: search.rowCount
      case .progress: progressRows.count
      case .settings: settingRows.count
      }
    return (lists[tab] ?? ListState(), count)
  }

  /// The place that the selected row of the list leads to.
  var selectedAyah: AyahID? {
    let row = list.state.selection
    switch tab {
    case .surahs:
      let surahs = listedSurahs
      return surahs.indices.contains(row) ? place(in: surahs[row]) : nil
    case .juz:
      guard let ayahs = Division.juz.ayahs(of: row + 1) else { return nil }
      return placesShown.first { ayahs.contains($0) } ?? ayahs.lowerBound
    case .favorites:
      let favorites = libraryState.favorites
      return favorites.indices.contains(row) ? favorites[row].ayah : nil
    case .notes:
      return selectedNote?.ayah
    case .search:
      return search.target(row)
    case .progress:
      guard progressRows.indices.contains(row), case .surah(let surah) = progressRows[row] else {
        return hasBegun ? nextPlace : nil
      }
      return place(in: surah)
    case .settings:
      return nil
    }
  }

  /// What the text shows, and where reading goes on.
  private var placesShown: [AyahID] {
    hasBegun ? [reading.cursor, place.ayah ?? reading.cursor] : []
  }

  /// Where a surah is opened: where it is being read, or was read to, else its start.
  private func place(in surah: SurahNumber) -> AyahID {
    if let ayah = placesShown.first(where: { $0.surah == surah }) { return ayah }
    let last = libraryState.shown.lastReadAyah(of: surah)
    return last < surah.ayahCount ? surah.ayah(clamping: last + 1) : surah.firstAyah
  }

  /// The note that is selected in the list of all.
  var selectedNote: NoteSummary? {
    guard tab == .notes, let noteList else { return nil }
    let row = lists[.notes]?.selection ?? 0
    return noteList.indices.contains(row) ? noteList[row] : nil
  }

  /// The ayah that a key acts on: the one under the cursor, or the one that a list of
  /// ayahs has selected; nil where no ayah is on the screen.
  var targetAyah: AyahID? {
    if pane == .text { return reading.cursor }
    if tab == .favorites || tab == .notes { return selectedAyah }
    return geometry.text == nil ? nil : shownReading.cursor
  }

  /// What the text pane shows: the place being read, or beside a list the one
  /// selected in it.
  var shownReading: Reading {
    if let preview { return preview }
    guard pane == .list, let selected = selectedAyah, selected != reading.cursor else {
      return reading
    }
    return pager.open(selected)
  }

  /// Words to mark in the text, if any.
  var markedQuery: SearchQuery? {
    let query = tab == .search && pane == .list ? search.query : marked?.query
    return query?.isEmpty == false ? query : nil
  }
}
