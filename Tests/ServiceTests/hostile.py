"""Sends malformed and malicious requests to the server, and checks its responses.

Every response must conform to the protocol (an error with a code, a reason and a uuid, and with the
status of that code), be a page for the forms, or, for data that is not HTTP, be a 400 without a
body or the end of the connection. No malformed request may succeed or cause an internal error. The
data of an uninvolved account must not change, and the server's memory must not grow.
"""

import argparse
import base64
import copy
import http.client
import json
import queue
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import service

# The HTTP status of each error code.
STATUS = {
    "ACCESS_DENIED": 403,
    "ATOMIC_ERROR": 400,
    "AUTHENTICATION_FAILED": 401,
    "AUTHENTICATION_REQUIRED": 421,
    "BAD_REQUEST": 400,
    "CONFLICT": 409,
    "EXISTS": 409,
    "NOT_FOUND": 404,
    "QUOTA_EXCEEDED": 413,
    "THROTTLED": 429,
    "VALIDATING_REFERENCE_ERROR": 412,
    "ZONE_NOT_FOUND": 404,
    "CHANGE_TOKEN_EXPIRED": 400,
    "LIMIT_EXCEEDED": 413,
    "TRY_AGAIN_LATER": 503,
}
WORKERS = 8
ATTACKERS = 4
MEGABYTE = 1 << 20
BODY_LIMIT = 8 * MEGABYTE
GROWTH_LIMIT = 30 * MEGABYTE
# The longest time limit of the server (the rest of a request), and some seconds for a busy machine.
SLOW_SECONDS = 60 + 20
# The time limit for a request of 8 MB of JSON among many others, on a busy machine.
COSTLY_SECONDS = 60
# The time limit for raw data to get its response and the end of the connection. It is below the
# limit of the server for the rest of a request (60 s), so that connections which only that limit
# would end are faults. A first head has 10 s.
RAW_SECONDS = 45
ZONE, OTHER_ZONE = "Q", "Other"

# Replacements for a node of a JSON document, and their kinds.
REPLACEMENTS = [
    ("null", "null"),
    ("7", "number"),
    ('"text"', "string"),
    ("[]", "list"),
    ("[1]", "list"),
    ("{}", "object"),
    ('{"a":[]}', "object"),
    ("true", "bool"),
    ("false", "bool"),
    ("1e300", "huge"),
    ("9223372036854775808", "huge"),
    ("-0", "number"),
    ("0.5", "fraction"),
    ("-9223372036854775808", "number"),
    ("1e999", "infinite"),
    ("NaN", "invalid"),
    ("Infinity", "invalid"),
    ("01", "invalid"),
    ('"\\ud800"', "invalid"),
    ('"\\udc00\\ud800"', "invalid"),
    ('"\\u0000"', "nul"),
    ('"a\\u0000b"', "nul"),
    ('""', "empty"),
    ('"' + "x" * 300 + '"', "string"),
    ('"\\u202e\\ufeff\\uffff"', "string"),
    ("'a'", "invalid"),
    ("", "absent"),
    ('"a\nb"', "invalid"),
    ("9" * 500, "invalid"),
    ("[" * 40 + "]" * 40, "invalid"),
]
# The statuses for a body over the size limit: it can also be refused because its account has used
# up its requests, or its share of the memory for bodies that are being received.
TOO_LARGE_STATUSES = {413, 429, 503}
STRING_KINDS = {"string", "nul", "empty"}
# Keys for which only some strings are valid.
RESTRICTED_KEYS = {
    "operationType",
    "comparator",
    "apnsEnvironment",
    "action",
    "subscriptionType",
    "type",
    "recordType",
    "fieldName",
    "zoneName",
    "ownerRecordName",
}


