"""A service that never ends: it takes no record of a type, or always has another page.

A gate stands between `quran-vi` and record-service and answers some requests itself. A round asks
a limited number of times, says why it failed, and what it brings into the library is limited, too.
Once the service answers for itself again, everything is as if it always had.
"""

import contextlib
import itertools
import sqlite3
import time
import uuid

from device import behind_gate, need_programs, rows_of
from service import Checks, until

checks = Checks()
NAME = "an"
# Attempts after which a change that is refused for the schema is parked.
ATTEMPTS = 8
# Pages in a row without anything new, and pages altogether, that one round reads.
STALE_PAGES, PAGES = 100, 5000
# The most records of a service that a library holds.
RECORDS = 1_000_000
ZONE = {"zoneID": {"zoneName": "_defaultZone"}}


def honest(route, request):
    """Nothing, so that the answer is the service's own."""


def refuse_notes(code):
    """A service whose schema has no notes."""

    def lie(route, request):
        operations = request.get("operations", [])
        if route != "records/modify" or not any(
            operation["record"].get("recordType") == "AyahNote" for operation in operations
        ):
            return None
        return 200, {
            "records": [
                {
                    "recordName": operation["record"]["recordName"],
                    "serverErrorCode": code,
                    "reason": "Did not find record type: AyahNote",
                }
                for operation in operations
            ]
        }

    return lie


def never_created():
    for code in ("NOT_FOUND", "UNKNOWN_ITEM"):
        with behind_gate(checks, NAME) as (service, gate, (one,)):
            gate.lie = refuse_notes(code)
            one.note("2:255", "chờ")
            before = gate.routes["records/modify"]
            # A pause may be so short that a round tries it twice, or that it is over at once.
            pauses = []
            for _ in range(ATTEMPTS):
                left = one.sync(status=4)["left"]
                attempts = gate.routes["records/modify"] - before
                if left["parked"]:
                    break
                where = f"{code}, {attempts} attempts"
                checks.equal(f"{where}: it waits", left["pending"], 1)
                pauses.append(left.get("pendingUntil"))
                checks.equal(f"{where}: why", left["lastError"]["code"], "recordNotCreated")
            checks.equal(f"{code}: all attempts", attempts, ATTEMPTS)
            checks.that(f"{code}: pauses between them", any(pauses), pauses)
            checks.equal(
                f"{code}: it is parked",
                [parked["reason"]["code"] for parked in left["parked"]],
                ["recordNotCreated"],
            )
            checks.equal(f"{code}: nothing waits", left["pending"], 0)
            # Whoever asks has it tried again.
            before = gate.routes["records/modify"]
            one.sync(status=4)
            attempts = gate.routes["records/modify"] - before
            checks.that(f"{code}: it is tried again", 1 <= attempts <= 3, attempts)
            gate.lie = honest
            checks.equal(f"{code}: it has its place", one.sync()["sent"], 1)
            checks.equal(f"{code}: the service has it", rows_of(service.records(NAME)), one.rows())


def in_the_reader():
    """A reader that is open for a while asks no more often than it may."""
    with behind_gate(checks, NAME) as (_, gate, (one,)):
        gate.lie = refuse_notes("NOT_FOUND")
        one.note("2:255", "chờ")
        before = gate.routes["records/modify"]
        with one.reading():
            asked = until(lambda: gate.routes["records/modify"] - before >= 2, seconds=30)
            checks.that("the reader tries it again", asked)
            # Requests that are not made cannot be waited for. In this time there could be hundreds.
            time.sleep(5)
            asked = gate.routes["records/modify"] - before
            checks.that("but not without an end", asked <= ATTEMPTS, asked)
        gate.lie = honest
        checks.equal("then it is sent", one.sync()["sent"], 1)


def note(user, text):
    """The record of a note that is like no other."""
    key = str(uuid.uuid4()).upper()
    return {
        "recordName": f"note-{user}-2:255-{key}",
        "recordType": "AyahNote",
        "recordChangeTag": "1",
        "fields": {
            "ayahID": {"value": "2:255", "type": "STRING"},
            "surahNumber": {"value": 2, "type": "INT64"},
            "ayahNumber": {"value": 255, "type": "INT64"},
            "noteText": {"value": text, "type": "STRING"},
            "createdAt": {"value": 1_700_000_000_000, "type": "TIMESTAMP"},
            "modifiedAt": {"value": 1_700_000_000_000, "type": "TIMESTAMP"},
            "ownerRecordName": {"value": user, "type": "STRING"},
        },
    }


class Feed:
    """A change feed that always has another page."""

    def __init__(self, records):
        """`records` makes those of a page."""
        self.records = records
        # The tokens from which pages were asked for.
        self.tokens = []

    def __call__(self, route, request):
        if route != "changes/zone":
            return None
        self.tokens.append(request["zones"][0].get("syncToken"))
        page = {
            **ZONE,
            "records": self.records(),
            "moreComing": True,
            "syncToken": f"page-{len(self.tokens)}",
        }
        return 200, {"zones": [page]}


