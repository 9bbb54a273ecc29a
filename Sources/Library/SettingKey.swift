import Text

/// The name of a setting in the library.
public enum SettingKey: String, CaseIterable, Sendable {
  case theme, layout, language
  case arabicNames
  /// A plan to finish the book: see `KhatmPlan`.
  case khatm

  /// The values that the setting can have; empty if they are not names.
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
  case terminal, light, dark, sepia, oasis, contrast

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
  /// Ayahs run on as prose, a paragraph for each ruku, their numbers within.
  case flow
}
