import Editions
import Messages
import Quran
import Terminal
import Text

/// The panel with the footnotes of an ayah, shown below the text.
struct FootnotesPanel: Hashable {
  let ayah: AyahID
  /// The text of the footnotes, wrapped at the width of the panel.
  var area: TextArea
  /// The index of the first row of `area` that is shown.
  var top = 0

  init(_ text: String, of ayah: AyahID) {
    self.ayah = ayah
    area = TextArea(text, width: 1)
  }
}

extension Model {
  /// Opens the panel with the footnotes of the target ayah. If the ayah has no footnotes, shows a
  /// message with the reason instead.
  mutating func openFootnotes() {
    guard let ayah = targetAyah else { return }
    guard !annotatedEditions(ayah).isEmpty else {
      let hasMarks = shownEditions.contains {
        !FootnoteMark.marks(in: $0.text(of: ayah)).isEmpty
      }
      showMessage(
        hasMarks
          ? messages.marksWithoutFootnotesHere(key(.texts), key(.installText))
          : messages.noFootnotes)
      return
    }
    showInText(ayah)
    showFootnotes(of: ayah)
  }

  /// Shows the footnotes of an ayah in the panel. Closes the panel if the ayah has no footnotes.
  mutating func showFootnotes(of ayah: AyahID) {
    let editions = annotatedEditions(ayah)
    guard !editions.isEmpty else {
      closeOverlay()
      return
    }
    let texts = editions.map { edition in
      let title = editions.count > 1 ? "\(messages.title(of: edition.info))\n" : ""
      return title
        + edition.footnotes(of: ayah).map { ($0.number.map { "[\($0)] " } ?? "") + $0.text }
        .joined(separator: "\n")
    }
    let text = texts.joined(separator: "\n\n")
    overlay = .footnotes(FootnotesPanel(text, of: ayah))
    typeset()
  }

  /// Returns the editions on the page that have footnotes to the ayah.
  private func annotatedEditions(_ ayah: AyahID) -> [Edition] {
    shownEditions.filter { !$0.footnotes(of: ayah).isEmpty }
  }

  mutating func handleFootnotes(_ key: Key, _ panel: FootnotesPanel) -> [Effect] {
    let action = action(for: key)
    if let top = action?.scrolledTop(from: panel.top, page: noteRows) {
      var panel = panel
      panel.top = top
      scroll(panel)
      return []
    }
    switch action {
    case .theme, .favorite, .copy: return action.map { perform($0) } ?? []
    case .footnotes, .quit, .back, .open:
      closeOverlay()
      return []
    case nil:
      showUnboundKey(key)
      return []
    case let other?:
      closeOverlay()
      return perform(other)
    }
  }

  /// Shows the panel, and limits `top` so that the panel does not scroll beyond its last row.
  mutating func scroll(_ panel: FootnotesPanel) {
    var panel = panel
    panel.top = max(min(panel.top, panel.area.rowCount - noteRows), 0)
    overlay = .footnotes(panel)
  }

  func draw(_ panel: FootnotesPanel, on canvas: inout Canvas, _ area: Geometry.Area) {
    let editions = annotatedEditions(panel.ayah)
    let title = editions.count == 1 ? messages.title(of: editions[0].info) : ""
    drawNoteTitle(messages.footnotesTitle("\(panel.ayah)"), title, on: &canvas, area)
    draw(panel.area, from: panel.top, on: &canvas, area)
  }
}
