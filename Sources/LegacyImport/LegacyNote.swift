public import Library
public import Quran

/// One note of the phone app. Notes have neither an id nor a time there.
public struct LegacyNote: Hashable, Sendable {
  public let ayah: AyahID
  public let text: NoteText

  public init(ayah: AyahID, text: NoteText) {
    self.ayah = ayah
    self.text = text
  }
}
