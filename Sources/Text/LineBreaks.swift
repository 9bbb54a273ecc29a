extension String {
  /// Returns the positions of the spaces at which the text breaks into lines of at most `width`
  /// columns. A word that is longer than a line stays whole.
  public func lineBreaks(width: Int) -> [Index] {
    var breaks: [Index] = []
    var column = 0
    var space: Index?
    var position = startIndex
    while position < endIndex {
      let end = self[position...].dropFirst().firstIndex(of: " ") ?? endIndex
      let word = self[position..<end]
      let columns = word.columns
      // `word` includes the space before it. A line break replaces that space.
      if let space, column + columns > width {
        breaks.append(space)
        column = columns - 1
      } else {
        column += columns
      }
      position = end
      space = end
    }
    return breaks
  }
}
