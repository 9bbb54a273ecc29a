"""Moves a service from SQLite to PostgreSQL and back while three devices keep editing.

No device may notice: none signs in again, lists records anew, learns of a fork, or loses a line.
The service keeps its address. Some moves are killed first, and then carried out again.

    python3 moving.py [--moves N] [--seed SEED]
"""

import argparse
import contextlib
import gzip
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile

import timeshift
from device import require_programs
from fleet import DEVICES, MINUTE, Fleet
from postgresql import PostgreSQL
from service import BINARY, Checks, favorite_record, wait_until

checks = Checks()
# The records of another account, which make moves long enough to be killed.
FILLING = 2000
# The maximum number of requests in a round in which there is nothing to sync.
IDLE_REQUESTS = 4
# How long a change may take to reach an open reader, in seconds. The reader tries again after
# pauses that double with each failure, so the time depends on how long the move takes.
LONGEST_DELAY = 120


class MovingFleet(Fleet):
    """A service that moves, and devices that sync with it through a proxy."""

    def __init__(self, directory, timeshift_library, database):
        super().__init__(directory, timeshift_library)
        self.database, self.moves, self.kills = database, 0, 0
        # The PostgreSQL database of the service; None while it is in a directory.
        self.place = None
        # A move is killed at some time within these seconds.
        self.kill_within = 0.6
        # The requests that list records instead of asking for changes.
        self.listings = []
        # The responses that refuse a change because of its change tag, while only one device syncs
        # at a time.
        self.conflicts, self.has_open_reader = [], False
        self.proxy.override, self.proxy.alter_body = self.observe, self.observe_response

    def observe(self, route, request):
        """Collects the requests for all records of a zone, and lets the proxy forward them."""
        if route == "records/query" or any(
            "syncToken" not in zone for zone in request.get("zones", []) if route == "changes/zone"
        ):
            self.listings.append((route, request))

    def observe_response(self, body):
        """Collects the conflicts."""
        text = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        if not self.has_open_reader and b'"CONFLICT"' in text:
            self.conflicts.append(text)
        return body

    # Moves

    def start_move(self, source, target):
        """Starts `move` with addresses that are not in its arguments."""
        return subprocess.Popen(
            [BINARY, "move"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "RECORD_SERVICE_FROM": source, "RECORD_SERVICE_TO": target},
        )

    def new_target(self):
        """The name of a new PostgreSQL database, or the path of a directory that does not exist."""
        if self.place is None:
            name = f"moved_{self.moves}"
            self.database.sql(f"CREATE DATABASE {name}", database="postgres")
            return name
        return str(self.live / f"service-{self.moves}")

    def is_empty(self, target):
        """Whether no service can be started with a target."""
        if self.place is None:
            tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            return self.database.sql(tables, database=target) == "0"
        return not pathlib.Path(target, "records.sqlite").exists()

    def numbers(self, query):
        """The rows of a query with one column of numbers."""
        if self.place is not None:
            return [int(row) for row in self.database.sql(query, database=self.place).split()]
        path = f"file:{self.service.data}/records.sqlite?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True)) as connection:
            return [row[0] for row in connection.execute(query)]

    def sessions(self):
        return self.numbers("SELECT id FROM web_session ORDER BY id")

    def records(self):
        return self.numbers("SELECT count(*) FROM record WHERE deleted = 0")[0]

    def forks(self):
        """How many responses have told a device that the service has lost changes."""
        return self.numbers("SELECT forks FROM service")[0]

    def move(self, rng, during):
        """Stops the service, moves it, and starts it again at the same port.

        `during` is called while the service is moved.
        """
        self.moves += 1
        sessions, records, port = self.sessions(), self.records(), self.service.port
        self.service.stop()
        target = self.new_target()
        if self.place is None:
            addresses = self.service.data, self.database.address_of(target)
        else:
            addresses = self.database.address_of(self.place), target
        label = f"move {self.moves}"
        process = self.start_move(*addresses)
        # The move may also end before it is killed.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.random() * self.kill_within)
        process.kill()
        process.communicate()
        if self.is_empty(target):
            self.kills += 1
            process = self.start_move(*addresses)
            during()
            output, errors = process.communicate()
            checks.that(f"{label}: it succeeds", process.returncode == 0, errors)
            checks.that(f"{label}: it says what", f" {records} records were " in output, output)
        self.log(f"--- {label}")
        self.use(target)
        self.service.start(port)
        checks.equal(f"{label}: the sessions", self.sessions(), sessions)
        checks.equal(f"{label}: the records", self.records(), records)
        findings = self.findings()
        checks.that(f"{label}: the doctor", all(row["ok"] for row in findings), findings)

    def findings(self):
        """The findings of `doctor`."""
        try:
            return json.loads(self.service.command("doctor", "--json"))
        except subprocess.CalledProcessError as error:
            return json.loads(error.stdout)

    def use(self, target):
        """Lets the service use another place."""
        variables = dict(self.clock.variables)
        if self.place is None:
            self.place, self.service.data = target, str(self.live / "nothing")
            variables["RECORD_SERVICE_STORAGE"] = self.database.address_of(target)
        else:
            self.place, self.service.data = None, target
        self.service.variables = variables


