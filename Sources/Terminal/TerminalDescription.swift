import Glibc

/// What is known of the terminal without drawing on it.
public struct TerminalDescription: Sendable {
  /// How many colours are used; 0 where none are.
  public let colors: Int

  /// Nil where no screen can be drawn.
  public init?(environment: [String: String]) {
    guard
      let capabilities = Capabilities(environment: environment, output: STDOUT_FILENO, mouse: false)
    else { return nil }
    colors =
      switch capabilities.colors {
      case .none: 0
      case .eight: 8
      case .sixteen: 16
      case .palette: 256
      case .direct: 1 << 24
      }
  }
}