class Tally:
    """Counts requests and responses, and collects faults."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kinds, self.responses, self.faults, self.printed_counts = {}, {}, [], {}

    def count_request(self, kind):
        with self.lock:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def count_response(self, outcome):
        with self.lock:
            self.responses[outcome] = self.responses.get(outcome, 0) + 1

    def add_fault(self, text):
        with self.lock:
            self.faults.append(text)
            # Of similar faults, only a few are printed.
            group = text[:37]
            self.printed_counts[group] = self.printed_counts.get(group, 0) + 1
            if self.printed_counts[group] <= 3:
                print("FAULT:", text[:1500], flush=True)


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        def refuse(text):
            raise ValueError(f"{text} is not JSON")

        return json.loads(self.body.decode("utf-8"), parse_constant=refuse)


def response_problem(response, must_fail=False, page=False):
    """Describes what is wrong with a response; None if it is correct."""
    kind = response.headers.get("content-type", "")
    if response.status >= 500 and (response.status, kind[:16]) != (503, "application/json"):
        return "an internal error"
    if page and kind.startswith("text/html"):
        if must_fail and response.status < 400:
            return "a success"
        return None if b"</html>" in response.body else "an incomplete page"
    if response.status == 400 and not response.body:
        # The response to data that is not HTTP.
        return None
    if kind.startswith("text/plain") and response.status == 200:
        return "a success" if must_fail else None
    if response.status in (204, 303):
        return "a success" if must_fail else None
    try:
        body = response.json()
    except ValueError as error:
        return f"invalid JSON: {error}"
    if response.status == 200:
        if not must_fail:
            return None
        items = [
            item
            for name in ("records", "zones", "subscriptions")
            if isinstance(body, dict)
            for item in body.get(name, [])
        ]
        return None if any("serverErrorCode" in item for item in items) else "a success"
    code = body.get("serverErrorCode")
    for key in ("serverErrorCode", "reason", "uuid"):
        if not isinstance(body.get(key), str) or not body[key]:
            return f"an error without {key}"
    if response.status == 405:
        return None if code == "BAD_REQUEST" and response.headers.get("allow") else "a wrong 405"
    if STATUS.get(code) != response.status:
        return f"status {response.status} with {code}"
    # TRY_AGAIN_LATER: the server is receiving as many large bodies as it accepts.
    if code in ("THROTTLED", "TRY_AGAIN_LATER") and not (
        body.get("retryAfter") and response.headers.get("retry-after")
    ):
        return f"{code} without retryAfter"
    if code == "AUTHENTICATION_REQUIRED" and "redirectURL" not in body:
        return "AUTHENTICATION_REQUIRED without redirectURL"
    return None


# Bodies


class Account:
    """An account with two custom zones in both environments."""

    def __init__(self, server, name):
        self.token = server.add_user(name)
        self.user = server.call("users/caller", token=self.token, method="GET")[1]["userRecordName"]
        for environment in ("production", "development"):
            status, response = server.call(
                "zones/modify",
                {
                    "operations": [
                        {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}
                        for zone in (ZONE, OTHER_ZONE)
                    ]
                },
                self.token,
                environment=environment,
            )
            assert status == 200, response

    def zone(self, name=ZONE):
        return {"zoneName": name, "ownerRecordName": self.user}


def text(value):
    return {"type": "STRING", "value": value}


def number(value):
    return {"type": "INT64", "value": value}


def moment(value=1_700_000_000_000):
    return {"type": "TIMESTAMP", "value": value}


def operations(account):
    """Valid operations with all field types of the schema."""
    owner = text(account.user)
    return [
        {
            "operationType": "forceReplace",
            "desiredKeys": ["ayahID"],
            "numbersAsStrings": False,
            "record": {
                "recordName": "r1",
                "recordType": "FavoriteAyah",
                "zoneID": account.zone(),
                "fields": {
                    "ayahID": text("2:255"),
                    "surahNumber": number(2),
                    "ayahNumber": number(255),
                    "favoritedAt": moment(),
                    "ownerRecordName": owner,
                },
            },
        },
        {
            "operationType": "forceUpdate",
            "record": {
                "recordName": "n1",
                "recordType": "AyahNote",
                "fields": {
                    "noteText": text("ghi chú"),
                    "createdAt": moment(),
                    "ownerRecordName": owner,
                },
            },
        },
        {
            "operationType": "forceUpdate",
            "record": {
                "recordName": "p1",
                "recordType": "ReadingProgress",
                "fields": {
                    "surahNumber": number(1),
                    "progressPercentage": {"type": "DOUBLE", "value": 12.5},
                },
            },
        },
        {
            "operationType": "forceUpdate",
            "record": {
                "recordName": "u1",
                "recordType": "UserProfile",
                "fields": {
                    "userRecord": {
                        "type": "REFERENCE",
                        "value": {"recordName": "r1", "zoneID": account.zone(), "action": "NONE"},
                    }
                },
            },
        },
        {"operationType": "forceDelete", "record": {"recordName": "gone"}},
    ]


def query(account):
    return {
        "recordType": "FavoriteAyah",
        "filterBy": [
            {
                "comparator": "EQUALS",
                "fieldName": "ownerRecordName",
                "fieldValue": text(account.user),
            },
            {
                "comparator": "IN",
                "fieldName": "surahNumber",
                "fieldValue": {"type": "INT64_LIST", "value": [1, 2, 3]},
            },
        ],
        "sortBy": [{"fieldName": "ayahNumber", "ascending": False}],
    }


def requests(account):
    """A valid request of each endpoint: its route and its body."""
    info = {
        "alertBody": "a",
        "alertLocalizationKey": "b",
        "alertLocalizationArgs": ["c"],
        "alertActionLocalizationKey": "d",
        "alertLaunchImage": "e",
        "soundName": "f",
        "shouldBadge": True,
        "shouldSendContentAvailable": True,
    }
    page = {
        "zoneID": account.zone(),
        "resultsLimit": 10,
        "desiredKeys": ["ayahID"],
        "desiredRecordTypes": ["FavoriteAyah"],
        "reverse": False,
        "numbersAsStrings": False,
    }
    return [
        (
            "records/modify",
            {
                "zoneID": account.zone(),
                "atomic": True,
                "desiredKeys": ["ayahID"],
                "numbersAsStrings": False,
                "operations": operations(account),
            },
        ),
        (
            "records/query",
            {
                "query": query(account),
                "zoneID": account.zone(),
                "zoneWide": False,
                "resultsLimit": 10,
                "desiredKeys": ["ayahID"],
                "numbersAsStrings": False,
            },
        ),
        (
            "records/lookup",
            {
                "records": [{"recordName": "r1", "desiredKeys": ["ayahID"]}],
                "zoneID": account.zone(),
                "desiredKeys": ["ayahID"],
                "numbersAsStrings": False,
            },
        ),
        ("records/changes", page),
        (
            "changes/zone",
            {
                "zones": [page],
                "resultsLimit": 10,
                "desiredKeys": ["ayahID"],
                "desiredRecordTypes": ["FavoriteAyah"],
                "reverse": False,
                "numbersAsStrings": False,
            },
        ),
        ("changes/database", {"resultsLimit": 10}),
        ("zones/list", {}),
        ("zones/lookup", {"zones": [account.zone()]}),
        (
            "zones/modify",
            {"operations": [{"operationType": "create", "zone": {"zoneID": account.zone()}}]},
        ),
        ("zones/changes", {}),
        ("subscriptions/list", {}),
        (
            "subscriptions/modify",
            {
                "operations": [
                    {
                        "operationType": "create",
                        "subscription": {
                            "subscriptionID": "zone",
                            "subscriptionType": "zone",
                            "zoneID": account.zone(),
                            "notificationInfo": info,
                        },
                    },
                    {
                        "operationType": "create",
                        "subscription": {
                            "subscriptionID": "query",
                            "subscriptionType": "query",
                            "zoneWide": False,
                            "zoneID": account.zone(),
                            "firesOnce": False,
                            "firesOn": ["create", "update", "delete"],
                            "query": {
                                "recordType": "FavoriteAyah",
                                "filterBy": query(account)["filterBy"],
                            },
                        },
                    },
                ]
            },
        ),
        ("subscriptions/lookup", {"subscriptions": [{"subscriptionID": "zone"}]}),
        ("tokens/create", {"apnsEnvironment": "production", "clientId": "c"}),
    ]


def nodes(body, path=()):
    """The paths of all nodes of a body."""
    yield path
    children = (
        body.items()
        if isinstance(body, dict)
        else enumerate(body)
        if isinstance(body, list)
        else ()
    )
    for key, child in children:
        yield from nodes(child, (*path, key))


def at(body, path):
    """The node at a path."""
    for key in path:
        body = body[key]
    return body


# Marks the node that is replaced.
MARK = "\ue000"


def replaced(body, path, replacement):
    """The JSON text of a body in which a node is replaced."""
    if not path:
        return replacement
    body = copy.deepcopy(body)
    at(body, path[:-1])[path[-1]] = MARK
    return json.dumps(body, ensure_ascii=False).replace(f'"{MARK}"', replacement, 1)


def must_fail(body, path, kind):
    """Whether a body with a replacement of this kind must be refused."""
    if kind == "invalid":
        return True
    if kind == "infinite":
        # A body that is not used, as that of a listing, may be any JSON.
        return bool(path)
    if kind == "absent":
        # A listing needs no body, and a list can lose an element.
        return bool(path) and not isinstance(path[-1], int)
    # A reference without an action may have any target.
    if kind == "null" or not path or ("userRecord" in path and "zoneID" in path):
        return False
    node = at(body, path)
    if kind == "nul" and isinstance(node, str) and path[-1] == "recordName":
        return "value" not in path
    name = path[-1] if isinstance(path[-1], str) else path[-2]
    if isinstance(node, bool):
        return kind != "bool"
    if isinstance(node, str):
        if name == "zoneName":
            return kind != "string"
        return kind not in STRING_KINDS or (name in RESTRICTED_KEYS and name != "type")
    if isinstance(node, float):
        return kind not in {"number", "fraction", "huge"}
    if isinstance(node, int):
        if "favoritedAt" in path or "createdAt" in path:
            return kind not in {"number", "fraction"}
        return kind != "number"
    return kind != ("list" if isinstance(node, list) else "object")


class Case:
    """A test case. `run(worker)` sends it, and returns what is wrong, or None."""

    def __init__(self, kind, run):
        self.kind, self.run = kind, run


class Worker(threading.Thread):
    """Sends cases, from changing client addresses, so that rate limits do not hide faults."""

    addresses = iter([])
    lock = threading.Lock()

    def __init__(self, test_run, cases):
        super().__init__(daemon=True)
        self.test_run, self.cases = test_run, cases
        self.connection = None
        self.uses = 0

    @classmethod
    def address(cls):
        with cls.lock:
            cls.count = getattr(cls, "count", 0) + 1
            return f"127.0.{cls.count // 250 % 250 + 1}.{cls.count % 250 + 2}"

    def run(self):
        while True:
            try:
                case = self.cases.get_nowait()
            except queue.Empty:
                break
            self.test_run.tally.count_request(case.kind)
            try:
                problem = case.run(self)
            except AssertionError as error:
                problem = str(error)
            except (OSError, http.client.HTTPException) as error:
                problem = f"no response: {error!r}"
                self.drop()
            except Exception as error:
                problem = f"bug of this script: {error!r}"
                self.drop()
            if problem:
                self.test_run.tally.add_fault(f"{case.kind}: {problem}")
        self.drop()

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def send(self, method, target, body=None, headers=None):
        """Sends a regular HTTP request; returns the response. The connection is reused."""
        if self.uses % 25 == 0:
            self.drop()
        self.uses += 1
        if self.connection is None:
            server = self.test_run.server
            self.connection = http.client.HTTPConnection(
                server.host,
                server.port,
                timeout=2 * COSTLY_SECONDS,
                source_address=(self.address(), 0),
            )
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        self.connection.request(method, target, body, headers or {})
        response = self.connection.getresponse()
        content = response.read()
        if response.getheader("connection", "").lower() == "close":
            self.drop()
        response = Response(
            response.status, {name.lower(): value for name, value in response.getheaders()}, content
        )
        self.test_run.tally.count_response(response.status)
        return response

    def send_raw(self, data, close=False, pieces=None):
        """Sends raw bytes; returns all responses, and whether the server ended the connection."""
        server = self.test_run.server
        connection = socket.create_connection(
            (server.host, server.port), timeout=RAW_SECONDS, source_address=(self.address(), 0)
        )
        received, ended = b"", False
        try:
            try:
                for piece in pieces or [data]:
                    connection.sendall(piece)
                if close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            while True:
                try:
                    chunk = connection.recv(65536)
                except TimeoutError:
                    break
                except OSError:
                    ended = True
                    break
                if not chunk:
                    ended = True
                    break
                received += chunk
        finally:
            connection.close()
        responses = []
        while received:
            head, found, rest = received.partition(b"\r\n\r\n")
            if not found:
                break
            lines = head.decode("latin-1").split("\r\n")
            match = re.fullmatch(r"HTTP/1\.1 (\d{3}) ?.*", lines[0])
            assert match, f"not the head of a response: {received[:200]!r}"
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:])
            }
            length = int(headers.get("content-length", 0))
            responses.append(Response(int(match[1]), headers, rest[:length]))
            received = rest[length:]
            self.test_run.tally.count_response(responses[-1].status)
        if not responses:
            self.test_run.tally.count_response("closed" if ended else "no response")
        return responses, ended


class TestRun:
    """The server and its accounts, and the methods that make the cases."""

    def __init__(self, server, accounts, bystander, seed):
        self.server, self.accounts, self.bystander = server, accounts, bystander
        self.tally = Tally()
        self.random = random.Random(seed)

    # Kinds of cases

    def wrong_type(self):
        """Replaces every node of every request by every replacement."""
        for index, account in enumerate(self.accounts):
            for route, body in requests(account):
                for number, path in enumerate(nodes(body)):
                    if number % len(self.accounts) != index and route != "tokens/create":
                        continue
                    for replacement, kind in REPLACEMENTS:
                        yield self.post_case(
                            "wrong type",
                            account,
                            route,
                            replaced(body, path, replacement),
                            must_fail(body, path, kind),
                            label=f"{path} {replacement[:40]}",
                        )

    def post_case(
        self,
        kind,
        account,
        route,
        body,
        must_be_refused=False,
        label="",
        environment="production",
        database="private",
        check=None,
    ):
        """A case that posts a body.

        The response is also checked with `check`, which returns what is wrong, or None.
        """

        def run(worker):
            target = self.server.path(
                route, account and account.token, database=database, environment=environment
            )
            response = worker.send("POST", target, body)
            problem = response_problem(response, must_be_refused)
            if problem is None and check:
                problem = check(response)
            return problem and (
                f"{problem}: {route} {environment} {database} {label}: {response.status} "
                f"{response.body[:300]!r} to {body[:300]!r}"
            )

        return Case(kind, run)

    def two_replacements(self):
        """Replaces two nodes, in any database and environment."""
        rng = self.random
        account = rng.choice(self.accounts)
        route, body = rng.choice(requests(account))
        body = copy.deepcopy(body)
        path = rng.choice(list(nodes(body)))
        if path:
            if rng.random() < 0.3:
                holder = at(body, path[:-1])
                del holder[path[-1]]
            else:
                at(body, path[:-1])[path[-1]] = rng.choice(
                    [None, 7, "text", [], {}, True, -1, 1e300, "", "\0", 2**63, [[]]]
                )
        path = rng.choice(list(nodes(body)))
        replacement, kind = rng.choice(REPLACEMENTS)
        return self.post_case(
            "two wrong",
            account,
            route,
            replaced(body, path, replacement),
            kind == "invalid",
            environment=rng.choice(("production", "development")),
            database=rng.choice(("private", "private", "public", "shared")),
        )

    def broken_bytes(self):
        """A valid body in which bytes are inserted, changed, removed or repeated."""
        rng = self.random
        account = rng.choice(self.accounts)
        route, body = rng.choice(requests(account))
        body = bytearray(json.dumps(body).encode())
        for _ in range(rng.randint(1, 4)):
            position = rng.randrange(len(body) + 1)
            change = rng.randrange(4)
            if change == 0:
                del body[position:]
            elif change == 1:
                body[position:position] = rng.randbytes(rng.randint(1, 4))
            elif change == 2:
                body[position : position + 1] = bytes([rng.choice(b'{}[]",:\\0e-\x00\xff\xc0')])
            else:
                body[position:position] = body[:position]
            if not body:
                break
        return self.post_case("broken bytes", account, route, bytes(body))

    def invalid_text(self):
        """A body with invalid UTF-8."""
        rng = self.random
        account = rng.choice(self.accounts)
        bad = rng.choice(
            [
                b"\xff",
                b"\xc0\x80",
                b"\xed\xa0\x80",
                b"\xf8\x88\x80\x80\x80",
                b"\xe2\x82",
                b"\x80",
                b"\xf4\x90\x80\x80",
            ]
        )
        body = rng.choice(
            [
                b'{"records":[{"recordName":"' + bad + b'"}]}',
                b'{"records":[],"' + bad + b'":1}',
                b"\xff\xfe" + '{"records":[]}'.encode("utf-16-le"),
                bad,
                b"\xef\xbb\xbf" + b'{"records":[' + bad + b"]}",
            ]
        )
        return self.post_case("invalid UTF-8", account, "records/lookup", body, True)

    def deep(self):
        """Deeply nested JSON."""
        rng = self.random
        account = rng.choice(self.accounts)
        depth = rng.choice((33, 33, 40, 64, 65, 1000, 10_000, 200_000))
        opening, closing = rng.choice((("[", "]"), ('{"a":', "}"), ('{"fields":', "}")))
        deep = opening * depth + "1" + closing * depth
        body = rng.choice(
            (
                deep,
                f'{{"records":[],"x":{deep}}}',
                opening * depth,
                f'{{"operations":[{{"operationType":"forceUpdate","record":{{"recordName":"d",'
                f'"recordType":"AyahNote","fields":{{"noteText":{{"value":{deep}}}}}}}}}]}}',
            )
        )
        return self.post_case(
            "deep", account, rng.choice(("records/modify", "records/lookup")), body, True
        )

    def many(self):
        """More items in a request than allowed."""
        rng = self.random
        account = rng.choice(self.accounts[1:])
        count = rng.choice((201, 201, 202, 1000))
        route, key, item = rng.choice(
            (
                (
                    "records/modify",
                    "operations",
                    lambda i: {"operationType": "forceDelete", "record": {"recordName": f"m{i}"}},
                ),
                ("records/lookup", "records", lambda i: {"recordName": f"m{i}"}),
                ("changes/zone", "zones", lambda i: {"zoneID": {"zoneName": f"m{i}"}}),
                ("zones/lookup", "zones", lambda i: {"zoneName": f"m{i}"}),
                (
                    "zones/modify",
                    "operations",
                    lambda i: {
                        "operationType": "create",
                        "zone": {"zoneID": {"zoneName": f"m{i}"}},
                    },
                ),
                ("subscriptions/lookup", "subscriptions", lambda i: {"subscriptionID": f"m{i}"}),
                (
                    "subscriptions/modify",
                    "operations",
                    lambda i: {
                        "operationType": "create",
                        "subscription": {
                            "subscriptionID": f"m{i}",
                            "subscriptionType": "zone",
                            "zoneID": account.zone(),
                        },
                    },
                ),
            )
        )
        body = json.dumps({key: [item(i) for i in range(count)]})
        return self.post_case(
            "many",
            account,
            route,
            body,
            True,
            check=lambda response: (
                None if response.status in (400, 429) else "not refused as a whole"
            ),
        )

    def huge(self, number):
        """Bodies near the size limit and above it.

        They have an account of their own, as so many operations use up its rate limit.
        """
        account = self.accounts[0]
        shape = number % 7
        if shape < 2:
            size = 10_000_000 if shape == 0 else BODY_LIMIT + 1
            body = b'{"records":[{"recordName":"' + b"x" * (size - 30) + b'"}]}'
            return self.post_case(
                "huge",
                account,
                "records/lookup",
                body,
                True,
                check=lambda response: (
                    None if response.status in TOO_LARGE_STATUSES else "not LIMIT_EXCEEDED"
                ),
            )
        if shape == 2:
            operation = b'{"operationType":"forceDelete","record":{"recordName":"x"}}'
            body = b'{"operations":[' + b",".join([operation] * 100_000) + b"]}"
        elif shape == 3:
            body = b'{"operations":[' + b",".join([b"{}"] * 100_000) + b"]}"
        elif shape == 4:
            operation = '{"operationType":"forceDelete","record":{"recordName":"%d"}}'
            body = (
                '{"operations":[' + ",".join(operation % i for i in range(60_000)) + "]}"
            ).encode()
        elif shape == 5:
            body = b'{"operations":[' + b"1," * (BODY_LIMIT // 2 - 20) + b"1]}"
        else:
            body = json.dumps(
                {
                    "operations": [
                        {
                            "operationType": "forceUpdate",
                            "record": {
                                "recordName": "big",
                                "recordType": "AyahNote",
                                "fields": {"noteText": text("x" * (BODY_LIMIT - 1000))},
                            },
                        }
                    ]
                }
            ).encode()
        return self.post_case("huge", account, "records/modify", body, True)

    def endless(self):
        """A chunked body that continues after the size limit was exceeded."""

        def run(worker):
            account = self.accounts[0]
            head = (
                f"POST {self.server.path('records/lookup', account.token)} HTTP/1.1\r\n"
                "Host: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            ).encode()
            chunk = b"%x\r\n%s\r\n" % (65536, b" " * 65536)
            responses, _ = worker.send_raw(b"", pieces=[head] + [chunk] * 160 + [b"0\r\n\r\n"])
            if not responses:
                return None
            return response_problem(responses[0], True) or (
                None
                if responses[0].status in TOO_LARGE_STATUSES
                else f"status {responses[0].status}"
            )

        return Case("endless", run)

    def costly(self, number):
        """A request that repeats cheap work so often that it becomes expensive."""
        account = self.accounts[3]
        names = [f"k{i}" for i in range(200_000 // (1 + 9 * (number % 2)))]
        zones = [{"zoneID": account.zone()}] * (1 + 9 * (number % 2))
        route, body = (
            ("changes/zone", {"zones": zones, "desiredKeys": names}),
            ("changes/zone", {"zones": zones, "desiredRecordTypes": names}),
            (
                "records/lookup",
                {
                    "zoneID": account.zone(),
                    "records": [{"recordName": "r1"}] * 200,
                    "desiredKeys": names,
                },
            ),
            (
                "records/query",
                self.paged_query(account) | {"resultsLimit": 200, "desiredKeys": names},
            ),
        )[number // 2 % 4]
        body = json.dumps(body)

        def run(worker):
            target = self.server.path(route, account.token)
            start = time.monotonic()
            response = worker.send("POST", target, body)
            seconds = time.monotonic() - start
            problem = response_problem(response)
            if problem is None and seconds > COSTLY_SECONDS:
                problem = f"a response after {seconds:.1f} s"
            return problem and f"{problem}: {route} {response.status} to {body[:300]!r}"

        return Case("costly", run)

    def foreign_zone(self):
        """Requests for zones of the uninvolved account."""
        rng = self.random
        account = rng.choice(self.accounts)
        route, body = rng.choice(
            [request for request in requests(account) if "zoneName" in json.dumps(request[1])]
        )
        zone = rng.choice((ZONE, "_defaultZone", "Secret"))
        body = json.dumps(body).replace(
            json.dumps(account.zone()), json.dumps(self.bystander.zone(zone))
        )
        labelled_routes = {"records/modify", "zones/lookup", "zones/modify"}
        return self.post_case(
            "another's zone",
            account,
            route,
            body,
            True,
            label=route if route in labelled_routes else "",
        )

    def token(self):
        """Sync tokens and continuation markers that are altered or belong to something else."""
        rng = self.random
        name, valid_token = rng.choice(list(self.tokens.items()))
        position = rng.choice(("zone", "other zone", "records", "database", "zones", "query"))
        altered_token = valid_token
        alteration = rng.choice(("flip", "cut", "add", "as it is", "noise"))
        content = bytearray(base64.b64decode(valid_token))
        if alteration == "flip":
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            altered_token = base64.b64encode(content).decode()
        elif alteration == "cut":
            altered_token = valid_token[: rng.randrange(len(valid_token))]
        elif alteration == "add":
            altered_token = rng.choice(
                (
                    valid_token + "AAAA",
                    valid_token + "=",
                    "AAAA" + valid_token,
                    valid_token + "\0",
                    valid_token + valid_token,
                    base64.b64encode(bytes(content) + b"\0").decode(),
                )
            )
        elif alteration == "noise":
            altered_token = rng.choice(
                (
                    base64.b64encode(rng.randbytes(rng.randint(1, 200))).decode(),
                    "A" * 65536,
                    "====",
                    "🕌" * 20,
                    base64.b64encode(bytes([rng.randint(1, 3)]) * 57).decode(),
                )
            )
        elif name == position:
            alteration = "cut"
            altered_token = valid_token[: rng.randrange(len(valid_token))]
        account = self.accounts[1]
        zone = {"zoneID": account.zone(OTHER_ZONE if position == "other zone" else ZONE)}
        route, body = {
            "zone": ("changes/zone", {"zones": [zone | {"syncToken": altered_token}]}),
            "other zone": ("changes/zone", {"zones": [zone | {"syncToken": altered_token}]}),
            "records": ("records/changes", zone | {"syncToken": altered_token}),
            "database": ("changes/database", {"syncToken": altered_token}),
            "zones": ("zones/changes", {"metaSyncToken": altered_token}),
            "query": (
                "records/query",
                self.paged_query(account) | {"continuationMarker": altered_token},
            ),
        }[position]
        same = {"records": "zone", "zones": "database"}.get(position, position)
        must_be_refused = not (alteration == "as it is" and name == same)
        return self.post_case(
            "token",
            account,
            route,
            json.dumps(body),
            must_be_refused,
            label=f"{name} at {position}, {alteration}",
        )

    def paged_query(self, account):
        """A query whose result has several pages."""
        return {
            "query": {
                "recordType": "FavoriteAyah",
                "filterBy": [
                    {
                        "comparator": "EQUALS",
                        "fieldName": "ownerRecordName",
                        "fieldValue": text(account.user),
                    }
                ],
            },
            "zoneID": account.zone(),
            "resultsLimit": 1,
        }

    def collect_tokens(self):
        """Collects valid sync tokens and continuation markers, by their purpose."""
        self.tokens = {}
        for index, account in enumerate(self.accounts[1:3]):
            status, response = self.server.call(
                "records/modify",
                {
                    "zoneID": account.zone(),
                    "operations": [
                        {
                            "operationType": "forceReplace",
                            "record": {
                                "recordName": f"kept{i}",
                                "recordType": "FavoriteAyah",
                                "fields": {"ownerRecordName": text(account.user)},
                            },
                        }
                        for i in range(3)
                    ],
                },
                account.token,
            )
            assert status == 200, response

            def call(route, body, **path_options):
                return self.server.call(route, body, account.token, **path_options)[1]

            pages = call(
                "changes/zone",
                {"zones": [{"zoneID": account.zone(zone)} for zone in (ZONE, OTHER_ZONE)]},
            )["zones"]
            prefix = "" if index == 0 else "another's "
            self.tokens[prefix + "zone"] = pages[0]["syncToken"]
            self.tokens[prefix + "other zone"] = pages[1]["syncToken"]
            self.tokens[prefix + "database"] = call("changes/database", {})["syncToken"]
            self.tokens[prefix + "query"] = call("records/query", self.paged_query(account))[
                "continuationMarker"
            ]
            sorted_query = self.paged_query(account)
            sorted_query["query"]["sortBy"] = [{"fieldName": "surahNumber"}]
            self.tokens[prefix + "sorted query"] = call("records/query", sorted_query)[
                "continuationMarker"
            ]
            self.tokens[prefix + "development zone"] = call(
                "changes/zone", {"zones": [{"zoneID": account.zone()}]}, environment="development"
            )["zones"][0]["syncToken"]

    def credential(self):
        """Forged or missing web auth tokens, API tokens and couriers."""
        rng = self.random
        account = rng.choice(self.accounts)
        hexadecimal = "0123456789abcdef"

        def forged(valid_token):
            position = rng.randrange(len(valid_token))
            return rng.choice(
                (
                    "".join(rng.choices(hexadecimal, k=len(valid_token))),
                    valid_token[:position],
                    valid_token + "0",
                    valid_token[:position]
                    + ("0" if valid_token[position] != "0" else "1")
                    + valid_token[position + 1 :],
                    valid_token.upper() if valid_token.upper() != valid_token else "x",
                    "\0" + valid_token,
                    valid_token + "\n",
                    "' OR 1=1 --",
                    "%00",
                    "🔑" * 32,
                    "0" * 10_000,
                )
            )

        kind = rng.randrange(4)

        def run(worker):
            path, _, parameters = self.server.path("records/lookup", account.token).partition("?")
            parameters = dict(urllib.parse.parse_qsl(parameters))
            if kind == 0:
                parameters["ckWebAuthToken"] = forged(account.token)
            elif kind == 1:
                parameters["ckAPIToken"] = forged(parameters["ckAPIToken"])
            elif kind == 2:
                del parameters[rng.choice(list(parameters))]
            else:
                target = "/courier/" + urllib.parse.quote(
                    forged("".join(rng.choices(hexadecimal, k=64))), safe=""
                )
                response = worker.send("GET", target)
                return (
                    response_problem(response, True)
                    and f"{target}: {response.status} {response.body[:200]!r}"
                )
            response = worker.send(
                "POST",
                path + "?" + urllib.parse.urlencode(parameters),
                json.dumps({"records": [{"recordName": "r1"}]}),
            )
            problem = response_problem(response, True)
            if problem is None and response.status not in (401, 421, 429):
                problem = "not refused as unauthenticated"
            return problem and f"{problem}: {parameters}: {response.status} {response.body[:200]!r}"

        return Case("credential", run)

    def form(self):
        """Invalid submissions of the sign-in and registration forms."""
        rng = self.random
        path = rng.choice(("/sign-in", "/register"))
        app = rng.choice((self.server.api_token, self.server.api_token, "", "x", "\0", "0" * 64))
        parameters = {"ckAPIToken": app}
        if rng.random() < 0.3:
            parameters["callback"] = rng.choice(
                (
                    "javascript:alert(1)",
                    "https://evil.example/",
                    "//evil",
                    "http://127.0.0.1@evil/",
                    "http://127.0.0.1:1/\r\nX: y",
                    "http://[::1",
                    "\0",
                    "x" * 5000,
                )
            )
        if rng.random() < 0.3:
            parameters["lang"] = rng.choice(("vi", "en", "xx", "<script>", "\0", "v" * 3000))
        if rng.random() < 0.3:
            parameters["way"] = rng.choice(("code", "x", ""))
        target = path + "?" + urllib.parse.urlencode(parameters)
        hidden_field = rng.choice(("", "x", "AAAA" * 40, "\0", "🕌", "A" * 60_000))
        fields = {
            "request": hidden_field,
            "name": rng.choice(("a", "", "\0", "x" * 5000, "<b>", "' OR 1")),
            "password": rng.choice(("p", "", "x" * 40_000)),
            "keep": "1",
        }
        if rng.random() < 0.3:
            del fields[rng.choice(list(fields))]
        body = rng.choice(
            (
                urllib.parse.urlencode(fields),
                "request=%zz&name=%",
                "=&=&=",
                "&" * 1000,
                "a" * 70_000,
                json.dumps(fields),
                "request[]=1&request[a]=2",
                "request=" + "%41" * 10_000,
                b"\xff\xfe\x00",
                "name=a&name=b&request=c&request=d",
            )
        )
        is_get = rng.random() < 0.3

        def run(worker):
            if is_get:
                response = worker.send("GET", target)
                problem = response_problem(response, False, page=True)
                if problem is None and b"<script>" in response.body:
                    problem = "a script"
            else:
                headers = {
                    "Content-Type": rng.choice(
                        ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
                    )
                }
                if rng.random() < 0.2:
                    headers["Sec-Fetch-Site"] = "cross-site"
                response = worker.send("POST", target, body, headers)
                problem = response_problem(response, True, page=True)
            return problem and f"{problem}: {target[:200]} {body[:200]!r}: {response.status}"

        return Case("form", run)

    def password(self):
        """A form of the server with a wrong password, at random with an altered hidden field."""

        def run(worker):
            target = "/sign-in?" + urllib.parse.urlencode({"ckAPIToken": self.server.api_token})
            page = worker.send("GET", target)
            found = re.search(rb'name="request" value="([^"]+)"', page.body) or re.search(
                rb'value="([^"]+)"[^>]*name="request"', page.body
            )
            if page.status == 429:
                return None
            if not found:
                return f"no form: {page.status} {page.body[:300]!r}"
            hidden_field = found[1].decode()
            if self.random.random() < 0.5:
                position = self.random.randrange(len(hidden_field))
                hidden_field = (
                    hidden_field[:position]
                    + ("A" if hidden_field[position] != "A" else "B")
                    + (hidden_field[position + 1 :])
                )
            response = worker.send(
                "POST",
                target,
                urllib.parse.urlencode(
                    {"request": hidden_field, "name": "witness", "password": "wrong"}
                ),
                {"Content-Type": "application/x-www-form-urlencoded"},
            )
            problem = response_problem(response, True, page=True)
            return problem and f"{problem}: {response.status} {response.body[:300]!r}"

        return Case("password", run)

    def manipulated_path(self):
        """Requests with manipulated paths, queries and methods."""
        rng = self.random
        account = rng.choice(self.accounts)
        target = self.server.path(rng.choice(requests(account))[0], account.token)
        path, _, query = target.partition("?")
        words = path.split("/")
        manipulation = rng.randrange(14)
        position = rng.randrange(1, len(words))
        if manipulation == 0:
            path = path.replace("/", "//", rng.randint(1, 3))
        elif manipulation == 1:
            words.insert(
                position,
                rng.choice(
                    ("..", ".", "%2e%2e", "%2E%2e", "..;", "%252e%252e", "%c0%ae%c0%ae", "")
                ),
            )
            path = "/".join(words)
        elif manipulation == 2:
            words[position] = words[position].upper() + ("X" if words[position].isdigit() else "")
            path = "/".join(words)
        elif manipulation == 3:
            path = "/".join(words[:position]) + "%2f" + "/".join(words[position:])
        elif manipulation == 4:
            path += rng.choice(("/", "//", "/x", "%00", "%0a", "%0d%0aX:%20y", ";x", "%", "%zz"))
        elif manipulation == 5:
            path = "/" + "a" * rng.choice((100, 5000, 15_000))
        elif manipulation == 6:
            path = "/" + "a/" * rng.choice((10, 500, 5000))
        elif manipulation == 7:
            words[position] = rng.choice(
                (
                    "*",
                    "%2a",
                    "<script>",
                    "'",
                    "🕌",
                    "..%5c",
                    "iCloud.",
                    "iCloud.x",
                    "iCloud.%00",
                    "iCloud." + "x" * 300,
                    "1.0",
                    "staging",
                    "-1",
                )
            )
            path = "/".join(words)
        elif manipulation == 8:
            query += rng.choice(
                (
                    "&" * 5000,
                    "&ckAPIToken=x",
                    "&=",
                    "&%00=%00",
                    "&a=%ff",
                    "&ckWebAuthToken=",
                    "&ckWebAuthToken[]=x",
                    "&" + "x" * 10_000,
                )
            )
        elif manipulation == 9:
            query = rng.choice(("", "=", "?", "%", "ckAPIToken", "ckAPIToken=&ckWebAuthToken="))
        elif manipulation == 10:
            path = rng.choice(
                (
                    "/",
                    "/healthz/",
                    "/metrics/..",
                    "/metrics%20",
                    "/courier/",
                    "/courier/../metrics",
                    "/courier/%2e%2e%2fmetrics",
                    "/session/1/x/production/end",
                    "/device/1/x/y/z",
                    "/etc/passwd",
                    "/.git/config",
                    "/%2e%2e/%2e%2e/etc/passwd",
                    "/database",
                    "/database/2/x/production/private/records/query",
                )
            )
        elif manipulation == 11:
            words = words[:position]
            path = "/".join(words)
        else:
            words = words[position:]
            path = "/" + "/".join(words)
        target = path + "?" + query
        target = "".join(c if 0x20 < ord(c) < 0x7F else urllib.parse.quote(c) for c in target)
        method = rng.choice(
            (
                "GET",
                "POST",
                "POST",
                "PUT",
                "DELETE",
                "PATCH",
                "OPTIONS",
                "TRACE",
                "PROPFIND",
                "MKCOL",
                "get",
            )
        )

        def run(worker):
            lines = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            data = lines + "Content-Length: 2\r\n\r\n{}"
            responses, _ = worker.send_raw(data.encode())
            return self.check_raw_responses(responses, data, at_most=1)

        return Case("path", run)

    def check_raw_responses(self, responses, data, at_most=None, has_ended=None):
        """Describes what is wrong with the responses to raw data; None if they are correct.

        `has_ended` is whether the connection ended; None if it need not end.
        """
        shown = data if isinstance(data, (str, bytes)) else b"".join(data)
        for response in responses:
            if problem := response_problem(response, page=True):
                return f"{problem}: {response.status} {response.body[:200]!r} to {shown[:400]!r}"
        if at_most is not None and len(responses) > at_most:
            return (
                f"{len(responses)} responses ({[item.status for item in responses]}, "
                f"{responses[-1].body[:200]!r}) to {shown[:400]!r}"
            )
        if has_ended is False:
            return f"the connection stays open after {shown[:400]!r}"
        return None

    def http(self):
        """Invalid or unusual HTTP, or data that is not HTTP."""
        rng = self.random
        account = rng.choice(self.accounts)
        target = self.server.path("records/lookup", account.token)
        body = '{"records":[{"recordName":"r1"}]}'
        post = f"POST {target} HTTP/1.1\r\nHost: localhost\r\n"
        smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
        wrong_lengths = (
            "-1",
            "+5",
            "0x5",
            "5 5",
            "5,5",
            "5, 6",
            "",
            " ",
            "99999999999999999999999",
            "18446744073709551616",
            "1e3",
            "5.0",
            "five",
            "\t",
            "0005x",
        )
        wrong_codings = (
            "xchunked",
            "identity",
            "chunked, identity",
            "gzip",
            "chunked\x0b",
            " chunked,",
            "gzip, chunked, chunked",
            '"chunked"',
            "chunked;q=1",
        )
        chunks = (
            "zz\r\n{}\r\n0\r\n\r\n",
            "-1\r\n{}\r\n0\r\n\r\n",
            "FFFFFFFFFFFFFFFFF\r\n{}\r\n",
            "7fffffffffffffff\r\n{}\r\n",
            "2\r\n{}x\r\n0\r\n\r\n",
            "2\n{}\n0\n\n",
            " 2\r\n{}\r\n",
            "2;" + "a" * 40_000 + "\r\n{}\r\n0\r\n\r\n",
            "2\r\n{}\r\n0\r\nX: y\r\n\r\n",
            "2\r\n{}\r\n0\r\n" + "X: y\r\n" * 500 + "\r\n",
            "0x2\r\n{}\r\n0\r\n\r\n",
            "\r\n\r\n",
            "2\r\n{}\r\n",
            "2",
            "2\r\n{",
        )
        kind = rng.randrange(24)
        at_most, close = 1, False
        if kind == 0:
            data = post + f"Content-Length: {rng.choice(wrong_lengths)}\r\n\r\n{body}"
            close, at_most = True, 2
        elif kind == 1:
            data = post + (
                f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked\r\n\r\n"
                f"0\r\n\r\n{smuggled}"
            )
        elif kind == 2:
            data = post + (
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
                f"{len(smuggled):x}\r\n{smuggled}\r\n0\r\n\r\n"
            )
        elif kind == 3:
            data = post + (
                f"Content-Length: 2\r\nContent-Length: {2 + len(smuggled)}\r\n\r\n{{}}{smuggled}"
            )
        elif kind == 4:
            data = post + (
                f"Transfer-Encoding: {rng.choice(wrong_codings)}\r\n\r\n0\r\n\r\n{smuggled}"
            )
            close = True
        elif kind == 5:
            data = post + "Transfer-Encoding: chunked\r\n\r\n" + rng.choice(chunks)
            close, at_most = True, 2
        elif kind == 6:
            data = post + f"Content-Length: {len(body) + 50}\r\n\r\n{body}"
            close = True
        elif kind == 7:
            data = post + f"Content-Length: 5\r\n\r\n{body}"
            close, at_most = True, 2
        elif kind == 8:
            flood = "".join(f"X-{i}: {i}\r\n" for i in range(rng.choice((200, 1000))))
            data = post + flood + "Content-Length: 2\r\n\r\n{}"
            close = True
        elif kind == 9:
            data = post + f"X: {'x' * rng.choice((17_000, 100_000))}\r\n\r\n"
            close = True
        elif kind == 10:
            data = f"GET /{'a' * rng.choice((17_000, 100_000, 1_000_000))} HTTP/1.1\r\n\r\n"
            close = True
        elif kind == 11:
            name = rng.choice(
                (
                    "X Y",
                    "X\0",
                    "",
                    " X",
                    "X\t",
                    "X ",
                    "é",
                    "(x)",
                    "Transfer-Encoding ",
                    ":X",
                    "\x7f",
                )
            )
            data = post + f"{name}: chunked\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            close = True
        elif kind == 12:
            value = rng.choice(("a\0b", "a\rb", "a\nb", "a\r\n folded", "\x01", "\x7f", "é"))
            data = post + f"X: {value}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            close = True
        elif kind == 13:
            version = rng.choice(
                (
                    "HTTP/1.0",
                    "HTTP/0.9",
                    "HTTP/2.0",
                    "HTTP/1.2",
                    "HTTP/9.9",
                    "http/1.1",
                    "HTTP/1.",
                    "HTTP/1.1 ",
                    "XTTP/1.1",
                    "",
                    "HTTP/1.1.1",
                )
            )
            data = f"GET /healthz {version}\r\nConnection: close\r\n\r\n"
            close = True
        elif kind == 14:
            line = rng.choice(
                (
                    "GET http://evil.example/healthz HTTP/1.1",
                    "GET * HTTP/1.1",
                    "OPTIONS * HTTP/1.1",
                    "CONNECT evil.example:443 HTTP/1.1",
                    "GET evil HTTP/1.1",
                    "GET  / HTTP/1.1",
                    "GET\t/ HTTP/1.1",
                    " GET / HTTP/1.1",
                    "GET / / HTTP/1.1",
                    "GET",
                    "GET /",
                    "G@T / HTTP/1.1",
                    f"{'A' * 20_000} / HTTP/1.1",
                    "GET /\x00 HTTP/1.1",
                    "GET /é HTTP/1.1",
                    "GET http://[::1 HTTP/1.1",
                    "GET //evil/%2e%2e HTTP/1.1",
                    "GET http:///healthz HTTP/1.1",
                    "GET ?x HTTP/1.1",
                    "GET #x HTTP/1.1",
                    "POST http://a:99999/register HTTP/1.1",
                )
            )
            data = f"{line}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            close = True
        elif kind == 15:
            hosts = rng.choice(
                (
                    "",
                    "Host:\r\n",
                    "Host: localhost\r\nHost: b\r\n",
                    "Host: a b\r\n",
                    "Host: \0\r\n",
                    "Host: http://a/\r\n",
                    "Host: [::1\r\n",
                    "Host: a:99999\r\n",
                    f"Host: {'a' * 10_000}\r\n",
                    "Host: evil.example\r\n",
                    "Host: 127.0.0.1:0x50\r\n",
                )
            )
            route = self.server.path("records/lookup")
            data = f"POST {route} HTTP/1.1\r\n{hosts}Connection: close\r\n" + (
                f"Content-Length: {len(body)}\r\n\r\n{body}"
            )
        elif kind == 16:
            data = rng.choice(
                (
                    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(508),
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + rng.randbytes(30),
                    b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n",
                    rng.randbytes(rng.randint(1, 5000)),
                    b"\r\n" * 5000,
                    b"\0" * 100_000,
                    b"EHLO a\r\n",
                    b"a" * 1_000_000,
                    b"\n\n\n",
                    b"\r",
                    b"GET / HTTP/1.1\r\r\r\r",
                )
            )
            close, at_most = True, 2
        elif kind == 17:
            # The maximum number of unanswered requests that the server allows on a connection.
            count = 16
            paths = [rng.choice(("/healthz", "/nothing")) for _ in range(count)]
            data = "".join(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
                + ("Connection: close\r\n" if i == count - 1 else "")
                + "\r\n"
                for i, path in enumerate(paths)
            )

            def run(worker):
                responses, _ = worker.send_raw(data.encode())
                expected = [200 if path == "/healthz" else 404 for path in paths]
                found = [response.status for response in responses]
                return None if found == expected else f"pipelined {expected}: {found}"

            return Case("http", run)
        elif kind == 18:
            # The response to HEAD must not have a body; another request follows on the connection.
            data = (
                f"HEAD {rng.choice(('/healthz', '/nothing', '/metrics', '/'))} HTTP/1.1\r\n"
                "Host: localhost\r\n\r\n"
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )

            def run(worker):
                server = self.server
                connection = socket.create_connection(
                    (server.host, server.port),
                    timeout=RAW_SECONDS,
                    source_address=(worker.address(), 0),
                )
                with connection:
                    connection.sendall(data.encode())
                    received = b""
                    try:
                        while chunk := connection.recv(65536):
                            received += chunk
                    except OSError as error:
                        return f"{error!r} after {data!r}"
                _, _, rest = received.partition(b"\r\n\r\n")
                return (
                    None
                    if rest.startswith(b"HTTP/1.1 ")
                    else (f"a body in the response to HEAD: {rest[:200]!r} after {data!r}")
                )

            return Case("http", run)
        elif kind == 19:
            data = (
                post
                + "Expect: 100-continue\r\n"
                + (f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            )
            at_most = 2
        elif kind == 20:
            data = (
                post
                + "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                + (
                    f"HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Length: {len(body)}"
                    f"\r\n\r\n{body}"
                )
            )
            close = True
        elif kind == 21:
            data = (
                post
                + "Content-Encoding: gzip\r\nConnection: close\r\n"
                + (f"Content-Length: {len(body)}\r\n\r\n{body}")
            )
        elif kind == 22:
            data = "GET /healthz HTTP/1.0\r\n\r\n"
            close = True
        else:
            headers = rng.choice(
                (
                    "X-Forwarded-For: 1.2.3.4\r\n",
                    "X-Forwarded-For: " + "1," * 5000 + "\r\n",
                    "X-Apple-CloudKit-Request-KeyID: x\r\n",
                    "Origin: null\r\n",
                    "Origin: \x80\r\n",
                    "Accept-Language: " + "vi," * 4000 + "\r\n",
                    "Range: bytes=0-\r\n",
                    "If-None-Match: *\r\n",
                    "Cookie: " + "a=b;" * 3000 + "\r\n",
                )
            )
            data = (
                post + headers + (f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            )
        data = data if isinstance(data, bytes) else data.encode("latin-1")

        def run(worker):
            responses, ended = worker.send_raw(data, close=close)
            for response in responses:
                if b"smuggled" in response.body:
                    return f"smuggled: {response.body[:200]!r} to {data[:300]!r}"
            return self.check_raw_responses(responses, data, at_most, has_ended=ended)

        return Case("http", run)

    def cases(self, count):
        """This number of cases, in random order."""
        rng = self.random
        cases = list(self.wrong_type())
        rng.shuffle(cases)
        # Leaves room for the other kinds if the number is small.
        del cases[int(count * 0.55) :]
        cases += [self.huge(i) for i in range(max(7, count // 600))]
        cases += [self.costly(i) for i in range(max(8, count // 1250))]
        cases += [self.endless() for _ in range(max(1, count // 2000))]
        cases += [self.password() for _ in range(max(2, count // 700))]
        kinds = [
            (self.http, 22),
            (self.manipulated_path, 14),
            (self.two_replacements, 18),
            (self.broken_bytes, 12),
            (self.token, 14),
            (self.credential, 8),
            (self.form, 5),
            (self.invalid_text, 4),
            (self.deep, 4),
            (self.many, 3),
            (self.foreign_zone, 6),
        ]
        makers = rng.choices(
            [maker for maker, _ in kinds],
            [weight for _, weight in kinds],
            k=max(0, count - len(cases)),
        )
        cases += [maker() for maker in makers]
        rng.shuffle(cases)
        return cases

    def send(self, cases):
        """Sends cases with several workers."""
        waiting = queue.SimpleQueue()
        for case in cases:
            waiting.put(case)
        workers = [Worker(self, waiting) for _ in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


class SlowClients(threading.Thread):
    """Slow and incomplete requests on connections that the server must end."""

    def __init__(self, test_run):
        super().__init__(daemon=True)
        account = test_run.accounts[2]
        target = test_run.server.path("records/lookup", account.token)
        post = f"POST {target} HTTP/1.1\r\nHost: localhost\r\n".encode()
        shapes = {
            "nothing": (b"", b""),
            "half a head": (post, b""),
            "a head by bytes": (b"", post + b"X: " + b"x" * 4000),
            "a length and nothing": (post + b"Content-Length: 100\r\n\r\n", b""),
            "a body by bytes": (
                post + b"Content-Length: 5000\r\n\r\n",
                b'{"records":' + b" " * 5000,
            ),
            "chunks by bytes": (post + b"Transfer-Encoding: chunked\r\n\r\n1388\r\n", b" " * 5000),
            "a body of a page": (
                b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
                b"",
            ),
            "a large body and nothing": (post + b"Content-Length: 99999999\r\n\r\n", b""),
        }
        self.start_time = time.monotonic()
        self.test_run = test_run
        self.open_connections = {}
        self.end_times = {}
        for name, (first, rest) in shapes.items():
            connection = socket.create_connection(
                (test_run.server.host, test_run.server.port),
                timeout=60,
                source_address=(Worker.address(), 0),
            )
            connection.sendall(first)
            connection.setblocking(False)
            self.open_connections[name] = [connection, list(rest), b""]
        # Clients that request 5 MB once or twice and do not read the responses, and one that reads
        # its response slowly.
        body = json.dumps({"zones": [{"zoneID": account.zone(OTHER_ZONE)}]})
        self.request = (
            f"POST {test_run.server.path('changes/zone', account.token)} HTTP/1.1\r\n"
            f"Host: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        self.unread_connections = {
            "one response": self.request_large_response(1),
            "two responses": self.request_large_response(2),
        }
        self.slow_reader = self.request_large_response(1)
        self.slow_response = b""
        self.pause = threading.Event()

    def request_large_response(self, times):
        """Opens a connection with a small receive buffer, and sends requests for 5 MB."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((self.test_run.server.host, self.test_run.server.port))
        connection.sendall(self.request * times)
        return connection

    def run(self):
        while self.open_connections and time.monotonic() - self.start_time < SLOW_SECONDS:
            for name, entry in list(self.open_connections.items()):
                connection, rest, _ = entry
                try:
                    if rest:
                        connection.send(bytes([rest.pop(0)]))
                    chunk = connection.recv(65536)
                except BlockingIOError:
                    continue
                except OSError:
                    chunk = b""
                entry[2] += chunk
                if not chunk:
                    connection.close()
                    self.end_times[name] = time.monotonic() - self.start_time
                    del self.open_connections[name]
                    if re.match(rb"HTTP/1\.1 5", entry[2]):
                        self.test_run.tally.add_fault(f"slow: {name}: {entry[2][:300]!r}")
            self.slow_response += self.slow_reader.recv(16_384)
            # The slowness is part of the test.
            self.pause.wait(0.5)
        for name in self.open_connections:
            self.test_run.tally.add_fault(f"slow: {name} is still open after {SLOW_SECONDS} s")
        self.pause.wait(max(0, SLOW_SECONDS - (time.monotonic() - self.start_time)))
        self.slow_reader.settimeout(60)
        while (
            b"\r\n\r\n" not in self.slow_response
            or len(self.slow_response) < self.response_length()
        ):
            chunk = self.slow_reader.recv(MEGABYTE)
            if not chunk:
                self.test_run.tally.add_fault(
                    f"slow: a response ended early, after {len(self.slow_response)} bytes"
                )
                break
            self.slow_response += chunk
        self.slow_reader.close()
        for name, connection in self.unread_connections.items():
            connection.settimeout(20)
            size = 0
            try:
                while chunk := connection.recv(MEGABYTE):
                    size += len(chunk)
                    if size > 4 * MEGABYTE:
                        self.test_run.tally.add_fault(
                            f"slow: {name} kept {SLOW_SECONDS} s for a client that read nothing"
                        )
                        break
            except OSError:
                pass
            connection.close()

    def response_length(self):
        """The length of the response that is read slowly, with its head."""
        head, _, _ = self.slow_response.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        return len(head) + 4 + int(length[1])


