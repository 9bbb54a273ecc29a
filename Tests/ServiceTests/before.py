"""Libraries and service files of an earlier version open, sync and go back in time as well.

fixtures/before.tar.xz has them (make_fixtures.py). Where $QURAN_VI_BEFORE names a directory with
`quran-vi` and `record-service` of an earlier version, fleets of old and new are tried, too.
"""

import contextlib
import json
import os
import pathlib
import random
import sqlite3
import tarfile
import tempfile

import timeshift
from device import need_programs
from fleet import MINUTE, READERS, Copy, Fleet
from ledger import Ledger
from service import Checks, skip

FIXTURES = pathlib.Path(__file__).parent / "fixtures" / "before.tar.xz"
BEFORE = os.environ.get("QURAN_VI_BEFORE")
# What a device asks for in a round in which there is nothing to do, and the most that it may.
REQUESTS = 4

checks = Checks()


class Fixtures(Fleet):
    """The service and the readers of the fixtures, under the programs of now."""

    def __init__(self, directory, library):
        with tarfile.open(FIXTURES) as archive:
            archive.extractall(directory)
        super().__init__(directory, library, programs=(None,) * (READERS + 2))
        self.story = json.loads((self.directory / "story.json").read_text())
        self.ledger = Ledger.from_json(self.story["ledger"])
        self.set_time(self.story["time"] + MINUTE)
        self.early = Copy(
            self.directory / "copy-1",
            is_of_running=True,
            time=self.story["copied"],
            drawn=0,
            moment=self.story["moment"],
        )
        self.copies = 1
        # The gate has another port now.
        former, now = self.story["statuses"][0]["service"], self.gate.url
        for reader in self.members:
            library = reader.data / "library.sqlite"
            with contextlib.closing(sqlite3.connect(library)) as connection, connection:
                connection.execute("UPDATE account SET origin = ?", [now])
            credentials = library.with_name("library.sqlite.credentials")
            credentials.write_text(credentials.read_text().replace(former, now))

    def open(self):
        """Everything that was in the libraries is there."""
        for reader, export, trash in zip(self.readers, self.story["exports"], self.story["trash"]):
            where = f"library {reader.number}"
            held = json.loads(reader.run("export"))
            for key, value in export.items():
                if key == "drafts":
                    value = [as_now(draft) for draft in value]
                if key != "exportedAt":
                    checks.equal(f"{where}: {key}", held[key], value)
            listed = reader.run("note", "restore")
            checks.equal(
                f"{where}: the trash", [note for note in trash if note[:8] not in listed], []
            )
        for reader, former in zip(self.members, self.story["statuses"]):
            status = reader.status()
            for key in ("isSignedIn", "account"):
                checks.equal(f"library {reader.number}: {key}", status[key], former[key])
            # What the earlier version parked is tried again.
            checks.equal(
                f"library {reader.number}: pending",
                status["pending"],
                former["pending"] + len(former["parked"]),
            )
            checks.equal(f"library {reader.number}: parked", status["parked"], [])
        for reader in self.members:
            reader.look()


def as_now(draft):
    """A draft as the present version has it: it names its note, and has no time of its text."""
    draft = {key: value for key, value in draft.items() if key != "basedOn"}
    return {**draft, "note": draft["id"]}


def tell(where, fleet):
    """Tells what is wrong with a fleet; what follows begins without it."""
    kinds = {}
    for kind, facts in fleet.faults.found:
        kinds.setdefault(kind, []).append(facts)
    checks.that(
        where,
        not kinds,
        {kind: f"{len(facts)} times, first {facts[0]}" for kind, facts in kinds.items()},
    )
    fleet.faults.found.clear()


def go_on(fleet, dice, steps):
    """Readers change things, and most of them sync."""
    for _ in range(steps):
        reader = dice.choice(fleet.members)
        reader.change(dice)
        if dice.random() < 0.75:
            fleet.sync(reader)
        fleet.move(4 * MINUTE)


