public import Editions
public import FoundationEssentials
import Library
public import Messages
public import Quran
import Sync
public import Terminal

/// Everything the reader's screen depends on. Changed by `update` alone, drawn by `view`.
public struct Model {
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
  let isLanguageFixed: Bool
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

  /// Whether there is a note on the screen that is being written.
  public var isWriting: Bool { editor != nil }

  /// Something was done that what the library says later must not undo.
  mutating func act() { hasActed = true }

  /// Shows an ayah in the text, and selects it in the lists.
  mutating func open(at ayah: AyahID) {
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
}
