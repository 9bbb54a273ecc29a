public import Editions
import Library
import Messages
import Quran

/// `quran-vi favorite`: adds, removes and lists favourite ayahs.
public struct FavoriteCommand {
  /// An action of the command.
  public enum Action: Hashable, Sendable {
    case add, remove, list
  }

  private let action: Action
  private let ayahs: [ClosedRange<AyahID>]
  private let edition: Edition
  private let asJSON: Bool
  private let access: LibraryAccess

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - references: The ayahs to add or remove; for a list, the ayahs to list, or none for all.
  ///   - edition: The edition whose text is listed.
  ///   - asJSON: Whether to print JSON.
  ///   - access: The library.
  /// - Throws: Status 2 if a reference is invalid.
  public init(
    _ action: Action, references: [String], edition: Edition, asJSON: Bool, access: LibraryAccess
  ) throws(CommandFailure) {
    self.action = action
    self.edition = edition
    self.asJSON = asJSON
    self.access = access
    guard !references.isEmpty || action == .list else {
      throw CommandFailure(.usage, access.messages.noAyahNamed)
    }
    ayahs =
      references.isEmpty
      ? [] : try QuranReference.list(references, messages: access.messages).map(\.ayahs)
  }

  /// Runs the command.
  ///
  /// - Throws: Status 1 if none of the ayahs to list or remove is a favourite.
  public func run(_ console: Console) throws(CommandFailure) {
    switch action {
    case .list: try list(console)
    case .add: try set(true, console)
    case .remove: try set(false, console)
    }
  }

  private func list(_ console: Console) throws(CommandFailure) {
    let snapshot = try access.openForReading().snapshot
    let favorites = snapshot.favorites.filter { favorite in
      ayahs.isEmpty || ayahs.contains { $0.contains(favorite.ayah) }
    }
    if asJSON {
      try console.json(favorites.map { FavoriteEntry($0, edition) })
    } else {
      try console.lines(favorites.map { "\($0.ayah)  \(edition.text(of: $0.ayah))" })
    }
    guard favorites.isEmpty else { return }
    guard ayahs.isEmpty else { throw CommandFailure(.notFound, access.messages.noFavoritesThere) }
    if console.isTerminal, !asJSON { try console.line(access.messages.noFavoritesToList) }
  }

  private func set(_ isFavorite: Bool, _ console: Console) throws(CommandFailure) {
    let messages = access.messages
    let asked = Set(ayahs.flatMap { Array($0) }).sorted()
    let library = try access.openForChanges()
    let commit = try access.explaining {
      try library.commit(asked.map { .setFavorite($0, isFavorite) }, at: access.now())
    }
    let changed = Set(commit.edits.map(\.thing))
    if asJSON {
      let snapshot = try access.explaining { try library.snapshot() }
      try console.json(
        asked.map {
          ChangedFavorite(
            ayah: "\($0)", favorite: isFavorite, favoritedAt: snapshot.favoritedAt($0),
            changed: changed.contains(.favorite($0)))
        })
    } else {
      let new = asked.filter { changed.contains(.favorite($0)) }.ranges
      let old = asked.filter { !changed.contains(.favorite($0)) }.ranges
      if !new.isEmpty {
        try console.line(isFavorite ? messages.favoritesAdded(new) : messages.favoritesRemoved(new))
      }
      if !old.isEmpty, isFavorite { try console.line(messages.favoritesAlready(old)) }
    }
    if !isFavorite, commit.isEmpty {
      throw CommandFailure(.notFound, messages.favoritesMissing(asked.ranges))
    }
  }
}

private struct FavoriteEntry: Encodable {
  let ayah: String
  let surah: Int
  let number: Int
  let favoritedAt: Int64
  let edition: String
  let text: String

  init(_ favorite: Favorite, _ edition: Edition) {
    ayah = favorite.ayah.description
    surah = favorite.ayah.surah.rawValue
    number = favorite.ayah.ayah
    favoritedAt = favorite.favoritedAt
    self.edition = edition.info.id
    text = edition.text(of: favorite.ayah)
  }
}

private struct ChangedFavorite: Encodable {
  let ayah: String
  let favorite: Bool
  let favoritedAt: Int64?
  let changed: Bool
}
