public import Messages
public import Terminal

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

  public func name(_ messages: Messages) -> String {
    switch self {
    case .down: messages.actDown
    case .up: messages.actUp
    case .halfDown: messages.actHalfDown
    case .halfUp: messages.actHalfUp
    case .pageDown: messages.actPageDown
    case .pageUp: messages.actPageUp
    case .last: messages.actLast
    case .first: messages.actFirst
    case .back: messages.actBack
    case .open: messages.actOpen
    case .nextSurah: messages.actNextSurah
    case .previousSurah: messages.actPreviousSurah
    case .goTo: messages.actGoTo
    case .jumpBack: messages.actJumpBack
    case .search: messages.actSearch
    case .nextHit: messages.actNextHit
    case .previousHit: messages.actPreviousHit
    case .surahs: messages.actSurahs
    case .juz: messages.actJuz
    case .searchScreen: messages.actSearchScreen
    case .favorite: messages.actFavorite
    case .newNote: messages.actNewNote
    case .editNote: messages.actEditNote
    case .deleteNote: messages.actDeleteNote
    case .nextNote: messages.actNextNote
    case .previousNote: messages.actPreviousNote
    case .externalEditor: messages.actExternalEditor
    case .markRead: messages.actMarkRead
    case .restart: messages.actRestart
    case .browse: messages.actBrowse
    case .undo: messages.actUndo
    case .redo: messages.actRedo
    case .jumpToCue: messages.actJumpToCue
    case .setCue: messages.actSetCue
    case .favorites: messages.actFavorites
    case .notes: messages.actNotes
    case .progress: messages.actProgress
    case .settings: messages.actSettings
    case .arabicNames: messages.actArabic
    case .layout: messages.actLayout
    case .theme: messages.actTheme
    case .copy: messages.actCopy
    case .copyLink: messages.actCopyLink
    case .sync: messages.actSync
    case .syncScreen: messages.actSyncScreen
    case .palette: messages.actPalette
    case .command: messages.actCommand
    case .importFile: messages.actImport
    case .help: messages.actHelp
    case .escape: messages.actEscape
    case .redraw: messages.actRedraw
    case .suspend: messages.actSuspend
    case .quit: messages.actQuit
    case .interrupt: messages.actInterrupt
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
    public let name: @Sendable (Messages) -> String
    public let bindings: [Binding]

    init(_ name: @escaping @Sendable (Messages) -> String, _ bindings: [(Action, [Key])]) {
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
