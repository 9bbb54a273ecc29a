import CFriBidi
import Text

/// The clusters of a line of text in the order in which they are sent to the terminal, which is
/// from left to right if Arabic is shaped here.
struct VisualLine {
  struct Element {
    /// The cluster to draw.
    let cluster: Character
    /// The width of the cluster.
    let columns: Int
    /// The part of the text that the cluster represents, as UTF-8 offsets.
    let range: Range<Int>

    init(_ cluster: Character, _ range: Range<Int>) {
      self.cluster = cluster
      columns = cluster.columns
      self.range = range
    }
  }

  private(set) var elements: [Element]
  private let direction: TextDirection
  /// Whether the elements are in visual order.
  private var isReordered = false

  /// - Parameters:
  ///   - text: The text, without line breaks.
  ///   - direction: The direction of the line.
  ///   - display: Whether Arabic is reordered and joined here.
  init(_ text: String, direction: TextDirection, display: ArabicDisplay) {
    self.direction = direction
    elements = Self.logical(text)
    if display == .shaped, text.mayHaveRightToLeft { shape() }
  }

  /// The number of columns.
  var columns: Int { elements.reduce(0) { $0 + $1.columns } }

  /// Removes clusters from the end of the line, in its direction, until it fits into a number of
  /// columns.
  mutating func fit(to limit: Int) {
    var columns = columns
    while columns > limit, !elements.isEmpty {
      let isEndAtTheLeft = isReordered && direction == .rightToLeft
      columns -= (isEndAtTheLeft ? elements.removeFirst() : elements.removeLast()).columns
    }
  }

  /// The position in `elements` where right-to-left text ends, including a number after it; nil if
  /// there is none. The elements must be in the order of the text.
  var rightToLeftEnd: Int? {
    var end: Int?
    var isAfterRightToLeft = false
    for (index, element) in elements.enumerated() {
      guard let scalar = element.cluster.unicodeScalars.first else { continue }
      switch bidi_kind_of(scalar.value) {
      case bidi_strong_left: isAfterRightToLeft = false
      case bidi_strong_right:
        isAfterRightToLeft = true
        end = index
      case bidi_number where isAfterRightToLeft: end = index
      default: break
      }
    }
    return end
  }

