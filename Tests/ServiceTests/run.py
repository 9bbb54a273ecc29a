"""Runs the scripts beside this file, two at once: they mostly wait.

    python3 run.py PROGRAM [SCRIPT ...]

PROGRAM is record-service. A script that takes longer than its time is ended, says where it stood
and counts as failed; so does one that leaves a process behind in its session.
"""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from limits import LIMIT, SKIPPED

DIRECTORY = pathlib.Path(__file__).parent
# The longest first. `make soak` has the long counts whole.
SCRIPTS = {
    "hostile.py": ["--requests", "1000"],
    "browsers.py": [],
    "rollbacks.py": ["--rollbacks", "20"],
    "faults.py": [],
    # Assertions take memory, and a busy machine its time; `make bench-server` measures what is
    # installed, on an idle one.
    "polls.py": ["--scale", "1.5", "--seconds", "10"],
    "bulk.py": ["--notes", "2000", "--kills", "1"],
    "copies.py": [],
    "endless.py": [],
    "meeting.py": [],
    "before.py": [],
    "kill.py": ["--kills", "20", "--every", "5"],
    "rotation.py": [],
    "clocks.py": [],
    "truth.py": [],
    "exchange.py": [],
    "pyicloud_client.py": [],
    "readers.py": [],
    "moved.py": [],
    "examples.py": [DIRECTORY.parent.parent / "Resources/record-service/README.md", "Try it"],
}


def end(session):
    """Whatever still runs of a session's first group of processes."""
    try:
        os.killpg(session, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def run(script, program):
    """How it went, in a word, and what it said. That comes by a file: a pipe would be kept open by
    whatever it left behind."""
    environment = {
        **os.environ,
        "RECORD_SERVICE_BINARY": str(program),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    start = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, DIRECTORY / script, *SCRIPTS[script]],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            # The script ends itself after LIMIT, telling where it stood.
            status = process.wait(LIMIT + 30)
        except subprocess.TimeoutExpired:
            status = "hung"
        finally:
            left = end(process.pid)
            process.wait()
        said.seek(0)
        text = said.read().decode(errors="replace")
    outcome = {0: "passed", SKIPPED: "skipped"}.get(status, f"FAILED ({status})")
    if left and outcome == "passed":
        outcome = "FAILED (left processes behind)"
    print(f"{text}{script}: {outcome} after {time.monotonic() - start:.0f} s", flush=True)
    return outcome, text


def main():
    program, scripts = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or SCRIPTS
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is no program")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda script: run(script, program), scripts))
    failed = {
        script: text
        for script, (outcome, text) in zip(scripts, results, strict=True)
        if outcome.startswith("FAILED")
    }
    # Again where nobody overlooks it: the end of a long log.
    for script, text in failed.items():
        print(f"\n{script} said:\n{text}", end="", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(results)} scripts failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
