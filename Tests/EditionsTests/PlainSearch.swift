import Editions
import Foundation
import Quran

/// Search as SearchIndex describes it, written for clarity alone, on Foundation's
/// folding: what the index is compared with.
struct PlainSearch {
  struct Word {
    let folded: String
    /// Its spellings with the tone in the old place and in the new.
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

    /// 0 where this word of a query does not match; greater is better.
    func match(_ word: Word, marks: Bool) -> Int {
      guard word.folded.hasPrefix(folded) else { return 0 }
      if marks, word.spellings == spellings { return 4 }
      let isBegun = word.spellings.contains { spelling in
        spellings.contains { spelling.hasPrefix($0) }
      }
      if marks, isBegun { return 3 }
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
    text.split { !($0.isLetter || $0.isNumber || "'’‘".contains($0)) }.map(String.init)
      .filter { $0.contains { !"'’‘".contains($0) } }
  }

  func search(_ query: String, in scope: ClosedRange<AyahID> = .first ... .last) -> [AyahID] {
    let wanted = Self.words(query).map(Word.init)
    guard !wanted.isEmpty else { return [] }
    let marks = wanted.contains(where: \.hasMarks)
    var hits: [(ayah: AyahID, match: Int, isPhrase: Bool)] = []
    for ayah in scope {
      let words = ayahs[ayah.index - 1]
      let best = wanted.map { wanted in
        words.map { wanted.match($0, marks: marks) }.max() ?? 0
      }
      guard let match = best.min(), match > 0 else { continue }
      let isPhrase = words.indices.contains { start in
        words.count - start >= wanted.count
          && zip(wanted, words[start...]).allSatisfy { $0.match($1, marks: marks) >= match }
      }
      hits.append((ayah, match, isPhrase))
    }
    return hits.sorted { a, b in
      if a.match != b.match { return a.match > b.match }
      if a.isPhrase != b.isPhrase { return a.isPhrase }
      return a.ayah < b.ayah
    }.map(\.ayah)
  }
}
