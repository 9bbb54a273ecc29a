public import Editions
import Glibc
public import Library
import Messages
import Quran
import Text

/// The facts about the terminal, from the `Terminal` module.
public struct TerminalFacts: Sendable {
  /// The value of `TERM`.
  public let name: String
  /// Whether the terminal can show a full-screen interface.
  public let canDraw: Bool
  /// The number of colours to use; 0 for none.
  public let colors: Int
  /// How Arabic is shown.
  public let arabic: ArabicFacts

  public init(name: String, canDraw: Bool, colors: Int, arabic: ArabicFacts) {
    self.name = name
    self.canDraw = canDraw
    self.colors = colors
    self.arabic = arabic
  }
}

/// The result of reading the configuration file.
public struct ConfigurationFacts: Sendable {
  /// The path of the file, which may not exist; nil if the environment names no home directory.
  public let path: String?
  /// A sentence for each problem in the file; empty if there is none.
  public let problems: [String]

  public init(path: String?, problems: [String]) {
    self.path = path
    self.problems = problems
  }
}

/// How Arabic is shown, and samples by which the user can find out which way suits the terminal.
public struct ArabicFacts: Sendable {
  /// A way to show Arabic, and a text that is shown in this way. All samples have the same text.
  public struct Sample: Sendable {
    /// The value of `arabic` in the configuration file.
    public let value: String
    public let text: String

    public init(value: String, text: String) {
      self.value = value
      self.text = text
    }
  }

  /// The setting for Arabic. It does not contain the user's choice, which is read from the library
  /// later.
  public let setting: ArabicSetting
  public let samples: [Sample]

  public init(setting: ArabicSetting, samples: [Sample]) {
    self.setting = setting
    self.samples = samples
  }
}

private struct Check: Encodable {
  /// The identifier of the check in the JSON output, independent of the language.
  let id: String
  let name: String
  let ok: Bool
  let found: String
}

// `quran-vi doctor`
extension CommandContext {
  /// Checks everything that the reader depends on, and prints the results.
  ///
  /// - Parameters:
  ///   - version: The version of the program.
  ///   - terminal: The facts about the terminal.
  ///   - configuration: The facts about the configuration file.
  ///   - texts: The editions of which every ayah is checked. For all installed editions, it is also
  ///     checked whether their files can be opened.
  /// - Throws: Status 3 if a check fails.
  public func checkInstallation(
    version: String, terminal: TerminalFacts, configuration: ConfigurationFacts, texts: [Edition]
  ) throws(CommandFailure) {
    let checks = checks(version, terminal, configuration, texts)
    if asJSON {
      try console.json(checks)
    } else {
      for check in checks {
        try console.line("\(check.ok ? "✓" : "✗") \(check.name): \(check.found)")
      }
      if console.isTerminal {
        try console.line(messages.doctorArabicSamples)
        try console.lines(terminal.arabic.samples.map { "  \($0.value)  \($0.text)" })
      }
    }
    if let wrong = checks.first(where: { !$0.ok }) {
      throw CommandFailure(.badData, "\(wrong.name): \(wrong.found)")
    }
  }

  private func checks(
    _ version: String, _ terminal: TerminalFacts, _ configuration: ConfigurationFacts,
    _ texts: [Edition]
  ) -> [Check] {
    var checks = [
      Check(id: "version", name: messages.doctorVersion, ok: true, found: version),
      Check(
        id: "language", name: messages.doctorLanguage, ok: true, found: messages.language.rawValue),
      Check(
        id: "configuration", name: messages.doctorConfiguration,
        ok: configuration.problems.isEmpty,
        found: ([configuration.path ?? "–"] + configuration.problems).joined(separator: " – ")),
    ]
    for edition in texts {
      let damaged = (AyahID.first...AyahID.last).first {
        let bytes = edition.bytes(of: $0)
        return bytes.isEmpty || String(validating: bytes, as: UTF8.self) == nil
      }
      checks.append(
        Check(
          id: "text", name: messages.doctorText(edition.info.id), ok: damaged == nil,
          found: damaged.map { messages.doctorDamaged("\($0)") } ?? messages.ayahCount(AyahID.count)
        ))
    }
    for item in (try? editions.list()) ?? [] {
      guard case .failure(let failure) = item.info else { continue }
      checks.append(
        Check(
          id: "text", name: messages.doctorText(item.id.sanitizedLine), ok: false,
          found: messages.explain(failure)))
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    let isUTF8 = locale.map { $0.lowercased().contains("utf") } ?? true
    checks.append(
      Check(
        id: "locale", name: messages.doctorLocale, ok: true,
        found: (locale ?? "–") + (isUTF8 ? "" : " – \(messages.doctorNotUTF8)")))
    let name = terminal.name.isEmpty ? "–" : terminal.name
    let size = console.isTerminal ? ", \(messages.columns(console.columns))" : ""
    checks.append(
      Check(
        id: "terminal", name: messages.doctorTerminal, ok: true,
        found: terminal.canDraw
          ? "\(name)\(size), \(messages.doctorColors(terminal.colors))"
          : "\(name) – \(messages.doctorPlainOnly)"))
    var arabic = terminal.arabic.setting
    let library = libraryPath.flatMap {
      hasLibraryFile || isLibrarySpecified ? check(library: $0) : nil
    }
    arabic.readChoice(from: library?.device ?? [:])
    checks.append(
      Check(
        id: "arabic", name: messages.doctorArabic, ok: true,
        found: "\(arabic.mode.rawValue) – \(messages.explain(arabic))"))
    checks.append(
      Check(
        id: "clipboard", name: messages.doctorClipboard, ok: true,
        found: Clipboard(environment: environment)?.command.joined(separator: " ")
          ?? messages.doctorTerminalClipboard))
    checks.append(check(directory: libraryPath.map { Directory.containing($0) }))
    if let library { checks.append(library.check) }
    return checks
  }

  /// Checks whether the library can be read. Also returns the values that the library stores for
  /// this device only; they are empty if it cannot be read.
  private func check(library path: String) -> (check: Check, device: [String: String]) {
    let name = messages.doctorLibrary
    do {
      let (library, snapshot) = try openForReading()
      library.close()
      return (Check(id: "library", name: name, ok: true, found: path), snapshot.device)
    } catch {
      return (Check(id: "library", name: name, ok: false, found: error.message), [:])
    }
  }

  /// Checks whether a directory can be written, or created if it does not exist yet.
  private func check(directory: String?) -> Check {
    guard let directory else {
      return Check(id: "data", name: messages.doctorData, ok: false, found: messages.noHome)
    }
    var existing = directory
    while existing != "/", access(existing, F_OK) != 0 {
      existing = Directory.containing(existing)
    }
    // The trailing dot makes the check fail if a file has the name of the directory.
    let isWritable = access(existing + "/.", W_OK | X_OK) == 0
    return Check(
      id: "data", name: messages.doctorData, ok: isWritable,
      found: isWritable ? directory : "\(directory) – \(messages.doctorReadOnly)")
  }
}
