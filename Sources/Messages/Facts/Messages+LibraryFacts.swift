public import Library
import Quran
import Text

extension Messages {
  /// Explains why a request to the library failed, and what the user can do about it.
  public func explain(_ failure: LibraryFailure) -> String {
    switch failure {
    case .noPlace: libraryHasNoPlace
    case .readOnly: libraryIsReadOnly
    case .unreadable(let path, let code): libraryIsUnreadable(path.sanitizedLine, code)
    case .diskFull: libraryDiskIsFull
    case .busy: libraryIsBusy
    case .newer(let path): libraryIsNewer(path.sanitizedLine)
    case .foreign(let path): libraryIsForeign(path.sanitizedLine)
    case .strangeSchema(let path): libraryHasStrangeSchema(path.sanitizedLine)
    case .damagedBehindLink(let path): libraryIsDamagedBehindLink(path.sanitizedLine)
    case .damagedInUse(let path): libraryIsDamagedInUse(path.sanitizedLine)
    case .damaged(let path): libraryIsDamaged(path.sanitizedLine)
    case .replaced(let path): libraryIsReplaced(path.sanitizedLine)
    case .changedMeanwhile(let thing): libraryChangedMeanwhile(name(of: thing))
    case .missing(let thing): libraryHasNo(name(of: thing))
    case .note(let problem): explain(problem)
    case .database(let code, let message): libraryFailed(code, message.sanitizedLine)
    }
  }

  /// Explains a notice of the library.
  public func explain(_ notice: Notice) -> String {
    switch notice {
    case .setAside(let path, let salvaged, let hasBackup):
      librarySetAside(path.sanitizedLine, salvaged: salvaged, hasBackup: hasBackup)
    case .gone(let wal, let hasBackup): libraryGone(wal?.sanitizedLine, hasBackup: hasBackup)
    case .walSetAside(let path): libraryWALSetAside(path.sanitizedLine)
    case .replaced(let former): libraryWasReplaced(former?.sanitizedLine)
    case .removed: libraryWasRemoved
    case .unchangeable(let failure): explain(failure)
    case .damaged: libraryCheckFoundDamage
    }
  }

  /// Explains why a text is not a valid note.
  public func explain(_ problem: NoteText.Problem) -> String {
    switch problem {
    case .empty: noteIsEmpty
    case .tooLong(let excess): noteIsTooLong(excess: excess, limit: NoteText.limit)
    }
  }

  /// Returns the name of a thing, for use within a sentence.
  public func name(of thing: Thing) -> String {
    switch thing {
    case .favorite(let ayah): theFavorite("\(ayah)")
    case .note: theNote
    case .progress(let surah): theProgress(ofSurah: surah.rawValue)
    case .setting(let key): theSetting(key.sanitizedLine)
    }
  }
}
