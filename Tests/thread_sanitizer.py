"""Runs a command with the thread sanitizer's options, and again if races were reported.

    python3 Tests/thread_sanitizer.py COMMAND [ARGUMENT ...]

Fails if the command does, or if both runs report a race of the same functions. If a stack is
missing from one of the reports, the other one decides.

A report of a single run can be wrong: if a continuation is resumed before its task waits for it,
the task goes on at once, and the Swift runtime (swift_continuation_await of 6.3) does not tell the
sanitizer that the value came from another thread. A program that only resumes continuations early
is reported as well. Which continuation is resumed early depends on the load, whereas accesses that
nothing orders are mostly reported in each run that makes both of them. Continuations that are
nearly always resumed early are in the list of suppressions.
"""

import os
import pathlib
import re
import subprocess
import sys

SUPPRESSIONS = pathlib.Path(__file__).with_suffix(".supp")
WARNING = "WARNING: ThreadSanitizer: "
REPORT = re.compile(rf"^{WARNING}.*?^SUMMARY: ", re.DOTALL | re.MULTILINE)
CRASH = re.compile(r"^(==\d+==)?(ERROR|FATAL): ThreadSanitizer", re.MULTILINE)
# A function of a stack, and its file.
FRAME = re.compile(r"^ +#\d+ (.+?) (\S+) \(\S+\)", re.MULTILINE)


def function(stack):
    """The function of this package that made the access, or its caller; empty if unknown."""
    frames = FRAME.findall(stack)
    own = [name for name, file in frames if "/Sources/" in file and "/checkouts/" not in file]
    return (own or [name for name, _ in frames] or [""])[0]


def is_same(race, other):
    """Whether two pairs of functions can be the same race, although a stack is missing."""
    known = sorted(filter(None, race)), sorted(filter(None, other))
    shorter, longer = sorted(known, key=len)
    return shorter == longer or (len(shorter) < 2 and set(shorter) <= set(longer))


def run(command):
    """Runs the command. Returns its status and the races, as the functions of both accesses."""
    # A crash ends a process with its signal, and reports alone do not fail it.
    options = "exitcode=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0"
    environment = os.environ | {"TSAN_OPTIONS": f"{options}:suppressions={SUPPRESSIONS}"}
    output = []
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            output.append(line)
    text = "".join(output)
    # A report has the stacks of both accesses, and then the location of the memory.
    # Which access comes first depends on the load.
    reports = REPORT.findall(text)
    races = {tuple(sorted(map(function, report.split("\n\n")[:2]))) for report in reports}
    # Output of a test between the lines of a report can make it unreadable.
    is_unreadable = len(reports) != text.count(WARNING)
    if is_unreadable:
        print("not all reports of the sanitizer can be read")
    return process.returncode or is_unreadable or bool(CRASH.search(text)), races


def main(command):
    status, races = run(command)
    if status == 0 and races:
        print(f"\nraces reported: {len(races)}; the command runs again", flush=True)
        status, again = run(command)
        # A report can lack the stack of one access.
        same = {race for race in races if any(is_same(race, other) for other in again)}
        for race in sorted(races ^ again):
            print("reported by one run of two:", *race)
        races = same
    for race in sorted(races):
        print("RACE:", *race)
    return status or bool(races)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
