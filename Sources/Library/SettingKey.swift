import Text

/// The name of a setting in the library.
public enum SettingKey: String, CaseIterable, Sendable {
  /// The theme: see `ThemeName`.
  case theme
  /// The layout of the text: see `PageLayout`.
  case layout
  /// The language of the app: see `Language`.
  case language
  /// Whether the list of surahs shows Arabic names.
  case arabicNames
  /// A plan to finish the book: see `KhatmPlan`.
  case khatm

  /// The allowed values; empty if the setting does not have a fixed set of values, like `khatm`.
  public var values: [String] {
    switch self {
    case .theme: ThemeName.allCases.map(\.rawValue)
    case .layout: PageLayout.allCases.map(\.rawValue)
    case .language: Language.allCases.map(\.rawValue)
    case .arabicNames: ["true", "false"]
    case .khatm: []
    }
  }
}

/// The name of a theme, the value of the setting `theme`.
public enum ThemeName: String, CaseIterable, Sendable {
  /// The terminal's own colours.
  case terminal
  /// Dark text on white.
  case light
  /// Light text on a nearly black background.
  case dark
  /// Dark text on cream, like old paper.
  case sepia
  /// White text on a dark blue-green background.
  case oasis
  /// High contrast: white and yellow text on black.
  case contrast

  /// The theme after this one; after the last, the first.
  public var next: ThemeName {
    let all = Self.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }
}

/// The layout of the text, the value of the setting `layout`.
public enum PageLayout: String, CaseIterable, Sendable {
  /// Each ayah begins a row, its number in the margin.
  case verse
  /// Ayahs follow each other as prose, in one paragraph per ruku, with their numbers in the text.
  case flow
}
