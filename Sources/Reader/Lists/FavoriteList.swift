import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func toggleFavorite() -> [Effect] {
    guard let ayah = targetAyah else {
      showMessage(messages.openFirst)
      return []
    }
    let isFavorite = !libraryState.shown.isFavorite(ayah)
    let effects = commit([.setFavorite(ayah, isFavorite)])
    guard !effects.isEmpty else { return [] }
    showMessage(
      isFavorite
        ? messages.favoriteAdded(key(.undo)) : messages.favoriteRemoved("\(ayah)", key(.undo)))
    typeset()
    revealSelection()
    return effects
  }

  func drawFavorite(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard libraryState.favorites.indices.contains(index) else { return }
    let favorite = libraryState.favorites[index]
    let text = edition.text(of: favorite.ayah).sanitizedLine
    drawEntry(favorite.ayah, text, favorite.favoritedAt, on: &canvas, row, width)
  }

  var favoriteListHints: [String] {
    [readHint, helpHint, "\(key(.favorite)) \(messages.hintUnfavorite)"]
  }
}
