"""Kills the server repeatedly while many clients write, and checks that no data is lost.

Changes that were acknowledged must be there after every kill. Changes without a response may be
there or not, but an atomic request only completely or not at all. A client that follows the change
feed with tokens must end with the same records as one that lists everything. These checks find
servers that respond before a change is on the disk, that number changes in another order than they
commit them, or whose indexes can differ from the records.
"""

import argparse
import http.client
import random
import subprocess
import sys
import threading
import time

import service

DEFAULT, CUSTOM = "_defaultZone", "Notebook"
TYPES = ("FavoriteAyah", "AyahNote")
# The account of each writer; two accounts have two writers each.
ACCOUNTS = ("a", "b", "c", "d", "e", "e", "f", "f")
# The number of records of each writer.
FAVORITES, NOTES = 14, 10
# A change tag that no record has.
STALE = "zzzz"
# The time limit for the first acknowledged change of a round.
ROUND_SECONDS = 30


def tag_number(tag):
    return int(tag.split("-")[0], 36)


class Faults:
    """Collects faults, and prints the first ones."""

    def __init__(self):
        self.found = []
        self.lock = threading.Lock()

    def add(self, text):
        with self.lock:
            self.found.append(text)
            if len(self.found) <= 20:
                print("FAULT:", text, flush=True)


class Account:
    def __init__(self, name, token, user):
        self.name, self.token, self.user = name, token, user
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        # The number of increments of the counter: acknowledged ones, and ones without a response.
        self.acknowledged_increments = self.uncertain_increments = 0
        # The number of changes so far, for the clients that wait for one.
        self.changes = 0

    def count_change(self):
        with self.lock:
            self.changes += 1
            self.changed.notify_all()


class Rounds:
    """Starts and ends rounds: a round begins when the server is up, and ends when it is killed."""

    def __init__(self, server, faults):
        self.server, self.faults = server, faults
        self.condition = threading.Condition()
        self.round = 0
        self.is_finished = False
        self.is_killing = False
        self.active_clients = 0
        self.acknowledged = 0
        self.acknowledged_in_round = 0

    def enter(self, seen):
        """Waits for a round after `seen`; returns its number, or None if there are no more."""
        with self.condition:
            self.condition.wait_for(lambda: self.round > seen or self.is_finished)
            return None if self.is_finished else self.round

    def leave(self, error):
        """Reports that a client has ended its round because of an error."""
        with self.condition:
            self.active_clients -= 1
            if not self.is_killing:
                self.faults.add(f"a connection failed while the server was running: {error!r}")
            self.condition.notify_all()

    def acknowledge(self, count):
        with self.condition:
            self.acknowledged += count
            self.acknowledged_in_round += count
            self.condition.notify_all()


def field_values(record):
    return {name: field["value"] for name, field in record["fields"].items()}


class Client:
    """A thread that works in each round until its connection breaks."""

    def __init__(self, rounds, account):
        self.rounds, self.account, self.faults = rounds, account, rounds.faults
        self.thread = threading.Thread(target=self.run_rounds, daemon=True)
        self.connection = None

    def call(self, route, body):
        server = self.rounds.server
        status, response = server.call(
            route, body, token=self.account.token, connection=self.connection
        )
        if status != 200:
            raise AssertionError(f"{route}: {status} {response}")
        return response

    def connect(self):
        server = self.rounds.server
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=30)

    def run_rounds(self):
        seen = 0
        while (seen := self.rounds.enter(seen)) is not None:
            error = None
            self.connect()
            try:
                self.begin_round()
                while True:
                    self.work()
            except (OSError, http.client.HTTPException) as exception:
                error = exception
            except Exception as exception:
                error = exception
                self.faults.add(f"{self.account.name}: {exception!r}")
            self.connection.close()
            self.rounds.leave(error)


