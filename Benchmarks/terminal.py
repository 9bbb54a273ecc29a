"""A program in a terminal of its own, and the time of every byte it writes."""

import errno
import fcntl
import os
import select
import signal
import struct
import termios
import time
from typing import ClassVar, NamedTuple

import pyte

COLUMNS, ROWS = 80, 24
# A silence this long ends a burst of output, in seconds. Longer than any pause
# inside one frame, shorter than any wait for the next thing that happens.
BURST_GAP = 0.020


class Chunk(NamedTuple):
    time: int  # perf_counter_ns, right after the read
    data: bytes


def spawn(argv, env, file_actions):
    """Starts a program as a session leader: a terminal that it opens becomes its own."""
    return os.posix_spawn(
        argv[0],
        argv,
        env,
        file_actions=file_actions,
        setsid=True,
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
    )


class Terminal:
    """A program in a terminal. Its output is stored with times, and not parsed meanwhile."""

    def __init__(self, argv, env):
        self.master, slave = os.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
        os.set_blocking(self.master, False)
        self.poll = select.poll()
        self.poll.register(self.master, select.POLLIN)
        self.ended = None  # when the program closed the terminal
        self.output = []  # every chunk
        self.late = 0  # bytes that came after the answer to a key and before the next
        standard = [
            (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
        self.started = time.perf_counter_ns()
        self.pid = spawn(argv, env, standard)
        os.close(slave)

    def drain(self, quiet, patience):
        """Reads until `quiet` seconds pass without a byte; the first byte may take `patience`."""
        chunks = []
        while self.poll.poll(1000 * (quiet if chunks else patience)):
            try:
                data = os.read(self.master, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                data = b""
            now = time.perf_counter_ns()
            if not data:
                self.ended = now
                break
            chunks.append(Chunk(now, data))
        self.output += chunks
        return chunks

    def press(self, key, quiet=0.060, patience=0.500):
        """Sends a key; returns the milliseconds to the last byte of the reply (None without a
        reply), and the bytes of the reply."""
        self.await_late(0)
        self.pressed = time.perf_counter_ns()
        os.write(self.master, key)
        chunks = self.drain(quiet, patience)
        took = (chunks[-1].time - self.pressed) / 1e6 if chunks else None
        return took, b"".join(chunk.data for chunk in chunks)

    def await_late(self, quiet):
        """Waits until `quiet` seconds pass without a byte, and counts the bytes that arrive."""
        self.late += sum(len(chunk.data) for chunk in self.drain(quiet, quiet))

    def memory(self):
        """RssAnon and VmRSS in MB."""
        with open(f"/proc/{self.pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "VmRSS"))

    def close(self):
        """Closes the terminal, as a terminal window does, and waits until the program has ended."""
        os.close(self.master)
        for _ in range(200):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
            time.sleep(0.005)
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Screen(pyte.Screen):
    """The emulator, with the controls of xterm's terminfo that it lacks."""

    last = " "

    def draw(self, data):
        super().draw(data)
        self.last = data[-1:] or self.last

    def repeat(self, count=1):
        self.draw(self.last * (count or 1))

    def back_tab(self, count=1):
        self.cursor.x = max(0, ((self.cursor.x + 7) // 8 - (count or 1)) * 8)


class Stream(pyte.ByteStream):
    csi: ClassVar = {**pyte.ByteStream.csi, "b": "repeat", "Z": "back_tab"}
    events = pyte.ByteStream.events | {"repeat", "back_tab"}


def painted(chunks, markers):
    """When the screen was complete: the last byte of the first burst that leaves
    every marker on it, or None. Also the screen as lines."""
    screen = Screen(COLUMNS, ROWS)
    stream = Stream(screen)
    for number, chunk in enumerate(chunks):
        stream.feed(chunk.data)
        last = number + 1 == len(chunks)
        if last or chunks[number + 1].time - chunk.time > BURST_GAP * 1e9:
            text = "\n".join(screen.display)
            if all(marker in text for marker in markers):
                return chunk.time, screen.display
    return None, screen.display
