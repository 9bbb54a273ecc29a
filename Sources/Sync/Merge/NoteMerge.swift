import Crypto
import FoundationEssentials
import Library

/// Two edits of one note.
struct NoteMerge {
  let note: Note
  /// The text of the edit that lost, where it is not in the note.
  let copy: Note?

  init(_ mine: Note, _ theirs: Note, base: Note?, named recordName: String) {
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
      ? (mine.modifiedAt, Bytes(mine.text.text)) > (theirs.modifiedAt, Bytes(theirs.text.text))
      : mineHolds
    note = isMine ? mine : theirs
    copy = mineHolds || theirsHold ? nil : (isMine ? theirs : mine).copy(of: recordName)
  }
}

extension Note {
  /// The note as one of its own, with the id that every device gives it:
  /// of the record's name and the SHA-256 of the text.
  func copy(of recordName: String) -> Note {
    let digest = SHA256.hash(data: Data(text.text.utf8))
    return Note(
      id: UUID(name: recordName + digest.map { Self.hex($0) }.joined(), in: Self.copies),
      ayah: ayah, text: text, createdAt: createdAt, modifiedAt: modifiedAt)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Made for this purpose once.
  private static let copies = UUID(
    uuid: (
      0x4D, 0x3A, 0x5B, 0x0E, 0x97, 0xC1, 0x4E, 0x52, 0xA8, 0x6F, 0x21, 0x7D, 0x0B, 0xE9, 0x5C, 0x84
    ))
}
