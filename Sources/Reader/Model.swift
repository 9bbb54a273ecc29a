public import Editions
public import FoundationEssentials
import Library
public import Messages
public import Quran
public import Terminal

/// The state of the reader's screens. Only its own methods, such as `update`, change it; `view`
/// draws it.
///
/// The state of a single screen has a type of its own in the folder of that screen, such as
/// `SearchState`. The other properties are used by several screens.
public struct Model {
  /// The current edition.
  var edition: Edition
  let keys: KeyTable
  var messages: Messages
  public internal(set) var size: Size
  var tab = Tab.surahs
  var pane = Pane.list
  /// The overlay that receives the keys; nil if the screen does.
  var overlay: Overlay?
  var message: Message?
  /// The content of the library, including changes that the library has not confirmed yet.
  var libraryState = LibraryState()

  // MARK: The text

  /// The position in the text: the cursor and the row at the top.
  var position: TextPosition
  var typesetter: Typesetter
  /// The rows of the text when it was last laid out.
  var textHeight = 0
  /// The place where reading continues.
  var place = ReadingPlace()
  /// The ayahs that the user left by jumps.
  var jumps = JumpList()
  /// The ayah at which the selection of several ayahs began; nil if there is none.
  var selectionStart: AyahID?
  /// The current lesson of a new user; nil if there is none.
  var lesson: Lesson?
  /// Whether an ayah was ever opened, in this session or an earlier one.
  var hasOpenedAyah: Bool

  // MARK: Screens

  var lists = Lists()
  var search = SearchState()
  var progress = ProgressState()
  var settings: SettingsState
  var syncScreen = SyncScreenState()
  var texts: TextsState
  /// The editor of a note; nil if none is being written.
  var editor: NoteEditor?
  var drafts = DraftState()
  var importing = ImportState()

  // MARK: Input and saving

  var input = InputState()
  var saving = SavingState()
  /// The time of the last event, in milliseconds since 1970, UTC.
  var now: Int64 = 0
  /// Creates the identifiers of new notes and drafts.
  let newID: @Sendable () -> UUID

  /// - Parameters:
  ///   - ayah: the ayah at which the text opens; nil for the list of surahs.
  ///   - keys: the keys of the actions, as the configuration file remaps them.
  ///   - isLanguageFixed: whether the language of `messages` is used whatever the library's setting
  ///     is.
  public init(
    edition: Edition, messages: Messages, size: Size, opening ayah: AyahID? = nil,
    keys: KeyTable = .standard, machine: MachineFacts = MachineFacts(),
    isLanguageFixed: Bool = false, newID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.edition = edition
    self.messages = messages
    self.keys = keys
    self.size = size
    self.newID = newID
    texts = TextsState(isOfferDue: machine.offersTexts)
    settings = SettingsState(
      machine: machine, isLanguageFixed: isLanguageFixed, systemLanguage: messages.language)
    hasOpenedAyah = ayah != nil
    pane = ayah == nil ? .list : .text
    typesetter = Typesetter([edition], PageFormat(), width: 80, messages: messages)
    position = TextPosition(cursor: ayah ?? .first, top: Anchor(block: 1, row: 0))
    progress.browsing = ayah == nil ? .off : .afterJump
    if let ayah { place.jump(to: ayah) }
    resize(to: size)
    open(at: position.cursor)
    if let problem = machine.problems.first {
      let others = machine.problems.count - 1
      showError(others > 0 ? "\(problem) – \(messages.otherProblems(others))" : problem)
    }
  }

  var theme: Theme { settings.theme }
  var layout: PageLayout { settings.layout }

  /// Whether a note is being written on the screen.
  public var isWriting: Bool { editor != nil }

  var geometry: Geometry {
    let share: Double
    if editor != nil {
      share = 0.6
    } else if overlay?.isBelowText == true {
      share = 0.5
    } else {
      share = 0
    }
    // Footnotes are mostly short, and take no more room than they need.
    var limit = Int.max
    if case .footnotes(let panel) = overlay { limit = panel.area.rowCount + 1 }
    return Geometry(size: size, pane: pane, noteShare: share, noteLimit: limit)
  }

  var pager: Pager { Pager(typesetter, height: geometry.text?.height ?? 1) }

  // MARK: The ayah on the screen

  /// Loads the place and the jump list when the library is open. Then moves the text to the place,
  /// unless an ayah was opened before or the user has already done something.
  mutating func restorePlace() {
    place.load(libraryState.shown.continueReading, cursor: hasOpenedAyah ? position.cursor : nil)
    let device = libraryState.shown.device
    saving.place = device[DeviceKey.position].flatMap(AyahID.init)
    saving.jumps = device[DeviceKey.jumps] ?? ""
    jumps.load(saving.jumps, place: place.isJumpPending ? place.ayah : nil)
    if hasOpenedAyah { updateBrowsing(at: position.cursor) }
    guard !input.hasActed, !hasOpenedAyah, let ayah = libraryState.shown.continueReading
    else { return }
    hasOpenedAyah = true
    progress.browsing = libraryState.shown.readingStep(at: ayah) == .ahead ? .afterJump : .off
    open(at: ayah)
  }

  /// Shows an ayah in the text, and selects its surah and juz in their lists.
  private mutating func open(at ayah: AyahID) {
    position = pager.open(ayah)
    lists[.surahs].selection = ayah.surah.rawValue - 1
    lists[.juz].selection = ayah.juz - 1
    revealSelection()
  }

  /// The ayah that actions apply to: the one under the cursor of the text, the one selected in the
  /// list of favourites or notes, or the one shown beside another list; nil if no ayah is on the
  /// screen.
  var targetAyah: AyahID? {
    if pane == .text { return position.cursor }
    if tab == .favorites || tab == .notes { return selectedAyah }
    return geometry.text == nil ? nil : shownPosition.cursor
  }

  /// The position that the text pane shows: beside a list, the ayah of the selected row or what the
  /// user scrolled to; otherwise `position`.
  var shownPosition: TextPosition {
    if let preview = lists.preview { return preview }
    guard pane == .list, let selected = selectedAyah, selected != position.cursor else {
      return position
    }
    return pager.open(selected)
  }
}
