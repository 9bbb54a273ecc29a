"""Another time for a program, and random numbers that can be repeated: see timeshift.c."""

import mmap
import pathlib
import shutil
import struct
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).with_name("timeshift.c")
FORM = struct.Struct("<qQQ")


def build(directory):
    """The library to preload, made in a directory; None where that cannot be."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not sys.platform.startswith("linux") or compiler is None:
        return None
    library = pathlib.Path(directory) / "timeshift.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return library


class Timeshift:
    """The time, and the random numbers, of the programs that have its `variables`."""

    def __init__(self, library, file):
        self.library, self.path = library, pathlib.Path(file)
        self.path.write_bytes(FORM.pack(0, 0, 0))
        with open(self.path, "r+b") as opened:
            self.memory = mmap.mmap(opened.fileno(), FORM.size)

    @property
    def variables(self):
        return {"LD_PRELOAD": str(self.library), "TIMESHIFT_FILE": str(self.path)}

    def _get(self):
        return FORM.unpack(self.memory[: FORM.size])

    def now(self):
        """Seconds since 1970, as these programs see it."""
        return time.time() + self._get()[0] / 1e9

    def set_time(self, now):
        _, seed, drawn = self._get()
        self.memory[: FORM.size] = FORM.pack(round((now - time.time()) * 1e9), seed, drawn)

    def move(self, seconds):
        self.set_time(self.now() + seconds)

    def drawn(self):
        """How many random words were drawn so far."""
        return self._get()[2]

    def repeat(self, seed, drawn=0):
        """Random numbers from a seed, from a place in their sequence; 0 is for the system's."""
        self.memory[: FORM.size] = FORM.pack(self._get()[0], seed, drawn)

    def close(self):
        self.memory.close()
