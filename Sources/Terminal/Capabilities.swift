import CNcurses

/// What a terminal can do, from terminfo and the environment.
struct Capabilities: Sendable {
  enum ColorDepth: Int, Comparable, Sendable {
    case none, eight, sixteen, palette, direct

    static func < (a: ColorDepth, b: ColorDepth) -> Bool { a.rawValue < b.rawValue }
  }

  var colors = ColorDepth.none
  /// Whether styles are written as ECMA-48 SGR; a terminal that takes none gets none.
  var hasStyles = true
  /// Whether clearing fills with the current background.
  var clearsInBackground = false
  /// Whether frames are wrapped in synchronized-output brackets (mode 2026).
  var synchronizes = false
  /// Whether it answers the sequences of xterm for mouse and paste.
  var isXtermLike = true
  var enter = ""
  var leave = ""
  var clear = "\u{1B}[H\u{1B}[2J"
  var clearToEndOfLine = "\u{1B}[K"
  var hideCursor = "\u{1B}[?25l"
  var showCursor = "\u{1B}[?25h"
  /// Terminfo's `cup`, or nil for ECMA-48's.
  var moveCursor: String?
  /// What special keys send.
  var keys: [[UInt8]: Key] = [:]
  /// Size for a terminal whose driver does not know it.
  var size = Size(rows: 24, columns: 80)

  /// Reads terminfo. Nil where the terminal is unknown, or cannot move its cursor.
  init?(environment: [String: String], output: Int32, mouse: Bool) {
    guard let term = Self.load(environment, output) else { return nil }
    guard let cup = Self.string("cup") else { return nil }
    moveCursor = cup == "\u{1B}[%i%p1%d;%p2%dH" ? nil : cup
    hasStyles = Self.string("sgr0")?.contains("\u{1B}[") ?? false
    isXtermLike = hasStyles && term != "linux" && Self.string("smcup") != nil
    clearsInBackground = terminfo_flag("bce")
    clear = Self.string("clear") ?? clear
    clearToEndOfLine = Self.string("el") ?? ""
    hideCursor = Self.string("civis") ?? ""
    showCursor = Self.string("cnorm") ?? ""
    size = Size(
      rows: max(Int(terminfo_number("lines")), 24), columns: max(Int(terminfo_number("cols")), 80))
    colors = Self.depth(environment)
    synchronizes = Self.synchronizes(environment)
    for (name, code) in Self.keyNames {
      if let sequence = Self.string(name), sequence.utf8.first == 0x1B {
        keys[Array(sequence.utf8)] = Key(code)
      }
    }
    // Without wrapping, no cluster drawn wider than expected reaches the next row.
    enter = (Self.string("smcup") ?? "") + (Self.string("rmam") ?? "") + hideCursor
    leave = (Self.string("sgr0") ?? "") + (Self.string("smam") ?? "")
    if isXtermLike {
      enter += "\u{1B}[?2004h" + (mouse ? "\u{1B}[?1000h\u{1B}[?1006h" : "")
      leave += "\u{1B}[?2004l" + (mouse ? "\u{1B}[?1006l\u{1B}[?1000l" : "")
    }
    leave += showCursor + (Self.string("rmcup") ?? clear)
  }

  /// For tests: an xterm of that many colours.
  init(colors: ColorDepth) {
    self.colors = colors
    clearsInBackground = true
  }

  /// Loads the description of `TERM`, or that of xterm where a terminal of its
  /// kind is unknown on this machine, as over SSH.
  private static func load(_ environment: [String: String], _ output: Int32) -> String? {
    guard let term = environment["TERM"], !term.isEmpty, term != "dumb" else { return nil }
    if terminfo_load(term, output) { return term }
    let isModern = ["xterm", "tmux", "screen", "alacritty", "foot", "kitty", "wezterm", "ghostty"]
      .contains { term.contains($0) }
    return isModern && terminfo_load("xterm-256color", output) ? "xterm-256color" : nil
  }

  private static func string(_ name: String) -> String? {
    guard let value = terminfo_string(name), value.pointee != 0 else { return nil }
    return withoutPadding(String(cString: value))
  }

  /// Terminfo's `$<5>` marks ask for a pause that no terminal of today needs.
  private static func withoutPadding(_ sequence: String) -> String {
    guard sequence.utf8.contains(UInt8(ascii: "$")), let start = sequence.firstRange(of: "$<")
    else { return sequence }
    guard let end = sequence[start.upperBound...].firstIndex(of: ">") else { return sequence }
    return sequence[..<start.lowerBound]
      + withoutPadding(String(sequence[sequence.index(after: end)...]))
  }

  private static func depth(_ environment: [String: String]) -> ColorDepth {
    // https://no-color.org: any value but the empty one.
    if environment["NO_COLOR"]?.isEmpty == false { return .none }
    if terminfo_flag("RGB") || terminfo_flag("Tc")
      || ["truecolor", "24bit"].contains(environment["COLORTERM"])
    {
      return .direct
    }
    switch terminfo_number("colors") {
    case 256...: return .palette
    case 16...: return .sixteen
    case 8...: return .eight
    default: return .none
    }
  }

  /// Mode 2026 is ignored by terminals that lack it, so this is a courtesy to
  /// slow lines: it is asked for where terminfo or the terminal's name says so.
  private static func synchronizes(_ environment: [String: String]) -> Bool {
    if string("Sync") != nil { return true }
    if let vte = environment["VTE_VERSION"].flatMap({ Int($0) }), vte >= 6800 { return true }
    let names = [
      "alacritty", "contour", "foot", "ghostty", "iterm", "wezterm", "xterm-kitty", "xterm-ghostty",
    ]
    return [environment["TERM"], environment["TERM_PROGRAM"]].compactMap { $0?.lowercased() }
      .contains { name in names.contains { name.hasPrefix($0) } }
  }

  private static let keyNames: [(String, Key.Code)] = [
    ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("khome", .home),
    ("kend", .end), ("kpp", .pageUp), ("knp", .pageDown), ("kdch1", .delete), ("kich1", .insert),
    ("kent", .enter), ("kf1", .function(1)), ("kf2", .function(2)), ("kf3", .function(3)),
    ("kf4", .function(4)), ("kf5", .function(5)), ("kf6", .function(6)), ("kf7", .function(7)),
    ("kf8", .function(8)), ("kf9", .function(9)), ("kf10", .function(10)),
    ("kf11", .function(11)), ("kf12", .function(12)),
  ]
}
