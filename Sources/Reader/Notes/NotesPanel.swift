import FoundationEssentials
import Library
import Quran

/// The panel with the notes of an ayah, shown below the text one at a time.
struct NotesPanel: Hashable {
  let ayah: AyahID
  /// The note to show first; nil for the one selected in the list of notes or, if none is selected
  /// there, the oldest one.
  var wantedID: UUID?
  /// The notes; nil until the library has sent them.
  var notes: [Note]?
  /// The index of the note that is shown.
  var index = 0
  /// The laid-out text of the note that is shown.
  var area = TextArea("", width: 1)
  /// The first row shown.
  var top = 0

  var note: Note? {
    guard let notes, notes.indices.contains(index) else { return nil }
    return notes[index]
  }

  /// Shows another note; the index wraps around.
  mutating func show(_ index: Int, width: Int) {
    let count = notes?.count ?? 0
    self.index = count == 0 ? 0 : (index % count + count) % count
    area = TextArea(note?.text.text ?? "", width: max(width, 1))
    top = 0
  }
}
