import Editions
import Messages
import Terminal
import Text

extension Model {
  /// Draws a row of the list of editions: the title, the publisher if the list has at least 60
  /// columns, and the version or the state. The sign ● stands before the current edition, and ○
  /// before the other editions on the page.
  func drawTextRow(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    let text = texts.rows[index]
    let (title, publisher, isUsable) = facts(of: text)
    var end = width - 1
    func putAtEnd(_ text: String, _ role: TextRole, columns: Int) {
      let text = text.fitted(to: columns)
      canvas.put(text, row: row, column: end - text.columns, style: theme[role])
      end -= columns + 2
    }
    let state = state(of: text)
    let isRead = text.id == edition.info.id
    putAtEnd(
      state, isUsable ? .faint : .error, columns: width < 60 ? min(state.columns, width / 2) : 16)
    if width >= 60 { putAtEnd(publisher, .faint, columns: min(width / 4, 24)) }
    let isCompared = shownEditions.contains { $0.info.id == text.id }
    let dot = isRead ? "●" : isCompared ? "○" : ""
    canvas.put(dot, row: row, column: 2, style: theme[.mark])
    canvas.put(
      title.fitted(to: end - 4), row: row, column: 4,
      style: theme[isRead ? .title : isUsable ? .text : .faint])
  }

  private func facts(of row: TextRow) -> (title: String, publisher: String, isUsable: Bool) {
    switch row {
    case .available(let text):
      return (messages.title(of: text.info), text.info.publisher, true)
    case .installed(let item):
      guard let info = try? item.info.get() else { return (item.id.sanitizedLine, "", false) }
      let publisher = info.isBundled ? "" : info.publisher.sanitizedLine
      return (messages.title(of: info), publisher, true)
    }
  }

  /// The state of a text in a few words: its version, that it is being downloaded (`…`), not
  /// installed or damaged, or that it is the bundled one, which is not reviewed.
  private func state(of row: TextRow) -> String {
    switch row {
    case .available(let text):
      guard texts.download != nil else { return messages.textNotInstalledShort }
      return texts.download?.name == text.key ? "…" : messages.textNotInstalledShort
    case .installed(let item):
      guard let info = try? item.info.get() else { return messages.textDamagedShort }
      return info.isBundled ? messages.notReviewedShort : info.version.sanitizedLine
    }
  }

  /// Draws the progress of a download, or the number of texts.
  func drawTextsHeading(on canvas: inout Canvas, _ area: Geometry.Area) {
    guard let download = texts.download else {
      guard let count = texts.items?.count else { return }
      canvas.put(
        messages.textCount(count), row: area.row, column: area.column + 1, style: theme[.title])
      return
    }
    var title = messages.downloading
    if let name = download.name {
      title = RecognisedTranslation.all.first { name == $0.key }?.translator ?? name
    }
    let percent = "\(download.percent) %"
    let room = area.width - percent.columns - 4
    let bar = Self.bar(download.done, of: download.total, columns: min(room / 2, 30))
    let used = canvas.put(
      title.fitted(to: room - bar.columns - 1), row: area.row, column: area.column + 1,
      style: theme[.title])
    canvas.put(
      "\(bar) \(percent)", row: area.row, column: area.column + used + 2, style: theme[.mark])
  }

  /// The progress of a download, for the corner of other screens; empty if there is none.
  var downloadCorner: String {
    guard let download = texts.download, tab != .texts || pane != .list else { return "" }
    return "⇣ \(download.percent) %"
  }

  var textsHints: [String] {
    if texts.download != nil { return ["\(key(.removeText)) \(messages.hintStop)", helpHint] }
    switch selectedText {
    case .available: return ["\(key(.installText)) \(messages.hintInstall)", helpHint]
    case nil: return [helpHint]
    case .installed:
      let install =
        texts.installable.isEmpty ? [] : ["\(key(.installText)) \(messages.hintInstall)"]
      return ["\(openKey) \(messages.hintRead)", "\(key(.aboutText)) \(messages.hintAbout)"]
        + install + [helpHint, "\(key(.removeText)) \(messages.hintRemove)"]
    }
  }

  // MARK: The page about a text

  /// Returns the lines of the page about a text, such as its publisher, version and licence.
  func aboutText(_ id: String) -> [(name: String, text: String)] {
    guard let item = texts.items?.first(where: { $0.id == id }) else { return [] }
    switch item.info {
    case .failure(let failure): return [("!", messages.explain(failure))]
    case .success(let info):
      return messages.provenance(of: info, hasFootnotes: item.hasFootnotes)
    }
  }
}
