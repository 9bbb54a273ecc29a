import Terminal

extension TextArea {
  /// Takes a key; false where it is none of the area's.
  ///
  /// - Parameter page: rows that PgUp and PgDn move by.
  mutating func handle(_ key: Key, page: Int) -> Bool {
    if let place = destination(of: key) {
      move(to: place)
    } else if let rows = rows(of: key, page: page) {
      let column = wish ?? cursor.column
      move(to: place(row: cursor.row + rows, column: column), wish: column)
    } else if let range = deletion(of: key) {
      edit(range, with: "", as: .deletion)
    } else {
      switch (key.code, key.modifiers) {
      case (.character(let character), []), (.character(let character), .shift):
        edit(place..<place, with: String(character).written, as: .typing)
      case (.enter, []), (.enter, .shift):
        // What is undone at once is a line, with the line feed before it.
        history.endRun()
        edit(place..<place, with: "\n", as: .typing)
      case (.character("_"), .control), (.character("u"), .alt):
        undo()
      case (.character("r"), .alt):
        redo()
      default:
        return false
      }
    }
    return true
  }

  /// Where a key puts the cursor.
  private func destination(of key: Key) -> Place? {
    switch (key.code, key.modifiers) {
    case (.left, []), (.character("b"), .control): before
    case (.right, []), (.character("f"), .control): after
    case (.left, .control), (.character("b"), .alt): wordBefore
    case (.right, .control), (.character("f"), .alt): wordAfter
    case (.home, []), (.character("a"), .control): place(row: cursor.row, column: 0)
    case (.end, []), (.character("e"), .control): place(row: cursor.row, column: .max)
    case (.home, .control): Place(line: 0, offset: 0)
    case (.end, .control): end
    default: nil
    }
  }

  /// Rows that a key moves the cursor down.
  private func rows(of key: Key, page: Int) -> Int? {
    switch (key.code, key.modifiers) {
    case (.up, []), (.character("p"), .control): -1
    case (.down, []), (.character("n"), .control): 1
    case (.pageUp, []): -max(page, 1)
    case (.pageDown, []): max(page, 1)
    default: nil
    }
  }

  /// What a key deletes.
  private func deletion(of key: Key) -> Range<Place>? {
    let line = lines[place.line]
    switch (key.code, key.modifiers) {
    case (.backspace, []), (.backspace, .shift), (.character("h"), .control):
      return before..<place
    case (.delete, []), (.character("d"), .control):
      return place..<after
    case (.character("w"), .control), (.backspace, .alt):
      // At the start of a line, only the line feed.
      if place.offset == 0 { return before..<place }
      return Place(line: place.line, offset: line.wordStart(before: place.offset) ?? 0)..<place
    case (.character("u"), .control):
      return Place(line: place.line, offset: 0)..<place
    case (.character("k"), .control):
      if place.offset == line.text.utf8.count { return place..<after }
      return place..<Place(line: place.line, offset: line.text.utf8.count)
    default:
      return nil
    }
  }

  // MARK: Places beside the cursor

  private func end(ofLine line: Int) -> Place {
    Place(line: line, offset: lines[line].text.utf8.count)
  }

  private var before: Place {
    guard place.offset > 0 else { return place.line > 0 ? end(ofLine: place.line - 1) : place }
    return Place(line: place.line, offset: lines[place.line].previous(before: place.offset))
  }

  private var after: Place {
    guard place < end(ofLine: place.line) else {
      return place < end ? Place(line: place.line + 1, offset: 0) : place
    }
    return Place(line: place.line, offset: lines[place.line].next(after: place.offset))
  }

  /// The start of the word before the cursor, on whichever line.
  private var wordBefore: Place {
    var place = place
    while true {
      if let start = lines[place.line].wordStart(before: place.offset) {
        return Place(line: place.line, offset: start)
      }
      guard place.line > 0 else { return Place(line: 0, offset: 0) }
      place = end(ofLine: place.line - 1)
    }
  }

  /// The end of the word after the cursor, on whichever line.
  private var wordAfter: Place {
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
