"""Runs the shell examples of a document just as they are written there.

    python3 examples.py Resources/record-service/README.md "Try it"

All blocks of ```sh below that heading run in order in one shell with `set -e`, with the program
as `record-service`, data in a fresh directory and a free port in $PORT. After a command,
`# → text` says what must stand in its output: as it is, or as a regular expression.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from service import BINARY, Checks

EXPECTATION = "# → "
# Only a shell that hangs takes longer.
SECONDS = 600


def blocks(text, heading):
    """The ```sh blocks below a heading, down to the next one of its rank."""
    found, block, fence, rank = [], None, None, 0
    for line in text.splitlines():
        if fence is None and (mark := re.match(r"(`{3,}|~{3,})\s*(\w*)", line)):
            fence = mark.group(1)
            block = [] if rank and mark.group(2) == "sh" else None
        elif fence is not None and line.strip() == fence:
            if block is not None:
                found.append("\n".join(block))
            fence = block = None
        elif fence is not None:
            if block is not None:
                block.append(line)
        elif title := re.match(r"(#{1,6})\s+(.*?)\s*#*$", line):
            if title.group(2) == heading:
                rank = len(title.group(1))
            elif rank and len(title.group(1)) <= rank:
                return found
    return found


def pieces(script):
    """Commands, each with the expectations that follow it."""
    found, commands, expected = [], [], []
    for line in [*script.splitlines(), None]:
        if expected and (line is None or not line.startswith(EXPECTATION)):
            found.append(("\n".join(commands), expected))
            commands, expected = [], []
        if line is None:
            break
        if line.startswith(EXPECTATION):
            expected.append(line[len(EXPECTATION) :].rstrip())
        else:
            commands.append(line)
    if any(line.strip() for line in commands):
        found.append(("\n".join(commands), []))
    return found


def matches(wanted, output):
    if wanted in output:
        return True
    try:
        return re.search(wanted, output) is not None
    except re.error:
        return False


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(parts, directory):
    """The status of the shell, what it said of errors, and the output up to each mark."""
    mark = "-- end of an example --"
    environment = {
        **os.environ,
        "PATH": f"{directory}/bin{os.pathsep}{os.environ['PATH']}",
        "RECORD_SERVICE_DATA": f"{directory}/data",
        "PORT": str(free_port()),
    }
    program = shutil.which(BINARY)
    if program is None:
        raise SystemExit(f"there is no program {BINARY}")
    os.mkdir(f"{directory}/bin")
    os.symlink(os.path.abspath(program), f"{directory}/bin/record-service")
    # Not by -c or the input: the examples shall see both as a user's shell has them.
    script = pathlib.Path(directory, "script")
    script.write_text(
        "set -e\n" + "".join(f"{commands}\nprintf '\\n%s\\n' '{mark}'\n" for commands, _ in parts)
    )
    with open(f"{directory}/output", "w+b") as output, open(f"{directory}/errors", "w+b") as errors:
        shell = subprocess.Popen(
            ["bash", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
        try:
            status = shell.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = f"none after {SECONDS} seconds"
        finally:
            # With it goes what it left running.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)
            shell.wait()
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return status, texts[1], texts[0].split(f"\n{mark}\n")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    path, heading = sys.argv[1:]
    found = blocks(pathlib.Path(path).read_text(), heading)
    parts = [part for block in found for part in pieces(block)]
    checks = Checks()
    checks.that(f"there are examples below '{heading}' in {path}", parts)
    directory = tempfile.mkdtemp(prefix="examples-")
    try:
        status, errors, outputs = run(parts, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for index, (commands, expected) in enumerate(parts):
        # Where the shell ended early, the last output is of the command it ended at.
        output = outputs[index] if index < len(outputs) else ""
        for wanted in expected:
            if not checks.that(f"{EXPECTATION}{wanted}", matches(wanted, output)):
                print(f"  after: {commands}\n  found: {output}")
    if not checks.equal("the shell's status", status, 0):
        print(errors)
    checks.finish(f"examples: {len(found)} blocks, {len(parts)} commands with output")


if __name__ == "__main__":
    main()
