"""The two servers that are measured beside each other: record-service and Kinto, with the same
methods, the client that both get, and the processor time of their processes.
"""

import base64
import contextlib
import copy
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Tests/ServiceTests"))
import service
import stored

PAGE = 200
TICKS = os.sysconf("SC_CLK_TCK")
SCHEMA = """
DEFINE SCHEMA
RECORD TYPE Note (
  "___recordID" REFERENCE QUERYABLE,
  title STRING, text STRING, kind STRING QUERYABLE, place INT64 QUERYABLE SORTABLE,
  editedAt TIMESTAMP,
  GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
);
"""
# The records of our server are in a zone that has a change feed.
ZONE = {"zoneName": "notes"}
TYPES = {"editedAt": "TIMESTAMP", "place": "INT64"}


class Client:
    """A connection to a server, which is kept. It counts the time from the beginning of each
    request to the last byte of its response, and the bytes of the bodies.

    It reads no more of a response than its status, its length and its body: `http.client` takes as
    much processor time for a single record as the service does.
    """

    def __init__(self, port, headers):
        self.port, self.headers = port, headers
        self.socket = None
        self.seconds, self.bytes = 0.0, 0

    def send(self, method, path, body=None, accepted=()):
        response = self.request(method, path, body, self.headers)
        self.bytes += len(response.body)
        if response.status >= 300 and response.status not in accepted:
            raise SystemExit(f"{method} {path}: {response.status} {response.body[:300]}")
        return response, json.loads(response.body)

    def request(self, method, path, body, headers):
        text = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        request = "\r\n".join([*lines, f"Content-Length: {len(text)}", "", ""]).encode() + text
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=120)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start = time.perf_counter()
        self.socket.sendall(request)
        response = Response(self.socket)
        self.seconds += time.perf_counter() - start
        return response

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None


class Response:
    """A response with a Content-Length, read from a socket."""

    def __init__(self, connection):
        received = bytearray()
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self.bytes_of(connection)
        self.head = received[:end].decode("latin-1")
        self.status = int(self.head.split(" ", 2)[1])
        length = self.header("Content-Length")
        if length is None or (self.header("Connection") or "").lower() == "close":
            raise SystemExit(f"neither chunks nor closed connections are read: {self.head}")
        length = int(length)
        del received[: end + 4]
        while len(received) < length:
            received += self.bytes_of(connection)
        self.body = bytes(received)

    @staticmethod
    def bytes_of(connection):
        if read := connection.recv(1 << 18):
            return read
        raise ConnectionError("the server has closed the connection")

    def header(self, name):
        """The value of a header; None if there is none."""
        match = re.search(f"^{name}:(.*)$", self.head, re.IGNORECASE | re.MULTILINE)
        return match and match[1].strip()


class RecordService:
    """Our server."""

    def __init__(self, stack, database=None):
        self.server = stack.enter_context(
            service.Service(variables=database and database.variables)
        )
        self.server.use_container(stored.CONTAINER, SCHEMA)
        self.pids = process_ids(self.server.process, database)
        self.client = Client(self.server.port, {})
        self.add_user("an")

    def add_user(self, name):
        """Adds an account. All later requests are made as this account."""
        self.token = self.server.add_user(name)
        self.call(
            "zones/modify", operations=[{"operationType": "create", "zone": {"zoneID": ZONE}}]
        )

    @contextlib.contextmanager
    def second_process(self):
        """The same service, and the same account, at another process on the same database."""
        with service.Service(variables=self.server.variables) as process:
            process.container, process.api_token = self.server.container, self.server.api_token
            other = copy.copy(self)
            other.server, other.client = process, Client(process.port, {})
            yield other

    def call(self, route, **body):
        # Responses have the newest token in a header. The first stays valid until another is used.
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
        path = self.server.path("changes/zone", self.token)
        response = self.client.request("POST", path, body, {"Accept-Encoding": "gzip"})
        assert response.header("Content-Encoding") == "gzip"
        return len(response.body) / PAGE

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
    """The peer: one process, no logging, everything in memory or in PostgreSQL."""

    CONFIGURATION = """
        [app:main]
        use = egg:kinto
        {storage}
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

    def __init__(self, stack, program, database=None):
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = service.free_port()
        storage = "\n".join(
            f"kinto.{part}_backend = kinto.core.{part}.memory"
            if database is None
            else f"kinto.{part}_backend = kinto.core.{part}.postgresql\n"
            f"kinto.{part}_url = {database.address_of('kinto')}"
            for part in ("storage", "cache", "permission")
        )
        lines = self.CONFIGURATION.format(page=PAGE, port=port, storage=storage).splitlines()
        (directory / "kinto.ini").write_text("\n".join(line.strip() for line in lines))
        if database is not None:
            database.sql("CREATE DATABASE kinto")
            subprocess.run(
                [program, "migrate", "--ini", directory / "kinto.ini"],
                check=True,
                capture_output=True,
            )
        process = subprocess.Popen(
            [program, "start", "--ini", directory / "kinto.ini"],
            stdout=subprocess.DEVNULL,
            stderr=(directory / "log").open("wb"),
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        self.pids = process_ids(process, database)
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
            self.client.close()
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
        # On PostgreSQL two changes at the same millisecond conflict, and one has to be repeated.
        path, body = f"{self.RECORDS}/{name}", {"data": note}
        while self.client.send("PUT", path, body, accepted=(409,))[0].status == 409:
            pass

    def look_up(self, name):
        _, answer = self.client.send("GET", f"{self.RECORDS}/{name}")
        assert answer["data"]["title"], answer

    def download(self):
        path, count = f"{self.RECORDS}?_limit={PAGE}", 0
        while path:
            response, answer = self.client.send("GET", path)
            count += len(answer["data"])
            path = (response.header("Next-Page") or "").removeprefix(
                f"http://127.0.0.1:{self.client.port}"
            )
        return count

    def page(self, kind):
        filter = "" if kind is None else f"&kind={kind.replace(' ', '%20')}"
        path = f"{self.RECORDS}?_sort=place&_limit={PAGE}{filter}"
        _, answer = self.client.send("GET", path)
        return [record["place"] for record in answer["data"]]


def process_ids(process, database):
    return [process.pid] if database is None else [process.pid, database.process.pid]


def processor_time(pids):
    """The processor time of processes and their children in seconds."""

    def ticks(pid, count):
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(word) for word in words[11 : 11 + count])

    total = 0
    for pid in pids:
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(FileNotFoundError):
                total += ticks(child, 2)
        # This includes the time of the children that have ended.
        total += ticks(pid, 4)
    return total / TICKS
