"""Runs the tests with their full counts, in parts of at most half an hour.

    python3 Tests/soak.py [--list] [--scratch DIRECTORY] [PART ...]

A part that passes leaves a stamp: a hash over the names and contents of the files that it tests.
It is due again when the hash changes; dates of files do not matter, nor do lines that hold only a
comment. Without names, the parts that are due run. A part that is named runs in any case.
"""

import argparse
import ast
import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1800
# The status of a script of Tests/ServiceTests that cannot run on this machine.
SKIPPED = 77
# How many parts run at the same time.
WORKERS = 2


@dataclasses.dataclass
class Part:
    command: list[str]
    # The `make` targets that build what the command runs.
    builds: list[str]
    # Swift modules of Sources or Tests; everything that they import belongs to them.
    modules: list[str]
    # Further modules, without what they import, scripts of Tests/ServiceTests with what they
    # import, and folders or files.
    alone: list[str] = dataclasses.field(default_factory=list)
    scripts: list[str] = dataclasses.field(default_factory=list)
    paths: list[str] = dataclasses.field(default_factory=list)
    # The build directory that the command uses; parts with the same one do not run together.
    directory: str | None = None
    variables: dict[str, str] = dataclasses.field(default_factory=dict)


# Every part depends on the files of the build and on this file.
COMMON = ["Makefile", "Package.swift", "Tests/soak.py"]
SERVICE = ["record-service"]
# The modules of the reader that the sync commands use, without the screens.
READER = ["Commands", "Messages", "quran-vi"]


def parts():
    def script(name, *options, reader=True):
        return Part(
            [sys.executable, "-u", f"Tests/ServiceTests/{name}", *options],
            ["build-server", *(["build"] if reader else [])],
            [*SERVICE, *(["Sync"] if reader else [])],
            alone=READER if reader else [],
            scripts=[name],
        )

    table = {}
    for number in range(1, 5):
        table[f"rollbacks-{number}"] = script(
            "rollbacks.py", "--rollbacks", "250", "--seed", f"{number}000"
        )
    table["moving"] = script("moving.py", "--moves", "40")
    # 1,000 seeds each, with and without a feed, with the model of the service and the real one.
    for number in range(1, 11):
        table[f"simulations-{number}"] = Part(
            [
                *("make", "--no-print-directory", "test-swift"),
                "TEST_ARGS=--filter '^SimulatorTests\\.SimulatorTests/'",
            ],
            ["build-tests"],
            ["SimulatorTests"],
            directory=".build-tests",
            variables={"QURAN_VI_SEED": f"{number}0000", "QURAN_VI_SEEDS": "1000"},
        )
    for number in range(1, 5):
        table[f"mutants-{number}"] = Part(
            [sys.executable, "-u", "Tests/Mutants/run.py", "--part", f"{number}/4"],
            ["build-mutants"],
            ["SimulatorTests"],
            paths=["Tests/Mutants"],
            directory=".build-mutants",
        )
    # 200 kills, 10,000 hostile requests, 10,000 notes; 20 files of 50 MB, 200 cut uploads and 100
    # kills within uploads.
    table["kill"] = script("kill.py", reader=False)
    # Three servers on one PostgreSQL: 200 kills of a server and 20 of PostgreSQL; 100 replicas that
    # are promoted without the last changes.
    table["outages"] = script("outages.py", reader=False)
    table["promotions"] = script("promotions.py")
    table["assets"] = script("assets.py", reader=False)
    table["hostile"] = script("hostile.py", reader=False)
    table["bulk"] = script("bulk.py")
    # Attacks of 30 seconds each, and the memory after 30 seconds of large requests.
    table["strangers"] = script("strangers.py", "--times", reader=False)
    table["hardening"] = script("hardening.py", reader=False)
    table["attacks"] = script("attacks.py", "--times", reader=False)
    sanitized = ["CloudRecords", "LegacyImport", "Library", "RecordClient", "RecordServer", "Sync"]
    for kind in ("thread", "address"):
        table[f"sanitize-{kind}"] = Part(
            ["make", "--no-print-directory", f"sanitize-{kind}"],
            [f"build-sanitize-{kind}"],
            ["LibraryWriter", *(f"{name}Tests" for name in [*sanitized, "Terminal"])],
            paths=[str(path) for path in (ROOT / "Tests").glob(f"{kind}_sanitizer.*")],
            directory=f".build-sanitize-{kind}",
        )
    table["fuzz"] = Part(
        ["make", "--no-print-directory", "fuzz"],
        ["build-fuzz"],
        ["LegacyImport"],
        alone=["LegacyImportFuzz", "Messages"],
        paths=["Tests/LegacyImportTests/Fixtures"],
        directory=".build-fuzz",
    )
    return table


