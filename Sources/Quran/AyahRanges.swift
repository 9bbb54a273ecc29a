extension [AyahID] {
  /// The ayahs, which must be in the order of the Quran, as text such as `2:255-257, 36:1`. A range
  /// over several surahs has both of its ends, for example `1:7-2:1`.
  public var ranges: String {
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
