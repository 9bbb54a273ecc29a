public import Editions
import Library
import Messages
import Quran

// `quran-vi favorite`
extension CommandContext {
  /// Prints the favourites.
  ///
  /// - Parameters:
  ///   - references: The ayahs to list, as typed, or none for all.
  ///   - edition: The edition whose text is listed.
  /// - Throws: Status 1 if none of the ayahs is a favourite, 2 if a reference is invalid.
  public func listFavorites(_ references: [String], edition: Edition) throws(CommandFailure) {
    let ayahs =
      references.isEmpty
      ? [] : try QuranReference.list(references, messages: messages).map(\.ayahs)
    let favorites = try openForReading().snapshot.favorites.filter { favorite in
      ayahs.isEmpty || ayahs.contains { $0.contains(favorite.ayah) }
    }
    if asJSON {
      try console.json(
        favorites.map { AyahRow($0.ayah, edition, favoritedAt: $0.favoritedAt) })
    } else {
      try console.lines(favorites.map { "\($0.ayah)  \(edition.text(of: $0.ayah))" })
    }
    guard favorites.isEmpty else { return }
    guard ayahs.isEmpty else { throw CommandFailure(.notFound, messages.noFavoritesThere) }
    if !asJSON { warn(messages.noFavoritesToList) }
  }

  /// Makes ayahs favourites.
  ///
  /// - Throws: Status 2 if a reference is invalid or there is none.
  public func addFavorites(_ references: [String]) throws(CommandFailure) {
    try setFavorites(references, true)
  }

  /// Removes ayahs from the favourites.
  ///
  /// - Throws: Status 1 if none of the ayahs is a favourite, 2 if a reference is invalid or there
  ///   is none.
  public func removeFavorites(_ references: [String]) throws(CommandFailure) {
    try setFavorites(references, false)
  }

  private func setFavorites(
    _ references: [String], _ isFavorite: Bool
  ) throws(CommandFailure) {
    guard !references.isEmpty else { throw CommandFailure(.usage, messages.noAyahNamed) }
    let references = try QuranReference.list(references, messages: messages)
    let ayahs = Set(references.flatMap { Array($0.ayahs) }).sorted()
    if !isFavorite { try checkSpecifiedLibrary() }
    let library = try openForChanges()
    let commit = try convertingFailures {
      try library.commit(ayahs.map { .setFavorite($0, isFavorite) }, at: now())
    }
    let changed = Set(commit.edits.map(\.thing))
    if asJSON {
      let snapshot = try convertingFailures { try library.snapshot() }
      try console.json(
        ayahs.map {
          ChangedFavorite(
            ayah: "\($0)", favorite: isFavorite, favoritedAt: snapshot.favoritedAt($0),
            changed: changed.contains(.favorite($0)))
        })
    } else {
      let new = ayahs.filter { changed.contains(.favorite($0)) }.ranges
      let old = ayahs.filter { !changed.contains(.favorite($0)) }.ranges
      if !new.isEmpty {
        try console.line(isFavorite ? messages.favoritesAdded(new) : messages.favoritesRemoved(new))
      }
      if !old.isEmpty, isFavorite { try console.line(messages.favoritesAlready(old)) }
    }
    if !isFavorite, commit.isEmpty {
      throw CommandFailure(.notFound, messages.favoritesMissing(ayahs.ranges))
    }
  }
}

private struct ChangedFavorite: Encodable {
  let ayah: String
  let favorite: Bool
  let favoritedAt: Int64?
  let changed: Bool
}
