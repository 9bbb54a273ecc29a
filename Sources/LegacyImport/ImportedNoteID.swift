public import FoundationEssentials
public import Library
public import Quran

/// The id that a note of the phone app gets here.
///
/// Notes have none there, so theirs is made of what they say: a UUID of version 5 (RFC 9562,
/// section 5.5). The same dump imported twice, or on two devices, gives the same ids.
public enum ImportedNoteID {
  /// The version 5 UUID of `quran-vi:legacy-note` in the namespace of URLs. Never changes.
  public static let namespace = UUID(
    uuid: (
      0x0E, 0x28, 0xC3, 0xB9, 0xB9, 0xB5, 0x50, 0x6C,
      0x94, 0x70, 0x64, 0xB2, 0x9B, 0x30, 0xB9, 0x91
    ))

  /// - Parameter ordinal: zero-based, among the notes of that ayah whose text is the same.
  public static func id(ayah: AyahID, ordinal: Int, text: NoteText) -> UUID {
    UUID(name: "\(ayah)\n\(ordinal)\n\(text.text)", in: namespace)
  }
}
