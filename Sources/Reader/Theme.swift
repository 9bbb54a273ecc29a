public import Terminal

/// What a piece of text is, which decides how it looks.
public enum Role: Sendable, CaseIterable {
  case text
  /// Secondary: places, counts, hints.
  case faint
  /// Names of surahs, titles.
  case title
  /// Numbers of ayahs.
  case number
  /// Hearts, pens and bars of progress.
  case mark
  /// The sign of prostration.
  case sign
  /// The bar beside the ayah under the cursor.
  case bar
  /// The selected row of a list.
  case selection
  case rule
  case basmala
  /// Words that a search found.
  case hit
  case message
  case error
}

/// How every role looks. Themes are in 24-bit colour; the terminal shows the
/// nearest it has. Attributes carry what must be seen without colour.
public struct Theme: Sendable, Hashable {
  public enum ID: String, CaseIterable, Sendable {
    case terminal, light, dark, sepia, oasis, contrast

    var next: ID {
      let all = Self.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  public let id: ID
  private let ink: Color
  private let paper: Color
  private let faint: Color
  private let accent: Color
  private let mark: (Color, on: Color)
  private let chosen: (Color, on: Color)
  private let warning: Color

  public init(_ id: ID) {
    self.id = id
    switch id {
    case .terminal:
      (ink, paper, faint, accent) = (.standard, .standard, .standard, .standard)
      mark = (.palette(0), .palette(3))
      chosen = (.standard, .standard)
      warning = .palette(1)
    case .light:
      (ink, paper, faint, accent) = (.hex(0x1F2328), .hex(0xFFFFFF), .hex(0x656D76), .hex(0x0A5C36))
      mark = (.hex(0x1F2328), .hex(0xFFE08A))
      chosen = (.hex(0x0A3D24), .hex(0xDDEFE4))
      warning = .hex(0xB3261E)
    case .dark:
      (ink, paper, faint, accent) = (.hex(0xD6D9DE), .hex(0x14171C), .hex(0x8A929E), .hex(0x7FC8A0))
      mark = (.hex(0x14171C), .hex(0xE3C26B))
      chosen = (.hex(0xF2F5F3), .hex(0x27463A))
      warning = .hex(0xFF8F80)
    case .sepia:
      (ink, paper, faint, accent) = (.hex(0x4A3726), .hex(0xF6ECD9), .hex(0x7D6A55), .hex(0x8A4B16))
      mark = (.hex(0x4A3726), .hex(0xF0CC74))
      chosen = (.hex(0x3C2B1C), .hex(0xE6D3B1))
      warning = .hex(0xA3291C)
    case .oasis:
      (ink, paper, faint, accent) = (.hex(0xE3EEE9), .hex(0x0F3531), .hex(0x93B7AC), .hex(0xE6C877))
      mark = (.hex(0x0F3531), .hex(0xE6C877))
      chosen = (.hex(0xFFFFFF), .hex(0x1F5C54))
      warning = .hex(0xFFB09C)
    case .contrast:
      (ink, paper, faint, accent) = (.hex(0xFFFFFF), .hex(0x000000), .hex(0xFFFFFF), .hex(0xFFFF00))
      mark = (.hex(0x000000), .hex(0xFFFF00))
      chosen = (.hex(0x000000), .hex(0xFFFFFF))
      warning = .hex(0xFF8080)
    }
  }

  public subscript(role: Role) -> Style {
    switch role {
    case .text: Style(ink, on: paper)
    case .faint, .rule: Style(faint, on: paper, id == .terminal ? .dim : [])
    case .title: Style(accent, on: paper, .bold)
    case .number, .sign, .mark: Style(accent, on: paper)
    case .bar: Style(accent, on: paper, .bold)
    case .selection: Style(chosen.0, on: chosen.on, id == .terminal ? .reverse : .bold)
    case .basmala: Style(accent, on: paper, .italic)
    case .hit: Style(mark.0, on: mark.on, .underline)
    case .message: Style(accent, on: paper)
    case .error: Style(warning, on: paper, .bold)
    }
  }

  public static func == (a: Theme, b: Theme) -> Bool { a.id == b.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
