import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func toggleFavorite() -> [Effect] {
    guard let ayahs = targetAyahs else { return [] }
    let shown = libraryState.shown
    let isFavorite = !ayahs.allSatisfy(shown.isFavorite)
    let effects = commit(
      ayahs.filter { shown.isFavorite($0) != isFavorite }.map { .setFavorite($0, isFavorite) })
    guard !effects.isEmpty else { return [] }
    showMessage(
      isFavorite
        ? messages.favoriteAdded(key(.undo), ayahs: selection?.reference)
        : messages.favoriteRemoved(ayahs.reference, key(.undo)))
    selectionStart = nil
    typeset()
    revealSelection()
    return effects
  }

  func drawFavorite(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    let favorite = libraryState.favorites[index]
    let text = edition.text(of: favorite.ayah).sanitizedLine
    drawEntry(favorite.ayah, text, favorite.favoritedAt, on: &canvas, row, width)
  }

  var favoriteListHints: [String] {
    guard list.count > 0, libraryState.refusal == nil else { return readHints + [helpHint] }
    return readHints + [helpHint, "\(key(.favorite)) \(messages.hintUnfavorite)"]
  }
}