  /// The clusters in the order of the text. A cluster of more than two columns (an Arabic number
  /// sign with its digits) is drawn as its scalars side by side.
  private static func logical(_ text: String) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(text.utf8.count)
    var offset = 0
    for cluster in text {
      let range = offset..<(offset + cluster.utf8.count)
      let element = Element(cluster, range)
      if element.columns > 2 {
        elements += cluster.unicodeScalars.map { Element(Character($0), range) }
      } else {
        elements.append(element)
      }
      offset = range.upperBound
    }
    return elements
  }

  /// Puts the elements in visual order, and replaces Arabic letters by their joined forms.
  private mutating func shape() {
    let logical = elements
    // The scalars of all elements, and the element of each.
    var scalars: [FriBidiChar] = []
    var owners: [Int] = []
    for (index, element) in logical.enumerated() {
      for scalar in element.cluster.unicodeScalars {
        scalars.append(scalar.value)
        owners.append(index)
      }
    }
    guard let (order, shaped) = Self.arrange(scalars, direction) else { return }

    // Marks stay with their letters: an element is placed where the first of its scalars is in
    // `order`.
    var clusters = [String.UnicodeScalarView](repeating: .init(), count: logical.count)
    var bases = [FriBidiChar](repeating: 0, count: logical.count)
    for (position, scalar) in shaped.enumerated() {
      let owner = owners[position]
      if clusters[owner].isEmpty { bases[owner] = scalars[position] }
      clusters[owner].append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
    }
    var isPlaced = [Bool](repeating: false, count: logical.count)
    var visual: [Element] = []
    visual.reserveCapacity(logical.count)
    for position in order {
      let owner = owners[Int(position)]
      guard !isPlaced[owner] else { continue }
      isPlaced[owner] = true
      // Lam and alef are written as one letter. In visual order the alef comes first.
      if owner > 0, !isPlaced[owner - 1],
        let ligature = Self.ligature(clusters[owner - 1], clusters[owner], alef: bases[owner])
      {
        isPlaced[owner - 1] = true
        visual.append(
          Element(
            ligature, logical[owner - 1].range.lowerBound..<logical[owner].range.upperBound))
        continue
      }
      visual.append(Element(Character(String(clusters[owner])), logical[owner].range))
    }
    elements = visual
    isReordered = true
  }

  /// Returns the visual order of scalars, as positions in `scalars`, and the scalars with Arabic
  /// letters in their joined forms, in the order of the text. Returns nil if memory is exhausted.
  private static func arrange(
    _ scalars: [FriBidiChar], _ direction: TextDirection
  ) -> (order: [FriBidiStrIndex], shaped: [FriBidiChar])? {
    let count = FriBidiStrIndex(scalars.count)
    var types = [FriBidiCharType](repeating: FriBidiCharType(0), count: scalars.count)
    var brackets = [FriBidiBracketType](repeating: 0, count: scalars.count)
    var levels = [FriBidiLevel](repeating: 0, count: scalars.count)
    var joining = [FriBidiArabicProp](repeating: 0, count: scalars.count)
    var order = (0..<count).map { $0 }
    var shaped = scalars
    var base = direction == .leftToRight ? bidi_left_to_right : bidi_right_to_left

    fribidi_get_bidi_types(scalars, count, &types)
    fribidi_get_bracket_types(scalars, count, types, &brackets)
    guard fribidi_get_par_embedding_levels_ex(types, brackets, count, &base, &levels) > 0
    else { return nil }
    fribidi_get_joining_types(scalars, count, &joining)
    fribidi_join_arabic(types, count, levels, &joining)
    fribidi_shape(bidi_shaping, levels, count, &joining, &shaped)
    guard fribidi_reorder_line(bidi_shaping, types, count, 0, base, &levels, nil, &order) > 0
    else { return nil }
    return (order, shaped)
  }

  /// Returns the ligature of lam and alef with the marks of both letters. Returns nil if the
  /// letters are others, or if one cell cannot hold all of the marks.
  ///
  /// FriBidi combines only letters without marks between them.
  ///
  /// - Parameter alef: The second letter before it was shaped.
  private static func ligature(
    _ first: String.UnicodeScalarView, _ second: String.UnicodeScalarView, alef: FriBidiChar
  ) -> Character? {
    // The form for a lam that is not joined to the letter before it. The next code point is the
    // form for a lam that is.
    let ligature: UInt32
    switch alef {
    case 0x622: ligature = 0xFEF5
    case 0x623: ligature = 0xFEF7
    case 0x625: ligature = 0xFEF9
    case 0x627: ligature = 0xFEFB
    default: return nil
    }
    let form: UInt32
    switch first.first?.value {
    case 0xFEDF: form = ligature
    case 0xFEE0: form = ligature + 1
    default: return nil
    }
    let marks = first.dropFirst() + second.dropFirst()
    guard marks.count < CursesCell.limit, let scalar = Unicode.Scalar(form) else { return nil }
    var text = String.UnicodeScalarView([scalar])
    for mark in marks { text.append(mark) }
    return Character(String(text))
  }
}

extension String {
  /// Whether the text may contain right-to-left characters. The check is fast, and false for text
  /// in Latin script.
  var mayHaveRightToLeft: Bool {
    // The first bytes of U+0580…U+07FF, U+0800…U+0FFF, U+F000…U+FFFF, and of all characters above
    // U+FFFF, which include all right-to-left scripts.
    utf8.contains { (0xD6...0xDF).contains($0) || $0 == 0xE0 || $0 == 0xEF || $0 >= 0xF0 }
  }
}
