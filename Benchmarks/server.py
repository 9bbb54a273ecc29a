"""Measures record-service beside Kinto, which keeps its records in memory, and prints a table.

$RECORD_SERVICE_BINARY names the program. Both servers get the same records and the same requests
in turn: in each round first the one and then the other server does each task. Pages and batches
are requested by one client, single records by several at once.
"""

import argparse
import base64
import contextlib
import copy
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from statistics import median

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Tests/ServiceTests"))
import service

PAGE = 200
ROUNDS = 5
BATCHES = 10  # of a round, PAGE records each
SINGLES = 400  # of a round, by all clients together
CLIENTS = 4
PAGES = 10  # of a round, for each kind of query
KINDS = 10
TICKS = os.sysconf("SC_CLK_TCK")
# The tasks, what their rates count, and how many times Kinto's rate ours has to be.
TASKS = {
    "batch upload": ("records/s", 10),
    "download": ("records/s", 1),
    "filtered and sorted page of 200": ("pages/s", 10),
    "sorted page of 200": ("pages/s", None),
    "look-up of one record": ("requests/s", None),
    "change of one record": ("requests/s", 8),
}
SCHEMA = """
DEFINE SCHEMA
RECORD TYPE Note (
  "___recordID" REFERENCE QUERYABLE,
  title STRING, text STRING, kind STRING QUERYABLE, place INT64 QUERYABLE SORTABLE,
  editedAt TIMESTAMP,
  GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
);
"""
WORDS = ["sáng", "chiều", "đọc", "lại", "một", "trang", "rồi", "ghi", "chép", "điều", "vừa", "học"]
# The records of our server are in a zone that has a change feed.
ZONE = {"zoneName": "notes"}
TYPES = {"editedAt": "TIMESTAMP", "place": "INT64"}


class Client:
    """A connection to a server, which is kept. It counts the time from the beginning of each
    request to the last byte of its response, and the bytes of the bodies."""

    def __init__(self, port, headers):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = headers
        self.seconds, self.bytes = 0.0, 0

    def send(self, method, path, body=None):
        text = None if body is None else json.dumps(body).encode()
        start = time.perf_counter()
        self.connection.request(method, path, text, self.headers)
        response = self.connection.getresponse()
        answer = response.read()
        self.seconds += time.perf_counter() - start
        self.bytes += len(answer)
        if response.status >= 300:
            raise SystemExit(f"{method} {path}: {response.status} {answer[:300]}")
        return response, json.loads(answer)


def notes(number, generator):
    """The notes of a round: the same for both servers."""
    places = list(range(number * PAGE * BATCHES, (number + 1) * PAGE * BATCHES))
    generator.shuffle(places)
    return [
        {
            "title": " ".join(generator.choices(WORDS, k=5)),
            "text": " ".join(generator.choices(WORDS, k=25)),
            "kind": f"kind {generator.randrange(KINDS)}",
            "place": place,
            "editedAt": 1_764_000_000_000 + generator.randrange(10**9),
        }
        for place in places
    ]


class RecordService:
    """Our server."""

    def __init__(self, stack):
        self.server = stack.enter_context(service.Service())
        self.server.use_container("iCloud.org.example.notes", SCHEMA)
        self.token = self.server.add_user("an")
        self.pid = self.server.process.pid
        self.client = Client(self.server.port, {})
        self.call(
            "zones/modify", operations=[{"operationType": "create", "zone": {"zoneID": ZONE}}]
        )

    def call(self, route, **body):
        # A header would have the newest token; the first stays valid while no other is used.
        return self.client.send("POST", self.server.path(route, self.token), body)[1]

    def operation(self, kind, name, note):
        fields = {
            field: {"value": value, "type": TYPES.get(field, "STRING")}
            for field, value in note.items()
        }
        return {
            "operationType": kind,
            "record": {"recordName": name, "recordType": "Note", "fields": fields},
        }

    def modify(self, kind, named):
        operations = [self.operation(kind, name, note) for name, note in named]
        answer = self.call("records/modify", zoneID=ZONE, operations=operations)
        assert all("serverErrorCode" not in record for record in answer["records"]), answer

    def upload(self, named):
        self.modify("create", named)

    def change(self, name, note):
        self.modify("forceReplace", [(name, note)])

    def look_up(self, name):
        answer = self.call("records/lookup", zoneID=ZONE, records=[{"recordName": name}])
        assert answer["records"][0]["fields"], answer

    def download_compressed(self):
        """The bytes of a record in a download with gzip."""
        body = {"zones": [{"zoneID": ZONE, "resultsLimit": PAGE}]}
        connection, headers = self.client.connection, {"Accept-Encoding": "gzip"}
        connection.request(
            "POST", self.server.path("changes/zone", self.token), json.dumps(body), headers
        )
        response = connection.getresponse()
        assert response.headers["Content-Encoding"] == "gzip"
        return len(response.read()) / PAGE

    def download(self):
        zone, count = {"zoneID": ZONE, "resultsLimit": PAGE}, 0
        while True:
            answer = self.call("changes/zone", zones=[zone])["zones"][0]
            count += len(answer["records"])
            if not answer["moreComing"]:
                return count
            zone["syncToken"] = answer["syncToken"]

    def page(self, kind):
        filters = [] if kind is None else [{"kind": kind}]
        query = {
            "recordType": "Note",
            "filterBy": [
                {"fieldName": field, "comparator": "EQUALS", "fieldValue": {"value": value}}
                for filter in filters
                for field, value in filter.items()
            ],
            "sortBy": [{"fieldName": "place"}],
        }
        answer = self.call("records/query", zoneID=ZONE, query=query, resultsLimit=PAGE)
        return [record["fields"]["place"]["value"] for record in answer["records"]]


