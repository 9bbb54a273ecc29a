public import Library

extension LegacyDump {
  /// The maximum size of a dump in bytes, compressed and decompressed.
  public static let byteLimit = Budget.bytes

  /// The entries to import, with the IDs of the notes.
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
