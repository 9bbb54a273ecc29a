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
  }

  /// The keys of related actions, which help and the manual list under one heading.
  public struct Group: Sendable {
    /// Returns the heading.
    public let name: @Sendable (Messages) -> String
    /// The actions of the group with their keys.
    public let bindings: [Binding]

    init(_ name: @escaping @Sendable (Messages) -> String, _ bindings: [(Action, [Key])]) {
      self.name = name
      self.bindings = bindings.map { Binding(action: $0.0, keys: $0.1) }
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
        (.jumpForward, [Key(.character("o"), .alt)]),
        (.search, ["/"]),
        (.nextHit, ["n"]),
        (.previousHit, ["N"]),
        (.surahs, ["1", Key(.character("1"), .alt)]),
        (.juz, ["2", Key(.character("2"), .alt)]),
        (.favorites, ["3", Key(.character("3"), .alt)]),
        (.notes, ["4", Key(.character("4"), .alt)]),
        (.searchScreen, ["5", Key(.character("5"), .alt)]),
        (.progress, ["6", Key(.character("6"), .alt)]),
        (.settings, ["7", Key(.character("7"), .alt)]),
        (.texts, ["8", Key(.character("8"), .alt)]),
        (.jumpToCue, ["'"]),
        (.setCue, ["M"]),
      ]),
    Group(
      \.groupMark,
      [
        (.favorite, ["f"]),
        (.select, ["V"]),
        (.newNote, ["n", "i"]),
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
        (.footnotes, ["o"]),
      ]),
    Group(
      \.groupTexts,
      [
        (.useText, [Key(.enter)]),
        (.installText, ["i"]),
        (.updateTexts, ["U"]),
        (.removeText, ["d"]),
        (.compareText, ["c"]),
        (.aboutText, ["o"]),
      ]),
    Group(
      \.groupShow,
      [
        (.layout, ["m"]),
        (.theme, ["t"]),
        (.previousValue, [Key(.left), "h"]),
        (.arabic, ["a"]),
        (.translation, ["v"]),
        (.columns, ["c"]),
        (.arabicDisplay, ["A"]),
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
