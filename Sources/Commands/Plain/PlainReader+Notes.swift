import Editions
import FoundationEssentials
import Library
import Messages
import Quran
import Text

// The notes of the plain mode.
extension PlainReader {
  mutating func addNote(_ text: String) throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openFirst) }
    guard let note = try noteText(text) else { return }
    let messages = messages
    try perform(.commit([.addNote(UUID(), ayah, note)])) { _ in messages.noteSaved("u") }
  }

  /// Reads the notes of the last printed ayah.
  mutating func printNotes() throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openFirst) }
    guard let notes = try notes(of: ayah) else { return }
    guard !notes.isEmpty else { return try console.line(messages.noNotes) }
    for (index, note) in notes.enumerated() {
      try console.line(messages.noteTitle("\(ayah)", index + 1, of: notes.count))
      try console.lines(
        note.text.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
  }

  /// Edits or deletes a note of the last printed ayah.
  ///
  /// - Parameters:
  ///   - command: `e` or `d`.
  ///   - argument: The number of the note if the ayah has several, and for `e` the new text.
  mutating func change(_ command: String, _ argument: String) throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openFirst) }
    guard let notes = try notes(of: ayah) else { return }
    guard !notes.isEmpty else { return try console.line(messages.noNotes) }
    var words = argument.split(separator: " ", maxSplits: 1).map(String.init)
    var index = 0
    if notes.count > 1 || command == "d" && !words.isEmpty {
      guard let number = words.first.flatMap({ Int($0) }), (1...notes.count).contains(number) else {
        return try console.line(messages.plainWhichNote(command, notes.count))
      }
      index = number - 1
      words.removeFirst()
    }
    let note = notes[index]
    let messages = messages
    if command == "d" {
      try perform(.commit([.deleteNote(note.id, ayah)])) { _ in messages.noteDeleted("u") }
    } else if let text = words.isEmpty ? nil : words.joined(separator: " ") {
      guard let text = try noteText(text) else { return }
      try perform(.commit([.editNote(note.id, ayah, text, basedOn: note.text)])) { _ in
        messages.noteSaved("u")
      }
    } else {
      try console.line(messages.plainNewText(notes.count > 1 ? "e \(index + 1)" : "e"))
    }
  }

  /// Lists the notes that match a query.
  mutating func searchNotes(_ text: String) throws(CommandFailure) {
    let query = SearchQuery(text, isComplete: true)
    guard !query.isEmpty else { return try console.line(messages.plainEmptySearch) }
    switch library.owner.perform(.allNotes) {
    case .allNotes(let notes):
      let found = TextIndex(notes.map(\.text.text)).search(query).positions.map { notes[$0] }
      guard !found.isEmpty else {
        return try console.line(messages.noHits(text, similar: nil))
      }
      setChoices(found.map(\.ayah), notes: found)
      try console.line(messages.noteCount(found.count))
      try listMore()
    case .refused(_, let failure): try console.line(messages.explain(failure))
    default: break
    }
  }

  /// Returns the notes of an ayah, or prints why they cannot be read and returns nil.
  private func notes(of ayah: AyahID) throws(CommandFailure) -> [Note]? {
    switch library.owner.perform(.notes(ayah)) {
    case .notes(_, let notes): return notes
    case .refused(_, let failure): try console.line(messages.explain(failure))
    default: break
    }
    return nil
  }

  /// Returns the text of a note, or prints why it cannot be one and returns nil.
  private func noteText(_ text: String) throws(CommandFailure) -> NoteText? {
    do {
      return try NoteText(text)
    } catch {
      try console.line(messages.explain(error))
      return nil
    }
  }
}
