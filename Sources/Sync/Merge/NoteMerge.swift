import Library

/// Two edits of one note.
struct NoteMerge {
  let note: Note
  /// The text of the edit that lost, where it is not in the note.
  let copy: Note?

  init(_ mine: Note, _ theirs: Note, base: Note?, named recordName: String, _ clock: Clock) {
    func merged(_ text: NoteText) -> Note {
      Note(
        id: mine.id, ayah: theirs.ayah, text: text,
        createdAt: min(mine.createdAt, theirs.createdAt),
        modifiedAt: max(mine.modifiedAt, theirs.modifiedAt))
    }
    // Nothing that is read differs; two that meet for the first time adopt each other.
    guard mine.text != theirs.text else {
      (note, copy) = (base == nil ? merged(theirs.text) : theirs, nil)
      return
    }
    if let base,
      let text = LineMerge.merge(base: base.text.text, mine.text.text, theirs.text.text),
      let text = try? NoteText(text)
    {
      (note, copy) = (text == theirs.text ? theirs : merged(text), nil)
      return
    }
    // One that has all the lines of the other loses none of them.
    let mineHolds = LineMerge.holds(mine.text.text, linesOf: theirs.text.text)
    let theirsHold = LineMerge.holds(theirs.text.text, linesOf: mine.text.text)
    let isMine =
      mineHolds == theirsHold
      ? (clock.believed(mine.modifiedAt), Bytes(mine.text.text))
        > (clock.believed(theirs.modifiedAt), Bytes(theirs.text.text))
      : mineHolds
    note = isMine ? mine : theirs
    copy = mineHolds || theirsHold ? nil : (isMine ? theirs : mine).copy(of: recordName)
  }
}
