"""Measures the time from a bare clone and `make run` to the first screen.

    python3 Benchmarks/set_up.py [--runs N]

Beside it a package with the two largest dependencies of the reader, GRDB and ArgumentParser, and a
program of a few lines is built in the same way. Both begin without a build directory and without
the caches of the package manager and the compiler. Debian's packages are installed before: run
`make build` once. A run takes about five minutes; nothing else should run meanwhile.
"""

import argparse
import os
import pathlib
import pty
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A text of the first screen.
MARKER = b"Al-Fatihah"
PEER = {
    "Package.swift": """\
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "peer",
  dependencies: [
    {dependencies}
  ],
  targets: [
    .executableTarget(
      name: "peer",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ])
  ]
)
""",
    "Sources/peer/Peer.swift": """\
import ArgumentParser
import GRDB

@main struct Peer: ParsableCommand {
  @Argument var path = ":memory:"

  func run() throws {
    let library = try DatabaseQueue(path: path)
    print(try library.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "")
  }
}
""",
}


def peer_dependencies():
    """The lines of our manifest that name the two packages."""
    manifest = (ROOT / "Package.swift").read_text()
    lines = re.findall(r"^ *(\.package\(url: .*(?:argument-parser|GRDB\.swift).*)$", manifest, re.M)
    if len(lines) != 2:
        sys.exit("Package.swift does not name GRDB and ArgumentParser in a line each")
    return "\n    ".join(lines)


def environment(directory):
    """The variables for empty caches, without those that `make bench-setup` passes to make."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("ARGS", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS")
    }
    return inherited | {
        "XDG_CACHE_HOME": str(directory / "cache"),
        "XDG_DATA_HOME": str(directory / "data"),
        "XDG_CONFIG_HOME": str(directory / "config"),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }


def release_flags():
    """The flags with which the Makefile builds the reader."""
    printed = subprocess.run(
        ["make", "--no-print-directory", "build-flags"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return printed.stdout.split()


def build_peer(directory):
    package = directory / "peer"
    for name, text in PEER.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text.replace("{dependencies}", peer_dependencies()))
    start = time.monotonic()
    subprocess.run(
        ["swift", "build", "--package-path", package, *release_flags()],
        env=environment(directory),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    program = package / ".build/release/peer"
    subprocess.run([program], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - start, program.stat().st_size


def run_reader(directory):
    clone = directory / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    start = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(clone)
        os.execvpe("make", ["make", "run"], environment(directory))
    output = b""
    while MARKER not in output:
        try:
            output += os.read(terminal, 65536)
        except OSError:
            sys.exit(output.decode(errors="replace"))
    seconds = time.monotonic() - start
    os.killpg(process, signal.SIGHUP)
    os.close(terminal)
    os.waitpid(process, 0)
    program = clone / ".build-reader/release/quran-vi"
    return seconds, program.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        print("what is not committed is not measured", file=sys.stderr)
    peers, readers = [], []
    for number in range(runs):
        # The directory for temporary files may be in memory.
        with tempfile.TemporaryDirectory(dir=ROOT, prefix=".build-set-up-") as directory:
            peers.append(build_peer(pathlib.Path(directory)))
            readers.append(run_reader(pathlib.Path(directory)))
        print(
            f"run {number + 1}: peer {peers[-1][0]:.0f} s, reader {readers[-1][0]:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    seconds = [statistics.median(second for second, _ in each) for each in (readers, peers)]
    sizes = [each[-1][1] / 1e6 for each in (readers, peers)]
    print("| | quran-vi | GRDB and ArgumentParser alone | ratio | bound |")
    print("| --- | --- | --- | --- | --- |")
    print(
        f"| bare clone to the first screen, median of {runs} (s) | {seconds[0]:.0f} "
        f"| {seconds[1]:.0f} | {seconds[0] / seconds[1]:.2f} | ≤ 2, ≤ 300 s |"
    )
    print(
        f"| size of the binary (MB) | {sizes[0]:.1f} | {sizes[1]:.1f} "
        f"| {sizes[0] / sizes[1]:.2f} | ≤ 1.25 |"
    )


if __name__ == "__main__":
    main()
