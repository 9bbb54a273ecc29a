import CloudRecords

/// The numbers that a zone gave, each under a mark that depends on all before it.
struct ModelHistory {
  /// What a service does to recognise that its files were put back. A simulation leaves a rule
  /// out to show that it would notice.
  struct Rules: Hashable, Sendable {
    /// Whether a change to a version with another mark is a conflict.
    var tagsHaveMarks = true
    /// Whether a sync token is refused whose number has another mark.
    var tokensHaveMarks = true
    /// Whether a witness is looked for in the history.
    var judgesWitnesses = true
    /// Whether a deletion names the version that was deleted.
    var namesDeletedVersions = true
  }

  /// One number with its mark.
  struct Tag: Hashable {
    var number: Int
    /// Nil for a tag of a service that knows no marks.
    var mark: UInt64?

    var text: String {
      String(number, radix: 36) + (mark.map { "-" + String($0, radix: 16) } ?? "")
    }

    init(number: Int, mark: UInt64?) {
      (self.number, self.mark) = (number, mark)
    }

    init?(_ text: String) {
      let parts = text.split(separator: "-")
      guard let number = parts.first.flatMap({ Int($0, radix: 36) }), parts.count <= 2 else {
        return nil
      }
      self.number = number
      if parts.count == 2 {
        guard let mark = UInt64(parts[1], radix: 16) else { return nil }
        self.mark = mark
      }
    }
  }

  var rules = Rules()
  /// Whether the service is one that knows marks. An older one can be replaced by a newer.
  private(set) var hasMarks: Bool
  private(set) var number = 0
  /// Up to this number the service knew no marks: versions from then keep the tags they have.
  private var legacy = -1
  /// The marks of the numbers, from 0 on; those before `floor` are forgotten.
  private var marks: [UInt64] = [1]
  private(set) var floor = 0
  /// Raised by every change, and never put back: the system's random source.
  private var draws: UInt64 = 0
  /// Whether the random source is put back with the files.
  var isRandomPutBack = false

  init(hasMarks: Bool) { self.hasMarks = hasMarks }

  /// The newest tag.
  var newest: Tag { tag(number) }

  func tag(_ number: Int) -> Tag { Tag(number: number, mark: hasMarks ? marks[number] : nil) }

  /// The tag of a record that was last saved under a number.
  func version(_ number: Int) -> Tag {
    Tag(number: number, mark: number <= legacy ? nil : tag(number).mark)
  }

  /// Gives the next number.
  ///
  /// - Parameter content: of the change.
  mutating func advance(by count: Int = 1, _ content: some Hashable) {
    draws += 1
    for step in 0..<count {
      number += 1
      var hash = marks[number - 1] &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(step)
      for byte in "\(content)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      if !isRandomPutBack { hash = (hash ^ draws) &* 0x0000_0100_0000_01B3 }
      marks.append(hash | 1)
    }
  }

  /// Goes back to an earlier state, as when files are put back behind the service's back.
  mutating func putBack(_ former: ModelHistory) {
    let (draws, rules, hasMarks) = (draws, rules, hasMarks)
    self = former
    self.rules = rules
    if hasMarks { upgrade() }
    if !isRandomPutBack { self.draws = draws }
  }

  /// Is served by a program that knows marks from here on.
  mutating func upgrade() {
    guard !hasMarks else { return }
    hasMarks = true
    legacy = number
  }

  /// Forgets the marks of all numbers but the newest.
  mutating func forget() { floor = number }

  /// Whether a tag names a version.
  func isSame(_ tag: Tag?, asVersion number: Int) -> Bool {
    guard let tag, tag.number == number else { return false }
    return !rules.tagsHaveMarks || tag == version(number)
  }

  enum Place { case known, forgotten, elsewhere }

  /// Where a tag is in this history.
  func place(of tag: Tag) -> Place {
    guard tag.number <= number else { return .elsewhere }
    guard let mark = tag.mark, hasMarks else { return .known }
    if tag.number < floor { return .forgotten }
    return marks[tag.number] == mark ? .known : .elsewhere
  }

  /// What an answer says, after it was made.
  ///
  /// - Parameter witness: of the request.
  /// - Returns: nil for a service that knows no marks.
  func report(_ witness: String?, tokenProblem: HistoryReport.TokenProblem? = nil)
    -> HistoryReport?
  {
    guard hasMarks else { return nil }
    var verdict = HistoryReport.Verdict.current
    if let tag = witness.flatMap(Tag.init), rules.judgesWitnesses {
      switch place(of: tag) {
      case .known: break
      case .forgotten: verdict = .unknown
      case .elsewhere: verdict = .forked
      }
    }
    return HistoryReport(verdict, newest: newest.text, tokenProblem: tokenProblem)
  }
}
