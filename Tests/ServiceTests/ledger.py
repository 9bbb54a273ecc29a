"""Records the changes that are made on devices, and checks what the devices have in the end.

Every line that is written is unique. The rules are those of the design of sync, stated again
independently of its implementation:

- Every device has each line in some note, unless it was removed by an edit or a deletion on a
  device that had it.
- A deleted note stays deleted, unless it was edited and the deleting device did not have that edit,
  or the note may return. It may return if it was changed in a part of the history that the service
  lost by a rollback, or before all devices had synced after the rollback: a device can then have a
  version other than the deleted one, and keeps it.
- Each favourite, surah and setting is changed on one device only, and ends as it was left there.
  But a removed favourite that may return, by the same rule, can be back.
"""

import dataclasses


@dataclasses.dataclass
class Deletion:
    """The deletion of a note."""

    # The number of the device on which the note was deleted, and the id of the note.
    device: int
    note: str
    # All lines that the device had ever had by then.
    seen_lines: frozenset
    # The lines of the note that were never seen in another note.
    lines: frozenset


class Ledger:
    """All changes of a number of devices. Devices are identified by their numbers."""

    def __init__(self, device_count=3):
        # The lines that were written to each note, by its id.
        self.lines_by_note = {}
        self.removed_lines = set()
        # The ids of the notes in which each line was ever seen.
        self.notes_by_line = {}
        self.deletions = []
        # The lines that each device ever had.
        self.seen_lines = [set() for _ in range(device_count)]
        # The ids of all notes that ever existed, and the ayahs of favourites.
        self.known_keys = set()
        # The expected values that only one device changes: whether an ayah is a favourite, the
        # last read ayah of each surah, and the settings as JSON.
        self.favorites, self.progress, self.settings = {}, {}, {}
        self.line_count = 0
        # All changes in order, as pairs of a device and a note id or ayah; and how many there were
        # when each device last synced.
        self.changes, self.synced_counts = [], [0] * device_count
        # How often the service was rolled back, and the devices that have not synced since.
        self.rollbacks, self.unsynced_devices = 0, set()
        # The keys of notes and favourites that may return after a deletion.
        self.may_return = set()
        # How many deleted notes did return.
        self.returned = 0

    def add_device(self):
        self.seen_lines.append(set())
        self.synced_counts.append(len(self.changes))

    def new_line(self):
        self.line_count += 1
        return f"line {self.line_count}"

    def record_lines(self, device, note, lines):
        """Records that new lines were written to a note."""
        self._record_change(device, note)
        self.lines_by_note.setdefault(note, set()).update(lines)
        self.record_notes(device, {note: lines})

    def record_removed_lines(self, lines):
        """Records that lines were removed from a note."""
        self.removed_lines.update(lines)

    def record_deletion(self, device, note, lines):
        """Records that a note was deleted while it had these lines."""
        self.record_removed_lines(lines)
        self.deletions.append(
            Deletion(
                device,
                note,
                frozenset(self.seen_lines[device]),
                frozenset(line for line in lines if self.notes_by_line[line] == {note}),
            )
        )

    def record_favorite(self, device, ayah, is_favorite):
        """Records that a favourite was added or removed."""
        self._record_change(device, ayah)
        self.favorites[ayah] = is_favorite

    def _record_change(self, device, key):
        self.known_keys.add(key)
        self.changes.append((device, key))
        if self.unsynced_devices:
            self.may_return.add(key)

    def record_sync(self, device, rollbacks):
        """Records that a device synced.

        `rollbacks` is the number of rollbacks of the service when the round began.
        """
        if rollbacks == self.rollbacks:
            self.synced_counts[device] = len(self.changes)
            self.unsynced_devices.discard(device)

    def checkpoint(self):
        """The state of the service now, for `record_rollback`.

        It consists of the keys of the changes that the service may not have, and the number of all
        changes.
        """
        return [
            key
            for number, (device, key) in enumerate(self.changes)
            if number >= self.synced_counts[device]
        ], len(self.changes)

    def record_rollback(self, checkpoint):
        """Records that the service was rolled back to a checkpoint."""
        unsent, count = checkpoint
        self.may_return.update(unsent, (key for _, key in self.changes[count:]))
        self.rollbacks += 1
        self.unsynced_devices = set(range(len(self.synced_counts)))

    def record_notes(self, device, notes):
        """Records which notes a device has, as lines by note id.

        A note with an unknown id is a copy that the device made when it last synced.
        """
        for note, lines in notes.items():
            if note not in self.known_keys:
                self._record_change(device, note)
            self.seen_lines[device].update(lines)
            for line in lines:
                self.notes_by_line.setdefault(line, set()).add(note)

    def lasting_deletions(self):
        """The deletions after which the note must stay deleted."""
        return [
            deletion
            for deletion in self.deletions
            if self.lines_by_note.get(deletion.note, set()) <= deletion.seen_lines
            and deletion.note not in self.may_return
        ]

    def as_json(self):
        """The ledger as JSON, with the key names of the existing fixtures."""
        return {
            "count": self.line_count,
            "written": {note: sorted(lines) for note, lines in self.lines_by_note.items()},
            "given_up": sorted(self.removed_lines),
            "places": {line: sorted(notes) for line, notes in self.notes_by_line.items()},
            "seen": [sorted(lines) for lines in self.seen_lines],
            "deletions": [
                {
                    "reader": deletion.device,
                    "note": deletion.note,
                    "seen": sorted(deletion.seen_lines),
                    "lines": sorted(deletion.lines),
                }
                for deletion in self.deletions
            ],
            "favorites": self.favorites,
            "progress": sorted(self.progress.items()),
            "settings": self.settings,
            "changed": self.changes,
            "sent": self.synced_counts,
        }

    @classmethod
    def from_json(cls, content):
        ledger = cls()
        ledger.line_count = content["count"]
        ledger.lines_by_note = {note: set(lines) for note, lines in content["written"].items()}
        ledger.removed_lines = set(content["given_up"])
        ledger.notes_by_line = {line: set(notes) for line, notes in content["places"].items()}
        ledger.seen_lines = [set(lines) for lines in content["seen"]]
        ledger.known_keys = set().union(*ledger.notes_by_line.values())
        ledger.deletions = [
            Deletion(
                deletion["reader"],
                deletion["note"],
                frozenset(deletion["seen"]),
                frozenset(deletion["lines"]),
            )
            for deletion in content["deletions"]
        ]
        ledger.favorites, ledger.settings = content["favorites"], content["settings"]
        ledger.progress = dict(content["progress"])
        ledger.changes, ledger.synced_counts = content["changed"], content["sent"]
        return ledger

    def check(self, libraries):
        """Checks the devices; returns the faults, as pairs of a kind and a description.

        `libraries` has the result of `Device.contents` for each device.
        """
        faults = []
        written = set().union(*self.lines_by_note.values())
        for number, library in enumerate(libraries):
            notes = {note["id"]: note["text"].split("\n") for note in library["notes"]}
            lines = {line for text in notes.values() for line in text}
            if lost := written - self.removed_lines - lines:
                faults.append(("line lost", f"device {number}: {sorted(lost)}"))
            if unknown := lines - written:
                faults.append(("unknown line", f"device {number}: {sorted(unknown)}"))
            for deletion in self.lasting_deletions():
                returned_lines = deletion.lines & lines
                if deletion.note in notes or returned_lines:
                    faults.append(
                        (
                            "deletion undone",
                            f"device {number}: {deletion.note} {sorted(returned_lines)}, "
                            f"deleted on device {deletion.device}",
                        )
                    )
            faults += self._single_writer_faults(number, library)
        deleted = {entry.note for entry in self.deletions}
        self.returned += len(
            deleted & self.may_return & {note["id"] for note in libraries[0]["notes"]}
        )
        for number, library in enumerate(libraries[1:], 1):
            for kind, first in libraries[0].items():
                if library[kind] != first:
                    faults.append(
                        (
                            "devices differ",
                            f"{kind} of devices 0 and {number}: {difference(first, library[kind])}",
                        )
                    )
        return faults

    def _single_writer_faults(self, number, library):
        """Checks the values that only one device changes: favourites, progress and settings."""
        favorite_ayahs = {row["ayah"] for row in library["favorites"]}
        actual = {
            "favorite": {ayah: ayah in favorite_ayahs for ayah in self.favorites},
            "progress": {row["surah"]: row["lastReadAyah"] for row in library["progress"]},
            "setting": {row["key"]: row["value"] for row in library["settings"]},
        }
        expected = {"favorite": self.favorites, "progress": self.progress, "setting": self.settings}
        return [
            (
                "wrong value",
                f"device {number}: {kind} {key} is {actual[kind].get(key)}, not {value}",
            )
            for kind in expected
            for key, value in expected[kind].items()
            if actual[kind].get(key) != value and not (value is False and key in self.may_return)
        ]


def difference(first, second):
    """The rows that are only in the first list, and those that are only in the second."""
    return (
        [row for row in first if row not in second],
        [row for row in second if row not in first],
    )
