/// A language the program speaks.
public enum Language: String, CaseIterable, Sendable {
  case vietnamese = "vi"
  case english = "en"

  /// The language that the environment asks for: the first of `LC_ALL`,
  /// `LC_MESSAGES` and `LANG` that is set. Vietnamese, or nothing, is Vietnamese;
  /// anything else is English. The names are read as text, since the locales they
  /// name need not be installed.
  public init(environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    self = locale.map { $0.lowercased().hasPrefix("vi") } ?? true ? .vietnamese : .english
  }
}
