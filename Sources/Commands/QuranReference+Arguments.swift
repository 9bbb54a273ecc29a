import Editions
import Messages
import Quran

extension QuranReference {
  /// Parses command-line arguments. Each argument is a reference; the words of a reference can also
  /// be separate arguments, as in `read juz 30`.
  ///
  /// - Throws: Status 2 if there are no arguments or one is not a reference.
  static func list(_ texts: [String], messages: Messages) throws(CommandFailure) -> [QuranReference]
  {
    guard !texts.isEmpty else { throw CommandFailure(.empty, messages: messages) }
    var references: [QuranReference] = []
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

  /// Parses the reference at the start of the arguments and returns it with the number of arguments
  /// that it consists of. If the first argument is a word, this is the largest possible number;
  /// otherwise it is 1.
  private static func first(
    of texts: ArraySlice<String>
  ) throws(QuranReference.Failure) -> (QuranReference, Int) {
    let isWord = texts.first?.contains(where: \.isLetter) == true
    // A reference has at most 12 words.
    for count in (1...(isWord ? min(texts.count, 12) : 1)).reversed() {
      do {
        return (try QuranReference(parsing: texts.prefix(count).joined(separator: " ")), count)
      } catch {
        switch error {
        case .unknown, .ambiguous, .link: if count == 1 { throw error }
        // Report that there is no juz 31 rather than that `juz` is not a reference.
        default: throw error
        }
      }
    }
    throw .empty
  }

  /// The ayah of the reference, or nil if it refers to more than one.
  var ayah: AyahID? {
    ayahs.lowerBound == ayahs.upperBound ? ayahs.lowerBound : nil
  }
}
