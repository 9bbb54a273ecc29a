/// The settings in `config.toml`, which apply to this machine. The program never writes this file.
///
///     let (configuration, problems) = Configuration.parse("mouse = \"off\"\ncolour = 1")
///     configuration.mouse   // false
///     problems              // [.unknownKey("colour")]
///
/// Parsing always produces a configuration: an invalid setting has its default value and is
/// reported as a problem.
public struct Configuration: Sendable, Hashable {
  /// Whether to request mouse events: `mouse = "off"`.
  public var mouse = true
  /// How Arabic is drawn: `arabic = "shaped"`.
  public var arabic = Arabic.auto
  /// The command that edits notes, as in `editor = "nano"`. It has precedence over `$VISUAL` and
  /// `$EDITOR`.
  public var editor: String?
  /// The time in milliseconds during which an Esc can be the start of a sequence, 0…1000:
  /// `escape-delay = 25`.
  public var escapeDelay: Int?
  /// The key names for each action in `[keys]`: `favorite = ["f", "F2"]`. An empty array removes
  /// the keys of the action. Neither the actions nor the key names are checked here.
  public var keys: [String: [String]] = [:]

  /// The ways to draw Arabic.
  public enum Arabic: String, CaseIterable, Sendable {
    /// The program chooses the way that suits the terminal.
    case auto
    /// The terminal reorders and joins the letters.
    case terminal
    /// The program reorders and joins the letters.
    case shaped
    /// Arabic is not shown.
    case off
  }

  /// Creates the default configuration.
  public init() {}

  /// A reason why the file is not valid TOML.
  public enum SyntaxError: Error, Hashable, Sendable {
    /// An error of the TOML parser.
    ///
    /// - Parameter reason: The message of the parser in English, on one line.
    case parser(reason: String)
    /// A character that cannot be at this position.
    case unexpected(Unicode.Scalar)
    /// More brackets or dots than `limit` are nested.
    case tooDeep(limit: Int)
    /// The header of a table does not have a name.
    case missingTableName
    /// A date is followed by an incomplete time.
    case incompleteTime
    /// A string contains U+0000.
    case nullCharacter
  }

  /// A problem in the file.
  public enum Problem: Hashable, Sendable {
    /// The file is not valid TOML. All settings have their defaults.
    ///
    /// - Parameters:
    ///   - line: The one-based line.
    ///   - error: The error.
    case syntax(line: Int, SyntaxError)
    /// The file cannot be read. All settings have their defaults.
    ///
    /// - Parameter code: The value of `errno`.
    case unreadable(code: Int32)
    /// The file is not UTF-8 or contains NUL. All settings have their defaults.
    case notUTF8
    /// The file has more than `largestSize` bytes. All settings have their defaults.
    case tooLarge
    /// A key is unknown, such as `colour` or `keys2.x`.
    case unknownKey(String)
    /// A value is invalid. The setting has its default.
    ///
    /// - Parameter expected: Valid values in TOML syntax.
    case badValue(String, expected: [String])
  }
}
