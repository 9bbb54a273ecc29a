import Library
public import Messages
import Quran
import Sync
public import Terminal

/// The keys of the screens. This table dispatches them, and help and the key section of the manual
/// are made from it. The keys of prompts, questions and other parts of the screen are in
/// `KeyContext`.
public struct KeyTable: Sendable {
  /// An action and its keys.
  public struct Binding: Sendable {
    /// The action.
    public let action: Action
    /// The keys, the one that hints name first.
    public let keys: [Key]
    /// Returns what the action does, in a few words.
    public let name: @Sendable (Messages) -> String
  }

  /// The keys of related actions, which help and the manual list under one heading.
  public struct Group: Sendable {
    /// Returns the heading.
    public let name: @Sendable (Messages) -> String
    /// The actions of the group with their keys.
    public let bindings: [Binding]

    init(
      _ name: @escaping @Sendable (Messages) -> String,
      _ bindings: [(Action, [Key], @Sendable (Messages) -> String)]
    ) {
      self.name = name
      self.bindings = bindings.map { Binding(action: $0.0, keys: $0.1, name: $0.2) }
    }
  }

  /// The groups, in the order of help and of the manual.
  public let groups: [Group]

  /// Creates a table with these groups, in the order in which help shows them.
  public init(_ groups: [Group]) {
    self.groups = groups
  }

  /// Returns the first action of a key; nil if the key is not bound.
  public func action(for key: Key) -> Action? { actions(for: key).first }

  /// Returns the actions of a key, in the order of the table: more than one if the action depends
  /// on what is on the screen.
  public func actions(for key: Key) -> [Action] {
    groups.flatMap { $0.bindings.filter { $0.keys.contains(key) }.map(\.action) }
  }

  /// Returns the keys of an action; empty if it has none.
  public func keys(for action: Action) -> [Key] {
    groups.lazy.flatMap(\.bindings).first { $0.action == action }?.keys ?? []
  }

  /// The keys without those of the configuration file.
  public static let standard = KeyTable([
    Group(
      \.groupMove,
      [
        (.down, ["j", Key(.down)], \.actDown),
        (.up, ["k", Key(.up)], \.actUp),
        (.halfDown, [.control("d")], \.actHalfDown),
        (.halfUp, [.control("u")], \.actHalfUp),
        (.pageDown, [" ", Key(.pageDown), .control("f")], \.actPageDown),
        (.pageUp, [Key(.pageUp), Key(.backspace), .control("b")], \.actPageUp),
        (.last, ["G", Key(.end)], \.actLast),
        (.first, [Key(.home)], \.actFirst),
        (.open, ["l", Key(.right), Key(.enter)], \.actOpen),
        (.back, ["h", Key(.left)], \.actBack),
        (.nextSurah, ["]"], \.actNextSurah),
        (.previousSurah, ["["], \.actPreviousSurah),
      ]),
    Group(
      \.groupGo,
      [
        (.goTo, ["g"], \.actGoTo),
        (.jumpBack, [.control("o")], \.actJumpBack),
        (.jumpForward, [Key(.character("o"), .alt)], \.actJumpForward),
        (.search, ["/"], \.actSearch),
        (.nextHit, ["n"], \.actNextHit),
        (.previousHit, ["N"], \.actPreviousHit),
        (.surahs, ["1", Key(.character("1"), .alt)], \.actSurahs),
        (.juz, ["2", Key(.character("2"), .alt)], \.actJuz),
        (.favorites, ["3", Key(.character("3"), .alt)], \.actFavorites),
        (.notes, ["4", Key(.character("4"), .alt)], \.actNotes),
        (.searchScreen, ["5", Key(.character("5"), .alt)], \.actSearchScreen),
        (.progress, ["6", Key(.character("6"), .alt)], \.actProgress),
        (.settings, ["7", Key(.character("7"), .alt)], \.actSettings),
        (.texts, ["8", Key(.character("8"), .alt)], \.actTexts),
        (.jumpToCue, ["'"], \.actJumpToCue),
        (.setCue, ["M"], \.actSetCue),
      ]),
    Group(
      \.groupMark,
      [
        (.favorite, ["f"], \.actFavorite),
        (.select, ["V"], \.actSelect),
        (.newNote, ["n", "i"], \.actNewNote),
        (.editNote, ["e"], \.actEditNote),
        (.externalEditor, ["E"], \.actExternalEditor),
        (.deleteNote, ["d"], \.actDeleteNote),
        (.nextNote, [Key(.tab)], \.actNextNote),
        (.previousNote, [Key(.tab, .shift)], \.actPreviousNote),
        (.markRead, ["r"], \.actMarkRead),
        (.restart, ["R"], \.actRestart),
        (.browse, ["b"], \.actBrowse),
        (.undo, ["u"], \.actUndo),
        (.redo, [.control("r")], \.actRedo),
        (.footnotes, ["o"], \.actFootnotes),
      ]),
    Group(
      \.groupTexts,
      [
        (.useText, [Key(.enter)], \.actUseText),
        (.installText, ["i"], \.actInstallText),
        (.updateTexts, ["U"], \.actUpdateTexts),
        (.removeText, ["d"], \.actRemoveText),
        (.compareText, ["c"], \.actCompareText),
        (.aboutText, ["o"], \.actAboutText),
      ]),
    Group(
      \.groupShow,
      [
        (.layout, ["m"], \.actLayout),
        (.theme, ["t"], \.actTheme),
        (.previousValue, [Key(.left), "h"], \.actPreviousValue),
        (.arabic, ["a"], \.actArabic),
        (.translation, ["v"], \.actTranslation),
        (.columns, ["c"], \.actColumns),
        (.arabicDisplay, ["A"], \.actArabicDisplay),
        (.copy, ["y"], \.actCopy),
        (.copyLink, ["Y"], \.actCopyLink),
      ]),
    Group(
      \.groupProgram,
      [
        (.palette, [.control("p")], \.actPalette),
        (.command, [":"], \.actCommand),
        (.importFile, ["I"], \.actImport),
        (.sync, ["s"], \.actSync),
        (.syncScreen, ["S"], \.actSyncScreen),
        (.help, ["?", Key(.function(1))], \.actHelp),
        (.escape, [Key(.escape)], \.actEscape),
        (.redraw, [.control("l")], \.actRedraw),
        (.suspend, [.control("z")], \.actSuspend),
        (.quit, ["q"], \.actQuit),
        (.interrupt, [.control("c")], \.actInterrupt),
      ]),
  ])
}
