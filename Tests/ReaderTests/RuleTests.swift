import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The lines between the parts of the screen.
@Suite struct RuleTests {
  /// The directions in which each box-drawing character reaches the edge of its cell.
  private static let directions: [Character: Set<Direction>] = [
    "─": [.left, .right], "│": [.up, .down], "├": [.up, .down, .right], "┤": [.up, .down, .left],
    "┴": [.left, .right, .up],
  ]

  private enum Direction: CaseIterable {
    case left, right, up, down

    var opposite: Direction {
      switch self {
      case .left: .right
      case .right: .left
      case .up: .down
      case .down: .up
      }
    }

    func neighbour(of cell: Canvas.Position) -> Canvas.Position {
      switch self {
      case .left: .init(row: cell.row, column: cell.column - 1)
      case .right: .init(row: cell.row, column: cell.column + 1)
      case .up: .init(row: cell.row - 1, column: cell.column)
      case .down: .init(row: cell.row + 1, column: cell.column)
      }
    }
  }

  /// A line continues in the next cell, or ends at the edge of the screen, at the last row or, if
  /// it is horizontal, at the space before a title in it.
  @Test(arguments: [
    "", "2", "3", "4", "5", "6", "7", "8", "g2:255<Enter>", "g2:255<Enter><Tab>", "g2:255<Enter>n",
  ])
  func linesConnectFromCellToCell(keys: String) throws {
    var count = 0
    for columns in [24, 40, 60, 80, 99, 100, 101, 120, 147, 148, 200] {
      for rows in [6, 12, 15, 16, 24, 40] {
        var driver = try ReaderDriver(Size(rows: rows, columns: columns)) { library, now in
          let ayah = try #require(AyahID("2:255"))
          try library.commit([.addNote(UUID(), ayah, try NoteText("một"))], at: now)
        }
        driver.press(keys)
        // Without wide characters, the number of a character in a row is its column.
        let characters = driver.rows.dropLast().map { row in
          Array(row + String(repeating: " ", count: columns - row.count))
        }
        for (row, line) in characters.enumerated() {
          for (column, character) in line.enumerated() where !character.isASCII {
            let cell = Canvas.Position(row: row, column: column)
            for direction in Self.directions[character] ?? [] {
              let next = direction.neighbour(of: cell)
              guard characters.indices.contains(next.row), line.indices.contains(next.column) else {
                continue
              }
              let neighbour = characters[next.row][next.column]
              let isTitle = neighbour == " " && next.row == row
              #expect(
                isTitle || Self.directions[neighbour]?.contains(direction.opposite) == true,
                "\(character) and \(neighbour) at \(cell) of \(columns)×\(rows)")
              count += 1
            }
          }
        }
      }
    }
    #expect(count > 0)
  }
}
