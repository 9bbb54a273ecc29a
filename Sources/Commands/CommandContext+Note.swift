import Editions
import FoundationEssentials
import Glibc
import Library
import Messages
import Quran
import Text

/// The source of a note's text.
public enum NoteSource: Sendable {
  /// The text is an argument.
  case given(String)
  /// The text is read from standard input.
  ///
  /// - Parameter read: Reads to the end, but at most `limit` bytes.
  case input(read: @Sendable (_ limit: Int) throws(CommandFailure) -> [UInt8])
  /// The text is written in an editor.
  case editor(ExternalEditor)
}

// The subcommands of `quran-vi note`. `subject` is the argument as typed: a reference for `list`,
// an ayah for `add`, otherwise an ayah or the ID of a note.
extension CommandContext {
  // MARK: Listing

  /// Prints the notes.
  ///
  /// - Parameter subject: The ayahs whose notes are listed, or an empty string for all.
  /// - Throws: Status 1 if the ayahs have no notes, 2 if the reference is invalid.
  public func listNotes(_ subject: String) throws(CommandFailure) {
    let ayahs = subject.isEmpty ? nil : try reference(subject).ayahs
    let (library, snapshot) = try openForReading()
    let unfinished = snapshot.drafts.count { ayahs?.contains($0.ayah) ?? true }
    var count = 0
    func each(_ body: (Note) throws(CommandFailure) -> Void) throws(CommandFailure) {
      try convertingFailures {
        try library.eachMarkedAyah { ayah, _, note in
          guard let note, ayahs?.contains(ayah) ?? true else { return }
          count += 1
          try body(note)
        }
      }
    }
    if asJSON {
      try console.jsonList { write throws(CommandFailure) in
        try each { note throws(CommandFailure) in try write(NoteEntry(note)) }
      }
    } else {
      try each { note throws(CommandFailure) in
        let lines = note.text.text.sanitizedForTerminal.split(
          separator: "\n", omittingEmptySubsequences: false)
        try console.lines(
          ["\(note.ayah)  \(note.shortID)  \(LocalTime(note.modifiedAt))"]
            + lines.map { "  \($0)" })
      }
    }
    if unfinished > 0 { warn(messages.unfinishedNotesNotListed(unfinished)) }
    guard count == 0 else { return }
    guard ayahs == nil else { throw CommandFailure(.notFound, messages.noNotesThere) }
    if !asJSON { warn(messages.noNotesToList) }
  }

  // MARK: The trash

  /// Restores a note from the trash.
  ///
  /// - Parameter subject: The note, or an empty string to list the deleted notes.
  /// - Throws: Status 1 if there is no such note, 2 if the subject is ambiguous or invalid.
  public func restoreNote(_ subject: String) throws(CommandFailure) {
    guard !subject.isEmpty else { return try listTrash() }
    try checkSpecifiedLibrary()
    let library = try openForChanges()
    let trash = try convertingFailures { try library.restorableTrash() }
    let id = try find(subject, among: trash.map { NoteSummary($0.note) })
    let commit = try convertingFailures { try library.restoreNote(id, at: now()) }
    guard !commit.isEmpty else { return try reportNothing() }
    try report(commit) { messages.restoredNote($0.shortID, "\($0.ayah)") }
  }

  private func listTrash() throws(CommandFailure) {
    let library = try openForReading().library
    let trash = try convertingFailures { try library.restorableTrash() }
    guard !asJSON else { return try console.json(trash.map { NoteEntry($0.note) }) }
    for item in trash {
      try console.line(
        "\(item.note.ayah)  \(item.note.shortID)  \(LocalTime(item.deletedAt))  "
          + String(item.note.text.firstLine))
    }
    if trash.isEmpty { warn(messages.trashIsEmpty) }
  }

  // MARK: Changing

