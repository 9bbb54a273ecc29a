import Editions
import Library
import Messages
import Quran

// Selecting several ayahs of the text.
extension Model {
  /// The selected ayahs: those from the ayah at which the selection began to the one under the
  /// cursor; nil if no ayahs are selected.
  var selection: ClosedRange<AyahID>? {
    guard pane == .text, let start = selectionStart else { return nil }
    return min(start, position.cursor)...max(start, position.cursor)
  }

  /// The ayahs that favourites, copies and new notes apply to: the selected ones, or else
  /// `targetAyah`. Nil if no ayah is on the screen.
  var targetAyahs: ClosedRange<AyahID>? { selection ?? targetAyah.map { $0...$0 } }

  mutating func toggleSelection() {
    selectionStart = selectionStart == nil ? position.cursor : nil
  }

  /// The hints while ayahs are selected.
  func selectionHints(_ ayahs: ClosedRange<AyahID>) -> [String] {
    let marks =
      libraryState.refusal == nil ? ["\(key(.favorite)) ♥", "\(key(.newNote)) ✎"] : []
    return [ayahs.reference] + marks + [
      "\(key(.copy)) \(messages.hintCopy)", "\(key(.escape)) \(messages.hintLeave)",
      "\(key(.command))export", messages.ayahCount(ayahs.count),
    ]
  }

  /// Copies the text of the target ayahs with their source, or the link of the first of them.
  mutating func copy(link: Bool) -> [Effect] {
    guard let ayahs = targetAyahs else { return [] }
    selectionStart = nil
    if link {
      let link = DeepLink(ayahs.lowerBound).description
      showMessage(messages.copied(link))
      return [.copy(link)]
    }
    showMessage(messages.copied(ayahs.reference))
    let edition = creditedEdition
    let source = messages.copySource(
      ayahs.reference, surah: ayahs.lowerBound.surah.surah.transliteration,
      edition: messages.credit(of: edition.info))
    let lines = ayahs.map { ayah in
      ayahs.count == 1 ? edition.text(of: ayah) : "\(ayah) \(edition.text(of: ayah))"
    }
    return [.copy((lines + [source]).joined(separator: "\n"))]
  }
}

extension ClosedRange<AyahID> {
  /// The range as users type it: `2:255`, `2:255-257` or `2:286-3:2`.
  var reference: String {
    if lowerBound == upperBound { return "\(lowerBound)" }
    let isInSurah = lowerBound.surah == upperBound.surah
    return "\(lowerBound)-\(isInSurah ? "\(upperBound.ayah)" : "\(upperBound)")"
  }
}
