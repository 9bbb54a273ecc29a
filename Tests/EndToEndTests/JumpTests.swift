import Testing

/// The keys that move back and forth through the user's jumps, in a real terminal.
@Suite(.serialized) struct JumpTests {
  @Test(arguments: [Size(80, 24), Size(40, 12)])
  func jumpsAreKeptAcrossARestart(size: Size) throws {
    let home = try Home()
    do {
      let tmux = try Tmux(reader: [], in: home, size: size)
      // The library is open.
      try tmux.wait(for: "8 rồi i")
      for (reference, ayah) in [("20:50", 50), ("2:255", 255), ("36:5", 5)] {
        try tmux.type("g\(reference)")
        try tmux.press("Enter")
        try tmux.wait(for: reference) { $0.cursorAyah == ayah }
      }
      try tmux.press("C-o")
      try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
      try tmux.press("C-o")
      try tmux.wait(for: "20:50") { $0.cursorAyah == 50 }
      try tmux.press("M-o")
      try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
      try tmux.type("''")
      try tmux.wait(for: "20:50") { $0.cursorAyah == 50 }
      try tmux.type("g:135")
      try tmux.press("Enter")
      try tmux.wait(for: "20:135") { $0.cursorAyah == 135 }
      try tmux.close()
    }
    let tmux = try Tmux(reader: [], in: home, size: size)
    try tmux.wait(for: "the place of reading") { $0.contains("20:50") }
    try tmux.press("Enter")
    try tmux.wait(for: "20:50") { $0.cursorAyah == 50 }
    try tmux.press("C-o")
    try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
    try tmux.press("C-o")
    try tmux.wait(for: "no earlier place") { $0.contains("Không còn chỗ nào trước đó") }
    try tmux.close()
  }
}
