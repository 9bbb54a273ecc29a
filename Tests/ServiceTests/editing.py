"""A device and what its owner writes on it, which a ledger remembers."""

import json

from device import Device
from timeshift import Timeshift


class EditingDevice(Device):
    OWN_SETTINGS = (
        ("theme", ("light", "dark", "sepia", "oasis")),
        ("layout", ("verse", "flow")),
        ("arabicNames", ("true", "false")),
    )

    def __init__(self, fleet, number, home, program=None):
        self.fleet, self.number = fleet, number
        self.clock = Timeshift(fleet.library, fleet.directory / f"reader-{number}.time")
        super().__init__(fleet.service, fleet.faults, home, program, self.clock.variables)
        # Its notes' lines by id, and the favourites.
        self.texts, self.marked = {}, set()

    def tell(self, what):
        self.fleet.tell(f"device {self.number}: {what}")

    def look(self):
        """Remembers what is on the device, and says it."""
        held = self.holds()
        self.texts = {note["id"]: note["text"].split("\n") for note in held["notes"]}
        self.marked = {row["ayah"] for row in held["favorites"]}
        self.fleet.ledger.observe(self.number, self.texts)
        return held

    def notes_in_order(self):
        """The ids of its notes, in an order that does not depend on these."""
        return sorted(self.texts, key=lambda note: self.texts[note])

    # What it writes

    def write(self, dice, count=None):
        ledger = self.fleet.ledger
        lines = [ledger.new_line() for _ in range(count or dice.randint(1, 4))]
        ayah = f"{dice.randint(80, 106)}:{dice.randint(1, 3)}"
        said = json.loads(self.run("note", "add", ayah, "-m", "\n".join(lines), "--json"))
        (note,) = [row["id"] for row in said]
        self.tell(f"writes {note[:8]}: {lines}")
        self.texts[note] = lines
        ledger.write(self.number, note, lines)
        return note

    def edit(self, dice, note=None):
        """Writes a line somewhere into a note, perhaps in the place of another."""
        if note not in self.texts:
            if not self.texts:
                return self.write(dice)
            note = dice.choice(self.notes_in_order())
        ledger = self.fleet.ledger
        lines, line = list(self.texts[note]), ledger.new_line()
        place = dice.randrange(len(lines) + 1)
        if place < len(lines) and dice.random() < 0.4:
            ledger.give_up([lines[place]])
            lines[place] = line
        else:
            lines.insert(place, line)
        self.tell(f"edits {note[:8]}: {self.texts[note]} → {lines}")
        self.run("note", "edit", note, "-m", "\n".join(lines))
        self.texts[note] = lines
        ledger.write(self.number, note, [line])
        return note

    def delete(self, dice, note=None):
        if note not in self.texts:
            if len(self.texts) < 4:
                return self.write(dice)
            note = dice.choice(self.notes_in_order())
        self.tell(f"deletes {note[:8]}: {self.texts[note]}")
        self.run("note", "remove", note)
        self.fleet.ledger.delete(self.number, note, self.texts.pop(note))
        return note

    def mark(self, dice):
        ayah = f"{self.number + 1}:{dice.randint(1, 7)}"
        self.toggle(ayah)
        self.fleet.ledger.mark(self.number, ayah, ayah in self.marked)

    def toggle(self, ayah):
        self.marked ^= {ayah}
        action = "add" if ayah in self.marked else "remove"
        self.tell(f"favorite {action} {ayah}")
        self.run("favorite", action, ayah)

    def advance(self, dice):
        surah, progress = 4 + self.number, self.fleet.ledger.progress
        progress[surah] = min(progress.get(surah, 0) + dice.randint(1, 5), 110)
        self.tell(f"reads {surah}:{progress[surah]}")
        self.run("progress", "set", f"{surah}:{progress[surah]}")

    def choose(self, dice):
        key, values = self.OWN_SETTINGS[self.number]
        value = dice.choice(values)
        self.tell(f"{key} {value}")
        self.run("settings", "set", key, value)
        self.fleet.ledger.settings[key] = value if value in ("true", "false") else json.dumps(value)

    def share(self, dice):
        """Changes what others change, too."""
        if dice.random() < 0.5:
            self.toggle(f"112:{dice.randint(1, 3)}")
        else:
            ayah = f"2:{dice.randint(1, 286)}"
            self.tell(f"reads {ayah}")
            self.run("progress", "set", ayah)

    def change(self, dice):
        dice.choice(
            (
                self.write,
                self.write,
                self.edit,
                self.edit,
                self.edit,
                self.delete,
                self.mark,
                self.advance,
                self.choose,
                self.share,
            )
        )(dice)
