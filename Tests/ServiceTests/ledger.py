"""What three readers wrote and took away, and what must therefore be on their devices in the end.

Every line that is written is like no other. The rules are those of the design, stated once more
without looking at how the programs keep them:

- A line is on every device, in some note, unless an edit or a deletion by somebody who had it
  before him took it away.
- A note that was deleted stays deleted, unless an edit that the deletion had not seen was made to
  it, or it is unsettled. That it is when it was written to in a history that was lost, or before
  all devices had noticed: a device then may have another version than the one that was deleted,
  and keeps its own.
- Favourites, surahs and settings have one reader each who changes them, and end as that reader
  left them; but a favourite that is unsettled may come back likewise.
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
    def __init__(self, readers=3):
        # Lines by the id of the note that they were written to.
        self.written = {}
        self.given_up = set()
        # Where each line was ever seen.
        self.places = {}
        self.deletions = []
        self.seen = [set() for _ in range(readers)]
        # The ids of all notes that there ever were.
        self.notes = set()
        self.favorites, self.progress, self.settings = {}, {}, {}
        self.count = 0
        # Who changed which notes and marked which ayahs, in order; how many of these there were
        # when each reader last synced.
        self.changed, self.sent = [], [0] * readers
        # How often the service went back, and who has not synced since.
        self.losses, self.unaware = 0, set()
        self.unsettled = set()
        # How many deleted notes came back as they are unsettled.
        self.returned = 0

    def add_reader(self):
        self.seen.append(set())
        self.sent.append(len(self.changed))

    def new_line(self):
        self.count += 1
        return f"line {self.count}"

    def write(self, reader, note, lines):
        self._change(reader, note)
        self.written.setdefault(note, set()).update(lines)
        self.observe(reader, {note: lines})

    def give_up(self, lines):
        self.given_up.update(lines)

    def delete(self, reader, note, lines):
        self.give_up(lines)
        self.deletions.append(
            Deletion(
                reader,
                note,
                frozenset(self.seen[reader]),
                frozenset(line for line in lines if self.places[line] == {note}),
            )
        )

    def mark(self, reader, ayah, is_marked):
        self._change(reader, ayah)
        self.favorites[ayah] = is_marked

    def _change(self, reader, key):
        self.notes.add(key)
        self.changed.append((reader, key))
        if self.unaware:
            self.unsettled.add(key)

    def sync(self, reader, losses):
        """A round of a reader is done; when it began, the service had gone back so often."""
        if losses == self.losses:
            self.sent[reader] = len(self.changed)
            self.unaware.discard(reader)

    def moment(self):
        """What the service does not know now: what was not sent, and how many changes come
        before those that follow."""
        return [
            key for number, (reader, key) in enumerate(self.changed) if number >= self.sent[reader]
        ], len(self.changed)

    def lose(self, moment):
        """The service went back to a moment."""
        unsent, count = moment
        self.unsettled.update(unsent, (key for _, key in self.changed[count:]))
        self.losses += 1
        self.unaware = set(range(len(self.sent)))

    def observe(self, reader, notes):
        """Remembers what a reader has on a device: lines by the ids of their notes.

        A note that is new is a copy that the device made when it last synced.
        """
        for note, lines in notes.items():
            if note not in self.notes:
                self._change(reader, note)
            self.seen[reader].update(lines)
            for line in lines:
                self.places.setdefault(line, set()).add(note)

    def final_deletions(self):
        """Those that have to last."""
        return [
            one
            for one in self.deletions
            if self.written.get(one.note, set()) <= one.seen and one.note not in self.unsettled
        ]

    def as_json(self):
        return {
            "count": self.count,
            "written": {note: sorted(lines) for note, lines in self.written.items()},
            "given_up": sorted(self.given_up),
            "places": {line: sorted(notes) for line, notes in self.places.items()},
            "seen": [sorted(lines) for lines in self.seen],
            "deletions": [
                {
                    "reader": one.reader,
                    "note": one.note,
                    "seen": sorted(one.seen),
                    "lines": sorted(one.lines),
                }
                for one in self.deletions
            ],
            "favorites": self.favorites,
            "progress": sorted(self.progress.items()),
            "settings": self.settings,
            "changed": self.changed,
            "sent": self.sent,
        }

    @classmethod
    def from_json(cls, content):
        ledger = cls()
        ledger.count = content["count"]
        ledger.written = {note: set(lines) for note, lines in content["written"].items()}
        ledger.given_up = set(content["given_up"])
        ledger.places = {line: set(notes) for line, notes in content["places"].items()}
        ledger.seen = [set(lines) for lines in content["seen"]]
        ledger.notes = set().union(*ledger.places.values())
        ledger.deletions = [
            Deletion(one["reader"], one["note"], frozenset(one["seen"]), frozenset(one["lines"]))
            for one in content["deletions"]
        ]
        ledger.favorites, ledger.settings = content["favorites"], content["settings"]
        ledger.progress = dict(content["progress"])
        ledger.changed, ledger.sent = content["changed"], content["sent"]
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
                    faults.append(
                        (
                            "deletion undone",
                            f"device {number}: {deletion.note} {sorted(back)}, "
                            f"deleted by {deletion.reader}",
                        )
                    )
            faults += self._choices(number, library)
        deleted = {one.note for one in self.deletions}
        self.returned += len(deleted & self.unsettled & {note["id"] for note in held[0]["notes"]})
        for number, library in enumerate(held[1:], 1):
            for kind, first in held[0].items():
                if library[kind] != first:
                    faults.append(
                        (
                            "devices differ",
                            f"{kind} of 0 and {number}: {difference(first, library[kind])}",
                        )
                    )
        return faults

    def _choices(self, number, library):
        marked = {row["ayah"] for row in library["favorites"]}
        found = {
            "favorite": {ayah: ayah in marked for ayah in self.favorites},
            "progress": {row["surah"]: row["lastReadAyah"] for row in library["progress"]},
            "setting": {row["key"]: row["value"] for row in library["settings"]},
        }
        wanted = {"favorite": self.favorites, "progress": self.progress, "setting": self.settings}
        return [
            (
                "choice undone",
                f"device {number}: {kind} {key} is {found[kind].get(key)}, not {value}",
            )
            for kind in wanted
            for key, value in wanted[kind].items()
            if found[kind].get(key) != value and not (value is False and key in self.unsettled)
        ]


def difference(one, other):
    """What only one of two lists of rows has."""
    return ([row for row in one if row not in other], [row for row in other if row not in one])