class Writer(Client):
    """Changes its own records of an account, and the counter if the account has two writers."""

    def __init__(self, rounds, account, number, seed):
        super().__init__(rounds, account)
        self.number = number
        self.random = random.Random(f"{seed} {number}")
        self.request_number = 0
        self.names = [f"favorite-{number}-{i}" for i in range(FAVORITES)] + [
            f"note-{number}-{i}" for i in range(NOTES)
        ]
        # The expected records: the change tag and the fields, by zone and name.
        self.expected = {}
        # A request without a response: its zone, and the expected fields of each record.
        self.unanswered = None
        self.has_second_writer = ACCOUNTS.count(account.name) > 1
        self.requests = self.carried_out_count = self.lost_count = 0

    def begin_round(self):
        if self.unanswered:
            self.check_records([self.unanswered[0]])

    # Checks

    def check_records(self, zones=(DEFAULT, CUSTOM)):
        """Looks up all records.

        Each must be as acknowledged, or as the request without a response made it.
        """
        for zone in zones:
            response = self.call(
                "records/lookup",
                {
                    "zoneID": {"zoneName": zone},
                    "records": [{"recordName": name} for name in self.names],
                },
            )
            attempted = self.unanswered[1] if self.unanswered and self.unanswered[0] == zone else {}
            carried_out = set()
            for name, record in zip(self.names, response["records"]):
                if self.is_carried_out(zone, name, record, attempted):
                    carried_out.add(name)
            if attempted:
                if zone == CUSTOM and 0 < len(carried_out) < len(attempted):
                    self.faults.add(
                        f"an atomic request was carried out in part: "
                        f"{sorted(carried_out)} of {sorted(attempted)}"
                    )
                if carried_out:
                    self.carried_out_count += 1
                else:
                    self.lost_count += 1
                self.unanswered = None

    def is_carried_out(self, zone, name, record, attempted):
        """Whether a record is as the request without a response made it."""
        label = f"{self.account.name} {zone} {name}"
        if "serverErrorCode" in record:
            if record["serverErrorCode"] != "NOT_FOUND":
                self.faults.add(f"{label}: {record}")
            found = None
        else:
            found = (record["recordChangeTag"], field_values(record))
        expected = self.expected.get((zone, name))
        if found == expected:
            return False
        if name in attempted:
            attempted_fields = attempted[name]
            if found is None and attempted_fields is None:
                del self.expected[zone, name]
                return True
            if found and found[1] == attempted_fields:
                if expected and tag_number(found[0]) <= tag_number(expected[0]):
                    self.faults.add(f"{label}: {found[0]} is no newer tag than {expected[0]}")
                self.expected[zone, name] = found
                return True
        self.faults.add(
            f"{label} is {found}, acknowledged was {expected}, attempted {attempted.get(name)}"
        )
        if found:
            self.expected[zone, name] = found
        else:
            self.expected.pop((zone, name), None)
        return False

    # Changes

    def work(self):
        if self.has_second_writer and self.random.random() < 0.15:
            self.increment_counter()
            return
        zone = CUSTOM if self.random.random() < 0.5 else DEFAULT
        names = self.random.sample(self.names, self.random.randint(1, 6))
        self.request_number += 1
        operations, attempted = [], {}
        for name in names:
            operation, fields = self.random_operation(zone, name)
            operations.append(operation)
            attempted[name] = fields
        invalid_index = None
        if self.random.random() < 0.1:
            invalid_index = self.random.randrange(len(names))
            operations[invalid_index] = {
                "operationType": "update",
                "record": {
                    "recordName": names[invalid_index],
                    "recordChangeTag": STALE,
                    "fields": {},
                },
            }
            if zone == CUSTOM:
                attempted = {}
            else:
                del attempted[names[invalid_index]]
        self.unanswered = (zone, attempted)
        self.requests += 1
        response = self.call(
            "records/modify", {"zoneID": {"zoneName": zone}, "operations": operations}
        )
        self.unanswered = None
        results = response["records"]
        if len(results) != len(names):
            raise ValueError(f"{len(results)} results of {len(names)} operations")
        for index, (name, result) in enumerate(zip(names, results)):
            self.store_result(
                zone, name, result, attempted, index == invalid_index, invalid_index is not None
            )
        if attempted:
            self.rounds.acknowledge(len(attempted))
            self.account.count_change()

    def store_result(self, zone, name, result, attempted, is_invalid, is_refused):
        """Checks and stores the result of an operation."""
        code = result.get("serverErrorCode")
        if is_refused and name not in attempted:
            exists = (zone, name) in self.expected
            expected_code = (
                ("CONFLICT" if exists else "NOT_FOUND") if is_invalid else "ATOMIC_ERROR"
            )
            if code != expected_code:
                self.faults.add(f"{zone} {name}: {result} instead of {expected_code}")
        elif code:
            self.faults.add(f"{zone} {name} was refused: {result}")
        elif result.get("deleted"):
            self.expected.pop((zone, name), None)
        else:
            expected = self.expected.get((zone, name))
            tag = result["recordChangeTag"]
            if field_values(result) != attempted[name]:
                self.faults.add(
                    f"{zone} {name}: the response has {field_values(result)} "
                    f"instead of {attempted[name]}"
                )
            if expected and tag_number(tag) <= tag_number(expected[0]):
                self.faults.add(f"{zone} {name}: {tag} is no newer tag than {expected[0]}")
            self.expected[zone, name] = (tag, attempted[name])

    def random_operation(self, zone, name):
        """A random operation, and the fields of the record afterwards; None for a deletion."""
        expected = self.expected.get((zone, name))
        record = {"recordName": name}
        if expected is None:
            kind = self.random.choice(("create", "create", "forceUpdate", "forceReplace"))
            fields = self.fields(name)
            change = fields
        else:
            kind = self.random.choice(
                (
                    "update",
                    "update",
                    "replace",
                    "forceUpdate",
                    "forceReplace",
                    "delete",
                    "forceDelete",
                )
            )
            record["recordChangeTag"] = expected[0]
            if kind in ("delete", "forceDelete"):
                return {"operationType": kind, "record": record}, None
            fields = self.fields(name)
            change = fields
            if kind in ("update", "forceUpdate"):
                keys = {"favoritedAt", "noteText", "modifiedAt"}
                change = {key: value for key, value in fields.items() if key in keys}
                fields = expected[1] | change
        if kind.startswith("force"):
            record.pop("recordChangeTag", None)
        record["recordType"] = TYPES[name.startswith("note")]
        record["fields"] = {key: {"value": value} for key, value in change.items()}
        return {"operationType": kind, "record": record}, fields

    def fields(self, name):
        surah, ayah = self.random.randint(1, 114), self.random.randint(1, 200)
        timestamp = 1_700_000_000_000 + self.number * 10_000_000 + self.request_number
        fields = {
            "ayahID": f"{surah}:{ayah}",
            "surahNumber": surah,
            "ayahNumber": ayah,
            "ownerRecordName": self.account.user,
        }
        if name.startswith("note"):
            text = "ghi chú " * self.random.choice((1, 5, 300))
            fields |= {
                "noteText": f"{self.request_number} {text}",
                "createdAt": timestamp,
                "modifiedAt": timestamp,
            }
        else:
            fields["favoritedAt"] = timestamp
        return fields

    def increment_counter(self):
        """Increments the counter, which another writer increments, too."""
        zone_id = {"zoneID": {"zoneName": DEFAULT}}
        record = self.call("records/lookup", zone_id | {"records": [{"recordName": "counter"}]})[
            "records"
        ][0]
        with self.account.lock:
            self.account.uncertain_increments += 1
        result = self.call(
            "records/modify",
            zone_id
            | {
                "operations": [
                    {
                        "operationType": "update",
                        "record": {
                            "recordName": "counter",
                            "recordChangeTag": record["recordChangeTag"],
                            "fields": {
                                "ayahNumber": {"value": record["fields"]["ayahNumber"]["value"] + 1}
                            },
                        },
                    }
                ]
            },
        )["records"][0]
        code = result.get("serverErrorCode")
        with self.account.lock:
            self.account.uncertain_increments -= 1
            if code is None:
                self.account.acknowledged_increments += 1
        if code is None:
            self.rounds.acknowledge(1)
            self.account.count_change()
        elif code != "CONFLICT":
            self.faults.add(f"counter: {result}")


