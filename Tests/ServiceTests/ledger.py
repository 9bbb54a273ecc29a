"""What three readers wrote and took away, and what must therefore be on their devices in the end.

Every line that is written is like no other. The rules are those of the design, stated once more
without looking at how the programs keep them:

- A line is on every device, in some note, unless an edit or a deletion by somebody who had it
  before him took it away.
- A note that was deleted stays deleted, unless an edit that the deletion had not seen was made to
  it.
- Favourites, surahs and settings have one reader each who changes them, and end as that reader
  left them.
"""

import dataclasses


@dataclasses.dataclass
class Deletion:
    reader: int
    note: str
    # What the reader had seen of all lines by then.
    seen: frozenset
    # Lines that were in this note and, as far as anybody knew, in no other.
    lines: frozenset


class Ledger:
    def __init__(self, readers=4):
        # Lines by the id of the note that they were written to.
        self.written = {}
        self.given_up = set()
        # Where each line was ever seen.
        self.places = {}
        self.deletions = []
        self.seen = [set() for _ in range(readers)]
        self.favorites, self.progress, self.settings = {}, {}, {}
        self.count = 0

    def new_line(self):
        self.count += 1
        return f"line {self.count}"

    def write(self, reader, note, lines):
        self.written.setdefault(note, set()).update(lines)
        self.observe(reader, {note: lines})

    def give_up(self, lines):
        self.given_up.update(lines)

    def delete(self, reader, note, lines):
        self.give_up(lines)
        self.deletions.append(Deletion(
            reader, note, frozenset(self.seen[reader]),
            frozenset(line for line in lines if self.places[line] == {note})))

    def observe(self, reader, notes):
        """Remembers what a reader has on a device: lines by the ids of their notes."""
        for note, lines in notes.items():
            self.seen[reader].update(lines)
            for line in lines:
                self.places.setdefault(line, set()).add(note)

    def final_deletions(self):
        """Those that have to last."""
        return [one for one in self.deletions
                if self.written.get(one.note, set()) <= one.seen]

    def as_json(self):
        return {
            "count": self.count, "written": {note: sorted(lines) for note, lines in
                                             self.written.items()},
            "given_up": sorted(self.given_up),
            "places": {line: sorted(notes) for line, notes in self.places.items()},
            "seen": [sorted(lines) for lines in self.seen],
            "deletions": [
                {"reader": one.reader, "note": one.note, "seen": sorted(one.seen),
                 "lines": sorted(one.lines)} for one in self.deletions],
            "favorites": self.favorites, "progress": sorted(self.progress.items()),
            "settings": self.settings}

    @classmethod
    def from_json(cls, content):
        ledger = cls()
        ledger.count = content["count"]
        ledger.written = {note: set(lines) for note, lines in content["written"].items()}
        ledger.given_up = set(content["given_up"])
        ledger.places = {line: set(notes) for line, notes in content["places"].items()}
        ledger.seen = [set(lines) for lines in content["seen"]]
        ledger.deletions = [
            Deletion(one["reader"], one["note"], frozenset(one["seen"]), frozenset(one["lines"]))
            for one in content["deletions"]]
        ledger.favorites, ledger.settings = content["favorites"], content["settings"]
        ledger.progress = dict(content["progress"])
        return ledger

    def check(self, held):
        """What is wrong with what the devices hold, as pairs of a kind and the facts.

        `held` has what `Device.holds` says of each device.
        """
        faults = []
        written = set().union(*self.written.values())
        for number, library in enumerate(held):
            notes = {note["id"]: note["text"].split("\n") for note in library["notes"]}
            lines = {line for text in notes.values() for line in text}
            if lost := written - self.given_up - lines:
                faults.append(("line lost", f"device {number}: {sorted(lost)}"))
            if strange := lines - written:
                faults.append(("line of nobody's", f"device {number}: {sorted(strange)}"))
            for deletion in self.final_deletions():
                back = deletion.lines & lines
                if deletion.note in notes or back:
                    faults.append((
                        "deletion undone", f"device {number}: {deletion.note} {sorted(back)}, "
                        f"deleted by {deletion.reader}"))
            faults += self._choices(number, library)
        for number, library in enumerate(held[1:], 1):
            for kind, first in held[0].items():
                if library[kind] != first:
                    faults.append((
                        "devices differ", f"{kind} of 0 and {number}: "
                        f"{difference(first, library[kind])}"))
        return faults

    def _choices(self, number, library):
        marked = {row["ayah"] for row in library["favorites"]}
        found = {
            "favorite": {ayah: ayah in marked for ayah in self.favorites},
            "progress": {row["surah"]: row["lastReadAyah"] for row in library["progress"]},
            "setting": {row["key"]: row["value"] for row in library["settings"]}}
        wanted = {
            "favorite": self.favorites, "progress": self.progress, "setting": self.settings}
        return [
            ("choice undone", f"device {number}: {kind} {key} is {found[kind].get(key)}, "
             f"not {value}")
            for kind in wanted for key, value in wanted[kind].items()
            if found[kind].get(key) != value]


def difference(one, other):
    """What only one of two lists of rows has."""
    return ([row for row in one if row not in other], [row for row in other if row not in one])
