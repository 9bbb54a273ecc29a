import TestSupport
import Testing

/// The screen is drawn in UTF-8 in every locale.
@Suite struct LocaleTests {
  @Test(arguments: [
    "", "LC_ALL=C", "LANG=C", "LC_ALL=xx_YY.UTF-8", "LC_ALL=vi_VN.TCVN5712-1",
    "LC_ALL=fr_FR.ISO-8859-1", "LANG=C.UTF-8 LC_CTYPE=fr_FR.ISO-8859-1", "LC_CTYPE=POSIX",
  ])
  func vietnameseIsDrawnInEveryLocale(locale: String) throws {
    let home = try Home()
    let path = try installLocale(in: home)
    let variables = "-u LANG -u LC_ALL -u LC_CTYPE -u LC_MESSAGES LOCPATH='\(path)' \(locale)"
    let tmux = try Tmux("exec env \(variables) \(Program.reader().quoted) 2:3", in: home)
    try tmux.wait(for: "the ayah") { $0.cursorAyah == 3 && $0.contains("đức tin") }
    try tmux.type("/đức tin")
    try tmux.wait(for: "what was typed, and found") { screen in
      screen.rows.count { $0.shows("đức tin") } > 1
    }
    try tmux.close()
  }

  /// Installs a locale that is not in UTF-8. Returns its directory, for `LOCPATH`.
  private func installLocale(in home: Home) throws -> String {
    let path = "\(home.path)/locales"
    let name = "fr_FR.ISO-8859-1"
    let environment = home.environment(with: ["LOCPATH": path, "LANG": nil, "LC_ALL": name])
    _ = try Outcome.of(
      Program.installed("mkdir"), [path], environment: home.environment, directory: home.path)
    // The status is ignored: localedef warns of problems in the source of the locale.
    _ = try Outcome.of(
      Program.installed("localedef"),
      ["--no-archive", "-c", "-f", "ISO-8859-1", "-i", "fr_FR", "\(path)/\(name)"],
      environment: home.environment, directory: home.path)
    let map = try Outcome.of(
      Program.installed("locale"), ["charmap"], environment: environment, directory: home.path)
    try #require(map.output == "ISO-8859-1\n", "\(map)")
    return path
  }
}
