/// The number of letters to insert, delete, replace or exchange with their neighbours to make one
/// word of another (optimal string alignment).
enum EditDistance {
  static func between(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var rows = [Array(0...other.count)]
    for (row, letter) in one.enumerated() {
      var next = [row + 1]
      for (column, wanted) in other.enumerated() {
        let isExchanged =
          row > 0 && column > 0 && letter == other[column - 1] && one[row - 1] == wanted
        next.append(
          min(
            rows[row][column] + (letter == wanted ? 0 : 1), rows[row][column + 1] + 1,
            next[column] + 1, isExchanged ? rows[row - 1][column - 1] + 1 : .max))
      }
      rows.append(next)
    }
    return rows[one.count][other.count]
  }
}
