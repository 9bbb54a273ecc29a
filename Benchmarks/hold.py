"""Holds the write lock of a library for a second, repeatedly, until the input ends.

Prints a line before the first time, and the number of times at the end. Every other time, it
commits a change, as another reader would."""

import select
import sqlite3
import sys

HELD, FREE = 1.0, 0.15  # seconds


def is_over(seconds):
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def main():
    database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    print("ready", flush=True)
    holds = 0
    while not is_over(FREE):
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT OR REPLACE INTO device VALUES ('held', ?)", [str(holds)])
        is_over(HELD)
        database.execute("COMMIT" if holds % 2 else "ROLLBACK")
        holds += 1
    database.close()
    print(holds)


if __name__ == "__main__":
    main()
