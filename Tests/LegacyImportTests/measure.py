#!/usr/bin/env python3
"""Imports hostile files with the program and measures it: python3 measure.py BINARY [WORD]

It imports every fixture of hostile/ and large/, and larger files that it generates, each into
its own library in a temporary directory; with WORD, only the files with that word in their names.
It prints wall time, peak memory and exit code of each import, the slowest first, and exits with 1
if an import takes more than 2 s or 256 MB, or does not exit with 0 or 3. It takes some minutes;
the limits are for a release build on an idle machine.
"""

import base64
import gzip
import json
import os
import pathlib
import plistlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
import zlib

HERE = pathlib.Path(__file__).parent / "Fixtures"
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import make  # noqa: E402

SECONDS, MEGABYTES, PATIENCE = 2, 256, 30
MB = 1 << 20
SIZE = 15_900_000
KEY = b'{"favoriteAyahs":'
TRUNCATED = "same/xml-mixed.plist"


def names_of_marks():
    """Keys of 99 combining marks in random order, 15 MB in total."""
    marks = [
        c
        for c in map(chr, range(0x300, 0x600))
        if unicodedata.combining(c) and unicodedata.normalize("NFC", c) == c
    ]
    generator = random.Random(5)
    return ["".join(generator.choices(marks, k=99)) for _ in range(76_000)]


def notes(text, count=18):
    return ('{"ayahNotes":{"1:1":[' + ",".join([f'"{text}"'] * count) + "]}}").encode()


def last_read(value):
    return b'{"ReadingProgressStore.progress":{"1":{"lastReadAyah":' + value + b"}}}"


def last_read_xml(tag):
    return (
        b"<plist><dict><key>ReadingProgressStore.progress</key><dict><key>1</key><dict>"
        b"<key>lastReadAyah</key><%s>%s</%s></dict></dict></dict></plist>" % (tag, b"9" * SIZE, tag)
    )


def bomb(gigabytes):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * (64 * MB)
    return b"".join(packer.compress(block) for _ in range(16 * gigabytes)) + packer.flush()


def wide_archive(fields, references):
    listed = {"NS.objects": [plistlib.UID(2)] * references, "$class": plistlib.UID(0)}
    wide = {**{f"k{i}": 0 for i in range(fields)}, "NS.objects": []}
    return make.binary(
        {
            "favoriteAyahs": make.binary(
                {
                    "$version": 100000,
                    "$archiver": "NSKeyedArchiver",
                    "$top": {"root": plistlib.UID(1)},
                    "$objects": ["$null", listed, wide],
                }
            )
        }
    )


def doubled(value, count=150):
    entry = f'"favoriteAyahs":"{base64.b64encode(gzip.compress(value, mtime=0)).decode()}"'
    return ("{" + ",".join([entry] * count) + "}").encode()


