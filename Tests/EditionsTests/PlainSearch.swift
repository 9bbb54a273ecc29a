import Foundation
import Quran

@testable import Editions

/// A simple reference implementation of the search that `SearchIndex` documents, with the folding
/// of Foundation. Tests compare the index with it.
struct PlainSearch {
  struct Word {
    let folded: String
    /// The spellings of the word with the tone in the old place and in the new one.
    let spellings: Set<String>

    init(_ word: String) {
      let lower = word.lowercased().precomposedStringWithCanonicalMapping
        .filter { !"'’‘".contains($0) }
      folded = lower.folding(options: .diacriticInsensitive, locale: nil)
        .replacingOccurrences(of: "đ", with: "d")
      var old = lower
      var new = lower
      for (first, second) in Self.tonePlaces {
        old = old.replacingOccurrences(of: second, with: first)
        new = new.replacingOccurrences(of: first, with: second)
      }
      spellings = [old, new]
    }

    private static let tonePlaces = [
      "òa oà", "óa oá", "ỏa oả", "õa oã", "ọa oạ", "òe oè", "óe oé", "ỏe oẻ", "õe oẽ", "ọe oẹ",
      "ùy uỳ", "úy uý", "ủy uỷ", "ũy uỹ", "ụy uỵ",
    ].map { ($0.split(separator: " ")[0], $0.split(separator: " ")[1]) }

    var hasMarks: Bool { spellings != [folded] }

    /// How well this word of a query matches: 0 if it does not; a greater number is better.
    func match(_ word: Word, marks: Bool, isPrefix mayBePrefix: Bool) -> Int {
      guard mayBePrefix ? word.folded.hasPrefix(folded) : word.folded == folded else { return 0 }
      if marks, word.spellings == spellings { return 4 }
      let isPrefix = word.spellings.contains { spelling in
        spellings.contains { spelling.hasPrefix($0) }
      }
      if marks, mayBePrefix, isPrefix { return 3 }
      return word.folded == folded ? 2 : 1
    }
  }

  private let ayahs: [[Word]]

  init(_ edition: Edition) {
    var known: [String: Word] = [:]
    ayahs = (AyahID.first...AyahID.last).map { ayah in
      Self.words(edition.text(of: ayah)).map { word in
        if let known = known[word] { return known }
        known[word] = Word(word)
        return known[word]!
      }
    }
  }

  static func words(_ text: String) -> [String] {
    // Footnote marks are not words.
    let text = text.contains("[") ? text.replacing(/\[[0-9]{1,4}\]/, with: " ") : text
    return text.split { !($0.isLetter || $0.isNumber || "'’‘".contains($0)) }.map(String.init)
      .filter { $0.contains { !"'’‘".contains($0) } }
  }

  /// Whether a query has a name with other forms, which this search does not know.
  static func hasName(_ query: String) -> Bool {
    SearchQuery(query).clauses.contains { $0.alternatives.count > 1 }
  }

  func search(_ query: String, in scope: ClosedRange<AyahID> = .first ... .last) -> [AyahID] {
    let wanted = Self.words(query).map(Word.init)
    guard !wanted.isEmpty else { return [] }
    let marks = wanted.contains(where: \.hasMarks)
    var hits: [(ayah: AyahID, match: Int, isPhrase: Bool)] = []
    for ayah in scope {
      let words = ayahs[ayah.index - 1]
      func match(_ number: Int, _ word: Word) -> Int {
        wanted[number].match(word, marks: marks, isPrefix: number == wanted.count - 1)
      }
      let best = wanted.indices.map { number in words.map { match(number, $0) }.max() ?? 0 }
      guard let least = best.min(), least > 0 else { continue }
      let isPhrase = words.indices.contains { start in
        words.count - start >= wanted.count
          && wanted.indices.allSatisfy { match($0, words[start + $0]) >= least }
      }
      hits.append((ayah, least, isPhrase))
    }
    return hits.sorted { a, b in
      if a.match != b.match { return a.match > b.match }
      if a.isPhrase != b.isPhrase { return a.isPhrase }
      return a.ayah < b.ayah
    }.map(\.ayah)
  }
}
