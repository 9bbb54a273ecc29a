"""Gives programs another clock and reproducible random numbers: see timeshift.c."""

import mmap
import pathlib
import shutil
import struct
import subprocess
import sys
import time

from service import skip

SOURCE = pathlib.Path(__file__).with_name("timeshift.c")
FILE_FORMAT = struct.Struct("<qQQ")


def build(directory):
    """Compiles the library to preload into a directory; ends the script if that is not possible."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not sys.platform.startswith("linux") or compiler is None:
        skip("changing the clock of programs takes Linux and a C compiler")
    library = pathlib.Path(directory) / "timeshift.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return library


class Timeshift:
    """The clock and the random numbers of all programs that run with its `variables`."""

    def __init__(self, library, file):
        self.library, self.path = library, pathlib.Path(file)
        self.path.write_bytes(FILE_FORMAT.pack(0, 0, 0))
        with open(self.path, "r+b") as file_object:
            self.memory = mmap.mmap(file_object.fileno(), FILE_FORMAT.size)

    @property
    def variables(self):
        """Environment variables for the programs."""
        return {"LD_PRELOAD": str(self.library), "TIMESHIFT_FILE": str(self.path)}

    def _read(self):
        return FILE_FORMAT.unpack(self.memory[: FILE_FORMAT.size])

    def now(self):
        """The time that these programs see, in seconds since 1970."""
        return time.time() + self._read()[0] / 1e9

    def set_time(self, now):
        _, seed, drawn = self._read()
        self.memory[: FILE_FORMAT.size] = FILE_FORMAT.pack(
            round((now - time.time()) * 1e9), seed, drawn
        )

    def advance(self, seconds):
        """Moves the clock forward, or back by a negative number."""
        self.set_time(self.now() + seconds)

    def words_drawn(self):
        """How many random words were drawn from the seed so far."""
        return self._read()[2]

    def seed_random(self, seed, drawn=0):
        """Seeds the random numbers, and skips the first `drawn` words of their sequence.

        The seed 0 stands for the random numbers of the system.
        """
        self.memory[: FILE_FORMAT.size] = FILE_FORMAT.pack(self._read()[0], seed, drawn)

    def close(self):
        self.memory.close()