def account_contents(server, account):
    """All records, zones and subscriptions of an account."""
    found = {}
    for zone in ("_defaultZone", ZONE, OTHER_ZONE):
        token, records = None, []
        while True:
            zone_request = {"zoneID": account.zone(zone)} | ({"syncToken": token} if token else {})
            page = server.call("changes/zone", {"zones": [zone_request]}, account.token)[1][
                "zones"
            ][0]
            records += page["records"]
            token = page["syncToken"]
            if not page["moreComing"]:
                break
        found[zone] = (token, records)
    for route in ("zones/list", "subscriptions/list"):
        found[route] = server.call(route, {}, account.token)[1]
    return found


def check_tokens_after_restore(test_run):
    """Checks that a restore invalidates earlier tokens."""
    server, account = test_run.server, test_run.accounts[1]
    test_run.collect_tokens()
    with tempfile.TemporaryDirectory() as directory:
        server.command("backup", directory + "/copy")
        server.stop()
        server.command("restore", directory + "/copy")
    server.start(server.port)
    for route, body in (
        (
            "changes/zone",
            {"zones": [{"zoneID": account.zone(), "syncToken": test_run.tokens["zone"]}]},
        ),
        ("changes/database", {"syncToken": test_run.tokens["database"]}),
        (
            "records/query",
            test_run.paged_query(account) | {"continuationMarker": test_run.tokens["query"]},
        ),
    ):
        status, response = server.call(route, body, account.token)
        entry = response["zones"][0] if route == "changes/zone" and status == 200 else response
        if entry.get("serverErrorCode") not in ("CHANGE_TOKEN_EXPIRED", "BAD_REQUEST"):
            test_run.tally.add_fault(
                f"a token from before the restore: {route}: {status} {response}"
            )


