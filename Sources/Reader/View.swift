import Library
import Messages
import Quran
public import Terminal
import Text

extension Model {
  /// Returns the screen for this state. It reads the model and changes nothing.
  public func view() -> Canvas {
    var canvas = Canvas(size: size, style: theme[.text], arabic: canvasArabic)
    let geometry = geometry
    guard !geometry.isTooSmall else {
      let smallest = Geometry.smallest
      let text = messages.tooSmall(columns: smallest.columns, rows: smallest.rows)
      for (row, line) in wrapped(text, width: size.columns).enumerated() {
        canvas.put(line, row: row, column: 0, style: theme[.text])
      }
      return canvas
    }
    let position = shownPosition
    drawTop(on: &canvas, geometry, position.cursor)
    drawRules(on: &canvas, geometry)
    if let area = geometry.list { drawList(on: &canvas, area, geometry) }
    if let area = geometry.text {
      drawText(on: &canvas, area, position)
      if let note = geometry.note { drawNote(on: &canvas, note) }
    }
    drawStatus(on: &canvas, geometry)
    drawOverlay(on: &canvas, geometry)
    drawCorner(on: &canvas, geometry)
    return canvas
  }

  private func drawRules(on canvas: inout Canvas, _ geometry: Geometry) {
    for area in geometry.rules {
      let line = String(repeating: "─", count: area.width)
      canvas.put(line, row: area.row, column: area.column, style: theme[.rule])
    }
    if let divider = geometry.divider {
      for row in 0..<(geometry.status - (geometry.rules.isEmpty ? 0 : 1)) {
        canvas.put("│", row: row, column: divider, style: theme[.rule])
      }
      for area in geometry.rules + (geometry.note.map { [$0] } ?? []) {
        let joint =
          area.width == size.columns ? "┴" : area.column == 0 ? "┤" : "├"
        canvas.put(joint, row: area.row, column: divider, style: theme[.rule])
      }
    }
  }
}