def fill(service):
    """Saves records of another account."""
    token = service.add_user("bình")
    for start in range(0, FILLING, 200):
        records = [
            {**favorite_record("x", 2, 1), "recordName": f"favorite-{number}"}
            for number in range(start, start + 200)
        ]
        status, answer = service.save(token, *records)
        checks.that("saved", status == 200 and "serverErrorCode" not in str(answer)[:200], answer)


def make_changes(fleet, rng, steps):
    """Makes random changes on random devices, most of which sync afterwards."""
    for _ in range(steps):
        device = rng.choice(fleet.devices)
        device.make_random_change(rng)
        if rng.random() < 0.6:
            fleet.sync(device)
        fleet.advance_clocks(2 * MINUTE)


def move_under_open_reader(fleet, rng):
    """Moves the service while a reader waits for notifications, which it also gets afterwards."""
    first, second = fleet.devices[:2]

    def has_arrived(note):
        rows = json.loads(second.run("note", "list", "--json"))
        return note in {row["id"] for row in rows}

    def arrives(label):
        note = first.add_random_note(rng)
        fleet.sync(first)
        arrived = wait_until(lambda: has_arrived(note), LONGEST_DELAY)
        checks.that(f"a change reaches the open reader {label}", arrived)

    fleet.has_open_reader = True
    with second.open_reader():
        arrives("before the move")
        fleet.move(rng, lambda: first.make_random_change(rng))
        arrives("after the move")
    fleet.has_open_reader = False
    second.update_from_library()


def main():
    require_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--moves", type=int, default=4)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="moving-") as directory, PostgreSQL() as database:
        timeshift_library = timeshift.build(directory)
        with MovingFleet(directory, timeshift_library, database) as fleet:
            fleet.connect(rng)
            fill(fleet.service)
            fleet.listings.clear()
            for number in range(options.moves):
                make_changes(fleet, rng, 5)
                # Changes that are sent only after the move, and those that are made meanwhile.
                for device in fleet.devices:
                    device.make_random_change(rng)
                if number < 2:
                    move_under_open_reader(fleet, rng)
                else:
                    fleet.move(rng, lambda: fleet.devices[0].make_random_change(rng))
                for device in rng.sample(fleet.devices, DEVICES):
                    fleet.sync(device)
            faults = fleet.check(rng)
            checks.that("devices, service and ledger agree", not faults, (faults[:5], fleet.trace))
            checks.equal("records that were listed anew", fleet.listings, [])
            checks.equal("conflicts", fleet.conflicts, [])
            checks.equal("responses about forks", fleet.forks(), 0)
            requests = fleet.proxy.request_count
            fleet.sync(fleet.devices[0])
            requests = fleet.proxy.request_count - requests
            checks.that("requests of a round without changes", requests <= IDLE_REQUESTS, requests)
            print(
                f"{fleet.moves} moves, {fleet.kills} of them killed first, "
                f"{fleet.ledger.line_count} lines written"
            )
    checks.finish("moving")


if __name__ == "__main__":
    main()
