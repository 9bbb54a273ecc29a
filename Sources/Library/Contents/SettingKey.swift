import Text

/// The name of a setting in the library.
public enum SettingKey: String, CaseIterable, Sendable {
  /// The theme: see `ThemeName`.
  case theme
  /// The layout of the text: see `PageLayout`.
  case layout
  /// The maximum number of columns of the text: see `TextWidth`.
  case width
  /// Whether a blank row follows each ayah in verse layout.
  case blankRows
  /// Which divisions are marked in the text where they begin: see `DivisionMarks`.
  case marks
  /// The language of the app: see `Language`. It is not stored while it is that of the system.
  case language
  /// Whether the list of surahs shows Arabic names.
  case arabicNames
  /// A plan to finish the book: see `KhatmPlan`.
  case khatm

  /// The allowed values; empty if the setting does not have a fixed set of values, like `width` and
  /// `khatm`.
  public var values: [String] {
    switch self {
    case .theme: ThemeName.allCases.map(\.rawValue)
    case .layout: PageLayout.allCases.map(\.rawValue)
    case .language: [Self.systemLanguage] + Language.allCases.map(\.rawValue)
    case .marks: DivisionMarks.allCases.map(\.rawValue)
    case .arabicNames, .blankRows: ["true", "false"]
    case .width, .khatm: []
    }
  }

  /// The value of `language` for the language of the environment.
  public static let systemLanguage = "system"

  /// The value that applies while the user has set none, as users type it.
  public var defaultValue: String {
    switch self {
    case .theme: ThemeName.terminal.rawValue
    case .layout: PageLayout.verse.rawValue
    case .width: "\(TextWidth.standard)"
    case .blankRows: "false"
    case .marks: DivisionMarks.juz.rawValue
    case .language: Self.systemLanguage
    case .arabicNames: "true"
    case .khatm: "off"
    }
  }

  /// The values that completion offers.
  public var suggestions: [String] {
    switch self {
    case .width: ["60", "72", "100"]
    case .khatm: ["off", "30", "60", "365"]
    default: values
    }
  }

  /// Returns the JSON value that the library stores for one of `values`; nil for `systemLanguage`,
  /// which removes the setting.
  public func stored(_ value: String) -> String? {
    switch self {
    case .language where value == Self.systemLanguage: nil
    case .theme, .layout, .language, .marks: "\"\(value)\""
    case .arabicNames, .blankRows, .width, .khatm: value
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
}

/// The layout of the text, the value of the setting `layout`.
public enum PageLayout: String, CaseIterable, Sendable {
  /// Each ayah begins a row, its number in the margin.
  case verse
  /// Ayahs follow each other as prose, in one paragraph per ruku, with their numbers in the text.
  case flow
}

/// The range and the default of the setting `width`: the maximum length of a line of the text, in
/// columns. Long lines are tiring to read.
public enum TextWidth {
  /// The allowed values.
  public static let columns = 40...200
  /// The value if the setting is not set.
  public static let standard = 72
}

/// The value of the setting `marks`: which divisions of the Quran are marked in the text, at the
/// ayah with which they begin.
public enum DivisionMarks: String, CaseIterable, Sendable {
  /// No marks.
  case off
  /// Juz and hizb.
  case juz
  /// Juz, hizb and the pages of the printed Quran.
  case page
}