# MARK: Stamps

SWIFT_IMPORT = re.compile(rb"^(?:public |package |@testable )*import (\w+)", re.MULTILINE)
PYTHON_IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
EMBEDDED = re.compile(rb'^#embed "([^"]+)"', re.MULTILINE)
# A line with only a comment, by the suffix of the file.
COMMENT = {
    **dict.fromkeys((".swift", ".c", ".h"), re.compile(rb"^[ \t]*(//.*)?\n", re.MULTILINE)),
    "": re.compile(rb"^(#.*)?\n", re.MULTILINE),
}


@functools.cache
def folder(module):
    """The folder of a module of this package, or None."""
    return next(
        (
            ROOT / place / module
            for place in ("Sources", "Tests")
            if (ROOT / place / module).is_dir()
        ),
        None,
    )


@functools.cache
def files(path):
    """The files at or below a path."""
    if path.is_file():
        return [path]
    return [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]


def imported(module, known):
    """Adds the modules of this package that a module imports, and theirs, to `known`."""
    if module in known or not folder(module):
        return
    known.add(module)
    for file in files(folder(module)):
        if file.suffix == ".swift":
            for name in SWIFT_IMPORT.findall(file.read_bytes()):
                imported(name.decode(), known)


def imported_scripts(name, known):
    """Adds a script of Tests/ServiceTests, and the files beside it that it uses, to `known`."""
    path = ROOT / "Tests/ServiceTests" / name
    if path in known or not path.is_file():
        return
    known.add(path)
    if path.suffix == ".py":
        text = path.read_text()
        for used in (*PYTHON_IMPORT.findall(text), *re.findall(r'"(\w+\.c)"', text)):
            imported_scripts(used if "." in used else f"{used}.py", known)


def proved(part):
    """The files that a part tests, and the files of its tests."""
    modules, scripts = set(), set()
    for name in part.modules:
        imported(name, modules)
    for name in part.scripts:
        imported_scripts(name, scripts)
    paths = [ROOT / path for path in (*COMMON, *part.paths)]
    paths += [folder(name) for name in {*modules, *part.alone}]
    found = {file for path in paths for file in files(path)} | scripts
    for file in [file for file in found if file.suffix == ".c"]:
        embedded = EMBEDDED.findall(file.read_bytes())
        found |= {(file.parent / name.decode()).resolve() for name in embedded}
    return found


def without_docstrings(tree):
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                body[0] = ast.Pass()
    return tree


@functools.cache
def content(file):
    """The hash of a file without its comments."""
    bytes = file.read_bytes()
    if file.suffix == ".py":
        bytes = ast.dump(without_docstrings(ast.parse(bytes))).encode()
    elif file.suffix in COMMENT:
        bytes = COMMENT[file.suffix].sub(b"", bytes)
    return hashlib.sha256(bytes).hexdigest()


def stamp(part):
    lines = [f"{content(file)} {file.relative_to(ROOT)}" for file in proved(part)]
    lines += [f"{name}={value}" for name, value in part.variables.items()]
    # The paths of this machine are left out.
    lines += [word for word in part.command[1:] if not word.startswith("/")]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest() + "\n"


# MARK: Running