def generated():
    yield "bomb-10-gb.gz", lambda: bomb(10)
    yield "empty-members.gz", lambda: gzip.compress(b"", mtime=0) * (SIZE // 20)
    yield "small-dictionaries.json", lambda: b'{"a":1},' * MB
    yield "small-dictionaries-list.json", lambda: b"[" + b'{"a":1},' * MB + b"{}]"
    yield "deep.json", lambda: KEY + b"[" * 10_000 + b"]" * 10_000 + b"}"
    yield (
        "deep.plist",
        lambda: (
            b"<plist><dict><key>favoriteAyahs</key>"
            + b"<array>" * 10_000
            + b"</array>" * 10_000
            + b"</dict></plist>"
        ),
    )
    yield "deep-open.json", lambda: b"[" * (8 * MB)
    yield "deep-open.txt", lambda: b"(" * (8 * MB)

    # Unpacked, decoded and read more than once.
    yield "doubled-gzip.plist", lambda: make.doubled_gzip(900)
    for name, value in (
        ("spaces", b"[]" + b" " * (16 * MB - 2)),
        ("comment", b"(/*" + b"x" * (16 * MB - 10) + b"*/)"),
        ("utf-16", ("[]" + " " * (8 * MB - 4)).encode("utf-16")),
        ("escapes", b'["' + b"\\u0041" * 2_700_000 + b'"]'),
        ("references", b"<plist><string>" + b"&#97;" * 3_000_000 + b"</string></plist>"),
        ("notes", notes("e\u0301\u0323" * 180_000, 17)),
    ):
        yield f"doubled-{name}.json", lambda value=value: doubled(value)
    yield (
        "notes-at-levels.json",
        lambda: (
            b'{"ayahNotes":"'
            + base64.b64encode(gzip.compress(notes("e\u0301\u0323" * 180_000, 17)[13:-1]))
            + b'",'
            + notes("e\u0301\u0323" * 180_000, 16)[1:]
        ),
    )
    yield "overlapping-texts.plist", lambda: make.overlapping(7 * MB)
    yield "wide-object.plist", lambda: wide_archive(100_000, 48_000)
    yield "less-wide-object.plist", lambda: wide_archive(20_000, 48_000)

    # Numbers.
    yield "digits.json", lambda: last_read(b'"' + b"9" * SIZE + b'"')
    yield "number-spaces.json", lambda: last_read(b'"' + b" " * SIZE + b'x"')
    yield "number.json", lambda: last_read(b"9" * SIZE)
    yield "fraction.json", lambda: last_read(b"1." + b"9" * SIZE)
    yield "integer.plist", lambda: last_read_xml(b"integer")
    yield "real.plist", lambda: last_read_xml(b"real")
    yield (
        "ids-spaces.json",
        lambda: make.compact({"favoriteAyahs": ["1:1" + " " * 70] * 199_990}).encode(),
    )
    yield (
        "ids-wide-spaces.json",
        lambda: make.compact({"favoriteAyahs": ["1:1" + "\u3000" * 22] * 199_990}).encode(),
    )
    yield (
        "ids-digits.json",
        lambda: make.compact({"favoriteAyahs": ["1:" + "0" * 96 + "1"] * 160_000}).encode(),
    )
    yield (
        "ids-wide-digits.json",
        lambda: make.compact(
            {"favoriteAyahs": ["1:" + "\U0001d7ce\uff10" * 13 + "1"] * 160_000}
        ).encode(),
    )
    yield (
        "surahs-digits.json",
        lambda: make.compact(
            {
                "ReadingProgressStore.progress": {
                    "0" * 90 + str(i): {"lastReadAyah": 1} for i in range(99_990)
                }
            }
        ).encode(),
    )

    # Names.
    names = names_of_marks()
    yield (
        "keys-marks.json",
        lambda: make.compact({**dict.fromkeys(names, 1), "favoriteAyahs": []}).encode(),
    )
    yield "keys-marks-only.json", lambda: make.compact(dict.fromkeys(names, 1)).encode()
    yield "ids-marks.json", lambda: make.compact({"favoriteAyahs": names}).encode()
    yield (
        "note-ids-marks.json",
        lambda: make.compact({"ayahNotes": {name: ["x"] for name in names}}).encode(),
    )
    yield (
        "keys-many.json",
        lambda: make.compact({**{str(i): 1 for i in range(199_990)}, "favoriteAyahs": []}).encode(),
    )

    # Problems.
    for name, character in (
        ("planes", "\U00010000"),
        ("control", "\u0001"),
        ("bidi", "\u202e"),
        ("tags", "\U000e0001"),
    ):
        yield (
            f"bad-id-{name}.json",
            lambda character=character: json.dumps(
                {"ayahNotes": {character * 100: ["x"] * 199_990}}
            ).encode(),
        )
    yield (
        "bad-favorites.json",
        lambda: make.compact({"favoriteAyahs": [f"2:{300 + i}" for i in range(199_990)]}).encode(),
    )
    yield "surrogates.json", lambda: notes("\\ud800", 199_980)

    # Notes.
    yield (
        "honest-notes.json",
        lambda: make.compact({"ayahNotes": {"1:1": [f"n{i}" for i in range(199_990)]}}).encode(),
    )
    yield "note-spaces.json", lambda: notes(" " * SIZE, 1)
    yield "note-wide-spaces.json", lambda: notes("\u3000" * (SIZE // 3), 1)
    yield "notes-decomposed.json", lambda: notes("e\u0301\u0323" * 179_990)
    yield "notes-jamo.json", lambda: notes("\u1100\u1161\u11a8" * 99_990)
    yield "notes-marks.json", lambda: notes(("a" + names[0]) * 4400)
    yield "notes-joined.json", lambda: notes("\U0001f468\u200d" * 128_000)
    yield "notes-escaped.json", lambda: notes("\\u0041" * 149_000)

    whole = (HERE / TRUNCATED).read_bytes()
    for end in range(len(whole)):
        yield f"truncated-{end}.plist", lambda end=end: whole[:end]


def run_here(binary, path):
    """Wall seconds, megabytes and the exit code of one import."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C", "TERM": "dumb"}
        start = time.monotonic()
        nowhere = [
            (os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)
        ]
        child = os.posix_spawn(
            binary, [binary, "import", str(path)], environment, file_actions=nowhere
        )
        timer = threading.Timer(PATIENCE, os.kill, (child, 9))
        timer.start()
        _, status, usage = os.wait4(child, 0)
        timer.cancel()
        return time.monotonic() - start, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def run(binary, path):
    """The same, started by a new process: Linux counts the memory of the process that starts a
    program as memory of the program."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", binary, str(path)], capture_output=True, check=True
    )
    return tuple(json.loads(done.stdout))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--one":
        return print(json.dumps(run_here(*sys.argv[2:])))
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    files = [
        (f"{folder}/{path.name}", path.read_bytes)
        for folder in ("hostile", "large")
        for path in sorted((HERE / folder).iterdir())
    ]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files + list(generated()):
            if word not in name:
                continue
            path = pathlib.Path(directory) / "dump"
            path.write_bytes(content())
            rows.append((*run(binary, path), name))
    failed = False
    for seconds, megabytes, code, name in sorted(rows, reverse=True):
        is_over = seconds > SECONDS or megabytes > MEGABYTES or code not in (0, 3)
        failed = failed or is_over
        if is_over or not name.startswith("truncated"):
            print(
                f"{'!' if is_over else ' '} {seconds:6.2f} s {megabytes:6.1f} MB"
                f"  exit {code:2}  {name}"
            )
    print(
        f"{len(rows)} files, at most {max(r[0] for r in rows):.2f} s"
        f" and {max(r[1] for r in rows):.1f} MB"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
