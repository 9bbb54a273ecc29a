"""Runs the programs in turn and gathers times, memory and bytes."""

import collections
import gc
import os
import subprocess
import sys
import time

from terminal import Terminal, painted, spawn

BACKSPACE = b"\x7f"


class Unmeasured(Exception):
    """The reason why a program cannot be measured."""


class Results:
    """All readings, in milliseconds, MB or bytes."""

    def __init__(self):
        self.reading = collections.defaultdict(list)  # first paint, by program
        self.home_screen = collections.defaultdict(list)
        self.memory = collections.defaultdict(list)  # (RssAnon, VmRSS) while reading
        self.memory_after_keys = collections.defaultdict(list)
        self.keys = collections.defaultdict(list)  # key -> last byte
        self.searches = collections.defaultdict(list)
        self.pages = collections.defaultdict(list)  # bytes of a page turn
        self.commands = collections.defaultdict(list)  # exec -> exit, by command
        self.search = {}  # what was searched -> columns of search-bench
        # The library: see library.py.
        self.openings = {}  # median inside the program, by program
        self.commit = self.append = None  # medians, as the next
        self.load = self.decode = self.insert = None  # an import
        self.favorites = collections.defaultdict(list)  # key -> last byte, by whether it was locked
        self.late = collections.Counter()  # bytes after the answer to a key, likewise
        self.holds = 0
        self.note_lists = []  # key -> the list of all notes complete
        self.note_keys = []  # key -> last byte in that list
        self.memory_with_notes = []
        # While it syncs: see syncing.py.
        self.sending = []  # key -> last byte
        self.receiving = []  # likewise
        self.shown = []  # a key on one device -> the first byte of it on another


def log(text):
    print(text, file=sys.stderr, flush=True)


def start(program, scratch, argv=None, markers=None):
    """A terminal with a complete first screen, and when that was complete (ms)."""
    markers = markers or program.markers
    terminal = Terminal(argv or program.argv, program.environment(scratch))
    chunks = terminal.drain(program.quiet, patience=5)
    complete, screen = painted(chunks, markers)
    if complete is None or terminal.ended:
        terminal.close()
        shown = "\n".join(line.rstrip() for line in screen).strip()
        log(f"{program.name}: the screen that should show {markers}:\n{shown}")
        raise Unmeasured(
            "it ended by itself" if terminal.ended else f"no first screen with {markers}"
        )
    return terminal, (complete - terminal.started) / 1e6


def warm(program, scratch):
    """Starts a program once, so its home and the file cache are as at a later start."""
    for screen in filter(None, [program.home_screen, (program.argv, program.markers)]):
        start(program, scratch, *screen)[0].close()
    os.rename(program.home, scratch / f"{program.name}.unused")
    os.rename(scratch / "home", program.home)


def first_paint(program, results, scratch):
    gc.collect()
    terminal, took = start(program, scratch)
    results.reading[program.name].append(took)
    results.memory[program.name].append(terminal.memory())
    terminal.close()
    if program.home_screen:
        terminal, took = start(program, scratch, *program.home_screen)
        results.home_screen[program.name].append(took)
        terminal.close()


def terminal_floor():
    """The milliseconds of a process in a terminal that does nothing."""
    terminal = Terminal(["/bin/true"], {})
    terminal.drain(1, 1)
    terminal.close()
    return (terminal.ended - terminal.started) / 1e6


def key_session(program, results, scratch):
    terminal, _ = start(program, scratch)
    times, pages, searches = (
        of[program.name] for of in (results.keys, results.pages, results.searches)
    )
    gc.collect()
    try:
        for key in program.before_keys:
            terminal.press(key)
        for key in program.keys:
            took, reply = terminal.press(key)
            if reply:
                times.append(took)
            if reply and key == program.page_key:
                pages.append(len(reply))
        if program.search_key:
            terminal.press(program.search_key)
        for query in program.queries:
            replies = [terminal.press(letter.encode())[0] for letter in query]
            searches += [took for took in replies if took is not None]
            for _ in query:
                terminal.press(BACKSPACE)
        if terminal.ended:
            raise Unmeasured("it ended while keys were pressed")
        results.memory_after_keys[program.name].append(terminal.memory())
    finally:
        terminal.close()
    if not times or (program.page_key and not pages) or (program.queries and not searches):
        raise Unmeasured("keys do not change its screen")


def one_shot(argv):
    """The milliseconds from exec to exit of a program whose standard output is a pipe."""
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
    ]
    started = time.perf_counter_ns()
    pid = spawn(argv, {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}, actions)
    os.close(writing)
    output = b""
    while data := os.read(reading, 65536):
        output += data
    _, status = os.waitpid(pid, 0)
    took = (time.perf_counter_ns() - started) / 1e6
    os.close(reading)
    if status or (len(argv) > 1 and not output):
        raise Unmeasured(
            f"{argv} printed {len(output)} bytes, status {os.waitstatus_to_exitcode(status)}"
        )
    return took


def tabulated(executable, *arguments):
    """The columns of the table that a program of Benchmarks prints, by the name of the row."""
    run = subprocess.run([executable, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise Unmeasured(f"{executable.name} ended with {run.returncode}")
    log(run.stdout)
    names, *rows = (line.split("\t") for line in run.stdout.splitlines())
    return {what: dict(zip(names[1:], map(float, columns))) for what, *columns in rows}
