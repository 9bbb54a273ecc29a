import Digests
package import FoundationEssentials

extension Note {
  /// Returns a copy of the note under another ID. It keeps the text that a merge or an import
  /// replaces in the original note. Every device computes the same ID, so sync does not create the
  /// copy twice.
  ///
  /// - Parameters:
  ///   - recordName: The name of the record of the note whose text was replaced.
  ///   - isEdit: Whether the text is known to be an edit of that note. If so, `modifiedAt` is the
  ///     same on all devices and becomes part of the ID: if the same text is written and replaced a
  ///     second time, that gives a second copy, because the first one may have been changed on
  ///     another device. Otherwise the time is left out of the ID, because devices can have
  ///     different times for the same text.
  package func conflictCopy(fromRecord recordName: String, isEdit: Bool = false) -> Note {
    with(
      id: Self.conflictCopyID(
        fromRecord: recordName, text: text, writtenAt: isEdit ? modifiedAt : nil))
  }

  /// Returns the ID of a copy. It is a UUID that is derived from the record name, the SHA-256 of
  /// the text, and the time of the edit, so that all devices give the copy the same ID.
  ///
  /// - Parameters:
  ///   - recordName: The name of the record of the note whose text was replaced.
  ///   - time: Milliseconds since 1970, UTC; nil if the text is not known to be an edit.
  package static func conflictCopyID(
    fromRecord recordName: String, text: NoteText, writtenAt time: Int64? = nil
  ) -> UUID {
    let time = time.map { "@\($0)" } ?? ""
    return UUID(
      name: recordName + SHA256.hex(of: Array(text.text.utf8)) + time, in: Self.copies)
  }

  /// Returns the name that takes the place of the record name in `conflictCopyID` if the note has
  /// no record yet. It is never sent to the service.
  static func placeholderRecordName(for id: UUID) -> String { "note-\(id.uuidString)" }

  /// The namespace of the IDs of copies.
  private static let copies = UUID(
    uuid: (
      0x4D, 0x3A, 0x5B, 0x0E, 0x97, 0xC1, 0x4E, 0x52, 0xA8, 0x6F, 0x21, 0x7D, 0x0B, 0xE9, 0x5C, 0x84
    ))
}
