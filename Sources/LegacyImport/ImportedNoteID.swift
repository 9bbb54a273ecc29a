public import FoundationEssentials
public import Library
public import Quran

/// The IDs of notes that are imported from the iOS app.
///
/// Notes have no IDs in the app, so the ID is computed from the content of the note: a version 5
/// UUID (RFC 9562, section 5.5). Importing a dump again, or on another device, produces the same
/// IDs.
public enum ImportedNoteID {
  /// The version 5 UUID of `quran-vi:legacy-note` in the URL namespace. Never changes.
  public static let namespace = UUID(
    uuid: (
      0x0E, 0x28, 0xC3, 0xB9, 0xB9, 0xB5, 0x50, 0x6C,
      0x94, 0x70, 0x64, 0xB2, 0x9B, 0x30, 0xB9, 0x91
    ))

  /// Returns the ID of a note.
  ///
  /// - Parameters:
  ///   - ayah: The ayah of the note.
  ///   - ordinal: The zero-based number of the note among the notes of the ayah with the same text.
  ///   - text: The text of the note.
  public static func id(ayah: AyahID, ordinal: Int, text: NoteText) -> UUID {
    UUID(name: "\(ayah)\n\(ordinal)\n\(text.text)", in: namespace)
  }
}
