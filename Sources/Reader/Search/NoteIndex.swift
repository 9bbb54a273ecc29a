import Editions
public import Library

/// All notes, and their index for searching.
public struct NoteIndex: Sendable {
  /// The notes in the order of the Quran.
  public let notes: [Note]
  let index: TextIndex

  /// Creates the index. Do not do it on the main thread: see `TextIndex`.
  public init(_ notes: [Note]) {
    self.notes = notes
    index = TextIndex(notes.map(\.text.text))
  }
}
