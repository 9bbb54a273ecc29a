import Library
import Terminal

extension TextArea {
  /// Performs the action of a key, or inserts the character that it types.
  ///
  /// - Parameter page: the number of rows that PgUp and PgDn move by.
  /// - Returns: false if the key does nothing in a text.
  mutating func handle(_ key: Key, page: Int) -> Bool {
    if let action = KeyContext.text.action(for: key) {
      perform(action, page: page)
    } else if let text = key.typedText {
      edit(position..<position, with: NoteText.normalized(text), as: .typing)
    } else {
      return false
    }
    return true
  }

  private mutating func perform(_ action: TextAction, page: Int) {
    switch action {
    case .moveLeft: move(to: positionBefore)
    case .moveRight: move(to: positionAfter)
    case .moveWordLeft: move(to: wordStartBefore)
    case .moveWordRight: move(to: wordEndAfter)
    case .moveUp: move(byRows: -1)
    case .moveDown: move(byRows: 1)
    case .movePageUp: move(byRows: -max(page, 1))
    case .movePageDown: move(byRows: max(page, 1))
    case .moveToRowStart: move(to: position(row: cursor.row, column: 0))
    case .moveToRowEnd: move(to: position(row: cursor.row, column: .max))
    case .moveToStart: move(to: Position(line: 0, offset: 0))
    case .moveToEnd: move(to: end)
    case .insertLineBreak:
      // A line is undone as one step, together with the line feed before it.
      history.endRun()
      edit(position..<position, with: "\n", as: .typing)
    case .deleteBackward: delete(positionBefore..<position)
    case .deleteForward: delete(position..<positionAfter)
    case .deleteWord: delete(deletedWordStart..<position)
    case .deleteToLineStart: delete(Position(line: position.line, offset: 0)..<position)
    case .deleteToLineEnd:
      let end = end(ofLine: position.line)
      delete(position..<(position == end ? positionAfter : end))
    case .undo: undo()
    case .redo: redo()
    }
  }

  private mutating func move(byRows rows: Int) {
    let column = goalColumn ?? cursor.column
    move(to: position(row: cursor.row + rows, column: column), goalColumn: column)
  }

  private mutating func delete(_ range: Range<Position>) { edit(range, with: "", as: .deletion) }

  // MARK: Positions beside the cursor

  private func end(ofLine line: Int) -> Position {
    Position(line: line, offset: lines[line].text.utf8.count)
  }

  private var positionBefore: Position {
    guard position.offset > 0 else {
      return position.line > 0 ? end(ofLine: position.line - 1) : position
    }
    return Position(
      line: position.line, offset: lines[position.line].previous(before: position.offset))
  }

  private var positionAfter: Position {
    guard position < end(ofLine: position.line) else {
      return position < end ? Position(line: position.line + 1, offset: 0) : position
    }
    return Position(line: position.line, offset: lines[position.line].next(after: position.offset))
  }

  /// Where deleting a word begins: at the start of a line, only the line feed is deleted.
  private var deletedWordStart: Position {
    if position.offset == 0 { return positionBefore }
    let start = lines[position.line].wordStart(before: position.offset) ?? 0
    return Position(line: position.line, offset: start)
  }

  /// The start of the word before the cursor, on this line or an earlier one.
  private var wordStartBefore: Position {
    var position = position
    while true {
      if let start = lines[position.line].wordStart(before: position.offset) {
        return Position(line: position.line, offset: start)
      }
      guard position.line > 0 else { return Position(line: 0, offset: 0) }
      position = end(ofLine: position.line - 1)
    }
  }

  /// The end of the word after the cursor, on this line or a later one.
  private var wordEndAfter: Position {
    var position = position
    while true {
      if let end = lines[position.line].wordEnd(after: position.offset) {
        return Position(line: position.line, offset: end)
      }
      guard position.line < lines.count - 1 else { return end }
      position = Position(line: position.line + 1, offset: 0)
    }
  }
}
