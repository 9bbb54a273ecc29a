"""Writes fixtures/before.tar.xz: libraries and service files of an earlier version.

    RECORD_SERVICE_BINARY=… QURAN_VI_BINARY=… python3 make_fixtures.py COMMIT

The file in the repository was made by the binaries of commit a435a5c, the last version in which a
rollback of the service's files was not detected. before.py opens it with the binaries under test.
The tokens in it are not valid for any service that exists.

live/service    the service's data: records, tombstones, sessions whose tokens changed often
live/reader-N   homes of three devices of one account, and of a fourth that never had an account
copy-1          an earlier copy of the service's data, made while the service was running
story.json      the ledger, and the contents and status of each library as the earlier version
                printed them
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
from device import require_programs
from fleet import MINUTE, Fleet

ARCHIVE = pathlib.Path(__file__).parent / "fixtures" / "before.tar.xz"
# The start of the simulated time, a morning in November 2026, in seconds since 1970.
START_TIME = 1_795_248_000


def note_id(rng):
    return str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper()


def import_lists(fleet, device, **lists):
    """Imports lists for which there is no command: drafts, cues, days of reading."""
    file = fleet.directory / "import.json"
    file.write_text(json.dumps({"format": "quran-vi", "version": 1, "exportedAt": 0, **lists}))
    device.run("import", str(file))
    file.unlink()


def refuse_records(body):
    """Alters the body of a response so that each record is refused permanently."""
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


def sync_without_response(fleet, device, rng):
    """Runs a round whose changes reach the service, but whose response is dropped."""
    device.edit_note(rng)
    device.add_random_note(rng)
    with fleet.proxy.dropping(lambda body: b'"recordChangeTag"' in body):
        device.run("sync", "now", status=4)


def run_history(fleet, rng):
    """Makes changes and syncs for more than an hour; returns a copy that was made halfway.

    Web auth tokens change every ten minutes during that time.
    """
    for number in range(24):
        if number == 12:
            copy = fleet.copy(while_running=True)
        device = fleet.devices[number % 3]
        device.make_random_change(rng)
        device.make_random_change(rng)
        fleet.advance_clocks(3 * MINUTE)
        fleet.sync(device)
    first, second, third = fleet.account_devices
    first.delete_note(rng)
    for device in (first, second, third, first):
        fleet.sync(device)
    return copy


def make_unsent_changes(fleet, rng):
    """Makes the changes that the devices have not sent when the fixtures are written."""
    first, second, third = fleet.account_devices
    for change in (
        first.add_random_note,
        first.edit_note,
        first.delete_note,
        first.change_own_favorite,
        first.change_own_progress,
        first.change_own_setting,
    ):
        change(rng)
    note_with_draft = rng.choice(first.notes_in_order())
    note = next(note for note in first.contents()["notes"] if note["id"] == note_with_draft)
    import_lists(
        fleet,
        first,
        drafts=[
            {"id": note_id(rng), "ayah": "3:3", "text": "a draft", "changedAt": START_TIME * 1000},
            {
                "id": note_with_draft,
                "ayah": note["ayah"],
                "text": note["text"] + "\na draft of more",
                "basedOn": note["modifiedAt"],
                "changedAt": START_TIME * 1000,
            },
        ],
        cues=[{"number": 1, "ayah": "2:255"}, {"number": 3, "ayah": "36:1"}],
        readingDays=[{"day": "2026-11-20", "ayahs": 12}, {"day": "2026-11-21", "ayahs": 3}],
    )
    second.add_random_note(rng)
    fleet.proxy.alter_body = refuse_records
    second.run("sync", "now")
    fleet.proxy.alter_body = lambda body: body
    second.add_random_note(rng)
    sync_without_response(fleet, third, rng)
    third.delete_note(rng)


def fill_library_without_account(fleet, rng):
    """Fills the library of the device without an account; the ledger does not have its lines."""
    device = fleet.devices[3]
    for number in range(4):
        device.run("note", "add", f"{110 + number}:1", "-m", f"alone {number}\nand more {number}")
    device.run("note", "remove", "113:1")
    device.run("favorite", "add", "114:1-3")
    device.run("progress", "set", "100:5")
    import_lists(
        fleet,
        device,
        cues=[{"number": 2, "ayah": "1:1"}],
        readingDays=[{"day": "2026-11-19", "ayahs": 7}],
        drafts=[
            {"id": note_id(rng), "ayah": "1:1", "text": "alone", "changedAt": START_TIME * 1000}
        ],
    )


def trash(device):
    """The ids of the notes in the trash."""
    with contextlib.closing(sqlite3.connect(device.data / "library.sqlite")) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM trash ORDER BY id")]


def checkpoint_log(database):
    """Moves the write-ahead log into the database, which makes the fixtures far smaller."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def without_machine_data(member):
    """Removes the metadata of an archive member that differ between machines."""
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mtime = START_TIME
    return member


def main():
    require_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("commit", help="the commit from which the binaries were built")
    options = options.parse_args()
    rng = random.Random("fixtures")
    with tempfile.TemporaryDirectory(prefix="fixtures-") as directory:
        timeshift_library = timeshift.build(directory)
        with Fleet(directory, timeshift_library, programs=(None,) * 5) as fleet:
            fleet.set_clocks(START_TIME)
            fleet.connect(rng)
            copy = run_history(fleet, rng)
            # The earlier version does not store its deletions.
            forgotten = [deletion.note for deletion in fleet.ledger.deletions] + [
                ayah for ayah, is_favorite in fleet.ledger.favorites.items() if not is_favorite
            ]
            make_unsent_changes(fleet, rng)
            fill_library_without_account(fleet, rng)
            fleet.service.stop()
            story = {
                "commit": options.commit,
                "time": fleet.clock.now(),
                "copied": copy.time,
                "moment": copy.checkpoint,
                "forgotten": forgotten,
                "ledger": fleet.ledger.as_json(),
                "exports": [json.loads(device.run("export")) for device in fleet.devices],
                "statuses": [device.status() for device in fleet.account_devices],
                "trash": [trash(device) for device in fleet.devices],
            }
            if fleet.faults.found:
                raise SystemExit(fleet.faults.found)
        path = pathlib.Path(directory)
        (path / "story.json").write_text(json.dumps(story, ensure_ascii=False, indent=1))
        (fleet.live / "service" / "log").unlink()
        for database in path.rglob("*.sqlite"):
            checkpoint_log(database)
        ARCHIVE.parent.mkdir(exist_ok=True)
        with tarfile.open(ARCHIVE, "w:xz") as archive:
            for name in ("live", copy.path.name, "story.json"):
                archive.add(path / name, name, filter=without_machine_data)
    print(f"{ARCHIVE}: {ARCHIVE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
