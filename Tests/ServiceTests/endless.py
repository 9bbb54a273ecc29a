"""Tests sync with a service that refuses a record type forever, or always has another page.

A proxy between `quran-vi` and record-service answers some requests itself. A round must limit the
number of its requests and what it stores in the library, and it must report why it failed. Once the
proxy only forwards requests, devices and service must become equal.
"""

import contextlib
import itertools
import sqlite3
import time
import uuid

from device import check_settled, proxied_devices, require_programs, rows_of_records
from gate import forward_all, refused
from service import Checks, wait_until

checks = Checks()
NAME = "an"
# The number of attempts after which a change is parked that the service's schema does not allow.
MAX_ATTEMPTS = 8
# The maximum number of pages that a round reads: in a row without anything new, and in total.
MAX_STALE_PAGES, MAX_PAGES = 100, 5000
# The maximum number of records of a service that a library stores.
MAX_RECORDS = 1_000_000
ZONE = {"zoneID": {"zoneName": "_defaultZone"}}


def refuse_notes(code):
    """Makes an override that refuses notes, like a service whose schema does not have them."""

    def override(route, request):
        operations = request.get("operations", [])
        if route != "records/modify" or not any(
            operation["record"].get("recordType") == "AyahNote" for operation in operations
        ):
            return None
        return refused(
            operations, serverErrorCode=code, reason="Did not find record type: AyahNote"
        )

    return override


def refused_record_type():
    """A change that is refused for the schema is parked after a number of attempts."""
    for code in ("NOT_FOUND", "UNKNOWN_ITEM"):
        with proxied_devices(checks, NAME) as (service, proxy, (device,)):
            proxy.override = refuse_notes(code)
            device.add_note("2:255", "chờ")
            before = proxy.route_counts["records/modify"]
            # A pause may be so short that a round makes two attempts, or that none is reported.
            pauses = []
            for _ in range(MAX_ATTEMPTS):
                left = device.sync(status=4)["left"]
                attempts = proxy.route_counts["records/modify"] - before
                if left["parked"]:
                    break
                label = f"{code}, {attempts} attempts"
                checks.equal(f"{label}: it is pending", left["pending"], 1)
                pauses.append(left.get("pendingUntil"))
                checks.equal(f"{label}: the reason", left["lastError"]["code"], "recordNotCreated")
            checks.equal(f"{code}: number of attempts", attempts, MAX_ATTEMPTS)
            checks.that(f"{code}: there are pauses between attempts", any(pauses), pauses)
            checks.equal(
                f"{code}: the change is parked",
                [parked["reason"]["code"] for parked in left["parked"]],
                ["recordNotCreated"],
            )
            checks.equal(f"{code}: nothing is pending", left["pending"], 0)
            # `sync now` sends parked changes again.
            before = proxy.route_counts["records/modify"]
            device.sync(status=4)
            attempts = proxy.route_counts["records/modify"] - before
            checks.that(f"{code}: `sync now` tries it again", 1 <= attempts <= 3, attempts)
            proxy.override = forward_all
            checks.equal(
                f"{code}: it is sent once the service accepts it", device.sync()["sent"], 1
            )
            checks.equal(
                f"{code}: device and service are equal",
                rows_of_records(service.records(NAME)),
                device.rows(),
            )


def refused_in_open_reader():
    """An open reader limits its attempts, too."""
    with proxied_devices(checks, NAME) as (_, proxy, (device,)):
        proxy.override = refuse_notes("NOT_FOUND")
        device.add_note("2:255", "chờ")
        before = proxy.route_counts["records/modify"]
        with device.open_reader():
            request_count = wait_until(
                lambda: proxy.route_counts["records/modify"] - before >= 2, seconds=30
            )
            checks.that("the reader tries it again", request_count)
            # There is no event to wait for: without a limit there would be hundreds in this time.
            time.sleep(5)
            request_count = proxy.route_counts["records/modify"] - before
            checks.that(
                "the number of attempts is limited", request_count <= MAX_ATTEMPTS, request_count
            )
        proxy.override = forward_all
        checks.equal("it is sent once the service accepts it", device.sync()["sent"], 1)


def note_record(user, text):
    """The record of a note with a new id."""
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


class EndlessFeed:
    """An override: a change feed that always has another page."""

    def __init__(self, records):
        """`records` is called for the records of each page."""
        self.records = records
        # The sync tokens of all requests.
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
    """The record name of the account's user."""
    return next(
        name
        for name, record in service.records(NAME).items()
        if record["recordType"] == "UserProfile"
    )


