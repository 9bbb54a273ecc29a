"""Runs the shell examples of documents exactly as they are written there.

    python3 examples.py Resources/record-service/README.md "Try it" [DOCUMENT HEADING ...]

All ```sh blocks below that heading run in order in one shell with `set -e`, with the program as
`record-service`, a new data directory and a free port in $PORT. A line `# → text` after a command
is an expectation: the output must contain the text, or match it as a regular expression.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from service import BINARY, Checks, free_port

EXPECTATION = "# → "
# A shell that takes longer hangs.
TIMEOUT = 600


def blocks(text, heading):
    """The ```sh blocks below a heading, up to the next heading of the same or a higher level."""
    found, block, fence, level = [], None, None, 0
    for line in text.splitlines():
        if fence is None and (opening := re.match(r"(`{3,}|~{3,})\s*(\w*)", line)):
            fence = opening.group(1)
            block = [] if level and opening.group(2) == "sh" else None
        elif fence is not None and line.strip() == fence:
            if block is not None:
                found.append("\n".join(block))
            fence = block = None
        elif fence is not None:
            if block is not None:
                block.append(line)
        elif heading_match := re.match(r"(#{1,6})\s+(.*?)\s*#*$", line):
            if heading_match.group(2) == heading:
                level = len(heading_match.group(1))
            elif level and len(heading_match.group(1)) <= level:
                return found
    return found


def split_commands(script):
    """Splits a script into groups of commands, each with the expectations that follow it."""
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


def matches(expectation, output):
    if expectation in output:
        return True
    try:
        return re.search(expectation, output) is not None
    except re.error:
        return False


def run(parts, directory):
    """Runs the parts in a shell; returns its status, its errors, and the output of each part."""
    separator = "-- end of an example --"
    environment = {
        **os.environ,
        "PATH": f"{directory}/bin{os.pathsep}{os.environ['PATH']}",
        "RECORD_SERVICE_DATA": f"{directory}/data",
        "PORT": str(free_port()),
    }
    program = shutil.which(BINARY)
    if program is None:
        raise SystemExit(f"program not found: {BINARY}")
    os.mkdir(f"{directory}/bin")
    os.symlink(os.path.abspath(program), f"{directory}/bin/record-service")
    # A script file: with `bash -c` or a script on standard input the examples would see another $0
    # or another standard input than in the shell of a user.
    script = pathlib.Path(directory, "script")
    script.write_text(
        "set -e\n"
        + "".join(f"{commands}\nprintf '\\n%s\\n' '{separator}'\n" for commands, _ in parts)
    )
    with open(f"{directory}/output", "w+b") as output, open(f"{directory}/errors", "w+b") as errors:
        shell = subprocess.Popen(
            ["sh", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
        try:
            status = shell.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            status = f"timeout after {TIMEOUT} seconds"
        finally:
            # This also ends what the shell left running.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)
            shell.wait()
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return status, texts[1], texts[0].split(f"\n{separator}\n")


def check(checks, path, heading):
    """Runs the examples below a heading; returns a line about them."""
    found = blocks(pathlib.Path(path).read_text(), heading)
    parts = [part for block in found for part in split_commands(block)]
    checks.that(f"there are examples below '{heading}' in {path}", parts)
    directory = tempfile.mkdtemp(prefix="examples-")
    try:
        status, errors, outputs = run(parts, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for index, (commands, expected) in enumerate(parts):
        # If the shell ended early, the last output is that of the command that failed.
        output = outputs[index] if index < len(outputs) else ""
        for expectation in expected:
            if not checks.that(f"{EXPECTATION}{expectation}", matches(expectation, output)):
                print(f"  commands: {commands}\n  output: {output}")
    if not checks.equal("exit status of the shell", status, 0):
        print(errors)
    return f"{len(found)} blocks, {len(parts)} commands with output"


def main():
    arguments = sys.argv[1:]
    if not arguments or len(arguments) % 2:
        raise SystemExit(__doc__)
    checks = Checks()
    lines = [check(checks, *pair) for pair in zip(arguments[::2], arguments[1::2], strict=True)]
    checks.finish(f"examples: {'; '.join(lines)}")


if __name__ == "__main__":
    main()