class Kinto:
    """The peer: one process, everything in memory, no logging."""

    CONFIGURATION = """
        [app:main]
        use = egg:kinto
        kinto.storage_backend = kinto.core.storage.memory
        kinto.cache_backend = kinto.core.cache.memory
        kinto.permission_backend = kinto.core.permission.memory
        kinto.userid_hmac_secret = benchmark
        kinto.bucket_create_principals = system.Authenticated
        kinto.batch_max_requests = {page}
        kinto.paginate_by = {page}
        multiauth.policies = basicauth

        [server:main]
        use = egg:waitress#main
        host = 127.0.0.1
        port = {port}

        [loggers]
        keys = root
        [handlers]
        keys =
        [formatters]
        keys =
        [logger_root]
        level = ERROR
        handlers =
        """
    RECORDS = "/v1/buckets/bench/collections/notes/records"

    def __init__(self, stack, program):
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = service.free_port()
        lines = self.CONFIGURATION.format(page=PAGE, port=port).splitlines()
        (directory / "kinto.ini").write_text("\n".join(line.strip() for line in lines))
        process = subprocess.Popen(
            [program, "start", "--ini", directory / "kinto.ini"],
            stdout=subprocess.DEVNULL,
            stderr=(directory / "log").open("wb"),
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        self.pid = process.pid
        self.client = Client(
            port,
            {
                "Authorization": "Basic " + base64.b64encode(b"an:a long password").decode(),
                "Content-Type": "application/json",
            },
        )

        def is_up():
            with contextlib.suppress(OSError):
                return bool(self.client.send("GET", "/v1/"))
            self.client.connection.close()
            return False

        if not service.wait_until(is_up, 60):
            raise SystemExit("Kinto does not start: " + (directory / "log").read_text())
        self.client.send("PUT", "/v1/buckets/bench", {"data": {}})
        self.client.send("PUT", "/v1/buckets/bench/collections/notes", {"data": {}})

    def upload(self, named):
        requests = [
            {"method": "PUT", "path": f"{self.RECORDS}/{name}", "body": {"data": note}}
            for name, note in named
        ]
        _, answer = self.client.send("POST", "/v1/batch", {"requests": requests})
        assert all(response["status"] == 201 for response in answer["responses"]), answer

    def change(self, name, note):
        self.client.send("PUT", f"{self.RECORDS}/{name}", {"data": note})

    def look_up(self, name):
        _, answer = self.client.send("GET", f"{self.RECORDS}/{name}")
        assert answer["data"]["title"], answer

    def download(self):
        path, count = f"{self.RECORDS}?_limit={PAGE}", 0
        while path:
            response, answer = self.client.send("GET", path)
            count += len(answer["data"])
            path = response.headers.get("Next-Page", "").removeprefix(
                f"http://127.0.0.1:{self.client.port}"
            )
        return count

    def page(self, kind):
        filter = "" if kind is None else f"&kind={kind.replace(' ', '%20')}"
        path = f"{self.RECORDS}?_sort=place&_limit={PAGE}{filter}"
        _, answer = self.client.send("GET", path)
        return [record["place"] for record in answer["data"]]


def processor_time(pid):
    """The processor time of a process in seconds."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS


class Readings:
    """What was measured of one server and one task, a value for each round."""

    def __init__(self):
        self.rates, self.processor, self.bytes = [], [], []

    def measure(self, server, work):
        """Does the work, which returns how many things it was, and the seconds that they took
        unless these are the client's."""
        client = server.client
        client.seconds = client.bytes = 0
        before = processor_time(server.pid)
        count, seconds = work(server)
        self.processor.append((processor_time(server.pid) - before) / count)
        self.rates.append(count / (seconds or client.seconds))
        self.bytes.append(client.bytes / count)


def at_once(server, items, work):
    """Lets several clients share the work, each in a process of its own."""
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(CLIENTS + 1), context.SimpleQueue()

    def run(share):
        other = copy.copy(server)
        other.client = Client(server.client.port, server.client.headers)
        work(other, share[0])  # connects, and warms up
        other.client.bytes = 0
        start.wait()
        for item in share:
            work(other, item)
        results.put(other.client.bytes)

    shares = [items[number::CLIENTS] for number in range(CLIENTS)]
    processes = [context.Process(target=run, args=(share,)) for share in shares]
    for process in processes:
        process.start()
    start.wait()
    begin = time.perf_counter()
    server.client.bytes = sum(results.get() for _ in processes)
    seconds = time.perf_counter() - begin
    for process in processes:
        process.join()
    return len(items), seconds


def upload(server, named):
    for start in range(0, len(named), PAGE):
        server.upload(named[start : start + PAGE])
    return len(named), None


def pages(server, expected):
    for kind, places in expected:
        found = server.page(kind)
        assert found == places, (kind, found[:5], places[:5])
    return len(expected), None


def measure_all(servers, rounds):
    generator = random.Random(7)
    readings = {task: [Readings() for _ in servers] for task in TASKS}
    notes_of = {}
    for number in range(rounds + 1):
        batch = {f"note-{note['place']:06}": note for note in notes(number, generator)}
        notes_of |= batch
        named = list(batch.items())
        names = generator.sample(sorted(notes_of), SINGLES)
        changed = [(name, {**notes_of[name], "title": f"{number}"}) for name in names]
        places = sorted(note["place"] for note in notes_of.values())
        of_kinds = [
            (
                kind,
                sorted(note["place"] for note in notes_of.values() if note["kind"] == kind)[:PAGE],
            )
            for kind in (f"kind {number % KINDS}" for number in range(PAGES))
        ]
        tasks = {
            "batch upload": lambda server: upload(server, named),
            "download": lambda server: (server.download(), None),
            "filtered and sorted page of 200": lambda server: pages(server, of_kinds),
            "sorted page of 200": lambda server: pages(server, [(None, places[:PAGE])] * PAGES),
            "look-up of one record": lambda server: at_once(
                server, names, lambda server, name: server.look_up(name)
            ),
            "change of one record": lambda server: at_once(
                server, changed, lambda server, item: server.change(*item)
            ),
        }
        for task, work in tasks.items():
            for server, values in list(zip(servers, readings[task]))[:: 1 if number % 2 else -1]:
                # The first round warms both up.
                (values if number else Readings()).measure(server, work)
        notes_of |= dict(changed)
        print(f"round {number} of {rounds}: {len(notes_of)} records", file=sys.stderr)
    return readings


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def table(readings):
    lines = [
        "|  | record-service | Kinto, in memory | ratio | bound |  "
        "| processor time, ours / Kinto's (µs) | bytes, ours / Kinto's |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    missed = 0
    for task, (unit, bound) in TASKS.items():
        ours, theirs = readings[task]
        ratio = median(ours.rates) / median(theirs.rates)
        missed += bound is not None and ratio < bound
        verdict = "" if bound is None else "holds" if ratio >= bound else "**exceeded**"
        lines.append(
            f"| {task} ({unit}) | {figure(median(ours.rates))} | {figure(median(theirs.rates))} "
            f"| {ratio:.1f} × | {'—' if bound is None else f'≥ {bound} ×'} | {verdict} "
            f"| {median(ours.processor) * 1e6:,.0f} / {median(theirs.processor) * 1e6:,.0f} "
            f"| {median(ours.bytes):,.0f} / {median(theirs.bytes):,.0f} |"
        )
    return "\n".join(lines), missed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinto", required=True, help="the program kinto")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bound is exceeded")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        servers = [RecordService(stack), Kinto(stack, options.kinto)]
        readings = measure_all(servers, options.rounds)
        compressed = servers[0].download_compressed()
    text, missed = table(readings)
    print(text)
    print(
        f"\nMedians of {options.rounds} rounds. Bytes are those of bodies, for each record, page "
        f"or request; with gzip a downloaded record has {compressed:.0f}."
    )
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