  /// Adds a note.
  ///
  /// - Throws: Status 2 if the subject is not an ayah or the note has no text, 3 if the note cannot
  ///   be saved.
  public func addNote(_ subject: String, _ source: NoteSource) throws(CommandFailure) {
    guard !subject.isEmpty else { throw CommandFailure(.usage, messages.noAyahNamed) }
    guard let ayah = try reference(subject, isFollowedByText: true).ayah else {
      throw CommandFailure(.usage, messages.noteNeedsAyah)
    }
    // Open the library before the text is written, so that the user learns in time if it cannot be
    // saved.
    let library = try openForChanges()
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: ayah, base: nil, text: "", changedAt: now())
    let commit = try save(draft, from: source, in: library) { .addNote(draft.noteID, ayah, $0) }
    guard let commit else { return try reportNothing() }
    try report(commit) { messages.savedNote($0.shortID, "\($0.ayah)") }
  }

  /// Changes the text of a note.
  ///
  /// - Throws: Status 1 if there is no such note; 2 if the subject is ambiguous or invalid, or the
  ///   note has no text; 3 if the note cannot be saved.
  public func editNote(_ subject: String, _ source: NoteSource) throws(CommandFailure) {
    try checkSpecifiedLibrary()
    let library = try openForChanges()
    let old = try find(subject, in: library)
    let draft = Draft(
      id: UUID(), noteID: old.id, ayah: old.ayah, base: old.text, text: old.text.text,
      changedAt: now())
    let commit = try save(draft, from: source, in: library) {
      .editNote(old.id, old.ayah, $0, basedOn: old.text)
    }
    guard let commit, !commit.isEmpty else { return try reportNothing() }
    try report(commit) {
      $0.id == old.id
        ? messages.editedNote($0.shortID, "\($0.ayah)") : messages.editedNoteBeside($0.shortID)
    }
  }

  /// Deletes a note.
  ///
  /// - Throws: Status 1 if there is no such note, 2 if the subject is ambiguous or invalid.
  public func removeNote(_ subject: String) throws(CommandFailure) {
    try checkSpecifiedLibrary()
    let library = try openForChanges()
    let note = try find(subject, in: library)
    _ = try convertingFailures {
      try library.commit([.deleteNote(note.id, note.ayah)], at: now())
    }
    if asJSON {
      try console.json([NoteEntry(note)])
    } else {
      try console.line(messages.removedNote(note.shortID, "\(note.ayah)"))
    }
  }

  /// Obtains the text of a note and saves it.
  ///
  /// - Parameters:
  ///   - draft: The note with its original text, for the editor.
  ///   - change: Returns the change that saves a text.
  /// - Returns: The commit, which may be empty; nil if the text from the editor is unchanged or
  ///   empty.
  private func save(
    _ draft: Draft, from source: NoteSource, in library: Library, _ change: (NoteText) -> Change
  ) throws(CommandFailure) -> Commit? {
    func commit(_ text: String) throws(CommandFailure) -> Commit {
      try convertingFailures {
        try library.commit([change(try NoteText(text)), .deleteDraft(draft.id)], at: now())
      }
    }
    switch source {
    case .given(let text):
      return try commit(text)
    case .input(let read):
      // Stop reading when the text is too long for a note even if normalization shortens it.
      let limit = NoteText.limit * 4
      var bytes = try read(limit)
      if bytes.count == limit, let last = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
        // The limit can have cut the last character.
        bytes.removeSubrange(last...)
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw CommandFailure(.badData, messages.textIsNotUTF8)
      }
      // Commands such as `echo` end their output with a line feed.
      return try commit(text.utf8.last == 0x0A ? String(text.unicodeScalars.dropLast()) : text)
    case .editor(let editor):
      // If this process is killed, the next one finds the draft of the text in the editor's file.
      try convertingFailures { try library.save(draft) }
      let edited = try edit(draft, with: editor, in: library)
      guard let text = NoteText.edited(edited.text, from: draft.text) else {
        try convertingFailures { try library.deleteDraft(draft.id) }
        return nil
      }
      do {
        return try commit(text)
      } catch {
        throw keep(edited, of: draft, in: library, after: error)
      }
    }
  }

  private func edit(
    _ draft: Draft, with editor: ExternalEditor, in library: Library
  ) throws(CommandFailure) -> ExternalEditor.EditedText {
    let file = EditorFile(draft, library: library.path)
    var failure: CommandFailure
    do {
      return try editor.edit(
        draft.text, fileName: file.name, directoryPrefix: file.directoryPrefix)
    } catch {
      switch error {
      case .notStarted(let code):
        failure = CommandFailure(.badData, messages.editorNotStarted(editor.name, code))
      case .failed(let status, let file):
        failure = CommandFailure(.badData, messages.editorEnded(editor.name, status))
        guard let file else { break }
        if let edited = ExternalEditor.recoverText(from: file) {
          throw keep(edited, of: draft, in: library, after: failure)
        }
        failure = CommandFailure(
          failure.status, "\(failure.message) \(messages.textIsKeptAt(file))")
      case .notText(let file):
        failure = CommandFailure(
          .badData, "\(messages.textIsNotUTF8) \(messages.textIsKeptAt(file))")
      }
    }
    try? library.deleteDraft(draft.id)
    throw failure
  }

  /// Keeps a text that could not be saved as an unfinished note. If that is not possible either, it
  /// stays in the editor's file.
  ///
  /// - Returns: The failure, with a sentence that says where the text is if the editor changed it.
  private func keep(
    _ edited: ExternalEditor.EditedText, of draft: Draft, in library: Library,
    after failure: CommandFailure
  ) -> CommandFailure {
    var draft = draft
    let place: String
    do {
      guard let text = NoteText.edited(edited.text, from: draft.text) else {
        try library.deleteDraft(draft.id)
        return failure
      }
      (draft.text, draft.changedAt) = (text, now())
      try library.save(draft)
      place = messages.textIsUnfinishedNote("\(draft.ayah)")
    } catch {
      place = messages.textIsKeptAt(edited.keep())
    }
    return CommandFailure(failure.status, "\(failure.message) \(place)")
  }

  // MARK: Finding the note

  /// Parses a reference.
  ///
  /// - Parameter isFollowedByText: Whether the user may have typed the text of a note after the
  ///   reference.
  private func reference(
    _ subject: String, isFollowedByText: Bool = false
  ) throws(CommandFailure) -> QuranReference {
    do {
      return try QuranReference(parsing: subject)
    } catch {
      let words = subject.split(separator: " ").map(String.init)
      if isFollowedByText, let ayah = (try? QuranReference(parsing: words.first ?? ""))?.ayah {
        // Words such as `qua` can be the beginning of a name, so only numbers count as references.
        if !subject.contains(where: \.isLetter),
          (try? QuranReference.list(words, messages: messages)) != nil
        {
          throw CommandFailure(.usage, messages.noteNeedsAyah)
        }
        throw CommandFailure(.usage, messages.noteTextBelongsToOption("\(ayah)"))
      }
      throw CommandFailure(error, messages: messages)
    }
  }

  /// Returns the note with a given ID or prefix of an ID (at least four digits), or the only note
  /// of an ayah.
  private func find(_ subject: String, in library: Library) throws(CommandFailure) -> Note {
    let id = try find(subject, among: try convertingFailures { try library.noteList() })
    guard let note = try convertingFailures({ try library.note(id) }) else {
      throw CommandFailure(.notFound, messages.noSuchNote(subject.sanitizedLine))
    }
    return note
  }

  private func find(
    _ subject: String, among list: [NoteSummary]
  ) throws(CommandFailure) -> UUID {
    guard !subject.isEmpty else { throw CommandFailure(.usage, messages.whichNote) }
    let digits = subject.uppercased().filter { $0 != "-" }
    let isID = digits.utf8.count >= 4 && digits.utf8.allSatisfy { isxdigit(Int32($0)) != 0 }
    var found =
      isID
      ? list.filter { $0.id.uuidString.filter { $0 != "-" }.hasPrefix(digits) } : []
    if found.isEmpty {
      let reference: QuranReference
      do {
        reference = try QuranReference(parsing: subject)
      } catch {
        if case .unknown = error {
          throw CommandFailure(.notFound, messages.noSuchNote(subject.sanitizedLine))
        }
        throw CommandFailure(error, messages: messages)
      }
      guard let ayah = reference.ayah else { throw CommandFailure(.usage, messages.noteNeedsAyah) }
      found = list.filter { $0.ayah == ayah }
      guard !found.isEmpty else { throw CommandFailure(.notFound, messages.noNotesThere) }
    }
    guard found.count == 1, let summary = found.first else {
      let names = found.prefix(6).map {
        "\($0.shortID) (\($0.ayah) “\(String($0.firstLine.prefix(30)).sanitizedLine)”)"
      }
      throw CommandFailure(
        .usage, messages.severalNotes(subject.sanitizedLine, names, more: max(found.count - 6, 0))
      )
    }
    return summary.id
  }

  // MARK: Reporting

  private func report(
    _ commit: Commit, _ sentence: (Note) -> String
  ) throws(CommandFailure) {
    let notes = commit.edits.compactMap { edit in
      if case .note(let note) = edit.after { note } else { nil }
    }
    if asJSON {
      try console.json(notes.map(NoteEntry.init))
    } else {
      for note in notes { try console.line(sentence(note)) }
    }
  }

  private func reportNothing() throws(CommandFailure) {
    if asJSON {
      try console.json([NoteEntry]())
    } else {
      try console.line(messages.nothingChanged)
    }
  }
}

private struct NoteEntry: Encodable {
  let id: String
  let ayah: String
  let surah: Int
  let number: Int
  let text: String
  let createdAt: Int64
  let modifiedAt: Int64

  init(_ note: Note) {
    id = note.id.uuidString
    ayah = note.ayah.description
    surah = note.ayah.surah.rawValue
    number = note.ayah.ayah
    text = note.text.text
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }
}

extension Identifiable<UUID> {
  /// The first digits of the ID, which are sufficient to tell notes apart.
  fileprivate var shortID: String { String(id.uuidString.prefix(8)) }
}
