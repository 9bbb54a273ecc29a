"""Kills the server again and again while many write, and looks for what is lost.

What was acknowledged must be there after any kill; what was not may be there or not, but an
atomic request as a whole or not at all; and who follows the change feed with a token must end
with the same records as who lists everything. A server that answers before the change is on the
disk, numbers its changes in another order than it commits them, or keeps indexes beside the
records, fails one of these sooner or later.
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
# Writers by account: the last four share two.
ACCOUNTS = ("a", "b", "c", "d", "e", "e", "f", "f")
FAVORITES, NOTES = 14, 10
STALE = "zzzz"
ROUND_SECONDS = 30


def tag_number(tag):
    return int(tag.split("-")[0], 36)


class Faults:
    """What must not be, as it is found."""

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
        # Of the record that its writers count up, each from what it read there.
        self.counted = self.doubtful = 0
        self.changes = 0

    def tell(self):
        with self.lock:
            self.changes += 1
            self.changed.notify_all()


class Stage:
    """Who may work when: a round begins when the server is up and ends when it was killed."""

    def __init__(self, server, faults):
        self.server, self.faults = server, faults
        self.condition = threading.Condition()
        self.round = 0
        self.is_over = False
        self.is_killing = False
        self.working = 0
        self.acknowledged = 0
        self.acknowledged_now = 0

    def enter(self, seen):
        """Waits for a round after one that was seen; None when there are no more."""
        with self.condition:
            self.condition.wait_for(lambda: self.round > seen or self.is_over)
            return None if self.is_over else self.round

    def leave(self, error):
        with self.condition:
            self.working -= 1
            if not self.is_killing:
                self.faults.add(f"a connection failed while the server lived: {error!r}")
            self.condition.notify_all()

    def acknowledge(self, count):
        with self.condition:
            self.acknowledged += count
            self.acknowledged_now += count
            self.condition.notify_all()


def values(record):
    return {name: field["value"] for name, field in record["fields"].items()}


class Client:
    """A thread that works in each round until its connection dies."""

    def __init__(self, stage, account):
        self.stage, self.account, self.faults = stage, account, stage.faults
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.connection = None

    def call(self, route, body):
        server = self.stage.server
        status, answer = server.call(
            route, body, token=self.account.token, connection=self.connection
        )
        if status != 200:
            raise AssertionError(f"{route}: {status} {answer}")
        return answer

    def connect(self):
        server = self.stage.server
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=30)

    def live(self):
        seen = 0
        while (seen := self.stage.enter(seen)) is not None:
            error = None
            self.connect()
            try:
                self.begin()
                while True:
                    self.work()
            except (OSError, http.client.HTTPException) as problem:
                error = problem
            except Exception as problem:
                error = problem
                self.faults.add(f"{self.account.name}: {problem!r}")
            self.connection.close()
            self.stage.leave(error)


class Writer(Client):
    def __init__(self, stage, account, number, seed):
        super().__init__(stage, account)
        self.number = number
        self.random = random.Random(f"{seed} {number}")
        self.stamp = 0
        self.names = [f"favorite-{number}-{i}" for i in range(FAVORITES)] + [
            f"note-{number}-{i}" for i in range(NOTES)
        ]
        # What is known to be there: by zone and name, the tag and the fields.
        self.known = {}
        # The request that was not answered: its zone, and what it was to make of each record.
        self.attempt = None
        self.is_shared = ACCOUNTS.count(account.name) > 1
        self.requests = self.landed = self.lost = 0

    def begin(self):
        if self.attempt:
            self.resolve([self.attempt[0]])

    # What is there

    def resolve(self, zones=(DEFAULT, CUSTOM)):
        """Looks all records up: each must be as it was acknowledged, or as the one request that
        was not answered made it."""
        for zone in zones:
            answer = self.call(
                "records/lookup",
                {
                    "zoneID": {"zoneName": zone},
                    "records": [{"recordName": name} for name in self.names],
                },
            )
            tried = self.attempt[1] if self.attempt and self.attempt[0] == zone else {}
            landed = set()
            for name, record in zip(self.names, answer["records"]):
                if self.is_landed(zone, name, record, tried):
                    landed.add(name)
            if tried:
                if zone == CUSTOM and 0 < len(landed) < len(tried):
                    self.faults.add(f"half a batch: {sorted(landed)} of {sorted(tried)}")
                if landed:
                    self.landed += 1
                else:
                    self.lost += 1
                self.attempt = None

    def is_landed(self, zone, name, record, tried):
        where = f"{self.account.name} {zone} {name}"
        if "serverErrorCode" in record:
            if record["serverErrorCode"] != "NOT_FOUND":
                self.faults.add(f"{where}: {record}")
            found = None
        else:
            found = (record["recordChangeTag"], values(record))
        known = self.known.get((zone, name))
        if found == known:
            return False
        if name in tried:
            wanted = tried[name]
            if found is None and wanted is None:
                del self.known[zone, name]
                return True
            if found and found[1] == wanted:
                if known and tag_number(found[0]) <= tag_number(known[0]):
                    self.faults.add(f"{where}: {found[0]} is no newer tag than {known[0]}")
                self.known[zone, name] = found
                return True
        self.faults.add(f"{where} is {found}, acknowledged was {known}, tried {tried.get(name)}")
        if found:
            self.known[zone, name] = found
        else:
            self.known.pop((zone, name), None)
        return False

    # Changes

    def work(self):
        if self.is_shared and self.random.random() < 0.15:
            self.count()
            return
        zone = CUSTOM if self.random.random() < 0.5 else DEFAULT
        names = self.random.sample(self.names, self.random.randint(1, 6))
        self.stamp += 1
        operations, tried = [], {}
        for name in names:
            operation, fields = self.operation(zone, name)
            operations.append(operation)
            tried[name] = fields
        spoilt = None
        if self.random.random() < 0.1:
            spoilt = self.random.randrange(len(names))
            operations[spoilt] = {
                "operationType": "update",
                "record": {"recordName": names[spoilt], "recordChangeTag": STALE, "fields": {}},
            }
            if zone == CUSTOM:
                tried = {}
            else:
                del tried[names[spoilt]]
        self.attempt = (zone, tried)
        self.requests += 1
        answer = self.call(
            "records/modify", {"zoneID": {"zoneName": zone}, "operations": operations}
        )
        self.attempt = None
        results = answer["records"]
        if len(results) != len(names):
            raise ValueError(f"{len(results)} results of {len(names)} operations")
        for index, (name, result) in enumerate(zip(names, results)):
            self.note(zone, name, result, tried, index == spoilt, spoilt is not None)
        if tried:
            self.stage.acknowledge(len(tried))
            self.account.tell()

    def note(self, zone, name, result, tried, is_spoilt, is_refused):
        code = result.get("serverErrorCode")
        if is_refused and name not in tried:
            exists = (zone, name) in self.known
            right = ("CONFLICT" if exists else "NOT_FOUND") if is_spoilt else "ATOMIC_ERROR"
            if code != right:
                self.faults.add(f"{zone} {name}: {result} instead of {right}")
        elif code:
            self.faults.add(f"{zone} {name} was refused: {result}")
        elif result.get("deleted"):
            self.known.pop((zone, name), None)
        else:
            known = self.known.get((zone, name))
            tag = result["recordChangeTag"]
            if values(result) != tried[name]:
                self.faults.add(f"{zone} {name}: {values(result)} answered for {tried[name]}")
            if known and tag_number(tag) <= tag_number(known[0]):
                self.faults.add(f"{zone} {name}: {tag} is no newer tag than {known[0]}")
            self.known[zone, name] = (tag, tried[name])

    def operation(self, zone, name):
        """A change of a record, and the fields it has afterwards; None for none."""
        known = self.known.get((zone, name))
        record = {"recordName": name}
        if known is None:
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
            record["recordChangeTag"] = known[0]
            if kind in ("delete", "forceDelete"):
                return {"operationType": kind, "record": record}, None
            fields = self.fields(name)
            change = fields
            if kind in ("update", "forceUpdate"):
                keys = {"favoritedAt", "noteText", "modifiedAt"}
                change = {key: value for key, value in fields.items() if key in keys}
                fields = known[1] | change
        if kind.startswith("force"):
            record.pop("recordChangeTag", None)
        record["recordType"] = TYPES[name.startswith("note")]
        record["fields"] = {key: {"value": value} for key, value in change.items()}
        return {"operationType": kind, "record": record}, fields

    def fields(self, name):
        surah, ayah = self.random.randint(1, 114), self.random.randint(1, 200)
        at = 1_700_000_000_000 + self.number * 10_000_000 + self.stamp
        fields = {
            "ayahID": f"{surah}:{ayah}",
            "surahNumber": surah,
            "ayahNumber": ayah,
            "ownerRecordName": self.account.user,
        }
        if name.startswith("note"):
            text = "ghi chú " * self.random.choice((1, 5, 300))
            fields |= {"noteText": f"{self.stamp} {text}", "createdAt": at, "modifiedAt": at}
        else:
            fields["favoritedAt"] = at
        return fields

    def count(self):
        """Reads a record that another writer changes too, and writes the next number."""
        place = {"zoneID": {"zoneName": DEFAULT}}
        record = self.call("records/lookup", place | {"records": [{"recordName": "counter"}]})[
            "records"
        ][0]
        with self.account.lock:
            self.account.doubtful += 1
        result = self.call(
            "records/modify",
            place
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
            self.account.doubtful -= 1
            if code is None:
                self.account.counted += 1
        if code is None:
            self.stage.acknowledge(1)
            self.account.tell()
        elif code != "CONFLICT":
            self.faults.add(f"counter: {result}")


class Reader(Client):
    """Follows the feeds of an account with the tokens it has, through all kills."""

    def __init__(self, stage, account, seed):
        super().__init__(stage, account)
        self.random = random.Random(f"{seed} {account.name}")
        self.tokens = {}
        self.records = {DEFAULT: {}, CUSTOM: {}}
        self.pages = 0

    def begin(self):
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
        """Reads on; whether more is to come."""
        wish = {"zoneID": {"zoneName": zone}, "resultsLimit": self.random.choice((1, 7, 50, 200))}
        if zone in tokens:
            wish["syncToken"] = tokens[zone]
        page = self.call("changes/zone", {"zones": [wish]})["zones"][0]
        if "serverErrorCode" in page:
            raise AssertionError(f"feed of {zone}: {page}")
        for record in page["records"]:
            name = record["recordName"]
            former = records.get(name)
            if record.get("deleted"):
                records.pop(name, None)
            else:
                if former and tag_number(former[0]) >= tag_number(record["recordChangeTag"]):
                    self.faults.add(f"the feed of {zone} goes back at {name}")
                records[name] = (record["recordChangeTag"], record["recordType"], values(record))
        tokens[zone] = page["syncToken"]
        self.pages += 1
        return page["moreComing"]

    def check(self, writers):
        """Compares what was followed with a listing, with queries, and with what writers know."""
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
                    {name: at for name, at in listed.items() if at[1] == record_type},
                )
            known = {
                name: entry
                for writer in writers
                for (place, name), entry in writer.known.items()
                if place == zone
            }
            mine = {name: (at[0], at[2]) for name, at in listed.items() if name != "counter"}
            self.compare(f"{zone}: acknowledged and listed", known, mine)
        counter = self.records[DEFAULT].get("counter")
        with self.account.lock:
            least, most = self.account.counted, self.account.counted + self.account.doubtful
        if counter is None or not least <= counter[2]["ayahNumber"] <= most:
            self.faults.add(f"{self.account.name}: {counter} should be of {least} to {most}")

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
            answer = self.call("records/query", body)
            for record in answer["records"]:
                if record["recordName"] in found:
                    self.faults.add(f"queried twice: {record['recordName']}")
                found[record["recordName"]] = (
                    record["recordChangeTag"],
                    record["recordType"],
                    values(record),
                )
            marker = answer.get("continuationMarker")
            if marker is None:
                return found

    def compare(self, what, a, b):
        if a != b:
            odd = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
            self.faults.add(
                f"{self.account.name} {what} differ in {len(odd)}, as {odd[0]}: "
                f"{a.get(odd[0])} / {b.get(odd[0])}"
            )


def interrupt_start(server, delay):
    """Kills a server that is just about to start."""
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


def check(clients, writers, readers):
    for client in clients:
        client.connect()
    for writer in writers:
        writer.resolve()
    for reader in readers:
        reader.check([writer for writer in writers if writer.account is reader.account])
    for client in clients:
        client.connection.close()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--every", type=int, default=20, help="rounds between full checks")
    options.add_argument("--longest", type=float, default=0.25, help="seconds before a kill")
    options.add_argument(
        "--seed", type=service.seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    began = time.monotonic()
    faults = Faults()
    server = service.Service()
    with server:
        stage = Stage(server, faults)
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
            Writer(stage, accounts[name], number, options.seed)
            for number, name in enumerate(ACCOUNTS)
        ]
        readers = [Reader(stage, account, options.seed) for account in accounts.values()]
        clients = writers + readers
        for client in clients:
            client.thread.start()
        checks = interrupted = 0
        slowest = 0.0
        for number in range(1, options.kills + 1):
            with stage.condition:
                stage.acknowledged_now, stage.is_killing = 0, False
                stage.working = len(clients)
                stage.round += 1
                stage.condition.notify_all()
                if not stage.condition.wait_for(
                    lambda: stage.acknowledged_now > 0, timeout=ROUND_SECONDS
                ):
                    faults.add(f"round {number}: nothing was acknowledged")
                # The random instant at which it ends; other threads write meanwhile.
                stage.condition.wait_for(
                    lambda: bool(faults.found), timeout=dice.uniform(0, options.longest)
                )
                stage.is_killing = True
            if server.process.poll() is not None:
                faults.add(f"round {number}: the server had ended: {server.process.returncode}")
            server.kill()
            with stage.condition:
                if not stage.condition.wait_for(
                    lambda: stage.working == 0, timeout=2 * ROUND_SECONDS
                ):
                    faults.add(f"round {number}: a client does not end")
            if number % 10 == 0:
                interrupted += interrupt_start(server, dice.uniform(0, 0.15))
            start = time.monotonic()
            server.start(server.port)
            slowest = max(slowest, time.monotonic() - start)
            if number % options.every == 0 or number == options.kills or faults.found:
                check(clients, writers, readers)
                checks += 1
            if faults.found:
                break
        with stage.condition:
            stage.is_over = True
            stage.condition.notify_all()
    landed, lost = (sum(getattr(w, key) for w in writers) for key in ("landed", "lost"))
    print(
        f"{number} kills and {interrupted} of a server that was starting, {checks} full checks; "
        f"{sum(w.requests for w in writers)} requests, {stage.acknowledged} changes acknowledged; "
        f"of the requests without an answer {landed} had been carried out and {lost} had not; "
        f"{sum(r.pages for r in readers)} pages of feeds; "
        f"slowest start {slowest:.2f} s; {time.monotonic() - began:.0f} s; "
        f"{len(faults.found)} faults"
    )
    sys.exit(1 if faults.found else 0)


if __name__ == "__main__":
    main()