def check_server_end(test_run):
    """Checks that the server exits after SIGTERM."""
    server = test_run.server
    server.process.send_signal(signal.SIGTERM)
    try:
        status = server.process.wait(60)
    except subprocess.TimeoutExpired:
        test_run.tally.add_fault("the server does not exit after SIGTERM")
        server.kill()
    else:
        if status != 0:
            test_run.tally.add_fault(f"the server exited with {status}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--requests", type=int, default=10_000)
    options.add_argument(
        "--seed",
        type=service.parse_seed,
        default=20_261_121,
        help="a number, or `random` for a new one",
    )
    options.add_argument("--only", help="the kinds of cases to send, separated by commas")
    options.add_argument("--skip", default="", help="the kinds of cases not to send")
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.monotonic()
    server = service.Service()
    with server:
        accounts = [Account(server, f"attacker{i}") for i in range(ATTACKERS)]
        bystander = Account(server, "witness")
        for zone in ("_defaultZone", ZONE):
            status, response = server.call(
                "records/modify",
                {
                    "zoneID": bystander.zone(zone),
                    "operations": [
                        {
                            "operationType": "create",
                            "record": service.favorite_record(bystander.user, 2, i),
                        }
                        for i in range(1, 101)
                    ],
                },
                bystander.token,
            )
            assert status == 200 and "serverErrorCode" not in json.dumps(response), response
        server.call("subscriptions/modify", requests(bystander)[11][1], bystander.token)
        before = account_contents(server, bystander)
        test_run = TestRun(server, accounts, bystander, options.seed)
        for account in accounts:
            for route, body in requests(account):
                status, response = server.call(route, body, account.token)
                assert status == 200 and "serverErrorCode" not in json.dumps(response), (
                    route,
                    status,
                    response,
                )
        server.call(
            "records/modify",
            {
                "zoneID": accounts[3].zone(),
                "operations": [
                    {
                        "operationType": "forceReplace",
                        "record": service.favorite_record(accounts[3].user, 3, i),
                    }
                    for i in range(1, 200)
                ],
            },
            accounts[3].token,
        )
        for i in range(6):
            server.call(
                "records/modify",
                {
                    "zoneID": accounts[2].zone(OTHER_ZONE),
                    "operations": [
                        {
                            "operationType": "forceReplace",
                            "record": {
                                "recordName": f"large{i}",
                                "recordType": "AyahNote",
                                "fields": {"noteText": text("x" * 1_000_000)},
                            },
                        }
                    ],
                },
                accounts[2].token,
            )
        test_run.collect_tokens()
        cases = test_run.cases(options.requests)
        warm_up_cases = test_run.cases(300)[:298]

        def is_wanted(case):
            return case.kind not in options.skip.split(",") and (
                not options.only or case.kind in options.only.split(",")
            )

        cases, warm_up_cases = (
            [case for case in group if is_wanted(case)] for group in (cases, warm_up_cases)
        )
        pid = server.process.pid
        slow_clients = SlowClients(test_run)
        slow_clients.start()
        large_body = json.dumps({"records": [], "x": "x" * (BODY_LIMIT - 100)})
        warm_up_cases += [
            test_run.post_case("warm", accounts[3], "records/lookup", large_body) for _ in range(2)
        ]
        test_run.send(warm_up_cases)
        memory_before = service.settled_memory(server)
        cases_start = time.monotonic()
        test_run.send(cases)
        seconds = time.monotonic() - cases_start
        slow_clients.join()
        if server.process.poll() is not None:
            test_run.tally.add_fault(f"the server has exited: {server.process.returncode}")
        else:
            growth = service.settled_memory(server) - memory_before
            if growth > GROWTH_LIMIT:
                test_run.tally.add_fault(f"memory grew by {growth / MEGABYTE:.1f} MB")
            if account_contents(server, bystander) != before:
                test_run.tally.add_fault("the data of the uninvolved account changed")
            if server.process.pid != pid:
                test_run.tally.add_fault("the server is another process")
            print(
                f"memory {memory_before / MEGABYTE:.1f} MB after the first requests, "
                f"{growth / MEGABYTE:+.1f} MB at the end"
            )
            check_tokens_after_restore(test_run)
            subscriptions = account_contents(server, bystander)["subscriptions/list"]
            if subscriptions != before["subscriptions/list"]:
                test_run.tally.add_fault(
                    "the subscriptions of the uninvolved account changed by the restore"
                )
            check_server_end(test_run)
    print(
        "sent: "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(test_run.tally.kinds.items()))
    )
    print(
        "received: "
        + ", ".join(
            f"{count} {kind}"
            for kind, count in sorted(test_run.tally.responses.items(), key=lambda item: -item[1])
        )
    )
    print(
        "slow connections ended after: "
        + ", ".join(f"{name} {at:.0f} s" for name, at in slow_clients.end_times.items())
    )
    print(
        f"{len(cases)} requests in {seconds:.0f} s; {time.monotonic() - start:.0f} s in all; "
        f"{len(test_run.tally.faults)} faults"
    )
    sys.exit(1 if test_run.tally.faults else 0)


if __name__ == "__main__":
    main()
