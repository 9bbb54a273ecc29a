import FoundationEssentials
import Library
import Quran

/// The panel with the notes of an ayah, shown below the text one at a time. Unfinished notes, which
/// are drafts, follow the others.
struct NotesPanel: Hashable {
  let ayah: AyahID
  /// The note or draft to show first. If it is nil, the panel shows the one that is selected in the
  /// list of notes, or the first one if none is selected there.
  var wantedID: UUID?
  /// The notes; nil until the library has sent them.
  var notes: [Note]?
  /// The drafts.
  var drafts: [Draft] = []
  /// The index of the note or draft that is shown.
  var index = 0
  /// The laid-out text of the note that is shown.
  var area = TextArea("", width: 1)
  /// The first row shown.
  var top = 0

  /// The number of notes and drafts.
  var count: Int { (notes?.count ?? 0) + drafts.count }

  /// The note that is shown; nil if a draft is shown.
  var note: Note? {
    guard let notes, notes.indices.contains(index) else { return nil }
    return notes[index]
  }

  /// The draft that is shown; nil if a note is shown.
  var draft: Draft? {
    let index = index - (notes?.count ?? 0)
    return drafts.indices.contains(index) ? drafts[index] : nil
  }

  /// The ID of the note or draft that is shown.
  var shownID: UUID? { note?.id ?? draft?.id }

  /// Shows another note or draft; the index wraps around.
  mutating func show(_ index: Int) {
    self.index = count == 0 ? 0 : (index % count + count) % count
    area = TextArea(note?.text.text ?? draft?.text ?? "", width: area.width)
    top = 0
  }

  /// Shows a note or draft; if it is no longer there, the one in its place.
  mutating func show(id: UUID?) {
    let ids = (notes ?? []).map(\.id) + drafts.map(\.id)
    show(ids.firstIndex { $0 == id } ?? min(index, max(count - 1, 0)))
  }
}
