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

  /// The notes in the order of the Quran.
  private let items: [Item]
  private let index: TextIndex

  /// Creates the index of the notes of a library. Do not call it on the main thread, because it
  /// takes tens of milliseconds for each megabyte; see `TextIndex`.
  ///
  /// - Throws: The reason why the library cannot be read.
  public init(of library: Library) throws(LibraryFailure) {
    var items: [Item] = []
    var builder = TextIndex.Builder()
    try library.eachNote { note in
      items.append(Item(id: note.id, ayah: note.ayah))
      builder.add(note.text.text)
    }
    self.items = items
    index = builder.finish()
  }

  var count: Int { items.count }

  subscript(position: Int) -> Item { items[position] }

  /// Returns the positions of the notes that match a query, the best matches first.
  func search(_ query: SearchQuery, in scope: SearchScope) -> [Int] {
    guard scope != .quran else { return index.search(query).positions }
    return index.search(query) { scope.contains(self[$0].ayah) }.positions
  }
}