def user_of(service):
    return next(
        name
        for name, record in service.records(NAME).items()
        if record["recordType"] == "UserProfile"
    )


def fails(where, device, code):
    """A round that fails for a reason, which `sync status` knows afterwards."""
    said = device.sync(status=4)
    checks.equal(f"{where}: the failure", said["failure"]["code"], code)
    status = device.status()
    checks.equal(f"{where}: the status", status["failure"]["code"], code)
    checks.that(f"{where}: since when", status["failingSince"])
    return said


def agree(where, service, *devices):
    """All devices sync, and hold what the service has."""
    for device in 2 * devices:
        device.sync()
    rows = rows_of(service.records(NAME))
    for device in devices:
        checks.equal(f"{where}: device and service agree", device.rows(), rows)
        checks.that(f"{where}: no failure is left", "failure" not in device.status())
    return rows


def nothing_new():
    with behind_gate(checks, NAME, 2) as (service, gate, (one, two)):
        one.note("1:1", "của tôi")
        for device in (one, two):
            device.sync()
        again = note(user_of(service), "một")
        for where, records in (("empty pages", []), ("the same record", [again])):
            gate.lie = feed = Feed(lambda records=records: records)
            fails(where, one, "endlessPages")
            asked = len(feed.tokens)
            checks.that(f"{where}: {asked} pages", STALE_PAGES <= asked <= STALE_PAGES + 1)
            fails(f"{where}, again", one, "endlessPages")
            checks.that(
                f"{where}, again: as many pages", len(feed.tokens) - asked <= STALE_PAGES + 1
            )
            gate.lie = honest
            two.note("1:2", where)
            two.sync()
            # The record that only the lie had is no mass.
            rows = agree(where, service, one, two)
            checks.that(f"{where}: others' notes come", ("1:2", where) in one.notes(), rows)


def known(device):
    """How many records its library knows."""
    with contextlib.closing(sqlite3.connect(device.data / "library.sqlite")) as library:
        (count,) = library.execute("SELECT count(*) FROM recordState").fetchone()
        return count


def pretend(device, count):
    """Has its library know that many records more; afterwards it does not any more."""

    @contextlib.contextmanager
    def manager():
        library = sqlite3.connect(device.data / "library.sqlite", isolation_level=None)
        with contextlib.closing(library):
            library.execute(
                """
                WITH RECURSIVE number (n) AS (
                  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?
                )
                INSERT INTO recordState (name, kind, key, tag, base, listing)
                SELECT 'pretended-' || n, 'setting', 'pretended-' || n, '1', x'', 9 FROM number
                """,
                [count],
            )
            yield
            library.execute("DELETE FROM recordState WHERE name LIKE 'pretended-%'")

    return manager()


def always_new():
    with behind_gate(checks, NAME, 2) as (service, gate, (one, two)):
        one.note("1:1", "của tôi")
        one.run("favorite", "add", "2:255")
        for device in (one, two):
            device.sync()
        before = rows_of(service.records(NAME))
        numbers = itertools.count(1)
        user = user_of(service)
        gate.lie = feed = Feed(lambda: [note(user, f"lạ {next(numbers)}")])
        fails("always new", one, "unfinishedPages")
        checks.equal("always new: the pages of a round", len(feed.tokens), PAGES)
        checks.equal("always new: the notes of a round", len(one.notes()), 1 + PAGES)
        count = known(one)
        with pretend(one, RECORDS - count - 10):
            fails("at the limit", one, "storageLimitReached")
            checks.equal("it goes on where it was", feed.tokens[PAGES], f"page-{PAGES}")
            asked = len(feed.tokens) - PAGES
            checks.that(f"at the limit: {asked} pages", asked <= STALE_PAGES + 10)
            size = known(one)
            checks.that("up to the limit", RECORDS - 10 <= size <= RECORDS, size)
            fails("beyond the limit", one, "storageLimitReached")
            checks.equal("beyond the limit: nothing comes", known(one), size)
            status = one.run("sync", "status")
            checks.that("it is told", f"{RECORDS} records" in status, status)
        checks.equal("nothing of it went back", rows_of(service.records(NAME)), before)
        gate.lie = honest
        two.note("1:2", "của máy kia")
        two.sync()
        # What the service never had goes, if its owner says so.
        said = one.sync(status=4)
        checks.equal("so many deletions are asked about", said["failure"]["code"], "massDeletion")
        checks.that("and nothing is deleted before", len(one.notes()) > PAGES)
        one.sync("--accept-deletions")
        agree("in the end", service, one, two)
        checks.equal(
            "all notes of this account, and no others",
            one.notes(),
            [("1:1", "của tôi"), ("1:2", "của máy kia")],
        )


def main():
    need_programs()
    for part in (never_created, in_the_reader, nothing_new, always_new):
        began = time.monotonic()
        part()
        print(f"{part.__name__}: {time.monotonic() - began:.0f} s", flush=True)
    checks.finish("endless")


if __name__ == "__main__":
    main()
