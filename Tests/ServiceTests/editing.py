"""A device on which random changes are made, all of which a ledger records."""

import json

from device import Device
from timeshift import Timeshift


class EditingDevice(Device):
    """A device of a fleet. Random changes take their parameters from a random number generator."""

    # The setting that only this device changes, by device number, and its values.
    OWN_SETTINGS = (
        ("theme", ("light", "dark", "sepia", "oasis")),
        ("layout", ("verse", "flow")),
        ("arabicNames", ("true", "false")),
    )

    def __init__(self, fleet, number, home, program=None):
        self.fleet, self.number = fleet, number
        self.clock = Timeshift(fleet.timeshift_library, fleet.directory / f"reader-{number}.time")
        super().__init__(fleet.service, fleet.faults, home, program, self.clock.variables)
        # The lines of its notes by note id, and the ayahs of its favourites.
        self.note_lines, self.favorites = {}, set()

    def log(self, message):
        self.fleet.log(f"device {self.number}: {message}")

    def update_from_library(self):
        """Reads the library, updates the ledger, and returns the contents of the library."""
        contents = self.contents()
        self.note_lines = {note["id"]: note["text"].split("\n") for note in contents["notes"]}
        self.favorites = {row["ayah"] for row in contents["favorites"]}
        self.fleet.ledger.record_notes(self.number, self.note_lines)
        return contents

    def notes_in_order(self):
        """The ids of its notes, in an order that does not depend on the random ids."""
        return sorted(self.note_lines, key=lambda note: self.note_lines[note])

    # Changes

    def add_random_note(self, rng, count=None):
        """Adds a note of new lines; returns its id."""
        ledger = self.fleet.ledger
        lines = [ledger.new_line() for _ in range(count or rng.randint(1, 4))]
        ayah = f"{rng.randint(80, 106)}:{rng.randint(1, 3)}"
        output = json.loads(self.run("note", "add", ayah, "-m", "\n".join(lines), "--json"))
        (note,) = [row["id"] for row in output]
        self.log(f"adds {note[:8]}: {lines}")
        self.note_lines[note] = lines
        ledger.record_lines(self.number, note, lines)
        return note

    def edit_note(self, rng, note=None):
        """Inserts a new line into a note, or replaces one of its lines; returns the note's id."""
        if note not in self.note_lines:
            if not self.note_lines:
                return self.add_random_note(rng)
            note = rng.choice(self.notes_in_order())
        ledger = self.fleet.ledger
        lines, line = list(self.note_lines[note]), ledger.new_line()
        index = rng.randrange(len(lines) + 1)
        if index < len(lines) and rng.random() < 0.4:
            ledger.record_removed_lines([lines[index]])
            lines[index] = line
        else:
            lines.insert(index, line)
        self.log(f"edits {note[:8]}: {self.note_lines[note]} → {lines}")
        self.run("note", "edit", note, "-m", "\n".join(lines))
        self.note_lines[note] = lines
        ledger.record_lines(self.number, note, [line])
        return note

    def delete_note(self, rng, note=None):
        """Deletes a note, or adds one if there are few; returns its id."""
        if note not in self.note_lines:
            if len(self.note_lines) < 4:
                return self.add_random_note(rng)
            note = rng.choice(self.notes_in_order())
        self.log(f"deletes {note[:8]}: {self.note_lines[note]}")
        self.run("note", "remove", note)
        self.fleet.ledger.record_deletion(self.number, note, self.note_lines.pop(note))
        return note

    def change_own_favorite(self, rng):
        """Adds or removes a favourite of the surah that only this device changes."""
        ayah = f"{self.number + 1}:{rng.randint(1, 7)}"
        self.toggle_favorite(ayah)
        self.fleet.ledger.record_favorite(self.number, ayah, ayah in self.favorites)

    def toggle_favorite(self, ayah):
        self.favorites ^= {ayah}
        action = "add" if ayah in self.favorites else "remove"
        self.log(f"favorite {action} {ayah}")
        self.run("favorite", action, ayah)

    def change_own_progress(self, rng):
        """Advances the progress of the surah that only this device changes."""
        surah, progress = 4 + self.number, self.fleet.ledger.progress
        progress[surah] = min(progress.get(surah, 0) + rng.randint(1, 5), 110)
        self.log(f"reads {surah}:{progress[surah]}")
        self.run("progress", "set", f"{surah}:{progress[surah]}")

    def change_own_setting(self, rng):
        """Changes the setting that only this device changes."""
        key, values = self.OWN_SETTINGS[self.number]
        value = rng.choice(values)
        self.log(f"{key} {value}")
        self.run("settings", "set", key, value)
        self.fleet.ledger.settings[key] = value if value in ("true", "false") else json.dumps(value)

    def change_shared(self, rng):
        """Changes a favourite or the progress of a surah that the other devices change, too."""
        if rng.random() < 0.5:
            self.toggle_favorite(f"112:{rng.randint(1, 3)}")
        else:
            ayah = f"2:{rng.randint(1, 286)}"
            self.log(f"reads {ayah}")
            self.run("progress", "set", ayah)

    def make_random_change(self, rng):
        """Makes a random change of a random kind."""
        rng.choice(
            (
                self.add_random_note,
                self.add_random_note,
                self.edit_note,
                self.edit_note,
                self.edit_note,
                self.delete_note,
                self.change_own_favorite,
                self.change_own_progress,
                self.change_own_setting,
                self.change_shared,
            )
        )(rng)
