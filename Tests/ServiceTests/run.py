"""Runs the scripts of this folder, two at the same time, because they mostly wait.

    python3 run.py PROGRAM [SCRIPT ...]

PROGRAM is record-service. A script that exceeds its time limit is ended, prints its stack traces
and counts as failed. A script that leaves processes behind in its session counts as failed, too.
"""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from limits import SCRIPT_TIMEOUT, SKIPPED

DIRECTORY = pathlib.Path(__file__).parent
# The longest first. `make soak` runs some of them with larger numbers.
SCRIPTS = {
    "hostile.py": ["--requests", "1000"],
    "browsers.py": [],
    "rollbacks.py": ["--rollbacks", "20"],
    "outages.py": ["--kills", "20", "--outages", "2"],
    "promotions.py": ["--promotions", "1", "--seed", "5"],
    "faults.py": [],
    # These limits allow for a build with assertions on a busy machine; `make bench-server` measures
    # a release build on an idle one.
    "polls.py": ["--scale", "1.5", "--seconds", "10"],
    "assets.py": ["--files", "2", "--cuts", "20", "--kills", "10"],
    "bulk.py": ["--notes", "2000", "--kills", "1"],
    "copies.py": [],
    "endless.py": [],
    "meeting.py": [],
    # Only failures and refusals are checked; `make soak` also checks times.
    "strangers.py": ["--seconds", "3"],
    "hardening.py": ["--seconds", "3"],
    "proxies.py": [],
    "fail2ban.py": [],
    "before.py": [],
    "processes.py": [],
    "storage.py": [],
    "kill.py": ["--kills", "20", "--every", "5"],
    "attacks.py": ["--seconds", "3", "--records", "4000"],
    "rotation.py": [],
    "clocks.py": [],
    "truth.py": [],
    "exchange.py": [],
    "keys.py": [],
    "pyicloud_client.py": [],
    "readers.py": [],
    "moved.py": [],
    "moving.py": ["--moves", "4"],
    "examples.py": [
        DIRECTORY.parent.parent / "Resources/record-service/README.md",
        "Try it",
        DIRECTORY.parent.parent / "Resources/record-service/testing.md",
        "Test your CloudKit app on Linux in five minutes",
    ],
}


def kill_session(session):
    """Kills the first process group of a session; returns whether any process was left in it."""
    try:
        os.killpg(session, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def run(script, program):
    """Runs a script; returns its outcome and its output.

    The output goes to a file, as processes that the script leaves behind would keep a pipe open.
    """
    environment = {
        **os.environ,
        "RECORD_SERVICE_BINARY": str(program),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, DIRECTORY / script, *SCRIPTS[script]],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            # The script ends itself after SCRIPT_TIMEOUT and prints its stack traces.
            status = process.wait(SCRIPT_TIMEOUT + 30)
        except subprocess.TimeoutExpired:
            status = "hung"
        finally:
            has_leftovers = kill_session(process.pid)
            process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
    outcome = {0: "passed", SKIPPED: "skipped"}.get(status, f"FAILED ({status})")
    if has_leftovers and outcome == "passed":
        outcome = "FAILED (left processes behind)"
    print(f"{text}{script}: {outcome} after {time.monotonic() - start:.0f} s", flush=True)
    return outcome, text


def main():
    program, scripts = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or SCRIPTS
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is not an executable file")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda script: run(script, program), scripts))
    failed = {
        script: text
        for script, (outcome, text) in zip(scripts, results, strict=True)
        if outcome.startswith("FAILED")
    }
    # The output of failed scripts is repeated at the end of the log, where it is easy to find.
    for script, text in failed.items():
        print(f"\nOutput of {script}:\n{text}", end="", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(results)} scripts failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
