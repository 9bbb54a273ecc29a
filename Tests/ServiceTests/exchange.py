"""What `quran-vi export` wrote comes back by `quran-vi import`, and no line of a note is lost.

Two libraries that nobody syncs begin with the same notes, and both are edited. Each imports the
export of the other: where one text has all lines of the other it keeps the note, otherwise both
stay. The report says what became of each, a dry run says the same and changes nothing, and what
was imported changes nothing when it is imported again.
"""

import json

from device import Device, need_programs
from service import Checks

checks = Checks()
# The texts of notes: in both libraries at first, in the one whose export is imported, and in the
# one that imports it. What is told of the note where the imported text is the later one, and where
# it is the earlier one.
NOTES = {
    "more lines come": ("a\nb", "a\nb\nc", "a\nb", "merged", "merged"),
    "a line comes between": ("a\nb", "a\nx\nb", "b", "merged", "merged"),
    "there are more lines": ("a\nb", "a", "a\nb\nc", "alreadyThere", "alreadyThere"),
    "other lines in both": ("a\nb\nc", "a\nx\nc", "a\ny\nc", "keptBoth", "keptBoth"),
    "one line in both": ("một", "đã đọc", "hai", "keptBoth", "keptBoth"),
    "lines were taken away": ("a\nb\nc", "a\nc", "a\nb\nc", "alreadyThere", "alreadyThere"),
    "another order": ("a\nb\nc", "b\na\nc", "c\nb\na", "replaced", "alreadyThere"),
    "nobody changed it": ("a", "a", "a", "alreadyThere", "alreadyThere"),
}
KINDS = ("new", "replaced", "merged", "keptBoth", "alreadyThere")


def text_of(name, text):
    """Lines like no other note's: which note one was written in can be seen."""
    return "\n".join(f"{name}: {line}" for line in text.split("\n"))


def export(device):
    return device.run("export", "--format", "json")


def contents(device):
    document = json.loads(export(device))
    del document["exportedAt"]
    return document


def lines(device):
    return {line for _, text in device.notes() for line in text.split("\n")}


def imported(device, document, *options):
    """What is told of each list: how many elements of which kind."""
    (said,) = json.loads(device.run("import", "-", "--json", *options, text=document))
    return said["dryRun"], {
        table: {kind: counts[kind] for kind in KINDS if counts[kind]}
        for table, counts in said["lists"].items()
        if any(counts.values())
    }


def two_libraries(mine, theirs, is_later):
    """Both are edited, the first one before the other one or after it."""
    notes = {name: mine.note("2:255", text_of(name, texts[0])) for name, texts in NOTES.items()}
    mine.run("progress", "set", "2:45")
    mine.run("favorite", "add", "2:255")
    theirs.run("import", "-", text=export(mine))
    checks.equal("an empty library has the same then", contents(theirs), contents(mine))
    edits = [(mine, 1), (theirs, 2)]
    for device, place in reversed(edits) if is_later else edits:
        for name, texts in NOTES.items():
            if texts[place] != texts[0]:
                device.run("note", "edit", notes[name], "-m", text_of(name, texts[place]))
    mine.note("1:1", "chỉ ở đây")
    mine.run("progress", "set", "2:90")
    mine.run("favorite", "add", "36:1")


def merge(is_later):
    where = "the later text comes" if is_later else "the earlier text comes"
    with Device(None, checks) as mine, Device(None, checks) as theirs:
        two_libraries(mine, theirs, is_later)
        exports = export(mine), export(theirs)
        before, all_lines = contents(theirs), lines(mine) | lines(theirs)
        outcomes = {name: texts[3 if is_later else 4] for name, texts in NOTES.items()}
        told = ["new", *outcomes.values()]
        wanted = {
            "notes": {kind: told.count(kind) for kind in KINDS if kind in told},
            "progress": {"replaced": 1},
            "favorites": {"new": 1, "alreadyThere": 1},
        }
        checks.equal(
            f"{where}: a dry run tells", imported(theirs, exports[0], "--dry-run"), (True, wanted)
        )
        page = theirs.run("import", "-", "--dry-run", text=exports[0])
        checks.equal(f"{where}: and changes nothing", contents(theirs), before)
        checks.equal(f"{where}: an import tells", imported(theirs, exports[0]), (False, wanted))
        for kind, words in (("merged", "merged"), ("keptBoth", "kept both")):
            count = wanted["notes"][kind]
            checks.that(f"{where}: the page tells of {kind}", f"{count} {words}" in page, page)
        checks.equal(f"{where}: no line is lost", lines(theirs), all_lines)
        texts = {text for _, text in theirs.notes()}
        for name, (_, new, old, *_) in NOTES.items():
            stay = {text_of(name, text) for text in (new, old)}
            if outcomes[name] in ("merged", "replaced"):
                stay = {text_of(name, new)}
            elif outcomes[name] == "alreadyThere":
                stay = {text_of(name, old)}
            found = {text for text in texts if text.startswith(f"{name}: ")}
            checks.equal(f"{where}: {name}", found, stay)
        after = contents(theirs)
        _, again = imported(theirs, exports[0])
        checks.that(
            f"{where}: again there is nothing to do",
            all(set(counts) == {"alreadyThere"} for counts in again.values()),
            again,
        )
        checks.equal(f"{where}: and nothing is done", contents(theirs), after)
        mine.run("import", "-", text=exports[1])
        checks.equal(f"{where}: either way the same notes", mine.notes(), theirs.notes())


def main():
    need_programs()
    for is_later in (True, False):
        merge(is_later)
    checks.finish("exchange")


if __name__ == "__main__":
    main()
