"""Writes fixtures/before.tar.xz: what readers and their service of an earlier version left behind.

    RECORD_SERVICE_BINARY=… QURAN_VI_BINARY=… python3 make_fixtures.py COMMIT

Those in the repository were made by the binaries of commit a435a5c, the last before a service
could tell that its files had gone back. before.py opens them with the binaries under test. The
tokens in them let nobody into anything.

live/service    the service's data: records, tombstones, sessions whose tokens changed often
live/reader-N   homes of three readers who share an account, and of a fourth who never had one
copy-1          an earlier copy of the service's data, as it lay there while it was running
story.json      what the readers wrote, and what each library held, as the earlier version said it
"""

import argparse
import contextlib
import json
import pathlib
import random
import sqlite3
import tarfile
import tempfile
import uuid

import timeshift
from device import need_programs
from fleet import MINUTE, Fleet

FILE = pathlib.Path(__file__).parent / "fixtures" / "before.tar.xz"
# A morning in November of 2026, in seconds since 1970.
BEGIN = 1_795_248_000


def note_id(dice):
    return str(uuid.UUID(int=dice.getrandbits(128), version=4)).upper()


def bring(fleet, reader, **lists):
    """Imports what no command writes: drafts, cues, days of reading."""
    file = fleet.directory / "import.json"
    file.write_text(json.dumps({"format": "quran-vi", "version": 1, "exportedAt": 0, **lists}))
    reader.run("import", str(file))
    file.unlink()


def refuse(body):
    """An answer in which the service refuses each record for good."""
    content = json.loads(body)
    if "records" in content:
        content["records"] = [
            {
                "recordName": record["recordName"],
                "serverErrorCode": "BAD_REQUEST",
                "reason": "made up",
            }
            for record in content["records"]
        ]
    return json.dumps(content).encode()


def lose(fleet, reader, dice):
    """A round whose changes arrive, and whose answer does not."""
    reader.edit(dice)
    reader.write(dice)

    def cut(body):
        if b'"recordChangeTag"' in body:
            raise ConnectionResetError
        return body

    fleet.gate.alter = cut
    reader.run("sync", "now", status=4)
    fleet.gate.alter = lambda body: body


def live_on(fleet, dice):
    """An hour in which tokens change, and of which one copy is in the middle."""
    for number in range(24):
        if number == 12:
            copy = fleet.copy(is_of_running=True)
        reader = fleet.readers[number % 3]
        reader.change(dice)
        reader.change(dice)
        fleet.move(3 * MINUTE)
        fleet.sync(reader)
    one, two, three = fleet.members
    one.delete(dice)
    for reader in (one, two, three, one):
        fleet.sync(reader)
    return copy


def leave(fleet, dice):
    """What each has not sent when it is left."""
    one, two, three = fleet.members
    for action in (one.write, one.edit, one.delete, one.mark, one.advance, one.choose):
        action(dice)
    basis = dice.choice(one.notes_in_order())
    note = next(note for note in one.holds()["notes"] if note["id"] == basis)
    bring(
        fleet,
        one,
        drafts=[
            {"id": note_id(dice), "ayah": "3:3", "text": "a draft", "changedAt": BEGIN * 1000},
            {
                "id": basis,
                "ayah": note["ayah"],
                "text": note["text"] + "\na draft of more",
                "basedOn": note["modifiedAt"],
                "changedAt": BEGIN * 1000,
            },
        ],
        cues=[{"number": 1, "ayah": "2:255"}, {"number": 3, "ayah": "36:1"}],
        readingDays=[{"day": "2026-11-20", "ayahs": 12}, {"day": "2026-11-21", "ayahs": 3}],
    )
    two.write(dice)
    fleet.gate.alter = refuse
    two.run("sync", "now")
    fleet.gate.alter = lambda body: body
    two.write(dice)
    lose(fleet, three, dice)
    three.delete(dice)


def be_alone(fleet, dice):
    """The library of one who never had an account; its lines are none of the ledger's yet."""
    reader = fleet.readers[3]
    for number in range(4):
        reader.run("note", "add", f"{110 + number}:1", "-m", f"alone {number}\nand more {number}")
    reader.run("note", "remove", "113:1")
    reader.run("favorite", "add", "114:1-3")
    reader.run("progress", "set", "100:5")
    bring(
        fleet,
        reader,
        cues=[{"number": 2, "ayah": "1:1"}],
        readingDays=[{"day": "2026-11-19", "ayahs": 7}],
        drafts=[{"id": note_id(dice), "ayah": "1:1", "text": "alone", "changedAt": BEGIN * 1000}],
    )


def trash(reader):
    with contextlib.closing(sqlite3.connect(reader.data / "library.sqlite")) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM trash ORDER BY id")]


def flatten(database):
    """Moves what is in the write-ahead log into the database, which is far smaller."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def plain(member):
    """Without what differs from one machine to another."""
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mtime = BEGIN
    return member


def main():
    need_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("commit", help="of which the binaries are")
    options = options.parse_args()
    dice = random.Random("fixtures")
    with tempfile.TemporaryDirectory(prefix="fixtures-") as directory:
        library = timeshift.build(directory)
        with Fleet(directory, library, programs=(None,) * 5) as fleet:
            fleet.set_time(BEGIN)
            fleet.connect(dice)
            copy = live_on(fleet, dice)
            # The earlier version does not remember what it deleted.
            forgotten = [one.note for one in fleet.ledger.deletions] + [
                ayah for ayah, is_marked in fleet.ledger.favorites.items() if not is_marked
            ]
            leave(fleet, dice)
            be_alone(fleet, dice)
            fleet.service.stop()
            story = {
                "commit": options.commit,
                "time": fleet.clock.now(),
                "copied": copy.time,
                "moment": copy.moment,
                "forgotten": forgotten,
                "ledger": fleet.ledger.as_json(),
                "exports": [json.loads(reader.run("export")) for reader in fleet.readers],
                "statuses": [reader.status() for reader in fleet.members],
                "trash": [trash(reader) for reader in fleet.readers],
            }
            if fleet.faults.found:
                raise SystemExit(fleet.faults.found)
        path = pathlib.Path(directory)
        (path / "story.json").write_text(json.dumps(story, ensure_ascii=False, indent=1))
        (fleet.live / "service" / "log").unlink()
        for database in path.rglob("*.sqlite"):
            flatten(database)
        FILE.parent.mkdir(exist_ok=True)
        with tarfile.open(FILE, "w:xz") as archive:
            for name in ("live", copy.path.name, "story.json"):
                archive.add(path / name, name, filter=plain)
    print(f"{FILE}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