def check(where, fleet, dice):
    """All come to rest and have what they are to have, at the cost of few requests."""
    fleet.check(dice)
    tell(where, fleet)
    for reader in fleet.members:
        before = fleet.gate.count
        fleet.sync(reader)
        asked = fleet.gate.count - before
        checks.that(f"{where}: device {reader.number} is at rest", asked <= REQUESTS, asked)


def fixtures(directory, library):
    with Fixtures(directory, library) as fleet:
        dice = random.Random("before")
        fleet.open()
        tell("the libraries open", fleet)
        fleet.service.start()
        check("they sync", fleet, dice)
        # Deletions of which only lost history and the earlier version knew.
        fleet.ledger.unsettled.update(fleet.story["forgotten"])
        fleet.go_back(fleet.early)
        check("the earlier version's files are put back", fleet, dice)
        go_on(fleet, dice, 6)
        copy = fleet.copy(is_of_running=True)
        go_on(fleet, dice, 6)
        fleet.go_back(copy, is_killed=True)
        go_on(fleet, dice, 3)
        check("later files are put back", fleet, dice)
        fleet.go_back(fleet.early, with_clock=True)
        go_on(fleet, dice, 3)
        check("the earlier version's files are put back again", fleet, dice)
        alone = fleet.readers[READERS]
        fleet.ledger.add_reader()
        for note, lines in (
            (note["id"], note["text"].split("\n")) for note in alone.look()["notes"]
        ):
            fleet.ledger.write(alone.number, note, lines)
        fleet.connect_reader(alone)
        fleet.members.append(alone)
        check("the fourth joins", fleet, dice)


def mixed(directory, library, is_old_service, old_readers):
    """A fleet of which some parts are of an earlier version; nothing goes back."""
    programs = [f"{BEFORE}/record-service" if is_old_service else None] + [
        f"{BEFORE}/quran-vi" if number < old_readers else None for number in range(READERS)
    ]
    where = f"{'an old' if is_old_service else 'a new'} service, {old_readers} old readers"
    with Fleet(directory, library, programs) as fleet:
        dice = random.Random(where)
        fleet.connect(dice)
        go_on(fleet, dice, 12)
        fleet.restart()
        go_on(fleet, dice, 12)
        check(where, fleet, dice)


def upgrade(directory, library):
    """The service becomes new, then one reader after the other; then files go back."""
    programs = [f"{BEFORE}/record-service"] + [f"{BEFORE}/quran-vi"] * READERS
    with Fleet(directory, library, programs) as fleet:
        dice = random.Random("upgrade")
        fleet.connect(dice)
        go_on(fleet, dice, 8)
        fleet.service.program = None
        fleet.restart()
        go_on(fleet, dice, 8)
        for reader in fleet.readers:
            reader.program = os.environ["QURAN_VI_BINARY"]
            go_on(fleet, dice, 8)
        check("upgraded", fleet, dice)
        copy = fleet.copy(is_of_running=True)
        go_on(fleet, dice, 8)
        fleet.go_back(copy)
        go_on(fleet, dice, 3)
        check("upgraded, then put back", fleet, dice)


def main():
    need_programs()
    with tempfile.TemporaryDirectory(prefix="before-") as directory:
        directory = pathlib.Path(directory)
        library = timeshift.build(directory)
        if library is None:
            skip("there is no Linux, or no C compiler, to make another time with")
        fixtures(directory / "fixtures", library)
        if BEFORE:
            upgrade(directory / "upgrade", library)
            for is_old_service, old_readers in ((False, 3), (False, 1), (True, 0), (True, 2)):
                mixed(
                    directory / f"mixed-{is_old_service}-{old_readers}",
                    library,
                    is_old_service,
                    old_readers,
                )
        else:
            print(
                "left out: fleets of old and new, as $QURAN_VI_BEFORE names no directory with"
                " programs of an earlier version"
            )
    checks.finish("before")


if __name__ == "__main__":
    main()
