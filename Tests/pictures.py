"""Takes pictures of the reader in xterm, so that a developer can look at them.

    python3 Tests/pictures.py [--themes NAME ...] [--screens NAME ...] BINARY DIRECTORY

Writes PNG files of twelve screens in three sizes to DIRECTORY, in the named themes or in all. This
needs the Debian packages xvfb xterm xdotool imagemagick fonts-dejavu-core.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

THEMES = ("terminal", "light", "dark", "sepia", "oasis", "contrast")
SIZES = ((80, 24), (120, 40), (200, 60))
# The reader's arguments, and what is typed before the picture is taken.
SCREENS = {
    "list": ([], []),
    "juz": ([], ["key 2"]),
    "favourites": ([], ["key 3"]),
    "notes": ([], ["key 4"]),
    "search": ([], ["key 5", "type khoan dung"]),
    "progress": ([], ["key 6"]),
    "settings": ([], ["key 7"]),
    "reading": (["2:2"], []),
    "flow": (["2:2"], ["key m"]),
    "note": (["2:2"], ["key n", "type Suy ngẫm"]),
    "palette": (["2:2"], ["key ctrl+p", "type ghi"]),
    "help": ([], ["key question"]),
}
PROGRAMS = ("Xvfb", "xterm", "xdotool", "import")
# The longest wait for a screen to stop changing, in seconds.
SECONDS = 20


class Display:
    """An X server with one xterm."""

    def __init__(self, command, environment, size):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1400x24"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        with os.fdopen(reading) as number:
            self.environment = {**environment, "DISPLAY": f":{number.readline().strip()}"}
        columns, rows = size
        self.xterm = subprocess.Popen(
            [
                *("xterm", "-tn", "xterm-256color", "-u8", "-fa", "DejaVu Sans Mono", "-fs", "10"),
                *("-geometry", f"{columns}x{rows}+0+0", "-e", *command),
            ],
            env=self.environment,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.xterm.pid, signal.SIGKILL)
        self.xterm.wait()
        self.server.terminate()
        self.server.wait()

    def run(self, *words):
        return subprocess.run(
            words, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def window(self):
        return self.run("xdotool", "search", "--sync", "--onlyvisible", "--class", "xterm").split()[
            0
        ]

    def press(self, window, steps):
        self.run("xdotool", "windowfocus", "--sync", window)
        for step in steps:
            kind, text = step.split(" ", 1)
            self.run("xdotool", kind, "--delay", "30", text)

    def picture(self, window, path):
        """Saves a picture of the window once three pictures in a row are equal."""
        end, last, same = time.monotonic() + SECONDS, None, 0
        while same < 2 and time.monotonic() < end:
            time.sleep(0.15)
            self.run("import", "-window", window, "-strip", str(path))
            now = path.read_bytes()
            same = same + 1 if now == last else 0
            last = now


def prepare(binary, home):
    """Fills a library; returns the environment of the reader, and a function that runs commands."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def run(*words):
        subprocess.run([binary, *words], env=environment, check=True, stdout=subprocess.DEVNULL)

    for ayah in ("2:2", "2:5", "1:3", "36:1"):
        run("favorite", "add", ayah)
    run("note", "add", "2:3", "-m", "Đọc lại mỗi tối, trước khi ngủ.")
    run("progress", "set", "1:7")
    run("progress", "set", "2:120")
    return environment, run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--themes", nargs="+", choices=THEMES, default=THEMES)
    parser.add_argument("--screens", nargs="+", choices=SCREENS, default=list(SCREENS))
    parser.add_argument("binary")
    parser.add_argument("directory")
    options = parser.parse_args()
    if missing := [program for program in PROGRAMS if not shutil.which(program)]:
        sys.exit(f"missing: {' '.join(missing)}")
    binary, directory = pathlib.Path(options.binary).resolve(), pathlib.Path(options.directory)
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environment, run = prepare(binary, home)
        for theme in options.themes:
            run("settings", "set", "theme", theme)
            for size in SIZES:
                for screen in options.screens:
                    arguments, steps = SCREENS[screen]
                    path = directory / f"{theme}-{screen}-{size[0]}x{size[1]}.png"
                    with Display(
                        [binary, "--lang", "vi", *arguments], environment, size
                    ) as display:
                        window = display.window()
                        display.picture(window, path)
                        if steps:
                            display.press(window, steps)
                            display.picture(window, path)
                    print(path, flush=True)


if __name__ == "__main__":
    main()
