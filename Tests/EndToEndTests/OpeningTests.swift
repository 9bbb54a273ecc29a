import Testing

/// A reference opens the same ayah as an argument and after the key `g`.
@Suite(.serialized) struct OpeningTests {
  static let places = [
    "2 255": "2:255", "2:255": "2:255", "baqarah 255": "2:255", "ya sin": "36:1", "36": "36:1",
    "juz 30": "78:1", "trang 604": "page 604", "quranvn://surah/2/ayah/255": "2:255",
  ]

  private func position(_ name: String) throws -> (surah: Int, ayah: Int) {
    let reference = name == "page 604" ? try Book.firstAyah(ofPage: 604) : name
    let numbers = reference.split(separator: ":").compactMap { Int($0) }
    return (numbers[0], numbers[1])
  }

  private func expect(_ tmux: Tmux, opens name: String) throws {
    let place = try position(name)
    let start = String(Book.text(of: "\(place.surah):\(place.ayah)").prefix(12))
    try tmux.wait(for: "\(name) under the cursor") { screen in
      screen.cursorAyah == place.ayah && screen.contains("▌", start)
        && screen.rows[0].hasPrefix(" \(place.surah) ")
    }
  }

  @Test(arguments: places.keys.sorted()) func anArgumentOpensItsAyah(text: String) throws {
    let tmux = try Tmux(reader: [text], in: Home())
    try expect(tmux, opens: Self.places[text]!)
    try tmux.close()
  }

  @Test func goToOpensTheSameAyahs() throws {
    let tmux = try Tmux(reader: ["50:1"], in: Home())
    try tmux.wait(for: "50:1") { $0.cursorAyah == 1 }
    for (text, name) in Self.places.sorted(by: { $0.key < $1.key }) {
      try tmux.type("g")
      try tmux.type(text)
      try tmux.press("Enter")
      try expect(tmux, opens: name)
      // Each jump starts from 50:1 and so changes the ayah.
      try tmux.type("g50:1")
      try tmux.press("Enter")
      try expect(tmux, opens: "50:1")
    }
  }

  @Test func anInvalidReferenceIsReportedAndNothingMoves() throws {
    let tmux = try Tmux(reader: ["2:255"], in: Home())
    try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
    let absent = "Không có câu 2:300; chương 2 (Al-Baqarah) có 286 câu."
    for (text, reason) in [("2:300", absent), (":300", absent), ("zzz", "Không hiểu “zzz”;")] {
      try tmux.type("g")
      try tmux.type(text)
      try tmux.press("Enter")
      try tmux.wait(for: reason)
      try tmux.press("Escape")
      let screen = try tmux.settled()
      #expect(screen.cursorAyah == 255 && screen.rows[0].hasPrefix(" 2 "), "\(screen)")
    }
  }
}
