import Quran

/// A file of the quran-text data set (https://github.com/quran-ws/quran-text). It contains a
/// mushaf: the Arabic text of one printed edition.
struct MushafFile: Decodable {
  static let format = "quran-mushaf"

  struct Surah: Decodable {
    let number: Int
    /// The zero-based position of the surah's first ayah in `ayah_starts`.
    let firstAyah: Int
    let ayahCount: Int

    private enum CodingKeys: String, CodingKey {
      case number
      case firstAyah = "first_ayah"
      case ayahCount = "ayah_count"
    }
  }

  /// A sign of the printed text, such as a pause mark.
  struct MarkType: Decodable {
    /// `before` or `after` the word.
    let side: String
    let sign: String
  }

  struct Mushaf: Decodable {
    var key: String?
  }

  struct Provenance: Decodable {
    struct Text: Decodable {
      var package: String?
    }

    var text: Text?
  }

  let mushaf: Mushaf?
  let provenance: Provenance?
  /// The words without marks.
  let words: [String]
  /// The zero-based position in `words` of the first word of each ayah.
  let ayahStarts: [Int]
  let surahs: [Surah]
  /// Pairs of zero-based positions: in `words` and in `markTypes`.
  let marks: [[Int]]
  let markTypes: [MarkType]

  /// The maximum size of a sign, in bytes of UTF-8. Published signs are one character.
  private static let signLimit = 16

  private enum CodingKeys: String, CodingKey {
    case mushaf, provenance, words, surahs, marks
    case ayahStarts = "ayah_starts"
    case markTypes = "mark_types"
  }

  /// The text as it is printed, without the ornaments at the ends of ayahs.
  ///
  /// Words are separated by one space. The marks of a word are added in the order of the file: a
  /// mark with the side `after` is appended to the word; a mark with the side `before` is put
  /// before it, followed by a space. The data set describes it so, and `render(marks=True)` of its
  /// Python package does the same.
  var edition: ParsedEdition {
    get throws(EditionFailure) {
      var markedWords = words
      /// The signs before words. They are joined once, as one word can have 100,000 of them.
      var signsBefore: [Int: [String]] = [:]
      for mark in marks {
        guard mark.count == 2, words.indices.contains(mark[0]), markTypes.indices.contains(mark[1])
        else { throw .invalidJSON(path: "marks") }
        let type = markTypes[mark[1]]
        // A long sign that is repeated on one word could take far more memory than the file.
        guard type.sign.utf8.count <= Self.signLimit else {
          throw .invalidJSON(path: "mark_types")
        }
        switch type.side {
        case "after": markedWords[mark[0]] += type.sign
        case "before": signsBefore[mark[0], default: []].append(type.sign)
        default: throw .invalidJSON(path: "mark_types")
        }
      }
      for (word, signs) in signsBefore {
        let parts: [String] = signs.reversed() + [markedWords[word]]
        markedWords[word] = parts.joined(separator: " ")
      }
      var builder = EditionBuilder()
      for surah in surahs {
        guard (1...AyahID.count).contains(surah.ayahCount),
          (0...AyahID.count).contains(surah.firstAyah)
        else { throw .invalidJSON(path: "surahs") }
        for ayah in 1...surah.ayahCount {
          let index = surah.firstAyah + ayah - 1
          guard index < ayahStarts.count else { throw .invalidJSON(path: "ayah_starts") }
          let start = ayahStarts[index]
          let end = index + 1 < ayahStarts.count ? ayahStarts[index + 1] : words.count
          guard 0 <= start, start <= end, end <= words.count else {
            throw .invalidJSON(path: "ayah_starts")
          }
          try builder.add(
            surah: surah.number, ayah: ayah, markedWords[start..<end].joined(separator: " "))
        }
      }
      var notes = SourceNotes()
      notes.add("id", mushaf?.key ?? "")
      notes.add("version", provenance?.text?.package.map(Self.version(ofPackage:)) ?? "")
      var edition = try ParsedEdition(.mushafJSON, builder.finish(), notes)
      edition.info.licence = "CC-BY-4.0"
      return edition
    }
  }

  /// Returns the version number in the file name of a publisher's package. Two examples:
  /// `UthmanicHafs-v-3.0.zip` is version `3.0`, `UthmanicHafs_v2-0.zip` is version `2.0`.
  ///
  /// - Returns: The whole file name if it does not contain a version number.
  static func version(ofPackage name: String) -> String {
    let words = name.split { "-_ ".contains($0) }
    guard
      let start = words.lastIndex(where: {
        $0.first == "v" && $0.dropFirst().first?.isNumber ?? true
      })
    else { return name }
    // A version number can be written with dots or with hyphens.
    let parts = words[start...].flatMap { $0.drop { $0 == "v" }.split(separator: ".") }
    let version = parts.prefix { $0.allSatisfy(\.isNumber) }.joined(separator: ".")
    return version.isEmpty ? name : version
  }
}