class FeedFollower(Client):
    """Follows the change feeds of an account with its tokens, through all kills."""

    def __init__(self, rounds, account, seed):
        super().__init__(rounds, account)
        self.random = random.Random(f"{seed} {account.name}")
        self.tokens = {}
        self.records = {DEFAULT: {}, CUSTOM: {}}
        self.pages = 0

    def begin_round(self):
        pass

    def work(self):
        with self.account.lock:
            before = self.account.changes
        self.catch_up()
        with self.account.lock:
            self.account.changed.wait_for(lambda: self.account.changes != before, timeout=0.1)

    def catch_up(self):
        for zone in (DEFAULT, CUSTOM):
            while self.read_page(zone, self.tokens, self.records[zone]):
                pass

    def read_page(self, zone, tokens, records):
        """Reads the next page; returns whether there are more."""
        zone_request = {
            "zoneID": {"zoneName": zone},
            "resultsLimit": self.random.choice((1, 7, 50, 200)),
        }
        if zone in tokens:
            zone_request["syncToken"] = tokens[zone]
        page = self.call("changes/zone", {"zones": [zone_request]})["zones"][0]
        if "serverErrorCode" in page:
            raise AssertionError(f"feed of {zone}: {page}")
        for record in page["records"]:
            name = record["recordName"]
            former = records.get(name)
            if record.get("deleted"):
                records.pop(name, None)
            else:
                if former and tag_number(former[0]) >= tag_number(record["recordChangeTag"]):
                    self.faults.add(f"the feed of {zone} has an older version of {name}")
                records[name] = (
                    record["recordChangeTag"],
                    record["recordType"],
                    field_values(record),
                )
        tokens[zone] = page["syncToken"]
        self.pages += 1
        return page["moreComing"]

    def check(self, writers):
        """Compares the followed records with a listing, with queries and with the writers."""
        self.catch_up()
        for zone in (DEFAULT, CUSTOM):
            listed = {}
            tokens = {}
            while self.read_page(zone, tokens, listed):
                pass
            self.compare(f"{zone}: followed and listed", self.records[zone], listed)
            for record_type in TYPES:
                self.compare(
                    f"{zone} {record_type}: queried and listed",
                    self.query(zone, record_type),
                    {name: record for name, record in listed.items() if record[1] == record_type},
                )
            expected = {
                name: expected_record
                for writer in writers
                for (entry_zone, name), expected_record in writer.expected.items()
                if entry_zone == zone
            }
            own_records = {
                name: (record[0], record[2]) for name, record in listed.items() if name != "counter"
            }
            self.compare(f"{zone}: acknowledged and listed", expected, own_records)
        counter = self.records[DEFAULT].get("counter")
        with self.account.lock:
            minimum, maximum = (
                self.account.acknowledged_increments,
                self.account.acknowledged_increments + self.account.uncertain_increments,
            )
        if counter is None or not minimum <= counter[2]["ayahNumber"] <= maximum:
            self.faults.add(
                f"{self.account.name}: the counter {counter} is not between {minimum} and {maximum}"
            )

    def query(self, zone, record_type):
        found, marker = {}, None
        while True:
            body = {
                "zoneID": {"zoneName": zone},
                "resultsLimit": self.random.choice((5, 200)),
                "query": {
                    "recordType": record_type,
                    "filterBy": [
                        {
                            "fieldName": "ownerRecordName",
                            "comparator": "EQUALS",
                            "fieldValue": {"value": self.account.user},
                        }
                    ],
                },
            }
            if marker:
                body["continuationMarker"] = marker
            response = self.call("records/query", body)
            for record in response["records"]:
                if record["recordName"] in found:
                    self.faults.add(f"queried twice: {record['recordName']}")
                found[record["recordName"]] = (
                    record["recordChangeTag"],
                    record["recordType"],
                    field_values(record),
                )
            marker = response.get("continuationMarker")
            if marker is None:
                return found

    def compare(self, description, first, second):
        if first != second:
            different = sorted(
                name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
            )
            self.faults.add(
                f"{self.account.name} {description} differ in {len(different)} records, "
                f"the first is {different[0]}: "
                f"{first.get(different[0])} / {second.get(different[0])}"
            )


