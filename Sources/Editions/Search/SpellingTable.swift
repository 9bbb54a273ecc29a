/// A hash table that gives each distinct spelling of a word a number: the first spelling gets 0,
/// the second one 1, and so on.
///
/// A `Dictionary` with strings as keys would allocate a string for every word that is looked up.
struct SpellingTable {
  /// The UTF-8 of all spellings.
  private var bytes: [UInt8] = []
  /// The end of each spelling in `bytes`.
  private var ends: [Int] = []
  /// A hash table with linear probing: the number of a spelling plus one, or zero. Its size is a
  /// power of two, and at least twice the number of spellings.
  private var slots = [UInt32](repeating: 0, count: 1024)

  /// Returns the number of a spelling, which is added if it is not in the table.
  mutating func number(of spelling: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let slot = slot(of: spelling)
    guard slots[slot] == 0 else { return (Int(slots[slot]) - 1, false) }
    bytes += spelling
    ends.append(bytes.count)
    slots[slot] = UInt32(ends.count)
    if ends.count * 2 > slots.count { grow() }
    return (ends.count - 1, true)
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for number in ends.indices {
      let slot = bytes.withUnsafeBytes { bytes in
        self.slot(of: UnsafeRawBufferPointer(rebasing: bytes[range(of: number)]))
      }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// The slot of a spelling, or the free one in which to add it.
  private func slot(of spelling: UnsafeRawBufferPointer) -> Int {
    // With a random seed, so that no text can be made of words with equal hashes.
    var hasher = Hasher()
    hasher.combine(bytes: spelling)
    var slot = hasher.finalize() & (slots.count - 1)
    bytes.withUnsafeBytes { bytes in
      while slots[slot] != 0, !bytes[range(of: Int(slots[slot]) - 1)].elementsEqual(spelling) {
        slot = (slot + 1) & (slots.count - 1)
      }
    }
    return slot
  }

  private func range(of number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }
}
