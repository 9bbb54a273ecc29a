import Library
public import Messages
import Quran
import Sync

/// An action that the user can ask for by a key, in the palette or with the mouse.
public enum Action: String, CaseIterable, Sendable {
  case down, up, halfDown, halfUp, pageDown, pageUp, last, first
  case back, open, nextSurah, previousSurah
  case goTo, jumpBack, jumpForward, search, nextHit, previousHit, surahs, juz, searchScreen
  case select, favorite, newNote, editNote, deleteNote, nextNote, previousNote, externalEditor
  case markRead, restart, browse, undo, redo, jumpToCue, setCue
  case favorites, notes, progress, settings
  case footnotes, texts, useText, installText, updateTexts, removeText, compareText, aboutText
  case arabic, translation, columns, arabicDisplay, layout, theme, previousValue, copy, copyLink
  case sync, syncScreen
  case palette, command, importFile, help, escape, redraw, suspend, quit, interrupt

  /// The part of the screen on which the action takes precedence over another action with the same
  /// key; nil if the action belongs to no part.
  var place: ActionPlace? {
    switch self {
    case .nextHit, .previousHit: .highlightedHits
    case .useText, .installText, .updateTexts, .removeText, .compareText, .aboutText: .texts
    case .previousValue: .settings
    default: nil
    }
  }

  /// Returns the index of the first visible row of a panel after this action has scrolled it.
  ///
  /// - Parameters:
  ///   - top: The index of the first visible row before the action.
  ///   - page: The number of visible rows.
  /// - Returns: The index, which the caller must limit to the rows of the panel; nil if the action
  ///   does not scroll.
  func scrolledTop(from top: Int, page: Int) -> Int? {
    switch self {
    case .down: top + 1
    case .up: top - 1
    case .pageDown: top + page
    case .pageUp: top - page
    case .halfDown: top + max(page / 2, 1)
    case .halfUp: top - max(page / 2, 1)
    case .first: 0
    case .last: .max / 2
    default: nil
    }
  }

  public func name(_ messages: Messages) -> String {
    let bindings = KeyTable.standard.groups.lazy.flatMap(\.bindings)
    return bindings.first { $0.action == self }?.name(messages) ?? ""
  }
}

/// A part of the screen that has keys of its own.
enum ActionPlace: Hashable {
  /// The text while hits of a search are highlighted.
  case highlightedHits
  /// The list of texts.
  case texts
  /// The list of settings.
  case settings
}
