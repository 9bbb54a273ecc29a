"""Tests that files of an earlier version open, sync, and recover from rollbacks of the service.

The libraries and the service's files are in fixtures/before.tar.xz (see make_fixtures.py). If
$QURAN_VI_BEFORE names a directory with `quran-vi` and `record-service` of an earlier version,
programs of both versions are also tested together.
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
from device import require_programs
from fleet import DEVICES, MINUTE, Copy, Fleet
from ledger import Ledger
from service import Checks

FIXTURES = pathlib.Path(__file__).parent / "fixtures" / "before.tar.xz"
EARLIER_PROGRAMS = os.environ.get("QURAN_VI_BEFORE")
# The maximum number of requests in a round in which there is nothing to sync.
IDLE_REQUESTS = 4

checks = Checks()


class FixtureFleet(Fleet):
    """The service and the devices of the fixtures, with the programs under test."""

    def __init__(self, directory, timeshift_library):
        with tarfile.open(FIXTURES) as archive:
            archive.extractall(directory)
        super().__init__(directory, timeshift_library, programs=(None,) * (DEVICES + 2))
        self.story = json.loads((self.directory / "story.json").read_text())
        self.ledger = Ledger.from_json(self.story["ledger"])
        self.set_clocks(self.story["time"] + MINUTE)
        self.fixture_copy = Copy(
            self.directory / "copy-1",
            while_running=True,
            time=self.story["copied"],
            drawn=0,
            checkpoint=self.story["moment"],
        )
        self.copy_count = 1
        # The libraries have the URL of the proxy that was used when the fixtures were made.
        old_url, new_url = self.story["statuses"][0]["service"], self.proxy.url
        for device in self.account_devices:
            database = device.data / "library.sqlite"
            with contextlib.closing(sqlite3.connect(database)) as connection, connection:
                connection.execute("UPDATE account SET origin = ?", [new_url])
            credentials = database.with_name("library.sqlite.credentials")
            credentials.write_text(credentials.read_text().replace(old_url, new_url))

    def check_opening(self):
        """Checks that the libraries open with everything that was in them."""
        for device, export, trash in zip(self.devices, self.story["exports"], self.story["trash"]):
            label = f"library {device.number}"
            exported = json.loads(device.run("export"))
            for key, value in export.items():
                if key == "drafts":
                    value = [current_draft(draft) for draft in value]
                if key != "exportedAt":
                    checks.equal(f"{label}: {key}", exported[key], value)
            listed = device.run("note", "restore")
            checks.equal(
                f"{label}: notes that are missing in the trash",
                [note for note in trash if note[:8] not in listed],
                [],
            )
        for device, former_status in zip(self.account_devices, self.story["statuses"]):
            status = device.status()
            for key in ("isSignedIn", "account"):
                checks.equal(f"library {device.number}: {key}", status[key], former_status[key])
            # Changes that the earlier version parked are sent again.
            checks.equal(
                f"library {device.number}: pending",
                status["pending"],
                former_status["pending"] + len(former_status["parked"]),
            )
            checks.equal(f"library {device.number}: parked", status["parked"], [])
        for device in self.account_devices:
            device.update_from_library()


def current_draft(draft):
    """A draft as the present version exports it: with the id of its note, and without `basedOn`."""
    draft = {key: value for key, value in draft.items() if key != "basedOn"}
    return {**draft, "note": draft["id"]}


def report_faults(label, fleet):
    """Reports the faults of a fleet as a check, and clears them."""
    details_by_kind = {}
    for kind, details in fleet.faults.found:
        details_by_kind.setdefault(kind, []).append(details)
    checks.that(
        label,
        not details_by_kind,
        {
            kind: f"{len(details)} times, the first: {details[0]}"
            for kind, details in details_by_kind.items()
        },
    )
    fleet.faults.found.clear()


def make_changes(fleet, rng, steps):
    """Makes random changes on random devices, most of which sync afterwards."""
    for _ in range(steps):
        device = rng.choice(fleet.account_devices)
        device.make_random_change(rng)
        if rng.random() < 0.75:
            fleet.sync(device)
        fleet.advance_clocks(4 * MINUTE)


def check(label, fleet, rng):
    """Checks the contents after all devices synced, and the number of requests of an idle round."""
    fleet.check(rng)
    report_faults(label, fleet)
    for device in fleet.account_devices:
        before = fleet.proxy.request_count
        fleet.sync(device)
        request_count = fleet.proxy.request_count - before
        checks.that(
            f"{label}: requests of an idle round of device {device.number}",
            request_count <= IDLE_REQUESTS,
            request_count,
        )


def fixture_history(directory, timeshift_library):
    """Opens the fixtures, and rolls the service back to copies of both versions."""
    with FixtureFleet(directory, timeshift_library) as fleet:
        rng = random.Random("before")
        fleet.check_opening()
        report_faults("the libraries open", fleet)
        fleet.service.start()
        check("first sync", fleet, rng)
        # The earlier version did not store these deletions, and the rollback removes them from the
        # history of the service.
        fleet.ledger.may_return.update(fleet.story["forgotten"])
        fleet.roll_back(fleet.fixture_copy)
        check("rollback to files of the earlier version", fleet, rng)
        make_changes(fleet, rng, 6)
        later_copy = fleet.copy(while_running=True)
        make_changes(fleet, rng, 6)
        fleet.roll_back(later_copy, is_killed=True)
        make_changes(fleet, rng, 3)
        check("rollback to later files", fleet, rng)
        fleet.roll_back(fleet.fixture_copy, with_clock=True)
        make_changes(fleet, rng, 3)
        check("second rollback to files of the earlier version", fleet, rng)
        fourth = fleet.devices[DEVICES]
        fleet.ledger.add_device()
        for note, lines in (
            (note["id"], note["text"].split("\n")) for note in fourth.update_from_library()["notes"]
        ):
            fleet.ledger.record_lines(fourth.number, note, lines)
        fleet.connect_device(fourth)
        fleet.account_devices.append(fourth)
        check("a fourth device signs in", fleet, rng)


def mixed_versions(directory, timeshift_library, is_old_service, old_devices):
    """Syncs a fleet of which some programs are of an earlier version, without rollbacks."""
    programs = [f"{EARLIER_PROGRAMS}/record-service" if is_old_service else None] + [
        f"{EARLIER_PROGRAMS}/quran-vi" if number < old_devices else None
        for number in range(DEVICES)
    ]
    # This is also the seed.
    label = f"{'an old' if is_old_service else 'a new'} service, {old_devices} old readers"
    with Fleet(directory, timeshift_library, programs) as fleet:
        rng = random.Random(label)
        fleet.connect(rng)
        make_changes(fleet, rng, 12)
        fleet.restart()
        make_changes(fleet, rng, 12)
        check(label, fleet, rng)


def upgrade(directory, timeshift_library):
    """Updates the service, then one device after the other, and then rolls the service back."""
    programs = [f"{EARLIER_PROGRAMS}/record-service"] + [f"{EARLIER_PROGRAMS}/quran-vi"] * DEVICES
    with Fleet(directory, timeshift_library, programs) as fleet:
        rng = random.Random("upgrade")
        fleet.connect(rng)
        make_changes(fleet, rng, 8)
        fleet.service.program = None
        fleet.restart()
        make_changes(fleet, rng, 8)
        for device in fleet.devices:
            device.program = os.environ["QURAN_VI_BINARY"]
            make_changes(fleet, rng, 8)
        check("upgraded", fleet, rng)
        copy = fleet.copy(while_running=True)
        make_changes(fleet, rng, 8)
        fleet.roll_back(copy)
        make_changes(fleet, rng, 3)
        check("upgraded, then rolled back", fleet, rng)


def main():
    require_programs()
    with tempfile.TemporaryDirectory(prefix="before-") as directory:
        directory = pathlib.Path(directory)
        timeshift_library = timeshift.build(directory)
        fixture_history(directory / "fixtures", timeshift_library)
        if EARLIER_PROGRAMS:
            upgrade(directory / "upgrade", timeshift_library)
            for is_old_service, old_devices in ((False, 3), (False, 1), (True, 0), (True, 2)):
                mixed_versions(
                    directory / f"mixed-{is_old_service}-{old_devices}",
                    timeshift_library,
                    is_old_service,
                    old_devices,
                )
        else:
            print(
                "not tested: fleets of programs of both versions, as $QURAN_VI_BEFORE does not name"
                " a directory with programs of an earlier version"
            )
    checks.finish("before")


if __name__ == "__main__":
    main()
