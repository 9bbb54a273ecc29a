import Text

extension TextArea {
  /// Puts typed or pasted text in at the cursor.
  mutating func insert(_ text: String) {
    edit(place..<place, with: text.written, as: .paste)
  }

  /// Changes the text, normalised where it meets what stays, and puts the cursor
  /// behind what was put in.
  mutating func edit(_ range: Range<Place>, with written: String, as run: History.Run) {
    guard !range.isEmpty || !written.isEmpty else { return }
    let (start, end) = (range.lowerBound, range.upperBound)
    // Nothing composes across the bounds of a cluster (UAX #29), so one each way is all
    // that can change.
    let before = lines[start.line].text
      .bytes(lines[start.line].previous(before: start.offset)..<start.offset)
    let after = lines[end.line].text
      .bytes(end.offset..<lines[end.line].next(after: end.offset))
    let head = String(before).composed(with: written)
    let new = head.composed(with: String(after))

    // What is really changed.
    let early = before.commonPrefix(with: new)
    let late = min(after.commonSuffix(with: new), new.utf8.count - early)
    let from = Place(line: start.line, offset: start.offset - before.utf8.count)
    let first = Place(line: start.line, offset: from.offset + early)
    let changed = first..<Place(line: end.line, offset: end.offset + after.utf8.count - late)
    var step = History.Step(
      start: first, removed: text(changed),
      inserted: String(new.bytes(early..<new.utf8.count - late)), before: place)
    let distance = history.start(of: run).map { start in
      start < step.start ? byteCount(of: start..<step.start) : -byteCount(of: step.start..<start)
    }
    replace(changed, with: step.inserted)

    // Where what stood after the cursor now belongs to what is before it, it goes behind.
    let same = head.commonPrefix(with: new)
    let isComposed = same < head.utf8.count
    var cursor = from.advanced(by: new.bytes(..<same))
    cursor.offset = lines[cursor.line].boundary(from: cursor.offset + (isComposed ? 1 : 0))
    stand(at: cursor)

    // The step reaches as far as the cursor, so that the next of its run touches it.
    let reach = step.start.advanced(by: step.inserted)
    if reach < cursor {
      step.removed += text(reach..<cursor)
      step.inserted += text(reach..<cursor)
    }
    step.after = cursor
    history.record(step, of: run, distance: distance)
  }

  /// Takes the last run of typing or deletion, or the last paste, back.
  mutating func undo() {
    guard let step = history.undo() else { return }
    replace(step.start..<step.start.advanced(by: step.inserted), with: step.removed)
    stand(at: step.before)
  }

  mutating func redo() {
    guard let step = history.redo() else { return }
    replace(step.start..<step.start.advanced(by: step.removed), with: step.inserted)
    stand(at: step.after)
  }

  /// What was changed, and what was changed back.
  struct History {
    /// What goes on as one step until the cursor is moved, or another begins.
    enum Run { case typing, deletion, paste }

    /// A change: texts as they stood, not as they were typed.
    struct Step {
      var start: Place
      var removed: String
      var inserted: String
      /// The cursor's places.
      var before: Place
      var after: Place

      init(start: Place, removed: String, inserted: String, before: Place) {
        self.start = start
        self.removed = removed
        self.inserted = inserted
        self.before = before
        after = before
      }

      /// Makes one step of this and the next, if that touches the end of what this one
      /// put in.
      ///
      /// - Parameter distance: bytes from the start of this to the start of the next.
      fileprivate mutating func append(_ next: Step, distance: Int) -> Bool {
        let own = inserted.utf8.count - distance
        guard own >= 0, own <= next.removed.utf8.count else { return false }
        // What the next took beyond what this one put in was there before.
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
    /// What the last step may go on with.
    private var run: Run?

    /// Where the last step began, if more of a run belongs to it.
    func start(of run: Run) -> Place? { run == self.run ? done.last?.start : nil }

    mutating func endRun() { run = nil }

    /// - Parameter distance: bytes from the start of the step that this belongs to.
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
  /// This text as the area keeps it: in NFC, without NUL, and every CR LF and CR a
  /// line feed.
  var written: String {
    guard utf8.contains(where: { $0 == 0x00 || $0 == 0x0D }) else { return nfc }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var wasReturn = false
    for byte in utf8 where byte != 0x00 {
      if byte != 0x0A || !wasReturn { bytes.append(byte == 0x0D ? 0x0A : byte) }
      wasReturn = byte == 0x0D
    }
    return String(decoding: bytes, as: UTF8.self).nfc
  }

  /// This text and another, both in NFC, as one in NFC.
  fileprivate func composed(with other: String) -> String {
    // Below U+0300 nothing composes with what stands before it.
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
  /// UTF-8 bytes of the scalars that both texts begin with.
  fileprivate func commonPrefix(with other: String) -> Int {
    count(of: zip(unicodeScalars, other.unicodeScalars))
  }

  /// UTF-8 bytes of the scalars that both texts end with.
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
