import Editions
import Library
import Messages
import Quran
import Text

/// An export of notes and favourites with the texts of their ayahs, or of given ayahs with their
/// notes, for reading and printing.
///
/// Notes are written as they are and can contain markup. Only control characters are removed (see
/// `String.sanitizedForTerminal`).
struct MarkdownExport {
  let edition: Edition
  let messages: Messages
  /// Milliseconds since 1970, UTC.
  let now: Int64
  /// The ayahs that the document contains; nil for all that have notes or are favourites.
  var ayahs: ClosedRange<AyahID>?

  /// Writes the whole document.
  ///
  /// - Returns: The numbers of favourites and notes.
  func write(
    _ library: Library, progress: ProgressBar, to sink: @escaping (String) throws -> Void
  ) throws -> [ExportDocument.List: Int] {
    let total = try library.snapshot().noteCount
    var counts: [ExportDocument.List: Int] = [.favorites: 0, .notes: 0]
    var last: AyahID?
    let header = messages.exportedOn("\(LocalTime(now))", textTitle, isSelection: ayahs != nil)
    try sink("# Quran-vi\n\n\(header)\n")
    func begin(_ ayah: AyahID, isFavorite: Bool = false) throws {
      if last?.surah != ayah.surah {
        try sink("\n## \(ayah.surah). \(ayah.surah.surah.names)\n")
      }
      try sink("\n### \(ayah)\(isFavorite ? " ♥" : "")\n\n\(quote(ayah))\n")
      counts[.favorites, default: 0] += isFavorite ? 1 : 0
      last = ayah
    }
    /// Begins the given ayahs before one that has notes or is a favourite.
    func beginGiven(before end: AyahID?) throws {
      guard let ayahs else { return }
      var next = last == nil ? ayahs.lowerBound : last?.next
      while let ayah = next, ayah <= ayahs.upperBound, end.map({ ayah < $0 }) ?? true {
        try begin(ayah)
        next = ayah.next
      }
    }
    try library.eachMarkedAyah { ayah, isFavorite, note in
      guard ayahs?.contains(ayah) ?? true else { return }
      try beginGiven(before: ayah)
      if last != ayah { try begin(ayah, isFavorite: isFavorite) }
      if let note {
        let text = note.text.text.sanitizedForTerminal
        try sink("\n*\(LocalTime(note.modifiedAt))*\n\n\(text)\(text.hasSuffix("\n") ? "" : "\n")")
        counts[.notes, default: 0] += 1
        progress.update(counts[.notes] ?? 0, of: total)
      }
    }
    try beginGiven(before: nil)
    if last == nil { try sink("\n\(messages.nothingToExport)\n") }
    return counts
  }

  private var textTitle: String { messages.credit(of: edition.info) }

  private func quote(_ ayah: AyahID) -> String {
    edition.text(of: ayah).sanitizedForTerminal.split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map { "> \($0)" }.joined(separator: "\n")
  }
}
