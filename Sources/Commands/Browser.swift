import Glibc

/// The web browser of the desktop, started with the desktop's tool for opening URLs.
public struct Browser: Sendable {
  private let program: String

  /// Finds the tool in `PATH`. Returns nil if there is no desktop or its tool is not installed.
  public init?(environment: [String: String]) {
    var tools = ["termux-open-url"]
    if environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil {
      tools = ["xdg-open"]
    } else if environment["WSL_DISTRO_NAME"] != nil {
      tools = ["wslview"]
    }
    let paths = (environment["PATH"] ?? "").split(separator: ":").flatMap { directory in
      tools.map { "\(directory)/\($0)" }
    }
    guard let program = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
    self.program = program
  }

  /// Opens a page without waiting for the browser.
  ///
  /// - Parameter url: An HTTP or HTTPS URL in ASCII. Other URLs are ignored.
  public func open(_ url: String) {
    guard url.hasPrefix("https://") || url.hasPrefix("http://"),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return }
    // Ignore failures: callers also print the URL.
    let null = ChildProcess.Redirection.file("/dev/null")
    _ = try? ChildProcess.start(
      program, [program, url],
      redirections: [STDIN_FILENO: null, STDOUT_FILENO: null, STDERR_FILENO: null])
  }
}
