"""Builds mutants of the sync engine and of the record service, and checks that tests find them.

A mutant is a patch beside this script that removes one rule. Its text says which tests find it:
seeds of SimulatorTests, or one test.

python3 run.py [--seeds N] [--part K/N] [NAME …]
python3 run.py --check     only checks that every patch applies
python3 run.py --build     only builds the sources without a mutant
"""

import argparse
import filecmp
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = pathlib.Path(__file__).resolve().parent
COPIED = ["Package.swift", "Sources", "Tests", "Resources"]
FOUND_BY = re.compile(r"^Found-by: (.+)$", re.MULTILINE)
SEED = re.compile(r"seed (\d+), feed \.?(\w+):")
# Builds only the targets that SimulatorTests needs.
TRIMMED = """
var needed: Set = ["SimulatorTests"]
var count = 0
while count < needed.count {
  count = needed.count
  for target in package.targets where needed.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
  }
}
package.targets.removeAll { !needed.contains($0.name) }
package.products = []
"""


def found_by(patch):
    return FOUND_BY.search(patch.read_text(encoding="utf-8")).group(1)


def applies(patch):
    check = ["git", "apply", "--check", str(patch)]
    return subprocess.run(check, cwd=ROOT, check=False).returncode == 0


def files(directory):
    return {
        path.relative_to(directory)
        for name in COPIED
        for path in [directory / name, *(directory / name).rglob("*")]
        if path.is_file() and "__pycache__" not in path.parts
    }


def copy_sources(package):
    """Copies what differs, so that only that is built again."""
    package.mkdir(parents=True, exist_ok=True)
    wanted = files(ROOT)
    for path in files(package) - wanted:
        (package / path).unlink()
    for path in wanted:
        source, target = ROOT / path, package / path
        if path.name == "Package.swift":
            text = source.read_text(encoding="utf-8") + TRIMMED
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                target.write_text(text, encoding="utf-8")
        elif not target.exists() or not filecmp.cmp(source, target, shallow=False):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def copy_checkouts(scratch, build):
    """Uses the dependencies that were fetched for the package itself."""
    if (build / "workspace-state.json").exists():
        return
    build.mkdir(parents=True, exist_ok=True)
    for name in ["repositories", "checkouts", "workspace-state.json"]:
        if (scratch / name).is_dir():
            shutil.copytree(scratch / name, build / name, symlinks=True)
        elif (scratch / name).exists():
            shutil.copy(scratch / name, build / name)


@functools.cache
def flags():
    """The options with which the Makefile builds tests."""
    make = ["make", "--silent", "--no-print-directory", "test-flags"]
    return subprocess.check_output(make, cwd=ROOT, text=True).split()


def run_swift(command, package, build, *arguments, environment=None):
    places = ["--package-path", package, "--scratch-path", build]
    return subprocess.run(
        ["swift", command, *flags(), *places, *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )


def try_mutant(patch, package, build, seeds):
    """Whether the mutant is found, and by what."""
    copy_sources(package)
    # Without git's own idea of the repository in which the copy lies.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(package.parent)}
    subprocess.run(["git", "apply", str(patch)], cwd=package, env=environment, check=True)
    built = run_swift("build", package, build, "--build-tests")
    if built.returncode != 0:
        print(built.stdout[-4000:], built.stderr[-2000:])
        return False, "does not build"
    finder = found_by(patch)
    test = finder if "/" in finder else "SimulatorTests/"
    tested = run_swift(
        "test",
        package,
        build,
        *("--skip-build", "--disable-xctest", "--filter", rf"^SimulatorTests\.{test}"),
        environment={
            "QURAN_VI_SEEDS": str(seeds),
            "QURAN_VI_SERVICE": "real" if "real" in finder else "model",
            "QURAN_VI_SHRINK": "0",
        },
    )
    output = tested.stdout + tested.stderr
    if tested.returncode == 0:
        return False, "not found"
    if "/" in finder:
        return f"{finder.split('/')[1]}(" in output, finder
    seed = SEED.search(output)
    if not seed:
        print(output[-4000:])
        return False, "the tests failed without a seed"
    return True, f"seed {seed[1]}, feed {seed[2]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--part", default="1/1", help="the part of the mutants, as 1/2")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".build-mutants")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    patches = sorted(MUTANTS.glob("*.patch"))
    if options.names:
        patches = [MUTANTS / f"{name}.patch" for name in options.names]
    broken = [patch.stem for patch in patches if not applies(patch)]
    for name in broken:
        print(f"the mutant {name} does not apply")
    if broken or options.check:
        sys.exit(1 if broken else 0)

    work = options.work.resolve()
    package, build = work / "package", work / "build"
    copy_checkouts(options.scratch.resolve(), build)
    if options.build:
        copy_sources(package)
        built = run_swift("build", package, build, "--build-tests")
        print(built.stdout[-4000:], built.stderr[-2000:])
        sys.exit(built.returncode)
    missed = []
    print(f"{'mutant':36} {'found by':40} seconds", flush=True)
    for patch in patches[part - 1 :: parts]:
        start = time.monotonic()
        is_found, finder = try_mutant(patch, package, build, options.seeds)
        if not is_found:
            missed.append(patch.stem)
        print(f"{patch.stem:36} {finder:40} {time.monotonic() - start:.0f}", flush=True)
    if missed:
        print("not found: " + ", ".join(missed))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
