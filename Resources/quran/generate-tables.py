#!/usr/bin/env python3
"""Write Sources/Quran/Tables.swift from surahs.tsv and divisions.json.

Run by `make tables`; a test compares the result with these resources.
"""

import csv
import json
import pathlib

here = pathlib.Path(__file__).resolve().parent
target = here.parent.parent / "Sources" / "Quran" / "Tables.swift"

with open(here / "surahs.tsv", encoding="utf-8", newline="") as file:
    surahs = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
divisions = json.loads((here / "divisions.json").read_text(encoding="utf-8"))

starts = [0]
for surah in surahs:
    starts.append(starts[-1] + int(surah["ayahs"]))


def index(surah, ayah):
    return starts[surah - 1] + ayah


def numbers(values):
    lines, line = [], "   "
    for value in values:
        word = f" {value},"
        if len(line) + len(word) > 100:
            lines.append(line)
            line = "   "
        line += word
    return "\n".join([*lines, line])


out = [
    "// Generated from Resources/quran by generate-tables.py; edit those and run `make tables`.",
    "",
    "enum Tables {",
    "  static let surahs: [Surah] = [",
]
for surah in surahs:
    names = ", ".join(
        f'"{surah[key]}"' for key in ("name_arabic", "transliteration", "name_vietnamese")
    )
    out.append(
        f"    Surah({surah['number']}, {surah['ayahs']}, {surah['rukus']}, "
        f".{surah['revelation'].lower()}, {surah['revelation_order']}, {names}),"
    )
out += [
    "  ]",
    "",
    "  /// Ayahs before each surah, then the number of all: 115 entries.",
    "  static let ayahsBefore: [Int] = [",
    numbers(starts),
    "  ]",
]
for name, key, doc in (
    ("juz", "juz", "juz"),
    ("hizbQuarters", "hizb_quarters", "hizb quarter"),
    ("manzils", "manzil", "manzil"),
    ("rukus", "ruku", "ruku"),
    ("pages", "pages", "page of the Madinah print"),
):
    out += [
        "",
        f"  /// Index of the first ayah of each {doc}.",
        f"  static let {name}: [Int] = [",
        numbers(index(*start) for start in divisions[key]),
        "  ]",
    ]
out += [
    "",
    "  /// Index of each ayah of prostration, and whether it is obligatory.",
    "  static let sajdas: [(index: Int, kind: Sajda)] = [",
]
for surah, ayah, kind in divisions["sajda"]:
    out.append(f"    ({index(surah, ayah)}, .{kind}),")
out += ["  ]", "}", ""]
target.write_text("\n".join(out), encoding="utf-8")
