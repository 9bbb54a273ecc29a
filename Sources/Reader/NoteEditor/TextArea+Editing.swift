import Library
import Text

extension TextArea {
  /// Inserts pasted text at the cursor, as one step of undo.
  mutating func insert(_ text: String) {
    edit(position..<position, with: NoteText.normalized(text), as: .paste)
  }

  /// Replaces a range, normalises the text at both ends of it, and moves the cursor behind the new
  /// text.
  mutating func edit(_ range: Range<Position>, with written: String, as run: History.Run) {
    guard !range.isEmpty || !written.isEmpty else { return }
    let (start, end) = (range.lowerBound, range.upperBound)
    // Nothing composes across the bounds of a cluster (UAX #29), so only one cluster on each side
    // can change.
    let before = lines[start.line].text
      .bytes(lines[start.line].previous(before: start.offset)..<start.offset)
    let after = lines[end.line].text
      .bytes(end.offset..<lines[end.line].next(after: end.offset))
    let head = String(before).composed(with: written)
    let new = head.composed(with: String(after))

    // The range without the text that is the same before and after the change.
    let early = before.commonPrefix(with: new)
    let late = min(after.commonSuffix(with: new), new.utf8.count - early)
    let from = Position(line: start.line, offset: start.offset - before.utf8.count)
    let first = Position(line: start.line, offset: from.offset + early)
    let changed = first..<Position(line: end.line, offset: end.offset + after.utf8.count - late)
    var step = History.Step(
      start: first, removed: text(changed),
      inserted: String(new.bytes(early..<new.utf8.count - late)), before: position)
    let distance = history.start(of: run).map { start in
      start < step.start ? byteCount(of: start..<step.start) : -byteCount(of: step.start..<start)
    }
    replace(changed, with: step.inserted)

    // The cursor moves behind a cluster that the new text became a part of.
    let same = head.commonPrefix(with: new)
    let isComposed = same < head.utf8.count
    var cursor = from.advanced(by: new.bytes(..<same))
    cursor.offset = lines[cursor.line].boundary(from: cursor.offset + (isComposed ? 1 : 0))
    setPosition(cursor)

    // The step is extended to the cursor, so that the next step of its run touches it.
    let reach = step.start.advanced(by: step.inserted)
    if reach < cursor {
      step.removed += text(reach..<cursor)
      step.inserted += text(reach..<cursor)
    }
    step.after = cursor
    history.record(step, of: run, distance: distance)
  }

  /// Undoes the last run of typing or deletion, or the last paste.
  mutating func undo() {
    guard let step = history.undo() else { return }
    replace(step.start..<step.start.advanced(by: step.inserted), with: step.removed)
    setPosition(step.before)
  }

  mutating func redo() {
    guard let step = history.redo() else { return }
    replace(step.start..<step.start.advanced(by: step.removed), with: step.inserted)
    setPosition(step.after)
  }

  /// The changes that can be undone and redone.
  struct History {
    /// The kind of a change. Consecutive changes by typing or by deletion are undone as one step,
    /// until the cursor is moved or another kind of change begins. Each paste is a step of its own.
    enum Run { case typing, deletion, paste }

    /// A change that can be reversed, with exactly the texts that were removed and inserted.
    struct Step {
      var start: Position
      var removed: String
      var inserted: String
      /// The position of the cursor before the change.
      var before: Position
      /// The position of the cursor after the change.
      var after: Position

      init(start: Position, removed: String, inserted: String, before: Position) {
        self.start = start
        self.removed = removed
        self.inserted = inserted
        self.before = before
        after = before
      }

      /// Appends the next step to this one if the text that it replaced touches the end of the text
      /// that this one inserted.
      ///
      /// - Parameter distance: the number of bytes from the start of this step to the start of the
      ///   next one; negative if the next one begins earlier.
      /// - Returns: false if the steps do not touch.
      fileprivate mutating func append(_ next: Step, distance: Int) -> Bool {
        let own = inserted.utf8.count - distance
        guard own >= 0, own <= next.removed.utf8.count else { return false }
        // Text that the next step removed outside of the inserted text was there before this step.
        removed = next.removed.bytes(..<max(-distance, 0)) + removed + next.removed.bytes(own...)
        inserted = inserted.bytes(..<max(distance, 0)) + next.inserted
        if distance < 0 { start = next.start }
        after = next.after
        return true
      }
    }

    static let limit = 100

    private var done: [Step] = []
    private var undone: [Step] = []
    /// The run that the next change may continue.
    private var run: Run?

    /// Returns the start of the last step if a run can continue it.
    func start(of run: Run) -> Position? { run == self.run ? done.last?.start : nil }

    mutating func endRun() { run = nil }

    /// - Parameter distance: the number of bytes from the start of the last step to the start of
    ///   this one; nil if this step cannot continue the last one.
    mutating func record(_ step: Step, of run: Run, distance: Int?) {
      undone = []
      if let distance, let last = done.indices.last, done[last].append(step, distance: distance) {
        self.run = run
        return
      }
      done.append(step)
      if done.count > Self.limit { done.removeFirst() }
      self.run = run == .paste ? nil : run
    }

    var canUndo: Bool { !done.isEmpty }

    mutating func undo() -> Step? {
      run = nil
      guard let step = done.popLast() else { return nil }
      undone.append(step)
      return step
    }

    mutating func redo() -> Step? {
      run = nil
      guard let step = undone.popLast() else { return nil }
      done.append(step)
      return step
    }
  }
}

extension String {
  /// Returns this string followed by another, both in NFC, in NFC.
  fileprivate func composed(with other: String) -> String {
    // No scalar below U+0300 composes with the one before it.
    guard let first = other.unicodeScalars.first, first.value >= 0x300, let last else {
      return self + other
    }
    let seam = utf8.index(endIndex, offsetBy: -last.utf8.count)
    let end = other.index(after: other.startIndex)
    var text = String(self[..<seam])
    text.reserveCapacity(utf8.count + other.utf8.count)
    text += (String(self[seam...]) + other[..<end]).nfc
    text += other[end...]
    return text
  }
}

extension StringProtocol {
  /// Returns the length in UTF-8 bytes of the scalars that both strings begin with.
  fileprivate func commonPrefix(with other: String) -> Int {
    count(of: zip(unicodeScalars, other.unicodeScalars))
  }

  /// Returns the length in UTF-8 bytes of the scalars that both strings end with.
  fileprivate func commonSuffix(with other: String) -> Int {
    count(of: zip(unicodeScalars.reversed(), other.unicodeScalars.reversed()))
  }

  private func count(of pairs: some Sequence<(Unicode.Scalar, Unicode.Scalar)>) -> Int {
    var count = 0
    for (one, other) in pairs {
      guard one == other else { break }
      count += UTF8.width(one)
    }
    return count
  }
}
