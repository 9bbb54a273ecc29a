public import Library

extension LegacyDump {
  /// Bytes that a dump may have, packed and unpacked.
  public static let byteLimit = Budget.bytes

  /// What is to be imported, each note with the name that it has on every device.
  public var rows: LegacyRows {
    var copies: [LegacyNote: Int] = [:]
    return LegacyRows(
      favorites: favorites,
      notes: notes.map { note in
        let ordinal = copies[note, default: 0]
        copies[note] = ordinal + 1
        return LegacyRows.Note(
          id: ImportedNoteID.id(ayah: note.ayah, ordinal: ordinal, text: note.text),
          ayah: note.ayah, text: note.text, ordinal: ordinal)
      },
      progress: progress.map { ($0.surah, $0.lastReadAyah) })
  }
}
