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
      edit(place..<place, with: text.written, as: .typing)
    } else {
      return false
    }
    return true
  }

  private mutating func perform(_ action: TextAction, page: Int) {
    switch action {
    case .moveLeft: move(to: placeBefore)
    case .moveRight: move(to: placeAfter)
    case .moveWordLeft: move(to: wordStartBefore)
    case .moveWordRight: move(to: wordEndAfter)
    case .moveUp: move(byRows: -1)
    case .moveDown: move(byRows: 1)
    case .movePageUp: move(byRows: -max(page, 1))
    case .movePageDown: move(byRows: max(page, 1))
    case .moveToRowStart: move(to: place(row: cursor.row, column: 0))
    case .moveToRowEnd: move(to: place(row: cursor.row, column: .max))
    case .moveToStart: move(to: Place(line: 0, offset: 0))
    case .moveToEnd: move(to: end)
    case .insertLine:
      // A line is undone as one step, together with the line feed before it.
      history.endRun()
      edit(place..<place, with: "\n", as: .typing)
    case .deleteBackward: delete(placeBefore..<place)
    case .deleteForward: delete(place..<placeAfter)
    case .deleteWord: delete(deletedWordStart..<place)
    case .deleteToLineStart: delete(Place(line: place.line, offset: 0)..<place)
    case .deleteToLineEnd:
      let end = end(ofLine: place.line)
      delete(place..<(place == end ? placeAfter : end))
    case .undo: undo()
    case .redo: redo()
    }
  }

  private mutating func move(byRows rows: Int) {
    let column = goalColumn ?? cursor.column
    move(to: place(row: cursor.row + rows, column: column), goalColumn: column)
  }

  private mutating func delete(_ range: Range<Place>) { edit(range, with: "", as: .deletion) }

  // MARK: Places beside the cursor

  private func end(ofLine line: Int) -> Place {
    Place(line: line, offset: lines[line].text.utf8.count)
  }

  private var placeBefore: Place {
    guard place.offset > 0 else { return place.line > 0 ? end(ofLine: place.line - 1) : place }
    return Place(line: place.line, offset: lines[place.line].previous(before: place.offset))
  }

  private var placeAfter: Place {
    guard place < end(ofLine: place.line) else {
      return place < end ? Place(line: place.line + 1, offset: 0) : place
    }
    return Place(line: place.line, offset: lines[place.line].next(after: place.offset))
  }

  /// Where deleting a word begins: at the start of a line, only the line feed is deleted.
  private var deletedWordStart: Place {
    if place.offset == 0 { return placeBefore }
    let start = lines[place.line].wordStart(before: place.offset) ?? 0
    return Place(line: place.line, offset: start)
  }

  /// The start of the word before the cursor, on this line or an earlier one.
  private var wordStartBefore: Place {
    var place = place
    while true {
      if let start = lines[place.line].wordStart(before: place.offset) {
        return Place(line: place.line, offset: start)
      }
      guard place.line > 0 else { return Place(line: 0, offset: 0) }
      place = end(ofLine: place.line - 1)
    }
  }

  /// The end of the word after the cursor, on this line or a later one.
  private var wordEndAfter: Place {
    var place = place
    while true {
      if let end = lines[place.line].wordEnd(after: place.offset) {
        return Place(line: place.line, offset: end)
      }
      guard place.line < lines.count - 1 else { return end }
      place = Place(line: place.line + 1, offset: 0)
    }
  }
}
