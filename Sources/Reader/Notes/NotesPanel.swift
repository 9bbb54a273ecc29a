import Library
import Quran

/// The notes of an ayah, shown below the text one at a time.
struct NotesPanel: Hashable {
  let ayah: AyahID
  /// Nil until the library answered.
  var notes: [Note]?
  var index = 0
  /// The note shown, laid out.
  var area = TextArea("", width: 1)
  /// The first row shown.
  var top = 0

  var note: Note? {
    guard let notes, notes.indices.contains(index) else { return nil }
    return notes[index]
  }

  /// Shows another of the notes.
  mutating func show(_ index: Int, width: Int) {
    let count = notes?.count ?? 0
    self.index = count == 0 ? 0 : (index % count + count) % count
    area = TextArea(note?.text.text ?? "", width: max(width, 1))
    top = 0
  }
}
