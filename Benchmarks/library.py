"""Measures the reader's library: the cost of storing, and reading with a full library."""

import dataclasses
import gc
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import measure
from measure import Unmeasured, log
from programs import DOWN, END, HALF_DOWN, HALF_UP, HOME, PAGE_DOWN, PAGE_UP, UP
from terminal import BURST_GAP, painted

FAVORITE, NEXT_SURAH, NOTES = b"f", b"]", b"4"
FILE = ".local/share/quran-vi/library.sqlite"  # in a home
FULL = "quran-vi, full library"
CONTENTS = "6,236 favourites and 20,000 notes"
# Texts of the complete list of notes: their number, and a name in the first rows.
LIST = ["20000 notes", "Al-Fatihah"]
SCROLLING = (
    [DOWN] * 30
    + [PAGE_DOWN] * 8
    + [HALF_DOWN] * 4
    + [UP] * 6
    + [END]
    + [PAGE_UP] * 4
    + [HALF_UP] * 4
    + [HOME]
    + [DOWN] * 2
)


def seed(reader, bench, scratch):
    """The reader with a full library; its home is otherwise the same."""
    full = dataclasses.replace(reader, name=FULL, home=scratch / "full")
    shutil.copytree(reader.home, full.home)
    file = full.home / FILE
    for old in file.parent.glob(f"{file.name}*"):
        old.unlink()
    file.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([bench, "seed", file], check=True)
    return full


def inside(empty, full, bench, results, scratch, times):
    """Runs library-bench, which measures without a terminal and without the reader."""
    file = scratch / "home" / FILE
    for program in (empty, full):
        program.environment(scratch)
        opening = measure.tabulated(bench, "open", file, times)["open"]
        results.openings[program.name] = opening["median"]
    full.environment(scratch)
    both = measure.tabulated(bench, "commit", file, 400)
    results.commit, results.append = both["commit"]["median"], both["append"]["median"]
    parts = measure.tabulated(bench, "import", scratch / "imported.sqlite", times)
    results.load, results.decode, results.insert = (
        parts[name]["median"] for name in ("import", "decode", "insert")
    )


def favorites_kept(home):
    database = sqlite3.connect(home / FILE)
    try:
        return set(database.execute("SELECT surah, ayah FROM favorite"))
    finally:
        database.close()


def favorite_session(program, results, scratch, locked, presses):
    """Removes the first ayah of each surah from 2 on from the favourites, each in a commit.
    With `locked`, another process repeatedly holds the library's lock for a second.

    The reply to the key ends with the first burst of output. Output that the commit causes
    later, above all a failed commit, counts as late."""
    terminal, _ = measure.start(program, scratch)
    times = []
    holder = None
    gc.collect()
    try:
        if locked:
            holder = subprocess.Popen(
                [
                    sys.executable,
                    pathlib.Path(__file__).with_name("hold.py"),
                    scratch / "home" / FILE,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            holder.stdout.readline()
        for _ in range(presses):
            took, _ = terminal.press(FAVORITE, quiet=BURST_GAP)
            if took is None:
                raise Unmeasured("the favourite key is not answered")
            times.append(took)
            terminal.await_late(0.060)
            terminal.press(NEXT_SURAH)
        if holder:
            results.holds += int(holder.communicate()[0])
        terminal.await_late(0.500)
        if terminal.ended:
            raise Unmeasured("it ended while favourites were changed")
    finally:
        if holder and holder.poll() is None:
            holder.kill()
            holder.wait()
        terminal.close()
    results.favorites[locked] += times
    results.late[locked] += terminal.late
    expected = favorites_kept(program.home) - {(surah, 1) for surah in range(2, presses + 2)}
    if favorites_kept(scratch / "home") != expected:
        raise Unmeasured("the favourites that were changed are not what the library holds")


def notes_session(program, results, scratch):
    """Opens the list of all notes from the first screen, and scrolls through it."""
    terminal, _ = measure.start(program, scratch, *program.home_screen)
    gc.collect()
    try:
        terminal.press(NOTES, quiet=0.500, patience=5)
        complete, screen = painted(terminal.output, LIST)
        if complete is None:
            log("\n".join(screen))
            raise Unmeasured(f"no list of notes with {LIST}")
        results.note_lists.append((complete - terminal.pressed) / 1e6)
        for key in SCROLLING:
            took, reply = terminal.press(key)
            if not reply:
                raise Unmeasured(f"{key} does not move the list of notes")
            results.note_keys.append(took)
        results.memory_with_notes.append(terminal.memory())
    finally:
        terminal.close()
