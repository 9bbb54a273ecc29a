"""Measures the reader while it syncs: key latency, and the time until a change is shown."""

import contextlib
import gc
import json
import pathlib
import shutil
import subprocess
import time
import uuid

from measure import Unmeasured
from programs import DOWN, HALF_DOWN, HALF_UP, PAGE_DOWN, PAGE_UP, SPACE, UP
from terminal import COLUMNS, ROWS, Screen, Stream, Terminal, painted

NOTES = 10_000
# The first device sends. The others receive; each takes less than half a second, so there are ten.
HOMES = ("one", *(f"other-{number}" for number in range(10)))
# A note in Vietnamese, from the key that begins it to the one that saves it.
NOTE = "nĐọc lại mỗi sáng\x13".encode()
KEYS = (
    [DOWN] * 6
    + [UP] * 3
    + [SPACE] * 2
    + [PAGE_UP] * 2
    + [HALF_DOWN] * 2
    + [HALF_UP] * 2
    + [PAGE_DOWN]
    + [PAGE_UP]
)
# A frame arrives at once. Other output meanwhile, such as the figures in the corner, is no reply to
# a key.
FRAME_GAP = 0.001
TIME = 1_764_000_000_000  # of every note, in milliseconds since 1970


class Service:
    """A record service with one account."""

    def __init__(self, binary, directory):
        self.binary, self.directory = binary, directory

    def command(self, *words, text=None):
        return subprocess.run(
            [self.binary, *words, "--data", self.directory],
            input=text,
            text=True,
            check=True,
            capture_output=True,
        ).stdout

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", "--data", self.directory, "--port", "0"],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for line in self.process.stdout:
            if " is ready at " in line:
                self.url = line.split()[-1]
            if line.startswith("API token:"):
                self.token = pathlib.Path(self.directory, "api-token").read_text().strip()
                break
        else:
            raise Unmeasured("the service does not start")
        self.command("user", "add", "an", text="a long password\n")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Device:
    """A home whose library is connected, kept from one start to the next."""

    def __init__(self, reader, service, home):
        self.reader, self.service, self.home = reader, service, home
        code = service.command("user", "sign-in", "an").split()[-1]
        self.run(
            "sync", "connect", service.url, "--paste", "--yes", text=f"{service.token}\n{code}\n"
        )

    def environment(self):
        return {
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
        }

    def run(self, *words, text=None):
        done = subprocess.run(
            [self.reader, *words],
            env=self.environment(),
            input=text,
            text=True,
            capture_output=True,
        )
        if done.returncode:
            raise Unmeasured(f"{words}: {done.stderr}")
        return done.stdout

    def pending(self):
        return json.loads(self.run("sync", "status", "--json"))["pending"]

    def notes(self):
        return len(json.loads(self.run("note", "list", "--json")))

    @contextlib.contextmanager
    def reading(self, arguments=("2:1",)):
        """Starts the reader; yields its terminal at the first screen. The reader then syncs."""
        terminal = Terminal([self.reader, *arguments], self.environment())
        try:
            shown, _ = painted(terminal.drain(0.020, 5), ["Al-Baqarah"])
            if shown is None:
                raise Unmeasured("no first screen while it syncs")
            yield terminal
        finally:
            terminal.close()


class Watched:
    """A terminal and its screen, as it is drawn."""

    def __init__(self, terminal):
        self.terminal, self.screen = terminal, Screen(COLUMNS, ROWS)
        self.stream = Stream(self.screen)
        for chunk in terminal.output:
            self.stream.feed(chunk.data)

    def drain(self, quiet):
        """Reads output until none arrives for `quiet` seconds."""
        for chunk in self.terminal.drain(quiet, quiet):
            self.stream.feed(chunk.data)

    def time_after(self, press, text):
        """The milliseconds from a key to the first bytes that bring a text to the row of the first
        surah, or to any bytes if the text is None."""
        before, began = len(self.terminal.output), time.perf_counter_ns()
        press()
        while (time.perf_counter_ns() - began) / 1e9 < 10:
            came = None
            # All output is fed to the screen: anything left out would be missing on it later.
            for chunk in self.terminal.drain(0.001, 0.050):
                self.stream.feed(chunk.data)
                row = next((line for line in self.screen.display if " 1 Al-Fatihah" in line), "")
                if came is None and (text is None or text in row):
                    came = (chunk.time - began) / 1e6
            if came is not None:
                return came
        raise Unmeasured(
            f"the other reader does not show {text}; "
            f"{len(self.terminal.output) - before} writes came"
        )


def write_notes(file):
    """Writes an export that has all notes."""
    notes = [
        {
            "id": str(uuid.UUID(int=(4 << 76) + (2 << 62) + number)).upper(),
            "ayah": f"2:{number % 286 + 1}",
            "text": f"Ghi chú số {number}: điều cần nhớ khi đọc lại câu này.",
            "createdAt": TIME + number,
            "modifiedAt": TIME + number,
        }
        for number in range(NOTES)
    ]
    file.write_text(
        json.dumps(
            {
                "format": "quran-vi",
                "version": 1,
                "exportedAt": TIME,
                "favorites": [],
                "notes": notes,
                "progress": [],
                "settings": [],
            }
        ),
        "utf-8",
    )


def press_until(terminal, is_over, times):
    """Presses keys until `is_over` returns true, which is called after each round of keys. The last
    round does not count, because part of it may have been later."""
    end = time.monotonic() + 300
    while True:
        round = []
        for key in KEYS:
            took, reply = terminal.press(key, quiet=FRAME_GAP)
            if reply:
                round.append(took)
            time.sleep(0.010)
        if is_over():
            return
        times += round
        if time.monotonic() > end or terminal.ended:
            raise Unmeasured("the sync does not come to its end")


def sessions(reader, service_binary, results, scratch):
    """Measures keys while 10,000 notes are sent, and while other devices receive them; then the
    time of changes from one device to another."""
    gc.collect()
    with Service(service_binary, scratch / "service") as service:
        one, *others = (Device(reader, service, scratch / name) for name in HOMES)
        write_notes(scratch / "notes.json")
        one.run("import", str(scratch / "notes.json"))
        if one.pending() != NOTES:
            raise Unmeasured(f"{one.pending()} notes wait to be sent")
        with one.reading() as terminal:
            press_until(terminal, lambda: one.pending() == 0, results.sending)
        for other in others:
            with other.reading() as terminal:
                press_until(terminal, lambda: other.notes() == NOTES, results.receiving)
        with one.reading(["1:1"]) as mine, others[0].reading([]) as theirs:
            both = Watched(mine), Watched(theirs)
            for watched in both:
                watched.drain(1)
            # The list of surahs shows all of these changes in the row of the first surah.
            for number in range(5):
                for keys, changed in (
                    (b"f", "♥" if number % 2 == 0 else None),
                    (b"r", f"{(number + 1) * 100 // 7} %"),
                    (NOTE, f"✎ {number + 1}"),
                    (b"t", None),
                ):
                    results.shown.append(both[1].time_after(lambda: mine.press(keys), changed))
                    for watched in both:
                        watched.drain(1)
                mine.press(DOWN)
    for name in (*HOMES, "service"):
        shutil.rmtree(scratch / name, ignore_errors=True)
