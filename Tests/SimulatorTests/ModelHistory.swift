import CloudRecords

/// The numbers of a zone's changes, each with a mark that depends on all changes before it.
struct ModelHistory {
  /// The rules by which a service recognizes that its files were rolled back. A test removes a rule
  /// to show that simulations detect it.
  struct Rules: Hashable, Sendable {
    /// Whether a change to a version with another mark is a conflict.
    var tagsHaveMarks = true
    /// Whether a sync token is refused if its number has another mark.
    var tokensHaveMarks = true
    /// Whether a witness is looked up in the history.
    var judgesWitnesses = true
    /// Whether a deletion names the version that was deleted.
    var namesDeletedVersions = true
    /// Whether a mark depends on the marks before it.
    var chainsMarks = true
  }

  /// A number with its mark.
  struct Tag: Hashable {
    var number: Int
    /// nil for a tag of a service without marks.
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
  /// Whether the service has marks. A service without marks can be upgraded.
  private(set) var hasMarks: Bool
  private(set) var number = 0
  /// Up to this number the service had no marks; the tags of these versions stay without them.
  private var legacy = -1
  /// The marks of the numbers from 0; those before `floor` are forgotten.
  private var marks: [UInt64] = [1]
  private(set) var floor = 0
  /// The state of the system's random source. Every change raises it. A rollback resets it only if
  /// `isRandomPutBack`.
  private var draws: UInt64 = 0
  /// Whether a rollback of the files also resets the random source.
  var isRandomPutBack = false

  init(hasMarks: Bool) { self.hasMarks = hasMarks }

  /// The newest tag.
  var newest: Tag { tag(number) }

  func tag(_ number: Int) -> Tag { Tag(number: number, mark: hasMarks ? marks[number] : nil) }

  /// The tag of a record that was last saved under a number.
  func version(_ number: Int) -> Tag {
    Tag(number: number, mark: number <= legacy ? nil : tag(number).mark)
  }

  /// Assigns the next `count` numbers.
  ///
  /// - Parameter content: The content of the change.
  mutating func advance(by count: Int = 1, _ content: some Hashable) {
    draws += 1
    for step in 0..<count {
      number += 1
      let former = rules.chainsMarks ? marks[number - 1] : 1
      var hash = former &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(step)
      for byte in "\(content)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      if !isRandomPutBack { hash = (hash ^ draws) &* 0x0000_0100_0000_01B3 }
      marks.append(hash | 1)
    }
  }

  /// Rolls back to an earlier state, as if the files were restored without the service's knowledge.
  mutating func putBack(_ former: ModelHistory) {
    let (draws, rules, hasMarks) = (draws, rules, hasMarks)
    self = former
    self.rules = rules
    if hasMarks { upgrade() }
    if !isRandomPutBack { self.draws = draws }
  }

  /// Upgrades to a service with marks.
  mutating func upgrade() {
    guard !hasMarks else { return }
    hasMarks = true
    legacy = number
  }

  /// Forgets the marks of all numbers except the newest.
  mutating func forget() { floor = number }

  /// Whether a tag is that of a version.
  func isSame(_ tag: Tag?, asVersion number: Int) -> Bool {
    guard let tag, tag.number == number else { return false }
    return !rules.tagsHaveMarks || tag == version(number)
  }

  enum Place { case known, forgotten, elsewhere }

  /// Whether this history contains a tag.
  func place(of tag: Tag) -> Place {
    guard tag.number <= number else { return .elsewhere }
    guard let mark = tag.mark, hasMarks else { return .known }
    if tag.number < floor { return .forgotten }
    return marks[tag.number] == mark ? .known : .elsewhere
  }

  /// The report in a response.
  ///
  /// - Parameter witness: The witness of the request.
  /// - Returns: nil for a service without marks.
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
