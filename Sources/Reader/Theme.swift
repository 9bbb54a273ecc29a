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

/// How every role looks. Themes are in colours of xterm's palette of 256; a terminal with fewer
/// shows the nearest it has. Attributes carry what must be seen without colour.
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
      (ink, paper, faint, accent) = (.palette(235), .palette(231), .palette(242), .palette(22))
      mark = (.palette(235), .palette(222))
      chosen = (.palette(22), .palette(194))
      warning = .palette(124)
    case .dark:
      (ink, paper, faint, accent) = (.palette(253), .palette(233), .palette(246), .palette(115))
      mark = (.palette(233), .palette(179))
      chosen = (.palette(255), .palette(23))
      warning = .palette(210)
    case .sepia:
      (ink, paper, faint, accent) = (.palette(237), .palette(230), .palette(95), .palette(94))
      mark = (.palette(237), .palette(222))
      chosen = (.palette(236), .palette(187))
      warning = .palette(124)
    case .oasis:
      (ink, paper, faint, accent) = (.palette(231), .palette(23), .palette(152), .palette(222))
      mark = (.palette(16), .palette(222))
      chosen = (.palette(16), .palette(115))
      warning = .palette(224)
    case .contrast:
      (ink, paper, faint, accent) = (.palette(231), .palette(16), .palette(231), .palette(226))
      mark = (.palette(16), .palette(226))
      chosen = (.palette(16), .palette(231))
      warning = .palette(210)
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

extension Style {
  var underlined: Style { with(.underline) }
  var reversed: Style { with(.reverse) }
  var bolder: Style { with(.bold) }

  private func with(_ attribute: Attributes) -> Style {
    var style = self
    style.attributes.insert(attribute)
    return style
  }
}
