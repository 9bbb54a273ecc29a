import Editions
import FoundationEssentials
import Library
import Messages
import Quran
import Text

// The notes of the plain mode.
extension PlainReader {
  mutating func addNote(_ text: String) throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openAyahFirst) }
    guard let note = try noteText(text) else { return }
    let known = knownNotes[ayah] ?? []
    let (id, messages) = (UUID(), messages)
    try perform(.commit([.addNote(id, ayah, note)])) { _ in messages.noteSaved("u") }
    guard let notes = try notes(of: ayah) else { return }
    if notes.filter({ $0.id != id }).hasSameTexts(as: known) { knownNotes[ayah] = notes }
  }

  /// Prints the notes of the last printed ayah, to which `e` and `d` then refer.
  mutating func printNotes() throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openAyahFirst) }
    guard let notes = try notes(of: ayah) else { return }
    foundNotes = []
    knownNotes[ayah] = notes
    guard !notes.isEmpty else { return try console.line(messages.noNotes) }
    for (index, note) in notes.enumerated() {
      try console.line(messages.noteTitle("\(ayah)", index + 1, of: notes.count))
      try console.lines(
        note.text.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
  }

  /// Edits or deletes a note of the last printed search result, or otherwise of the last printed
  /// ayah.
  ///
  /// The user must have read a text before it is replaced or deleted. If the notes of the ayah are
  /// not those that were printed, prints them and changes nothing; for a note of a search result
  /// that has changed, prints a message.
  ///
  /// - Parameters:
  ///   - command: `e` or `d`.
  ///   - argument: The number of the note, and for `e` the new text. If the ayah has only one note,
  ///     the number may be left out unless the text begins with the word `1`. A note of a search
  ///     result always needs its number.
  mutating func change(_ command: String, _ argument: String) throws(CommandFailure) {
    let words = argument.split(separator: " ", maxSplits: 1).map(String.init)
    var text = argument
    let isList = !foundNotes.isEmpty
    var notes = Array(foundNotes.prefix(listed))
    if !isList {
      guard let ayah else { return try console.line(messages.openAyahFirst) }
      guard let stored = try self.notes(of: ayah) else { return }
      guard !stored.isEmpty else { return try console.line(messages.noNotes) }
      guard stored.hasSameTexts(as: knownNotes[ayah] ?? []) else {
        try printNotes()
        return try console.line(messages.plainReadFirst(command))
      }
      notes = stored
    }
    var index = 0
    if isList || notes.count > 1 || words.first == "1" || command == "d" && !words.isEmpty {
      guard let number = words.first.flatMap({ Int($0) }), (1...notes.count).contains(number),
        command == "e" || words.count == 1
      else {
        return try console.line(
          isList
            ? messages.plainWhichFoundNote(command, notes.count)
            : messages.plainWhichNote(command, notes.count))
      }
      index = number - 1
      text = words.count > 1 ? String(words[1].drop { $0 == " " }) : ""
    }
    let note = notes[index]
    if isList {
      guard let stored = try self.notes(of: note.ayah) else { return }
      guard stored.contains(where: { $0.id == note.id && $0.text == note.text }) else {
        return try console.line(messages.plainNoteChanged("\(note.ayah)"))
      }
    }
    if command == "d" {
      try delete(note)
    } else if !text.isEmpty {
      try edit(note, to: text)
    } else {
      try console.line(messages.plainNewText(isList || notes.count > 1 ? "e \(index + 1)" : "e"))
    }
  }

  private mutating func delete(_ note: Note) throws(CommandFailure) {
    let messages = messages
    try perform(.commit([.deleteNote(note.id, note.ayah)])) { _ in
      messages.plainNoteDeleted("\(note.ayah)", note.text.text.sanitizedLine, "u")
    }
    knownNotes[note.ayah]?.removeAll { $0.id == note.id }
  }

  private mutating func edit(_ note: Note, to text: String) throws(CommandFailure) {
    guard let text = try noteText(text) else { return }
    let messages = messages
    try perform(.commit([.editNote(note.id, note.ayah, text, basedOn: note.text)])) { _ in
      messages.noteSaved("u")
    }
    guard let stored = try notes(of: note.ayah) else { return }
    var expected = knownNotes[note.ayah] ?? []
    if let index = expected.firstIndex(where: { $0.id == note.id }) {
      expected[index] = Note(
        id: note.id, ayah: note.ayah, text: text, createdAt: note.createdAt,
        modifiedAt: note.modifiedAt)
    }
    if stored.hasSameTexts(as: expected) { knownNotes[note.ayah] = stored }
    // The note can be edited again by its number in the search result.
    if let edited = stored.first(where: { $0.id == note.id && $0.text == text }) {
      foundNotes = foundNotes.map { $0.id == note.id ? edited : $0 }
    }
  }

  /// Lists the notes that match a query.
  mutating func searchNotes(_ text: String) throws(CommandFailure) {
    let query = SearchQuery(text, isComplete: true)
    guard !query.isEmpty else {
      return try console.line(
        query.onlyExcludes ? messages.nothingToSearchFor : messages.plainEmptySearch("n/"))
    }
    switch library.owner.perform(.allNotes) {
    case .allNotes(let notes):
      let found = TextIndex(notes.map(\.text.text)).search(query).positions.map { notes[$0] }
      guard !found.isEmpty else {
        setChoices([])
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

extension [Note] {
  /// Whether these are the same notes with the same texts, in the same order.
  fileprivate func hasSameTexts(as other: [Note]) -> Bool {
    elementsEqual(other) { $0.id == $1.id && $0.text == $1.text }
  }
}