def check_failing_round(label, device, code):
    """Runs a round that must fail with a code, which `sync status` must report afterwards."""
    output = device.sync(status=4)
    checks.equal(f"{label}: the failure", output["failure"]["code"], code)
    status = device.status()
    checks.equal(f"{label}: the status", status["failure"]["code"], code)
    checks.that(f"{label}: the status has the time since which it fails", status["failingSince"])
    return output


def check_equal(label, service, *devices):
    """Syncs all devices, and checks that they equal the service; returns its rows."""
    rows = check_settled(checks, label, service, NAME, devices)
    for device in devices:
        checks.that(f"{label}: the status has no failure", "failure" not in device.status())
    return rows


def endless_stale_pages():
    """The feed always has another page, but without anything new."""
    with proxied_devices(checks, NAME, 2) as (service, proxy, (first, second)):
        first.add_note("1:1", "của tôi")
        for device in (first, second):
            device.sync()
        repeated_record = note_record(user_of(service), "một")
        for label, records in (("empty pages", []), ("the same record", [repeated_record])):
            proxy.override = feed = EndlessFeed(lambda records=records: records)
            check_failing_round(label, first, "endlessPages")
            page_count = len(feed.tokens)
            checks.that(
                f"{label}: {page_count} pages", MAX_STALE_PAGES <= page_count <= MAX_STALE_PAGES + 1
            )
            check_failing_round(f"{label}, again", first, "endlessPages")
            checks.that(
                f"{label}, again: as many pages",
                len(feed.tokens) - page_count <= MAX_STALE_PAGES + 1,
            )
            proxy.override = forward_all
            second.add_note("1:2", label)
            second.sync()
            # The record that only the proxy sent is deleted, without a confirmation.
            rows = check_equal(label, service, first, second)
            checks.that(
                f"{label}: notes of the other device arrive", ("1:2", label) in first.notes(), rows
            )


def record_count(device):
    """The number of records that a library stores."""
    with contextlib.closing(sqlite3.connect(device.data / "library.sqlite")) as library:
        (count,) = library.execute("SELECT count(*) FROM recordState").fetchone()
        return count


def with_fake_records(device, count):
    """Adds this number of records to a library, and removes them in the end."""

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


def endless_new_pages():
    """The feed always has another page with a new record."""
    with proxied_devices(checks, NAME, 2) as (service, proxy, (first, second)):
        first.add_note("1:1", "của tôi")
        first.run("favorite", "add", "2:255")
        for device in (first, second):
            device.sync()
        rows_before = rows_of_records(service.records(NAME))
        numbers = itertools.count(1)
        user = user_of(service)
        proxy.override = feed = EndlessFeed(lambda: [note_record(user, f"lạ {next(numbers)}")])
        check_failing_round("always new", first, "unfinishedPages")
        checks.equal("always new: pages of a round", len(feed.tokens), MAX_PAGES)
        checks.equal("always new: notes on the device", len(first.notes()), 1 + MAX_PAGES)
        count = record_count(first)
        with with_fake_records(first, MAX_RECORDS - count - 10):
            check_failing_round("at the limit", first, "storageLimitReached")
            checks.equal(
                "at the limit: the round continues from the last token",
                feed.tokens[MAX_PAGES],
                f"page-{MAX_PAGES}",
            )
            page_count = len(feed.tokens) - MAX_PAGES
            checks.that(f"at the limit: {page_count} pages", page_count <= MAX_STALE_PAGES + 10)
            size = record_count(first)
            checks.that(
                "at the limit: number of records", MAX_RECORDS - 10 <= size <= MAX_RECORDS, size
            )
            check_failing_round("beyond the limit", first, "storageLimitReached")
            checks.equal("beyond the limit: no record is added", record_count(first), size)
            status = first.run("sync", "status")
            checks.that("`sync status` has the limit", f"{MAX_RECORDS} records" in status, status)
        checks.equal(
            "nothing was sent to the service", rows_of_records(service.records(NAME)), rows_before
        )
        proxy.override = forward_all
        second.add_note("1:2", "của máy kia")
        second.sync()
        # Records that the service does not have are deleted once the user accepts that.
        output = first.sync(status=4)
        checks.equal(
            "many deletions need a confirmation", output["failure"]["code"], "massDeletion"
        )
        checks.that("nothing is deleted before the confirmation", len(first.notes()) > MAX_PAGES)
        first.sync("--accept-deletions")
        check_equal("after the confirmation", service, first, second)
        checks.equal(
            "exactly the notes of the account remain",
            first.notes(),
            [("1:1", "của tôi"), ("1:2", "của máy kia")],
        )


def main():
    require_programs()
    for test in (
        refused_record_type,
        refused_in_open_reader,
        endless_stale_pages,
        endless_new_pages,
    ):
        start = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - start:.0f} s", flush=True)
    checks.finish("endless")


if __name__ == "__main__":
    main()
