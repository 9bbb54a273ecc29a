import Editions
import FoundationEssentials
import Library
import Quran

/// Fills a library: every ayah a favourite, 20,000 notes, and the first surahs read.
/// The same each time, but for the ids of the notes.
func seed(_ path: String) throws(LibraryFailure) {
  let library = try Library.open(path, at: epoch).library
  var now = epoch
  func commit(_ changes: [Change]) throws(LibraryFailure) {
    now += 60_000
    try library.commit(changes, at: now)
  }
  try commit((AyahID.first...AyahID.last).map { .setFavorite($0, true) })

  var numbers = Numbers()
  for _ in 0..<200 {
    try commit(
      (0..<100).map { _ in
        let ayah = AyahID(index: numbers.next(below: AyahID.count) + 1) ?? .first
        return .addNote(UUID(), ayah, noteText(on: ayah, &numbers))
      })
  }
  // The surah read last is at the top of the list, where the reader's first screen shows it.
  for surah in (2...30).reversed() {
    guard let surah = SurahNumber(surah) else { continue }
    try commit([.advance(surah, to: surah.ayahCount * 2 / 3)])
  }
  library.close()
}

/// Mostly a line or some, now and then pages.
func noteText(on ayah: AyahID, _ numbers: inout Numbers) -> NoteText {
  let openings = ["Ghi nhớ", "Xem lại", "Suy ngẫm về", "Đã học thuộc", "Hỏi thầy về", "So với"]
  var text = "\(openings[numbers.next(below: openings.count)]) \(ayah)"
  let paragraphs = numbers.next(below: 50) == 0 ? 40 : numbers.next(below: 4)
  for _ in 0..<paragraphs {
    let quoted = AyahID(index: numbers.next(below: AyahID.count) + 1) ?? ayah
    text += "\n" + Edition.bundled.text(of: quoted)
  }
  do {
    return try NoteText(text)
  } catch {
    preconditionFailure("\(error)")
  }
}

/// Numbers that look random, the same in every run (SplitMix64).
struct Numbers {
  private var state: UInt64 = 0

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) >> 1) % limit
  }
}
