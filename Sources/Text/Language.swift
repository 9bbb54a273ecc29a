/// A language of the user interface.
public enum Language: String, CaseIterable, Sendable {
  case vietnamese = "vi"
  case english = "en"

  /// The language of a process environment: that of the first nonempty variable of `LC_ALL`,
  /// `LC_MESSAGES` and `LANG`. The result is Vietnamese if the value begins with `vi` or no
  /// variable is set, and English otherwise. The locale does not have to be installed.
  public init(environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    self = locale.map { $0.lowercased().hasPrefix("vi") } ?? true ? .vietnamese : .english
  }
}
