public import Library
public import Terminal

/// The role of a piece of text, which decides how it looks.
public enum TextRole: Sendable, CaseIterable {
  case text
  /// Secondary text: places, counts, hints.
  case faint
  /// The names of surahs, and titles.
  case title
  /// The numbers of ayahs.
  case number
  /// Hearts, pens and progress bars.
  case mark
  /// The mark of a footnote.
  case footnote
  /// The sign of prostration.
  case sign
  /// The mark where a juz, a hizb or a page begins.
  case division
  /// The bar beside the ayah under the cursor.
  case bar
  /// The selected row of a list.
  case selection
  case rule
  case basmala
  /// The matches of a search.
  case hit
  case message
  case error
}

/// The styles of all roles. Themes use the colours of xterm's 256-colour palette; a terminal with
/// fewer colours shows the nearest ones. Attributes express what must be seen without colour.
public struct Theme: Sendable, Hashable {
  public let id: ThemeName
  private let ink: Color
  private let paper: Color
  private let faint: Color
  private let accent: Color
  private let mark: (Color, on: Color)
  private let chosen: (Color, on: Color)
  private let warning: Color

  public init(_ id: ThemeName) {
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
      chosen = (.palette(235), .palette(151))
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

  public subscript(role: TextRole) -> Style {
    switch role {
    case .text: Style(ink, on: paper)
    case .faint, .rule, .division: Style(faint, on: paper, id == .terminal ? .dim : [])
    case .title: Style(accent, on: paper, .bold)
    case .number, .sign, .mark, .footnote: Style(accent, on: paper)
    case .bar: Style(accent, on: paper, .bold)
    case .selection: Style(chosen.0, on: chosen.on, id == .terminal ? .reverse : .bold)
    case .basmala: Style(accent, on: paper, .italic)
    case .hit: Style(mark.0, on: mark.on, .underlineWithoutColors)
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