class Runner:
    def __init__(self, scratch):
        self.scratch = pathlib.Path(scratch)
        self.directory = self.scratch / "soak"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.parts = parts()
        # A file that changes while a part runs must not count as tested.
        self.stamps = {name: stamp(part) for name, part in self.parts.items()}
        self.running = set()
        reader = self.scratch.with_name(self.scratch.name + "-reader") / "release/quran-vi"
        self.environment = {
            "QURAN_VI_BINARY": str(ROOT / reader),
            **os.environ,
            "RECORD_SERVICE_BINARY": str(ROOT / self.scratch / "release/record-service"),
            "PYTHONDONTWRITEBYTECODE": "1",
            # For `make` in the commands of parts.
            "SCRATCH": str(self.scratch),
            "TEST_SCRATCH": f"{self.scratch}-tests",
        }

    def is_due(self, name):
        try:
            return (self.directory / name).read_text() != self.stamps[name]
        except FileNotFoundError:
            return True

    def build(self, names):
        for target in dict.fromkeys(target for name in names for target in self.parts[name].builds):
            subprocess.run(
                ["make", "--no-print-directory", target, f"SCRATCH={self.scratch}"],
                cwd=ROOT,
                check=True,
            )

    def run_all(self, names):
        """Runs parts, and returns the names of those that passed."""
        waiting, passed = list(names), []
        used, change = set(), threading.Condition()

        def work():
            while True:
                with change:
                    while True:
                        if not waiting:
                            return
                        free = [name for name in waiting if self.parts[name].directory not in used]
                        if free:
                            break
                        change.wait()
                    name = free[0]
                    waiting.remove(name)
                    directory = {self.parts[name].directory} - {None}
                    used.update(directory)
                try:
                    if self.run(name):
                        passed.append(name)
                finally:
                    with change:
                        used.difference_update(directory)
                        change.notify_all()

        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            workers = [pool.submit(work) for _ in range(WORKERS)]
            try:
                concurrent.futures.wait(workers)
            except KeyboardInterrupt:
                waiting.clear()
                for process in self.running.copy():
                    end(process)
                raise
        for worker in workers:
            worker.result()
        return passed

    def run(self, name):
        """Runs a part, and returns whether it passed."""
        print(f"{name}: begins", flush=True)
        start = time.monotonic()
        status, text = self.outcome(self.parts[name], self.directory / f"{name}.log")
        word = {0: "passed", SKIPPED: "cannot run here"}.get(status, f"FAILED ({status})")
        lines = text.splitlines()
        # The output of a part ends with its counts. More is printed of a part that failed.
        shown = lines[-3:] if status == 0 else lines[-100:]
        seconds = time.monotonic() - start
        print("\n".join([*shown, f"{name}: {word} after {seconds:.0f} s"]), flush=True)
        if status == 0:
            (self.directory / name).write_text(self.stamps[name])
        return status == 0

    def outcome(self, part, log):
        """The exit status of a part, and its output."""
        with log.open("wb") as output:
            process = subprocess.Popen(
                part.command,
                cwd=ROOT,
                env={**self.environment, **part.variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.add(process)
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = f"more than {LIMIT} s"
        finally:
            end(process)
            self.running.remove(process)
        return status, log.read_text(errors="replace")


def end(process):
    """Ends a process with its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="list the parts and which are due")
    parser.add_argument("--scratch", default=".build", help="the build directory of the package")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    os.chdir(ROOT)
    runner = Runner(options.scratch)
    if unknown := [name for name in options.parts if name not in runner.parts]:
        parser.error(f"no such part: {' '.join(unknown)}")
    due = [name for name in runner.parts if runner.is_due(name)]
    if options.list:
        for name in options.parts or runner.parts:
            print(f"{name:18}{'due' if name in due else 'passed'}")
        return
    chosen = options.parts or due
    runner.build(chosen)
    passed = runner.run_all(chosen)
    failed = [name for name in chosen if name not in passed]
    rest = len({*runner.parts} - {*due, *chosen})
    print(f"soak: {len(passed)} passed, {len(failed)} failed, {rest} not due")
    if failed:
        sys.exit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
