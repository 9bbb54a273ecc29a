"""Tests that `quran-vi import` merges an export of `quran-vi` without losing a line of a note.

Two libraries without sync start with the same notes, and both are edited. Then each imports the
export of the other. If one text of a note contains all lines of the other, it is kept; otherwise
both texts are kept. The report counts the outcomes. A dry run reports the same and changes nothing,
and importing the same export again changes nothing.
"""

import json

from device import Device, require_programs
from service import Checks

checks = Checks()
# For each note: the text that both libraries start with, the text in the library that exports, the
# text in the library that imports, and the reported outcome of the import if the imported text is
# the later one and if it is the earlier one.
NOTES = {
    "the import appends a line": ("a\nb", "a\nb\nc", "a\nb", "merged", "merged"),
    "the import has lines before and between": ("a\nb", "a\nx\nb", "b", "merged", "merged"),
    "the import has fewer lines": ("a\nb", "a", "a\nb\nc", "alreadyThere", "alreadyThere"),
    "both replaced the same line": ("a\nb\nc", "a\nx\nc", "a\ny\nc", "keptBoth", "keptBoth"),
    "both replaced the only line": ("một", "đã đọc", "hai", "keptBoth", "keptBoth"),
    "the import removed a line": ("a\nb\nc", "a\nc", "a\nb\nc", "alreadyThere", "alreadyThere"),
    "both reordered the lines": ("a\nb\nc", "b\na\nc", "c\nb\na", "replaced", "alreadyThere"),
    "unchanged in both": ("a", "a", "a", "alreadyThere", "alreadyThere"),
}
KINDS = ("new", "replaced", "merged", "keptBoth", "alreadyThere")


def text_of(name, text):
    """Prefixes each line with the name of the note, so that no two notes have a line in common."""
    return "\n".join(f"{name}: {line}" for line in text.split("\n"))


def export(device):
    return device.run("export", "--format", "json")


def contents(device):
    """The export without its time."""
    document = json.loads(export(device))
    del document["exportedAt"]
    return document


def lines(device):
    """The lines of all notes."""
    return {line for _, text in device.notes() for line in text.split("\n")}


def import_document(device, document, *options):
    """Imports a document; returns whether it was a dry run, and the outcomes counted by list."""
    (output,) = json.loads(device.run("import", "-", "--json", *options, text=document))
    return output["dryRun"], {
        table: {kind: counts[kind] for kind in KINDS if counts[kind]}
        for table, counts in output["lists"].items()
        if any(counts.values())
    }


def fill_libraries(first, second, is_later):
    """Fills and edits two libraries; the first one is edited later or earlier than the second."""
    notes = {
        name: first.add_note("2:255", text_of(name, texts[0])) for name, texts in NOTES.items()
    }
    first.run("progress", "set", "2:45")
    first.run("favorite", "add", "2:255")
    second.run("import", "-", text=export(first))
    checks.equal(
        "an import into an empty library copies everything", contents(second), contents(first)
    )
    edits = [(first, 1), (second, 2)]
    for device, text_index in reversed(edits) if is_later else edits:
        for name, texts in NOTES.items():
            if texts[text_index] != texts[0]:
                device.run("note", "edit", notes[name], "-m", text_of(name, texts[text_index]))
    first.add_note("1:1", "chỉ ở đây")
    first.run("progress", "set", "2:90")
    first.run("favorite", "add", "36:1")


def merge_exports(is_later):
    label = "the later text is imported" if is_later else "the earlier text is imported"
    with Device(None, checks) as first, Device(None, checks) as second:
        fill_libraries(first, second, is_later)
        exports = export(first), export(second)
        before, all_lines = contents(second), lines(first) | lines(second)
        outcomes = {name: texts[3 if is_later else 4] for name, texts in NOTES.items()}
        all_outcomes = ["new", *outcomes.values()]
        expected = {
            "notes": {kind: all_outcomes.count(kind) for kind in KINDS if kind in all_outcomes},
            "progress": {"replaced": 1},
            "favorites": {"new": 1, "alreadyThere": 1},
        }
        checks.equal(
            f"{label}: the report of a dry run",
            import_document(second, exports[0], "--dry-run"),
            (True, expected),
        )
        printed = second.run("import", "-", "--dry-run", text=exports[0])
        checks.equal(f"{label}: a dry run changes nothing", contents(second), before)
        checks.equal(
            f"{label}: the report of an import",
            import_document(second, exports[0]),
            (False, expected),
        )
        for kind, words in (("merged", "merged"), ("keptBoth", "kept both")):
            count = expected["notes"][kind]
            checks.that(
                f"{label}: the printed report counts {kind}", f"{count} {words}" in printed, printed
            )
        checks.equal(f"{label}: no line is lost", lines(second), all_lines)
        texts = {text for _, text in second.notes()}
        for name, (_, imported, existing, *_) in NOTES.items():
            expected_texts = {text_of(name, text) for text in (imported, existing)}
            if outcomes[name] in ("merged", "replaced"):
                expected_texts = {text_of(name, imported)}
            elif outcomes[name] == "alreadyThere":
                expected_texts = {text_of(name, existing)}
            texts_of_note = {text for text in texts if text.startswith(f"{name}: ")}
            checks.equal(f"{label}: {name}", texts_of_note, expected_texts)
        after = contents(second)
        _, again = import_document(second, exports[0])
        checks.that(
            f"{label}: a second import reports no changes",
            all(set(counts) == {"alreadyThere"} for counts in again.values()),
            again,
        )
        checks.equal(f"{label}: a second import changes nothing", contents(second), after)
        first.run("import", "-", text=exports[1])
        checks.equal(
            f"{label}: imports in both directions give the same notes",
            first.notes(),
            second.notes(),
        )


def main():
    require_programs()
    for is_later in (True, False):
        merge_exports(is_later)
    checks.finish("exchange")


if __name__ == "__main__":
    main()
