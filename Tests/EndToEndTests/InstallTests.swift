import Foundation
import TestSupport
import Testing

/// The files that `make install` installs.
@Suite(.serialized) struct InstallTests {
  private func make(_ target: String, prefix: String, in home: Home) throws -> Outcome {
    // The developer's own environment: make needs the toolchain.
    var environment = ProcessInfo.processInfo.environment
    for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR", "READER_SCRATCH"] {
      environment[name] = nil
    }
    var arguments = ["-C", checkout.path, target, "PREFIX=\(prefix)"]
    // The build under test is installed. Nothing may be built now: SwiftPM
    // would wait until its own tests have ended.
    let release = URL(fileURLWithPath: try Program.reader()).deletingLastPathComponent()
    let scratch = release.deletingLastPathComponent().path
    if release.lastPathComponent == "release" {
      arguments += [
        "READER_SCRATCH=\(scratch)", "--old-file=build", "--old-file=\(scratch)/man/quran-vi.1",
      ]
    }
    return try Outcome.of(
      Program.installed("make"), arguments, environment: environment, directory: home.path,
      deadline: Deadline(seconds: 300))
  }

  @Test func theInstalledProgramNeedsOnlyLibrariesOfTheSystem() throws {
    let home = try Home()
    let prefix = "\(home.path)/prefix"
    let installed = try make("install", prefix: prefix, in: home)
    try #require(installed.ending == .exited(0), "\(installed)")

    let program = "\(prefix)/bin/quran-vi"
    let read = try Outcome.of(
      program, ["read", "112", "--plain"], environment: ["PATH": "/usr/bin:/bin"],
      directory: home.path)
    #expect(read.ending == .exited(0), "\(read)")
    #expect(read.output == (1...4).map { Book.text(of: "112:\($0)") + "\n" }.joined())

    let libraries = try Outcome.of(
      Program.installed("ldd"), [program], environment: home.environment, directory: home.path)
    // Nothing but the C library, the loader under one of its names, and ncurses if it is not
    // linked statically.
    let names = libraries.outputLines.compactMap { line in
      line.split(whereSeparator: \.isWhitespace).first?.split(separator: "/").last
        .map { $0.prefix { $0 != "." } }.map { $0.hasPrefix("ld-linux") ? "loader" : $0 }
    }
    #expect(
      Set(names).subtracting(["libncursesw", "libtinfo"])
        == ["linux-vdso", "libm", "libc", "loader"], "\(libraries)")
    #expect(!libraries.output.shows("not found"), "\(libraries)")
    // The loader does not search for libraries beside the program.
    let dynamic = try Outcome.of(
      Program.installed("readelf"), ["-d", program], environment: home.environment,
      directory: home.path)
    #expect(dynamic.output.shows("NEEDED"), "\(dynamic)")
    #expect(!dynamic.output.shows("RUNPATH") && !dynamic.output.shows("RPATH"), "\(dynamic)")

    let files = try home.files(under: "prefix")
    // The completions are where bash, zsh and fish look for them.
    #expect(
      files.filter { !$0.hasSuffix(".edition") } == [
        "prefix/bin/quran-vi", "prefix/share/bash-completion/completions/quran-vi",
        "prefix/share/fish/vendor_completions.d/quran-vi.fish",
        "prefix/share/man/man1/quran-vi.1", "prefix/share/zsh/site-functions/_quran-vi",
      ])
    let page = try home.contents(of: "prefix/share/man/man1/quran-vi.1")
    #expect(page.contains(".Dt ") && page.contains("\n.Sh KEYS\n"))

    let removed = try make("uninstall", prefix: prefix, in: home)
    #expect(removed.ending == .exited(0), "\(removed)")
    #expect(try home.files(under: "prefix") == [])
  }
}
