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
    case .jumpForward: messages.actJumpForward
    case .search: messages.actSearch
    case .nextHit: messages.actNextHit
    case .previousHit: messages.actPreviousHit
    case .surahs: messages.actSurahs
    case .juz: messages.actJuz
    case .searchScreen: messages.actSearchScreen
    case .select: messages.actSelect
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
    case .footnotes: messages.actFootnotes
    case .texts: messages.actTexts
    case .useText: messages.actUseText
    case .installText: messages.actInstallText
    case .updateTexts: messages.actUpdateTexts
    case .removeText: messages.actRemoveText
    case .compareText: messages.actCompareText
    case .aboutText: messages.actAboutText
    case .arabic: messages.actArabic
    case .translation: messages.actTranslation
    case .columns: messages.actColumns
    case .arabicDisplay: messages.actArabicDisplay
    case .layout: messages.actLayout
    case .theme: messages.actTheme
    case .previousValue: messages.actPreviousValue
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

/// A part of the screen that has keys of its own.
enum ActionPlace: Hashable {
  /// The text while hits of a search are highlighted.
  case highlightedHits
  /// The list of texts.
  case texts
  /// The list of settings.
  case settings
}
