public import Library
public import Quran

/// A note of the iOS app. Notes have neither an ID nor a time there.
public struct LegacyNote: Hashable, Sendable {
  public let ayah: AyahID
  public let text: NoteText

  public init(ayah: AyahID, text: NoteText) {
    self.ayah = ayah
    self.text = text
  }
}
