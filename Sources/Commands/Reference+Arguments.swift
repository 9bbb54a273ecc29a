import Editions
import Messages
import Quran

extension Reference {
  /// Each argument is a reference; words that only together are one may stand
  /// apart, as in `read juz 30`.
  ///
  /// - Throws: status 2 where there is none, or one leads nowhere.
  static func list(_ texts: [String], messages: Messages) throws(CommandFailure) -> [Reference] {
    guard !texts.isEmpty else { throw CommandFailure(.empty, messages: messages) }
    var references: [Reference] = []
    var rest = texts[...]
    while !rest.isEmpty {
      do {
        let (reference, count) = try first(of: rest)
        references.append(reference)
        rest = rest.dropFirst(count)
      } catch {
        throw CommandFailure(error, messages: messages)
      }
    }
    return references
  }

  /// The reference at the start of the texts, and how many of them it takes: as
  /// many as can be where the first is a word, else one.
  private static func first(
    of texts: ArraySlice<String>
  ) throws(Reference.Failure) -> (Reference, Int) {
    let isWord = texts.first?.contains(where: \.isLetter) == true
    // No reference has more words than this.
    for count in (1...(isWord ? min(texts.count, 12) : 1)).reversed() {
      do {
        return (try Reference(parsing: texts.prefix(count).joined(separator: " ")), count)
      } catch {
        switch error {
        case .unknown, .ambiguous, .link: if count == 1 { throw error }
        // `juz 31` says more than that `juz` is no place.
        default: throw error
        }
      }
    }
    throw .empty
  }

  /// The only ayah that it means; nil where it means more.
  var ayah: AyahID? {
    ayahs.lowerBound == ayahs.upperBound ? ayahs.lowerBound : nil
  }
}

extension [AyahID] {
  /// Ayahs in the order of the book, as people write them: `2:255-257, 36:1`.
  var ranges: String {
    var texts: [String] = []
    var rest = self[...]
    while let first = rest.first {
      var last = first
      rest = rest.dropFirst()
      while let next = rest.first, next == last.next {
        last = next
        rest = rest.dropFirst()
      }
      if first == last {
        texts.append("\(first)")
      } else if first.surah == last.surah {
        texts.append("\(first)-\(last.ayah)")
      } else {
        texts.append("\(first)-\(last)")
      }
    }
    return texts.joined(separator: ", ")
  }
}
