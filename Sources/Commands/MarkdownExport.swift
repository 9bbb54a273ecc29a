import Editions
import Library
import Messages
import Quran
import Text

/// An export of notes and favourites with the texts of their ayahs, for reading and printing.
///
/// Notes are written as they are and can contain markup. Only control characters are removed (see
/// `String.sanitizedForTerminal`).
struct MarkdownExport {
  let edition: Edition
  let messages: Messages
  /// Milliseconds since 1970, UTC.
  let now: Int64

  /// Writes the whole document.
  ///
  /// - Returns: The numbers of favourites and notes.
  func write(
    _ library: Library, progress: ProgressBar, to sink: @escaping (String) throws -> Void
  ) throws -> [ExportDocument.List: Int] {
    let total = try library.snapshot().noteCount
    var counts: [ExportDocument.List: Int] = [.favorites: 0, .notes: 0]
    var last: AyahID?
    try sink("# Quran-vi\n\n\(messages.exportedOn("\(LocalTime(now))", textTitle))\n")
    try library.eachMarkedAyah { ayah, isFavorite, note in
      if last?.surah != ayah.surah {
        try sink("\n## \(ayah.surah). \(ayah.surah.surah.names)\n")
      }
      if last != ayah {
        try sink("\n### \(ayah)\(isFavorite ? " ♥" : "")\n\n\(quote(ayah))\n")
        counts[.favorites, default: 0] += isFavorite ? 1 : 0
      }
      if let note {
        let text = note.text.text.sanitizedForTerminal
        try sink("\n*\(LocalTime(note.modifiedAt))*\n\n\(text)\(text.hasSuffix("\n") ? "" : "\n")")
        counts[.notes, default: 0] += 1
        progress.update(counts[.notes] ?? 0, of: total)
      }
      last = ayah
    }
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
