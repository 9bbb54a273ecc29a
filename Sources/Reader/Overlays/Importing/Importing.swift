import Library
import Messages
import Quran

// What comes from files and goes to them.
extension Model {
  /// Asks for the file to import, with the dump that was found on the line already.
  mutating func askForImport() {
    overlay = .command(TextField("import \(foundDump ?? "")"), nil)
  }

  /// - Parameter path: as typed; empty for the dump that was found.
  /// - Returns: nil where it names nothing.
  func importing(_ path: String) -> FileRequest? {
    let path = path.isEmpty ? foundDump ?? "" : path
    return path.isEmpty ? nil : .load(path: path)
  }

  func exporting(_ path: String) -> FileRequest? { path.isEmpty ? nil : .save(path: path) }

  /// Has a file read or written; says what is missing where none is named.
  mutating func exchange(_ request: FileRequest?, line: String) -> [Effect] {
    guard let request else {
      refuse(line, messages.namesNoFile)
      return []
    }
    if case .load = request, !canChange() { return [] }
    guard libraryState.isOpen || canChange() else { return [] }
    switch request {
    case .load(let path): say(messages.importing(path))
    case .save(let path): say(messages.exporting(path))
    }
    // What was read until now comes first.
    return takeUnkept().map { .library($0) } + [.file(request)]
  }

  /// Takes what came of a file.
  ///
  /// - Parameter time: as for `update`.
  public mutating func fileAnswered(_ answer: FileAnswer, at time: Int64) -> [Effect] {
    now = time
    switch answer {
    case .working(let picture):
      if overlay == nil, editor == nil { say(picture) }
    case .loaded(let file):
      keepingSelection { $0.imported(file) }
      typeset()
      return refreshNotes()
    case .saved(let text): say(text)
    case .refused(let text): complain(text)
    }
    return []
  }

  private mutating func imported(_ file: ImportedFile) {
    let settings = libraryState.shown.settings
    libraryState.open(file.snapshot)
    if libraryState.shown.settings != settings { takeSettings() }
    if file.commit.edits.contains(where: { $0.thing.kind == "progress" }) {
      arrived(at: reading.cursor)
    }
    foundDump = nil
    isDumpOfferDue = false
    let isUndoable = !file.commit.isEmpty
    let summary = isUndoable ? messages.withUndo(file.summary, key(.undo)) : file.summary
    dueReport = .report([summary, ""] + file.report, isUndoable: isUndoable)
    message = nil
    showReport()
    if dueReport != nil { say(summary) }
  }

  /// Shows what an import did, as soon as that is not in the way of what the reader went
  /// on to do.
  private mutating func showReport() {
    guard overlay == nil, editor == nil, let page = dueReport else { return }
    dueReport = nil
    overlay = .page(page, 0)
  }

  /// A dump of the older app lies where people put one.
  public mutating func dumpFound(_ path: String) {
    guard libraryState.shown.device[DeviceKey.importOffered] == nil else { return }
    foundDump = path
    isDumpOfferDue = true
    offer()
  }

  /// What is to be told is, once there is room: a report, a draft, a dump.
  mutating func offer() {
    showReport()
    guard offeredDraft == nil else {
      offerDraft()
      return
    }
    guard isDumpOfferDue, message == nil, overlay == nil, editor == nil, let foundDump else {
      return
    }
    isDumpOfferDue = false
    say(messages.importOffer(foundDump, key(.importFile), submit: key(.submit, in: .commandLine)))
    libraryState.keep { $0.device[DeviceKey.importOffered] = .some("1") }
  }

  /// The files that continue a line being typed.
  public mutating func filesListed(_ files: [String], for typed: String) {
    guard case .command(let field, _) = overlay, let line = FileLine(field.text),
      line.path == typed
    else { return }
    guard let completion = Completion(stem: line.stem, choices: files) else {
      complain(messages.noSuchFiles)
      return
    }
    overlay = .command(
      TextField(completion.commonLine), completion.choices.count > 1 ? completion : nil)
  }
}
