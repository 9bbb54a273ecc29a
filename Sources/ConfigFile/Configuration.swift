/// What `config.toml` sets for this machine. The program never writes that file.
///
///     let (configuration, problems) = Configuration.parse("mouse = \"off\"\ncolour = 1")
///     configuration.mouse   // false
///     problems              // [.unknownKey("colour")]
///
/// Whatever the file holds, there is a configuration: what could not be understood
/// keeps its default, and is told of.
public struct Configuration: Sendable, Hashable {
  /// Whether the mouse is asked for: `mouse = "off"`.
  public var mouse = true
  /// The command that edits notes, before `$VISUAL` and `$EDITOR`: `editor = "nano"`.
  public var editor: String?
  /// How long an Esc may be the start of a key's sequence, in milliseconds, 0 to 1000:
  /// `escape-delay = 25`.
  public var escapeDelay: Int?
  /// The keys of actions, by name: `favorite = ["f", "F2"]` in `[keys]`; none where an
  /// action is to have no key. The names are as they were written: whoever has the table
  /// of keys knows which there are.
  public var keys: [String: [String]] = [:]

  public init() {}

  /// Something in the file that could not be understood.
  public enum Problem: Hashable, Sendable {
    /// The file is no TOML: all defaults apply.
    ///
    /// - Parameters:
    ///   - line: counted from one.
    ///   - reason: the parser's own words, English, one line.
    case syntax(line: Int, reason: String)
    /// The file cannot be read: all defaults apply.
    ///
    /// - Parameter code: what `errno` was.
    case unreadable(code: Int32)
    /// The file is not UTF-8, or holds a NUL: all defaults apply.
    case notText
    /// The file has more than `largestSize` bytes: all defaults apply.
    case tooLarge
    /// There is no such key, as `colour` or `keys2.x`.
    case unknownKey(String)
    /// The value of a key is not one that it takes: its default applies.
    ///
    /// - Parameter expected: values that it takes, as TOML writes them.
    case badValue(String, expected: [String])
  }
}
