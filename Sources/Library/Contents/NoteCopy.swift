import Digests
package import FoundationEssentials

extension Note {
  /// Returns a copy of the note under another ID. It keeps the text that a merge or an import
  /// replaces in the original note. Every device computes the same ID, so sync does not create the
  /// copy twice.
  ///
  /// - Parameter recordName: The name of the note's record if the text is known to be an edit of
  ///   that record. If so, `modifiedAt` is the same on all devices and becomes part of the ID: if
  ///   the same text is written and replaced a second time, that gives a second copy, because the
  ///   first one may have been changed on another device. If it is nil, the ID depends only on the
  ///   note's ID and text: devices can have different times for the same text, and one device may
  ///   import the text before it has a record of the note.
  package func conflictCopy(ofEditOf recordName: String? = nil) -> Note {
    with(
      id: Self.conflictCopyID(
        of: recordName ?? "note-\(id.uuidString)", text: text,
        writtenAt: recordName == nil ? nil : modifiedAt))
  }

  /// Returns the ID of a copy. It is a UUID that is derived from a name of the note, the SHA-256 of
  /// the text, and the time of the edit, so that all devices give the copy the same ID.
  ///
  /// - Parameters:
  ///   - name: The name of the note's record, or `note-` and the note's ID.
  ///   - time: Milliseconds since 1970, UTC; nil if the text is not known to be an edit.
  package static func conflictCopyID(
    of name: String, text: NoteText, writtenAt time: Int64? = nil
  ) -> UUID {
    let time = time.map { "@\($0)" } ?? ""
    return UUID(name: name + SHA256.hex(of: Array(text.text.utf8)) + time, in: Self.copies)
  }

  /// The namespace of the IDs of copies.
  private static let copies = UUID(
    uuid: (
      0x4D, 0x3A, 0x5B, 0x0E, 0x97, 0xC1, 0x4E, 0x52, 0xA8, 0x6F, 0x21, 0x7D, 0x0B, 0xE9, 0x5C, 0x84
    ))
}
