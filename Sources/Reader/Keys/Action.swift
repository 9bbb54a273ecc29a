public import Terminal
public import Words

/// Everything a reader can ask for, by a key, the palette or the mouse.
public enum Action: String, CaseIterable, Sendable {
  case down, up, halfDown, halfUp, pageDown, pageUp, last, first
  case back, open, nextSurah, previousSurah
  case goTo, jumpBack, search, nextHit, previousHit, surahs, juz, searchScreen
  case favorite, newNote, editNote, deleteNote, nextNote, previousNote, externalEditor
  case markRead, restart, browse, undo, redo, jumpToCue, setCue
  case favorites, notes, progress, settings
  case arabicNames, layout, theme, copy, copyLink
  case sync, syncScreen
  case palette, command, importFile, help, escape, redraw, suspend, quit, interrupt

  public func name(_ words: Words) -> String {
    switch self {
    case .down: words.actDown
    case .up: words.actUp
    case .halfDown: words.actHalfDown
    case .halfUp: words.actHalfUp
    case .pageDown: words.actPageDown
    case .pageUp: words.actPageUp
    case .last: words.actLast
    case .first: words.actFirst
    case .back: words.actBack
    case .open: words.actOpen
    case .nextSurah: words.actNextSurah
    case .previousSurah: words.actPreviousSurah
    case .goTo: words.actGoTo
    case .jumpBack: words.actJumpBack
    case .search: words.actSearch
    case .nextHit: words.actNextHit
    case .previousHit: words.actPreviousHit
    case .surahs: words.actSurahs
    case .juz: words.actJuz
    case .searchScreen: words.actSearchScreen
    case .favorite: words.actFavorite
    case .newNote: words.actNewNote
    case .editNote: words.actEditNote
    case .deleteNote: words.actDeleteNote
    case .nextNote: words.actNextNote
    case .previousNote: words.actPreviousNote
    case .externalEditor: words.actExternalEditor
    case .markRead: words.actMarkRead
    case .restart: words.actRestart
    case .browse: words.actBrowse
    case .undo: words.actUndo
    case .redo: words.actRedo
    case .jumpToCue: words.actJumpToCue
    case .setCue: words.actSetCue
    case .favorites: words.actFavorites
    case .notes: words.actNotes
    case .progress: words.actProgress
    case .settings: words.actSettings
    case .arabicNames: words.actArabic
    case .layout: words.actLayout
    case .theme: words.actTheme
    case .copy: words.actCopy
    case .copyLink: words.actCopyLink
    case .sync: words.actSync
    case .syncScreen: words.actSyncScreen
    case .palette: words.actPalette
    case .command: words.actCommand
    case .importFile: words.actImport
    case .help: words.actHelp
    case .escape: words.actEscape
    case .redraw: words.actRedraw
    case .suspend: words.actSuspend
    case .quit: words.actQuit
    case .interrupt: words.actInterrupt
    }
  }
}

/// The one table of keys: it dispatches them, draws help, and makes the key
/// section of the manual.
public struct KeyTable: Sendable {
  public struct Binding: Sendable {
    public let action: Action
    public let keys: [Key]
  }

  public struct Group: Sendable {
    public let name: @Sendable (Words) -> String
    public let bindings: [Binding]

    init(_ name: @escaping @Sendable (Words) -> String, _ bindings: [(Action, [Key])]) {
      self.name = name
      self.bindings = bindings.map { Binding(action: $0.0, keys: $0.1) }
    }
  }

  public let groups: [Group]

  public init(_ groups: [Group]) {
    self.groups = groups
  }

  public func action(for key: Key) -> Action? { actions(for: key).first }

  /// What a key does, in the order of the table: more than one where it depends on
  /// what is on the screen.
  public func actions(for key: Key) -> [Action] {
    groups.flatMap(\.bindings).filter { $0.keys.contains(key) }.map(\.action)
  }

  public func keys(for action: Action) -> [Key] {
    groups.lazy.flatMap(\.bindings).first { $0.action == action }?.keys ?? []
  }

  public static let standard = KeyTable([
    Group(
      \.groupMove,
      [
        (.down, ["j", Key(.down)]),
        (.up, ["k", Key(.up)]),
        (.halfDown, [.control("d")]),
        (.halfUp, [.control("u")]),
        (.pageDown, [" ", Key(.pageDown), .control("f")]),
        (.pageUp, [Key(.pageUp), Key(.backspace), .control("b")]),
        (.last, ["G", Key(.end)]),
        (.first, [Key(.home)]),
        (.open, ["l", Key(.right), Key(.enter)]),
        (.back, ["h", Key(.left)]),
        (.nextSurah, ["]"]),
        (.previousSurah, ["["]),
      ]),
    Group(
      \.groupGo,
      [
        (.goTo, ["g"]),
        (.jumpBack, [.control("o")]),
        (.search, ["/"]),
        (.nextHit, ["n"]),
        (.previousHit, ["N"]),
        (.surahs, ["1"]),
        (.juz, ["2"]),
        (.favorites, ["3"]),
        (.notes, ["4"]),
        (.searchScreen, ["5"]),
        (.progress, ["6"]),
        (.settings, ["7"]),
        (.jumpToCue, ["'"]),
        (.setCue, ["M"]),
      ]),
    Group(
      \.groupMark,
      [
        (.favorite, ["f"]),
        (.newNote, ["n"]),
        (.editNote, ["e"]),
        (.externalEditor, ["E"]),
        (.deleteNote, ["d"]),
        (.nextNote, [Key(.tab)]),
        (.previousNote, [Key(.tab, .shift)]),
        (.markRead, ["r"]),
        (.restart, ["R"]),
        (.browse, ["b"]),
        (.undo, ["u"]),
        (.redo, [.control("r")]),
      ]),
    Group(
      \.groupShow,
      [
        (.layout, ["m"]),
        (.theme, ["t"]),
        (.arabicNames, ["a"]),
        (.copy, ["y"]),
        (.copyLink, ["Y"]),
      ]),
    Group(
      \.groupProgram,
      [
        (.palette, [.control("p")]),
        (.command, [":"]),
        (.importFile, ["I"]),
        (.sync, ["s"]),
        (.syncScreen, ["S"]),
        (.help, ["?", Key(.function(1))]),
        (.escape, [Key(.escape)]),
        (.redraw, [.control("l")]),
        (.suspend, [.control("z")]),
        (.quit, ["q"]),
        (.interrupt, [.control("c")]),
      ]),
  ])
}
