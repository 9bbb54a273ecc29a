import Editions
import FoundationEssentials
public import Library
import Quran

/// The search index of all notes. It does not contain their texts, which the library sends for the
/// rows on the screen; see `SearchState.shownNotes`.
public struct NoteIndex: Sendable {
  /// A note that a search can find.
  struct Item: Hashable, Sendable {
    let id: UUID
    let ayah: AyahID
  }

  /// The IDs of the notes in the order of the Quran.
  private let ids: [UUID]
  /// The positions of their ayahs in the Quran, in less memory than an `AyahID` needs.
  private let ayahs: [UInt16]
  private let index: TextIndex

  /// Creates the index of the notes of a library. Do not call it on the main thread, because it
  /// takes tens of milliseconds for each megabyte; see `TextIndex`.
  ///
  /// - Throws: The reason why the library cannot be read.
  public init(of library: Library) throws(LibraryFailure) {
    var ids: [UUID] = []
    var ayahs: [UInt16] = []
    var builder = TextIndex.Builder()
    try library.eachNote { note in
      ids.append(note.id)
      ayahs.append(UInt16(note.ayah.index))
      builder.add(note.text.text)
    }
    (self.ids, self.ayahs) = (ids, ayahs)
    index = builder.finish()
  }

  var count: Int { ids.count }

  subscript(position: Int) -> Item {
    Item(id: ids[position], ayah: AyahID(index: Int(ayahs[position])) ?? .first)
  }

  /// Returns the positions of the notes that match a query, the best matches first.
  func search(_ query: SearchQuery, in scope: SearchScope) -> [Int] {
    guard scope != .quran else { return index.search(query).positions }
    return index.search(query) { scope.contains(self[$0].ayah) }.positions
  }
}