def interrupt_start(server, delay):
    """Kills a server while it is starting; returns whether it was still running."""
    with open(server.data + "/log", "ab") as log:
        process = subprocess.Popen(
            [
                service.BINARY,
                "serve",
                "--data",
                server.data,
                "--port",
                str(server.port),
                *server.options,
            ],
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        pass
    else:
        return False
    process.kill()
    process.wait()
    return True


def check(clients, writers, followers):
    """Runs the checks of all clients."""
    for client in clients:
        client.connect()
    for writer in writers:
        writer.check_records()
    for follower in followers:
        follower.check([writer for writer in writers if writer.account is follower.account])
    for client in clients:
        client.connection.close()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument(
        "--every", type=int, default=20, help="number of rounds between full checks"
    )
    options.add_argument(
        "--longest", type=float, default=0.25, help="maximum number of seconds before a kill"
    )
    options.add_argument(
        "--seed",
        type=service.parse_seed,
        default=20_261_121,
        help="a number, or `random` for a new one",
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    start_time = time.monotonic()
    faults = Faults()
    server = service.Service()
    with server:
        rounds = Rounds(server, faults)
        accounts = {}
        for name in sorted(set(ACCOUNTS)):
            token = server.add_user(name)
            user = server.call("users/caller", token=token, method="GET")[1]["userRecordName"]
            accounts[name] = account = Account(name, token, user)
            server.call(
                "zones/modify",
                {
                    "operations": [
                        {"operationType": "create", "zone": {"zoneID": {"zoneName": CUSTOM}}}
                    ]
                },
                token,
            )
            server.call(
                "records/modify",
                {
                    "operations": [
                        {
                            "operationType": "create",
                            "record": {
                                "recordName": "counter",
                                "recordType": "AyahNote",
                                "fields": {
                                    "ayahNumber": {"value": 0},
                                    "ownerRecordName": {"value": account.user},
                                },
                            },
                        }
                    ]
                },
                token,
            )
        writers = [
            Writer(rounds, accounts[name], number, options.seed)
            for number, name in enumerate(ACCOUNTS)
        ]
        followers = [FeedFollower(rounds, account, options.seed) for account in accounts.values()]
        clients = writers + followers
        for client in clients:
            client.thread.start()
        checks = interrupted = 0
        slowest = 0.0
        for number in range(1, options.kills + 1):
            with rounds.condition:
                rounds.acknowledged_in_round, rounds.is_killing = 0, False
                rounds.active_clients = len(clients)
                rounds.round += 1
                rounds.condition.notify_all()
                if not rounds.condition.wait_for(
                    lambda: rounds.acknowledged_in_round > 0, timeout=ROUND_SECONDS
                ):
                    faults.add(f"round {number}: nothing was acknowledged")
                # The server is killed at a random time, while other threads write.
                rounds.condition.wait_for(
                    lambda: bool(faults.found), timeout=rng.uniform(0, options.longest)
                )
                rounds.is_killing = True
            if server.process.poll() is not None:
                faults.add(f"round {number}: the server had exited: {server.process.returncode}")
            server.kill()
            with rounds.condition:
                if not rounds.condition.wait_for(
                    lambda: rounds.active_clients == 0, timeout=2 * ROUND_SECONDS
                ):
                    faults.add(f"round {number}: a client does not end its round")
            if number % 10 == 0:
                interrupted += interrupt_start(server, rng.uniform(0, 0.15))
            start_of_server = time.monotonic()
            server.start(server.port)
            slowest = max(slowest, time.monotonic() - start_of_server)
            if number % options.every == 0 or number == options.kills or faults.found:
                check(clients, writers, followers)
                checks += 1
            if faults.found:
                break
        with rounds.condition:
            rounds.is_finished = True
            rounds.condition.notify_all()
    carried_out, lost = (
        sum(getattr(writer, key) for writer in writers)
        for key in ("carried_out_count", "lost_count")
    )
    print(
        f"{number} kills and {interrupted} during a start, {checks} full checks; "
        f"{sum(writer.requests for writer in writers)} requests, "
        f"{rounds.acknowledged} changes acknowledged; "
        f"of the requests without a response {carried_out} were carried out and {lost} were not; "
        f"{sum(follower.pages for follower in followers)} pages of feeds; "
        f"slowest start {slowest:.2f} s; {time.monotonic() - start_time:.0f} s; "
        f"{len(faults.found)} faults"
    )
    sys.exit(1 if faults.found else 0)


if __name__ == "__main__":
    main()
