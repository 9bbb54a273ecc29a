import Library
import Messages
import Quran

// Importing and exporting files.

/// Data of the older app that was found, and the outcome of an import.
struct ImportState {
  /// The path of a preference dump that was found.
  var foundDump: String?
  /// Whether the dump has still to be offered.
  var isOfferDue = false
  /// The line of the transfer in progress, and the ayah at which its selection began.
  fileprivate var started: (line: String, selectionStart: AyahID?)?
  /// The report of an import that is shown as soon as no overlay or editor is open.
  var report: OverlayPage?
}

extension Model {
  /// Opens the command line with the command `import` and the path of the dump, if one was found.
  mutating func askForImport() {
    overlay = .command(TextField("import \(importing.foundDump ?? "")"), nil)
  }

  /// - Parameter path: the path as typed; empty for the dump that was found.
  /// - Returns: nil if there is no path.
  func importRequest(_ path: String) -> FileRequest? {
    let path = path.isEmpty ? importing.foundDump ?? "" : path
    return path.isEmpty ? nil : .importFile(path: path)
  }

  func exportRequest(_ path: String) -> FileRequest? {
    path.isEmpty ? nil : .exportFile(path: path, ayahs: selection)
  }

  /// Returns the effects that carry out a file request, or reports why it cannot be carried out.
  mutating func startTransfer(_ request: FileRequest?, line: String) -> [Effect] {
    guard let request else {
      refuse(line, messages.askForFileName)
      return []
    }
    if case .importFile = request, !canChange() { return [] }
    guard hasContents() else { return [] }
    switch request {
    case .importFile(let path): showMessage(messages.importing(path))
    case .exportFile(let path, _): showMessage(messages.exporting(path))
    }
    importing.started = (line, selectionStart)
    // Save the reading progress and drafts first, so that an export contains them.
    return saveRequests().map { .library($0) } + [.file(request)]
  }

  /// Shows the progress or the result of an import or export.
  ///
  /// - Parameter time: The current time, in milliseconds since 1970, UTC.
  public mutating func fileAnswered(_ answer: FileReply, at time: Int64) -> [Effect] {
    now = time
    switch answer {
    case .working(let bar):
      if overlay == nil, editor == nil { showMessage(bar) }
    case .imported(let commit, let summary, let report, let snapshot):
      replaceContents { $0.open(snapshot) }
      imported(commit, summary: summary, report: report)
      return refreshNotes()
    case .exported(let text): showMessage(text)
    case .refused(let text): refuseTransfer(text)
    }
    if case .working = answer {} else { importing.started = nil }
    return []
  }

  /// Reports an error, and opens the line for correction with the selection that it was for.
  private mutating func refuseTransfer(_ reason: String) {
    guard let (line, selectionStart) = importing.started, overlay == nil, editor == nil else {
      showError(reason)
      return
    }
    if pane == .text { self.selectionStart = selectionStart }
    refuse(line, reason)
  }

  private mutating func imported(_ commit: Commit, summary: String, report: [String]) {
    if commit.edits.contains(where: { $0.thing.kind == .progress }) {
      updateBrowsing(at: position.cursor)
    }
    importing.foundDump = nil
    importing.isOfferDue = false
    let isUndoable = !commit.isEmpty
    let summary = isUndoable ? messages.withUndo(summary, key(.undo)) : summary
    importing.report = .report(
      title: messages.importReportTitle, [summary, ""] + report, isUndoable: isUndoable)
    message = nil
    showPendingReport()
    if importing.report != nil { showMessage(summary) }
  }

  /// Shows the report of the last import or installation, if it was not shown yet. Does nothing
  /// while an overlay or the editor is open, so that the report is shown later.
  mutating func showPendingReport() {
    guard overlay == nil, editor == nil, let page = importing.report ?? texts.report else { return }
    if importing.report != nil { importing.report = nil } else { texts.report = nil }
    overlay = .page(page, 0)
  }

  /// Offers to import the dump of the older app, unless the user was asked before.
  ///
  /// - Parameter path: The path of the dump; nil if none was found.
  public mutating func dumpFound(_ path: String?) {
    if let path, libraryState.shown.device[DeviceKey.importOffered] == nil {
      importing.foundDump = path
      importing.isOfferDue = true
    }
    showOffers()
  }

  /// Shows the most important of the pending offers. In order of importance: the report of an
  /// import or installation, a draft to resume, a dump to import, editions to install, and the
  /// explanation of browsing.
  ///
  /// Nothing is shown while an overlay or the editor is open. Offers, except the report, also wait
  /// until the current message disappears.
  mutating func showOffers() {
    showPendingReport()
    showOffer()
    explainBrowsing()
  }

  private mutating func showOffer() {
    guard drafts.offered == nil || isNoteListFocused else {
      showDraftOffer()
      return
    }
    guard importing.isOfferDue, message == nil, overlay == nil, editor == nil,
      let foundDump = importing.foundDump
    else {
      offerTexts()
      return
    }
    importing.isOfferDue = false
    texts.isOfferNext = true
    showMessage(
      messages.importOffer(foundDump, key(.importFile), submit: key(.submit, in: .commandLine)))
    libraryState.record { $0.device[DeviceKey.importOffered] = .some("1") }
  }

  /// Completes the path on the command line with the files that were found.
  public mutating func filesListed(_ files: [String], for typed: String) {
    guard case .command(let field, _) = overlay, let line = FileCommandLine(field.text),
      line.path == typed
    else { return }
    guard let completion = Completion(stem: line.stem, choices: files) else {
      showError(messages.noFileBeginsSo)
      return
    }
    overlay = .command(
      TextField(completion.commonLine), completion.choices.count > 1 ? completion : nil)
  }
}
