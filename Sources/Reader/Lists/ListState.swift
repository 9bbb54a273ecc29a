extension Model {
  struct ListState: Hashable {
    var selection = 0
    /// The first row shown.
    var top = 0
  }
}

extension Model.ListState {
  /// Moves `top` so that the selection is among `height` rows, and rows are not wasted.
  mutating func reveal(height: Int, count: Int) {
    selection = min(max(selection, 0), max(count - 1, 0))
    top = min(max(top, selection - height + 1), selection)
    top = max(min(top, count - height), 0)
  }
}
