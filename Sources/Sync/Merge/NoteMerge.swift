import Library

/// The merge of two edits of one note.
struct NoteMerge {
  let note: Note
  /// The losing edit as a new note; nil if the merged note contains its text.
  let copy: Note?

  /// - Parameter isKnown: Whether both texts are known to be edits of one note.
  init(_ mine: Note, _ theirs: Note, base: Note?, named recordName: String, isKnown: Bool) {
    // The ayah is part of the record's name, so the merged note has that of the record, which can
    // differ from the local one only after the import of a document.
    func merged(_ text: NoteText) -> Note {
      Note(
        id: mine.id, ayah: theirs.ayah, text: text,
        createdAt: min(mine.createdAt, theirs.createdAt),
        modifiedAt: max(mine.modifiedAt, theirs.modifiedAt))
    }
    // If the texts are equal: with a base, keep the remote version; without one, combine the times
    // of both versions.
    guard mine.text != theirs.text else {
      (note, copy) = (base == nil ? merged(theirs.text) : theirs, nil)
      return
    }
    if let base, let text = mine.text.merged(with: theirs.text, base: base.text) {
      (note, copy) = (text == theirs.text ? theirs : merged(text), nil)
      return
    }
    // If one edit contains all lines that the other one added, it wins, and no copy is needed.
    let before = base?.text.text ?? ""
    let mineHolds = LineMerge.holds(
      mine.text.text, linesAddedBy: theirs.text.text, to: before)
    let theirsHold = LineMerge.holds(
      theirs.text.text, linesAddedBy: mine.text.text, to: before)
    let isMine =
      mineHolds == theirsHold
      ? (mine.modifiedAt, Bytes(mine.text.text)) > (theirs.modifiedAt, Bytes(theirs.text.text))
      : mineHolds
    note = isMine ? mine.with(ayah: theirs.ayah) : theirs
    copy =
      mineHolds || theirsHold
      ? nil : (isMine ? theirs : mine).conflictCopy(fromRecord: recordName, isEdit: isKnown)
  }
}
