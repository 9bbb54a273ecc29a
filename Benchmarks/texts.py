"""The reader with several texts: installed beside the one that is read, and shown on one page."""

import dataclasses
import os
import random
import shutil
import subprocess

import measure
from programs import DOWN, TEXT

INSTALLED, SHOWN = "quran-vi, four texts", "quran-vi, three texts on the page"
ARABIC, TEXTS, COMPARE = b"a", b"\x1b8", b"c"
# The texts are made up from the bundled one, so that they are there on any machine.
READ, COMPARED = "vi.made", "en.made"
FIRST_WORDS = {"ar.hafs": "نص", COMPARED: "One:", READ: "Hai:"}
# The first word of the Arabic text as it is shown: from right to left, with joined letters.
SHOWN_ARABIC = "\ufeba\ufee7"
LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"
MARKS = "\u064e\u064f\u0650\u0651\u0652"


def seed(reader, scratch):
    """The reader with three more texts, and the same with all of them on the page."""
    installed = copy(reader, INSTALLED, scratch / "installed")
    installed.markers = [*reader.markers, FIRST_WORDS[READ]]
    environment = installed.environment(scratch)
    for identifier, first in FIRST_WORDS.items():
        file = scratch / f"{identifier}.txt"
        file.write_text(made_up(identifier, first), encoding="utf-8")
        install = [reader.argv[0], "text", "install", file, "--id", identifier]
        subprocess.run(install, env=environment, check=True, stdout=subprocess.DEVNULL)
    use = [reader.argv[0], "text", "use", READ]
    subprocess.run(use, env=environment, check=True, stdout=subprocess.DEVNULL)
    keep_home(installed, scratch)
    shown = copy(installed, SHOWN, scratch / "shown")
    shown.markers = [*installed.markers, SHOWN_ARABIC, FIRST_WORDS[COMPARED]]
    terminal, _ = measure.start(installed, scratch)
    for key in [ARABIC, TEXTS, DOWN, DOWN, COMPARE]:
        terminal.press(key)
    terminal.close()
    keep_home(shown, scratch)
    return [installed, shown]


def copy(program, name, home):
    shutil.copytree(program.home, home)
    return dataclasses.replace(program, name=name, home=home)


def keep_home(program, scratch):
    """Makes the home of the last run the home of all later runs of the program."""
    shutil.rmtree(program.home)
    os.rename(scratch / "home", program.home)


def made_up(identifier, first):
    """The bundled text, or for Arabic, half as many words of random letters and marks."""
    chosen = random.Random(identifier)

    def word():
        return "".join(
            chosen.choice(LETTERS) + chosen.choice(MARKS) for _ in range(chosen.randint(2, 5))
        )

    lines = []
    for line in TEXT.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        surah, ayah, text = line.split("|", 2)
        if identifier.startswith("ar."):
            text = " ".join(word() for _ in range(len(text.split()) // 2 + 1))
        lines.append(f"{surah}|{ayah}|{first} {text}\n")
    return "".join(lines)
