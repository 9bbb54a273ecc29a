"""Sends what no client of good will would send, and looks whether the server minds.

Every answer has to be one of the protocol (an error with its code, reason and uuid, and the
status that belongs to the code), a page for the forms, or for what is no HTTP a bare 400 or the
end of the connection. Nothing malformed may succeed, nothing may fail as the server's own fault,
the data of a bystander stays as it is, and so does the memory of the server.
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
THREADS = 8
ATTACKERS = 4
MEGABYTE = 1 << 20
BODY_LIMIT = 8 * MEGABYTE
GROWTH_LIMIT = 30 * MEGABYTE
# The server's own limits, and some seconds for a machine that is busy.
SLOW_SECONDS = 75 + 20
# One request of 8 MB of JSON among many others, on a busy machine.
COSTLY_SECONDS = 60
# Until what is sent as it is has its answer and its end. Below the server's own limits, of 60 s for
# the rest of a request and 75 s for a head: where only those end a connection, that shows.
RAW_SECONDS = 45
ZONE, OTHER_ZONE = "Q", "Other"

# What a node is replaced by: a text of JSON and what it is.
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
    ("1e999", "endless"),
    ("NaN", "none"),
    ("Infinity", "none"),
    ("01", "none"),
    ('"\\ud800"', "none"),
    ('"\\udc00\\ud800"', "none"),
    ('"\\u0000"', "nul"),
    ('"a\\u0000b"', "nul"),
    ('""', "empty"),
    ('"' + "x" * 300 + '"', "string"),
    ('"\\u202e\\ufeff\\uffff"', "string"),
    ("'a'", "none"),
    ("", "nothing"),
    ('"a\nb"', "none"),
    ("9" * 500, "none"),
    ("[" * 40 + "]" * 40, "none"),
]
# A body over the limit is refused as too large, or before that because its account has used up
# its requests, or its share of the memory for bodies that are being received.
TOO_LARGE = {413, 429, 503}
STRINGS = {"string", "nul", "empty"}
# Where only some strings have a meaning.
NAMED = {
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
    """What was sent and what came, and what must not be."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kinds, self.answers, self.faults, self.shown = {}, {}, [], {}

    def sent(self, kind):
        with self.lock:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def came(self, what):
        with self.lock:
            self.answers[what] = self.answers.get(what, 0) + 1

    def fault(self, text):
        with self.lock:
            self.faults.append(text)
            # Of one sort a few are enough.
            sort = text[:37]
            self.shown[sort] = self.shown.get(sort, 0) + 1
            if self.shown[sort] <= 3:
                print("FAULT:", text[:1500], flush=True)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        def refuse(text):
            raise ValueError(f"{text} is no JSON")

        return json.loads(self.body.decode("utf-8"), parse_constant=refuse)


def problem(answer, must_fail=False, page=False):
    """What is wrong with an answer; None for nothing."""
    kind = answer.headers.get("content-type", "")
    if answer.status >= 500 and (answer.status, kind[:16]) != (503, "application/json"):
        return "a fault of the server"
    if page and kind.startswith("text/html"):
        if must_fail and answer.status < 400:
            return "a success"
        return None if b"</html>" in answer.body else "half a page"
    if answer.status == 400 and not answer.body:
        # What is no HTTP; of a request that was one there is more to say.
        return None
    if kind.startswith("text/plain") and answer.status == 200:
        return "a success" if must_fail else None
    if answer.status in (204, 303):
        return "a success" if must_fail else None
    try:
        body = answer.json()
    except ValueError as error:
        return f"no JSON: {error}"
    if answer.status == 200:
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
    if answer.status == 405:
        return None if code == "BAD_REQUEST" and answer.headers.get("allow") else "a wrong 405"
    if STATUS.get(code) != answer.status:
        return f"status {answer.status} with {code}"
    # The second where it has as many large bodies in hand as it takes.
    if code in ("THROTTLED", "TRY_AGAIN_LATER") and not (
        body.get("retryAfter") and answer.headers.get("retry-after")
    ):
        return f"{code} without retryAfter"
    if code == "AUTHENTICATION_REQUIRED" and "redirectURL" not in body:
        return "AUTHENTICATION_REQUIRED without redirectURL"
    return None


# Bodies


class Account:
    def __init__(self, server, name):
        self.token = server.add_user(name)
        self.user = server.call("users/caller", token=self.token, method="GET")[1]["userRecordName"]
        for environment in ("production", "development"):
            status, answer = server.call(
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
            assert status == 200, answer

    def zone(self, name=ZONE):
        return {"zoneName": name, "ownerRecordName": self.user}


def text(value):
    return {"type": "STRING", "value": value}


def number(value):
    return {"type": "INT64", "value": value}


def moment(value=1_700_000_000_000):
    return {"type": "TIMESTAMP", "value": value}


def operations(account):
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
    """A valid request of each endpoint: its route, its body, and the method."""
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
    for key in path:
        body = body[key]
    return body


MARK = "\ue000"


def replaced(body, path, replacement):
    """A body's text with a node of it replaced."""
    if not path:
        return replacement
    body = copy.deepcopy(body)
    at(body, path[:-1])[path[-1]] = MARK
    return json.dumps(body, ensure_ascii=False).replace(f'"{MARK}"', replacement, 1)


def must_fail(body, path, kind):
    """Whether a body with such a replacement is certainly wrong."""
    if kind == "none":
        return True
    if kind == "endless":
        # What is not looked at, as the body of a listing, may be any JSON.
        return bool(path)
    if kind == "nothing":
        # No body is one of a listing, and no element leaves a list.
        return bool(path) and not isinstance(path[-1], int)
    # A reference without an action may point anywhere.
    if kind == "null" or not path or ("userRecord" in path and "zoneID" in path):
        return False
    former = at(body, path)
    if kind == "nul" and isinstance(former, str) and path[-1] == "recordName":
        return "value" not in path
    name = path[-1] if isinstance(path[-1], str) else path[-2]
    if isinstance(former, bool):
        return kind != "bool"
    if isinstance(former, str):
        if name == "zoneName":
            return kind != "string"
        return kind not in STRINGS or (name in NAMED and name != "type")
    if isinstance(former, float):
        return kind not in {"number", "fraction", "huge"}
    if isinstance(former, int):
        if "favoritedAt" in path or "createdAt" in path:
            return kind not in {"number", "fraction"}
        return kind != "number"
    return kind != ("list" if isinstance(former, list) else "object")


class Case:
    """Something to send. `run(worker)` sends it and returns what is wrong, or None."""

    def __init__(self, kind, run):
        self.kind, self.run = kind, run


class Worker(threading.Thread):
    """Sends cases from a new address now and then, so that no limit hides a fault."""

    addresses = iter([])
    lock = threading.Lock()

    def __init__(self, stage, cases):
        super().__init__(daemon=True)
        self.stage, self.cases = stage, cases
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
            self.stage.tally.sent(case.kind)
            try:
                what = case.run(self)
            except AssertionError as error:
                what = str(error)
            except (OSError, http.client.HTTPException) as error:
                what = f"no answer: {error!r}"
                self.drop()
            except Exception as error:
                what = f"the test itself: {error!r}"
                self.drop()
            if what:
                self.stage.tally.fault(f"{case.kind}: {what}")
        self.drop()

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def ask(self, method, target, body=None, headers=None):
        """An answer to a request that is HTTP; the connection is kept."""
        if self.uses % 25 == 0:
            self.drop()
        self.uses += 1
        if self.connection is None:
            server = self.stage.server
            self.connection = http.client.HTTPConnection(
                server.host,
                server.port,
                timeout=2 * COSTLY_SECONDS,
                source_address=(self.address(), 0),
            )
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        self.connection.request(method, target, body, headers or {})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.getheader("connection", "").lower() == "close":
            self.drop()
        answer = Answer(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, content
        )
        self.stage.tally.came(answer.status)
        return answer

    def raw(self, data, close=False, pieces=None):
        """All answers to bytes as they are, and whether the connection was ended."""
        server = self.stage.server
        link = socket.create_connection(
            (server.host, server.port), timeout=RAW_SECONDS, source_address=(self.address(), 0)
        )
        received, ended = b"", False
        try:
            try:
                for piece in pieces or [data]:
                    link.sendall(piece)
                if close:
                    link.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            while True:
                try:
                    part = link.recv(65536)
                except TimeoutError:
                    break
                except OSError:
                    ended = True
                    break
                if not part:
                    ended = True
                    break
                received += part
        finally:
            link.close()
        answers = []
        while received:
            head, found, rest = received.partition(b"\r\n\r\n")
            if not found:
                break
            lines = head.decode("latin-1").split("\r\n")
            match = re.fullmatch(r"HTTP/1\.1 (\d{3}) ?.*", lines[0])
            assert match, f"no head of an answer: {received[:200]!r}"
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:])
            }
            length = int(headers.get("content-length", 0))
            answers.append(Answer(int(match[1]), headers, rest[:length]))
            received = rest[length:]
            self.stage.tally.came(answers[-1].status)
        if not answers:
            self.stage.tally.came("closed" if ended else "silence")
        return answers, ended


class Stage:
    def __init__(self, server, accounts, witness, seed):
        self.server, self.accounts, self.witness = server, accounts, witness
        self.tally = Tally()
        self.random = random.Random(seed)

    # Kinds of cases

    def wrong_type(self):
        """Every node of every request, by everything."""
        for index, account in enumerate(self.accounts):
            for route, body in requests(account):
                for number, path in enumerate(nodes(body)):
                    if number % len(self.accounts) != index and route != "tokens/create":
                        continue
                    for replacement, kind in REPLACEMENTS:
                        yield self.posting(
                            "wrong type",
                            account,
                            route,
                            replaced(body, path, replacement),
                            must_fail(body, path, kind),
                            where=f"{path} {replacement[:40]}",
                        )

    def posting(
        self,
        kind,
        account,
        route,
        body,
        fails=False,
        where="",
        environment="production",
        database="private",
        check=None,
    ):
        def run(worker):
            target = self.server.path(
                route, account and account.token, database=database, environment=environment
            )
            answer = worker.ask("POST", target, body)
            what = problem(answer, fails)
            if what is None and check:
                what = check(answer)
            return what and (
                f"{what}: {route} {environment} {database} {where}: {answer.status} "
                f"{answer.body[:300]!r} to {body[:300]!r}"
            )

        return Case(kind, run)

    def two_wrong(self):
        """Two nodes at once, in any database and environment."""
        dice = self.random
        account = dice.choice(self.accounts)
        route, body = dice.choice(requests(account))
        body = copy.deepcopy(body)
        path = dice.choice(list(nodes(body)))
        if path:
            if dice.random() < 0.3:
                holder = at(body, path[:-1])
                del holder[path[-1]]
            else:
                at(body, path[:-1])[path[-1]] = dice.choice(
                    [None, 7, "text", [], {}, True, -1, 1e300, "", "\0", 2**63, [[]]]
                )
        path = dice.choice(list(nodes(body)))
        replacement, kind = dice.choice(REPLACEMENTS)
        return self.posting(
            "two wrong",
            account,
            route,
            replaced(body, path, replacement),
            kind == "none",
            environment=dice.choice(("production", "development")),
            database=dice.choice(("private", "private", "public", "shared")),
        )

    def broken_bytes(self):
        """A valid body with bytes changed, cut or doubled."""
        dice = self.random
        account = dice.choice(self.accounts)
        route, body = dice.choice(requests(account))
        body = bytearray(json.dumps(body).encode())
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(body) + 1)
            change = dice.randrange(4)
            if change == 0:
                del body[place:]
            elif change == 1:
                body[place:place] = dice.randbytes(dice.randint(1, 4))
            elif change == 2:
                body[place : place + 1] = bytes([dice.choice(b'{}[]",:\\0e-\x00\xff\xc0')])
            else:
                body[place:place] = body[:place]
            if not body:
                break
        return self.posting("broken bytes", account, route, bytes(body))

    def invalid_text(self):
        dice = self.random
        account = dice.choice(self.accounts)
        bad = dice.choice(
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
        body = dice.choice(
            [
                b'{"records":[{"recordName":"' + bad + b'"}]}',
                b'{"records":[],"' + bad + b'":1}',
                b"\xff\xfe" + '{"records":[]}'.encode("utf-16-le"),
                bad,
                b"\xef\xbb\xbf" + b'{"records":[' + bad + b"]}",
            ]
        )
        return self.posting("invalid UTF-8", account, "records/lookup", body, True)

    def deep(self):
        dice = self.random
        account = dice.choice(self.accounts)
        depth = dice.choice((33, 33, 40, 64, 65, 1000, 10_000, 200_000))
        opening, closing = dice.choice((("[", "]"), ('{"a":', "}"), ('{"fields":', "}")))
        deep = opening * depth + "1" + closing * depth
        body = dice.choice(
            (
                deep,
                f'{{"records":[],"x":{deep}}}',
                opening * depth,
                f'{{"operations":[{{"operationType":"forceUpdate","record":{{"recordName":"d",'
                f'"recordType":"AyahNote","fields":{{"noteText":{{"value":{deep}}}}}}}}}]}}',
            )
        )
        return self.posting(
            "deep", account, dice.choice(("records/modify", "records/lookup")), body, True
        )

    def many(self):
        """More items than there may be."""
        dice = self.random
        account = dice.choice(self.accounts[1:])
        count = dice.choice((201, 201, 202, 1000))
        route, key, item = dice.choice(
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
        return self.posting(
            "many",
            account,
            route,
            body,
            True,
            check=lambda answer: None if answer.status in (400, 429) else "not refused as a whole",
        )

    def huge(self, number):
        """Bodies about as large as may be, and larger. The account is one of their own: so many
        operations use up what it may ask for."""
        account = self.accounts[0]
        shape = number % 7
        if shape < 2:
            size = 10_000_000 if shape == 0 else BODY_LIMIT + 1
            body = b'{"records":[{"recordName":"' + b"x" * (size - 30) + b'"}]}'
            return self.posting(
                "huge",
                account,
                "records/lookup",
                body,
                True,
                check=lambda a: None if a.status in TOO_LARGE else "not LIMIT_EXCEEDED",
            )
        if shape == 2:
            one = b'{"operationType":"forceDelete","record":{"recordName":"x"}}'
            body = b'{"operations":[' + b",".join([one] * 100_000) + b"]}"
        elif shape == 3:
            body = b'{"operations":[' + b",".join([b"{}"] * 100_000) + b"]}"
        elif shape == 4:
            one = '{"operationType":"forceDelete","record":{"recordName":"%d"}}'
            body = ('{"operations":[' + ",".join(one % i for i in range(60_000)) + "]}").encode()
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
        return self.posting("huge", account, "records/modify", body, True)

    def endless(self):
        """A body in chunks that goes on where the limit was crossed."""

        def run(worker):
            account = self.accounts[0]
            head = (
                f"POST {self.server.path('records/lookup', account.token)} HTTP/1.1\r\n"
                "Host: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            ).encode()
            chunk = b"%x\r\n%s\r\n" % (65536, b" " * 65536)
            answers, _ = worker.raw(b"", pieces=[head] + [chunk] * 160 + [b"0\r\n\r\n"])
            if not answers:
                return None
            return problem(answers[0], True) or (
                None if answers[0].status in TOO_LARGE else f"status {answers[0].status}"
            )

        return Case("endless", run)

    def costly(self, number):
        """Small work that is asked for so often that it is much."""
        account = self.accounts[3]
        many = [f"k{i}" for i in range(200_000 // (1 + 9 * (number % 2)))]
        zones = [{"zoneID": account.zone()}] * (1 + 9 * (number % 2))
        route, body = (
            ("changes/zone", {"zones": zones, "desiredKeys": many}),
            ("changes/zone", {"zones": zones, "desiredRecordTypes": many}),
            (
                "records/lookup",
                {
                    "zoneID": account.zone(),
                    "records": [{"recordName": "r1"}] * 200,
                    "desiredKeys": many,
                },
            ),
            ("records/query", self.paged(account) | {"resultsLimit": 200, "desiredKeys": many}),
        )[number // 2 % 4]
        body = json.dumps(body)

        def run(worker):
            target = self.server.path(route, account.token)
            began = time.monotonic()
            answer = worker.ask("POST", target, body)
            seconds = time.monotonic() - began
            what = problem(answer)
            if what is None and seconds > COSTLY_SECONDS:
                what = f"an answer after {seconds:.1f} s"
            return what and f"{what}: {route} {answer.status} to {body[:300]!r}"

        return Case("costly", run)

    def others(self):
        """What belongs to the bystander."""
        dice = self.random
        account = dice.choice(self.accounts)
        route, body = dice.choice(
            [request for request in requests(account) if "zoneName" in json.dumps(request[1])]
        )
        zone = dice.choice((ZONE, "_defaultZone", "Secret"))
        body = json.dumps(body).replace(
            json.dumps(account.zone()), json.dumps(self.witness.zone(zone))
        )
        fails = {"records/modify", "zones/lookup", "zones/modify"}
        return self.posting(
            "another's zone", account, route, body, True, where=route if route in fails else ""
        )

    def token(self):
        """Sync tokens and markers that were changed, or that are of something else."""
        dice = self.random
        name, good = dice.choice(list(self.tokens.items()))
        place = dice.choice(("zone", "other zone", "records", "database", "zones", "query"))
        changed = good
        way = dice.choice(("flip", "cut", "add", "as it is", "noise"))
        content = bytearray(base64.b64decode(good))
        if way == "flip":
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            changed = base64.b64encode(content).decode()
        elif way == "cut":
            changed = good[: dice.randrange(len(good))]
        elif way == "add":
            changed = dice.choice(
                (
                    good + "AAAA",
                    good + "=",
                    "AAAA" + good,
                    good + "\0",
                    good + good,
                    base64.b64encode(bytes(content) + b"\0").decode(),
                )
            )
        elif way == "noise":
            changed = dice.choice(
                (
                    base64.b64encode(dice.randbytes(dice.randint(1, 200))).decode(),
                    "A" * 65536,
                    "====",
                    "🕌" * 20,
                    base64.b64encode(bytes([dice.randint(1, 3)]) * 57).decode(),
                )
            )
        elif name == place:
            way = "cut"
            changed = good[: dice.randrange(len(good))]
        account = self.accounts[1]
        zone = {"zoneID": account.zone(OTHER_ZONE if place == "other zone" else ZONE)}
        route, body = {
            "zone": ("changes/zone", {"zones": [zone | {"syncToken": changed}]}),
            "other zone": ("changes/zone", {"zones": [zone | {"syncToken": changed}]}),
            "records": ("records/changes", zone | {"syncToken": changed}),
            "database": ("changes/database", {"syncToken": changed}),
            "zones": ("zones/changes", {"metaSyncToken": changed}),
            "query": ("records/query", self.paged(account) | {"continuationMarker": changed}),
        }[place]
        same = {"records": "zone", "zones": "database"}.get(place, place)
        fails = not (way == "as it is" and name == same)
        return self.posting(
            "token", account, route, json.dumps(body), fails, where=f"{name} at {place}, {way}"
        )

    def paged(self, account):
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
        """Good ones, by what they are good for."""
        self.tokens = {}
        for index, account in enumerate(self.accounts[1:3]):
            status, answer = self.server.call(
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
            assert status == 200, answer

            def call(route, body, **place):
                return self.server.call(route, body, account.token, **place)[1]

            pages = call(
                "changes/zone",
                {"zones": [{"zoneID": account.zone(zone)} for zone in (ZONE, OTHER_ZONE)]},
            )["zones"]
            mine = "" if index == 0 else "another's "
            self.tokens[mine + "zone"] = pages[0]["syncToken"]
            self.tokens[mine + "other zone"] = pages[1]["syncToken"]
            self.tokens[mine + "database"] = call("changes/database", {})["syncToken"]
            self.tokens[mine + "query"] = call("records/query", self.paged(account))[
                "continuationMarker"
            ]
            sorted_query = self.paged(account)
            sorted_query["query"]["sortBy"] = [{"fieldName": "surahNumber"}]
            self.tokens[mine + "sorted query"] = call("records/query", sorted_query)[
                "continuationMarker"
            ]
            self.tokens[mine + "development zone"] = call(
                "changes/zone", {"zones": [{"zoneID": account.zone()}]}, environment="development"
            )["zones"][0]["syncToken"]

    def credential(self):
        """Tokens of people, apps and couriers that nobody was given."""
        dice = self.random
        account = dice.choice(self.accounts)
        hexadecimal = "0123456789abcdef"

        def forged(good):
            place = dice.randrange(len(good))
            return dice.choice(
                (
                    "".join(dice.choices(hexadecimal, k=len(good))),
                    good[:place],
                    good + "0",
                    good[:place] + ("0" if good[place] != "0" else "1") + good[place + 1 :],
                    good.upper() if good.upper() != good else "x",
                    "\0" + good,
                    good + "\n",
                    "' OR 1=1 --",
                    "%00",
                    "🔑" * 32,
                    "0" * 10_000,
                )
            )

        kind = dice.randrange(4)

        def run(worker):
            path, _, given = self.server.path("records/lookup", account.token).partition("?")
            given = dict(urllib.parse.parse_qsl(given))
            if kind == 0:
                given["ckWebAuthToken"] = forged(account.token)
            elif kind == 1:
                given["ckAPIToken"] = forged(given["ckAPIToken"])
            elif kind == 2:
                del given[dice.choice(list(given))]
            else:
                target = "/courier/" + urllib.parse.quote(
                    forged("".join(dice.choices(hexadecimal, k=64))), safe=""
                )
                answer = worker.ask("GET", target)
                return problem(answer, True) and f"{target}: {answer.status} {answer.body[:200]!r}"
            answer = worker.ask(
                "POST",
                path + "?" + urllib.parse.urlencode(given),
                json.dumps({"records": [{"recordName": "r1"}]}),
            )
            what = problem(answer, True)
            if what is None and answer.status not in (401, 421, 429):
                what = "not refused for who asks"
            return what and f"{what}: {given}: {answer.status} {answer.body[:200]!r}"

        return Case("credential", run)

    def form(self):
        dice = self.random
        path = dice.choice(("/sign-in", "/register"))
        app = dice.choice((self.server.api_token, self.server.api_token, "", "x", "\0", "0" * 64))
        given = {"ckAPIToken": app}
        if dice.random() < 0.3:
            given["callback"] = dice.choice(
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
        if dice.random() < 0.3:
            given["lang"] = dice.choice(("vi", "en", "xx", "<script>", "\0", "v" * 3000))
        if dice.random() < 0.3:
            given["way"] = dice.choice(("code", "x", ""))
        target = path + "?" + urllib.parse.urlencode(given)
        sealed = dice.choice(("", "x", "AAAA" * 40, "\0", "🕌", "A" * 60_000))
        fields = {
            "request": sealed,
            "name": dice.choice(("a", "", "\0", "x" * 5000, "<b>", "' OR 1")),
            "password": dice.choice(("p", "", "x" * 40_000)),
            "keep": "1",
        }
        if dice.random() < 0.3:
            del fields[dice.choice(list(fields))]
        body = dice.choice(
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
        is_get = dice.random() < 0.3

        def run(worker):
            if is_get:
                answer = worker.ask("GET", target)
                what = problem(answer, False, page=True)
                if what is None and b"<script>" in answer.body:
                    what = "a script"
            else:
                headers = {
                    "Content-Type": dice.choice(
                        ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
                    )
                }
                if dice.random() < 0.2:
                    headers["Sec-Fetch-Site"] = "cross-site"
                answer = worker.ask("POST", target, body, headers)
                what = problem(answer, True, page=True)
            return what and f"{what}: {target[:200]} {body[:200]!r}: {answer.status}"

        return Case("form", run)

    def password(self):
        """A form that is the server's own, with a password that is not."""

        def run(worker):
            target = "/sign-in?" + urllib.parse.urlencode({"ckAPIToken": self.server.api_token})
            page = worker.ask("GET", target)
            found = re.search(rb'name="request" value="([^"]+)"', page.body) or re.search(
                rb'value="([^"]+)"[^>]*name="request"', page.body
            )
            if page.status == 429:
                return None
            if not found:
                return f"no form: {page.status} {page.body[:300]!r}"
            sealed = found[1].decode()
            if self.random.random() < 0.5:
                place = self.random.randrange(len(sealed))
                sealed = (
                    sealed[:place] + ("A" if sealed[place] != "A" else "B") + (sealed[place + 1 :])
                )
            answer = worker.ask(
                "POST",
                target,
                urllib.parse.urlencode({"request": sealed, "name": "witness", "password": "wrong"}),
                {"Content-Type": "application/x-www-form-urlencoded"},
            )
            what = problem(answer, True, page=True)
            return what and f"{what}: {answer.status} {answer.body[:300]!r}"

        return Case("password", run)

    def path_trick(self):
        dice = self.random
        account = dice.choice(self.accounts)
        target = self.server.path(dice.choice(requests(account))[0], account.token)
        path, _, asked = target.partition("?")
        words = path.split("/")
        trick = dice.randrange(14)
        place = dice.randrange(1, len(words))
        if trick == 0:
            path = path.replace("/", "//", dice.randint(1, 3))
        elif trick == 1:
            words.insert(
                place,
                dice.choice(
                    ("..", ".", "%2e%2e", "%2E%2e", "..;", "%252e%252e", "%c0%ae%c0%ae", "")
                ),
            )
            path = "/".join(words)
        elif trick == 2:
            words[place] = words[place].upper() + ("X" if words[place].isdigit() else "")
            path = "/".join(words)
        elif trick == 3:
            path = "/".join(words[:place]) + "%2f" + "/".join(words[place:])
        elif trick == 4:
            path += dice.choice(("/", "//", "/x", "%00", "%0a", "%0d%0aX:%20y", ";x", "%", "%zz"))
        elif trick == 5:
            path = "/" + "a" * dice.choice((100, 5000, 15_000))
        elif trick == 6:
            path = "/" + "a/" * dice.choice((10, 500, 5000))
        elif trick == 7:
            words[place] = dice.choice(
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
        elif trick == 8:
            asked += dice.choice(
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
        elif trick == 9:
            asked = dice.choice(("", "=", "?", "%", "ckAPIToken", "ckAPIToken=&ckWebAuthToken="))
        elif trick == 10:
            path = dice.choice(
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
        elif trick == 11:
            words = words[:place]
            path = "/".join(words)
        else:
            words = words[place:]
            path = "/" + "/".join(words)
        target = path + "?" + asked
        target = "".join(c if 0x20 < ord(c) < 0x7F else urllib.parse.quote(c) for c in target)
        method = dice.choice(
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
            lines = f"{method} {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            data = lines + "Content-Length: 2\r\n\r\n{}"
            answers, _ = worker.raw(data.encode())
            return self.all_well(answers, data, at_most=1)

        return Case("path", run)

    def all_well(self, answers, data, at_most=None, must_end=None):
        shown = data if isinstance(data, (str, bytes)) else b"".join(data)
        for answer in answers:
            if what := problem(answer, page=True):
                return f"{what}: {answer.status} {answer.body[:200]!r} to {shown[:400]!r}"
        if at_most is not None and len(answers) > at_most:
            return (
                f"{len(answers)} answers ({[a.status for a in answers]}, "
                f"{answers[-1].body[:200]!r}) to {shown[:400]!r}"
            )
        if must_end is False:
            return f"the connection stays open after {shown[:400]!r}"
        return None

    def http(self):
        """What is hardly HTTP, or none."""
        dice = self.random
        account = dice.choice(self.accounts)
        target = self.server.path("records/lookup", account.token)
        body = '{"records":[{"recordName":"r1"}]}'
        post = f"POST {target} HTTP/1.1\r\nHost: a\r\n"
        hidden = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
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
        kind = dice.randrange(24)
        at_most, close = 1, False
        if kind == 0:
            data = post + f"Content-Length: {dice.choice(wrong_lengths)}\r\n\r\n{body}"
            close, at_most = True, 2
        elif kind == 1:
            data = post + (
                f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked\r\n\r\n"
                f"0\r\n\r\n{hidden}"
            )
        elif kind == 2:
            data = post + (
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
                f"{len(hidden):x}\r\n{hidden}\r\n0\r\n\r\n"
            )
        elif kind == 3:
            data = post + (
                f"Content-Length: 2\r\nContent-Length: {2 + len(hidden)}\r\n\r\n{{}}{hidden}"
            )
        elif kind == 4:
            data = post + (
                f"Transfer-Encoding: {dice.choice(wrong_codings)}\r\n\r\n0\r\n\r\n{hidden}"
            )
            close = True
        elif kind == 5:
            data = post + "Transfer-Encoding: chunked\r\n\r\n" + dice.choice(chunks)
            close, at_most = True, 2
        elif kind == 6:
            data = post + f"Content-Length: {len(body) + 50}\r\n\r\n{body}"
            close = True
        elif kind == 7:
            data = post + f"Content-Length: 5\r\n\r\n{body}"
            close, at_most = True, 2
        elif kind == 8:
            flood = "".join(f"X-{i}: {i}\r\n" for i in range(dice.choice((200, 1000))))
            data = post + flood + "Content-Length: 2\r\n\r\n{}"
            close = True
        elif kind == 9:
            data = post + f"X: {'x' * dice.choice((17_000, 100_000))}\r\n\r\n"
            close = True
        elif kind == 10:
            data = f"GET /{'a' * dice.choice((17_000, 100_000, 1_000_000))} HTTP/1.1\r\n\r\n"
            close = True
        elif kind == 11:
            name = dice.choice(
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
            value = dice.choice(("a\0b", "a\rb", "a\nb", "a\r\n folded", "\x01", "\x7f", "é"))
            data = post + f"X: {value}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            close = True
        elif kind == 13:
            version = dice.choice(
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
            line = dice.choice(
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
            data = f"{line}\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            close = True
        elif kind == 15:
            hosts = dice.choice(
                (
                    "",
                    "Host:\r\n",
                    "Host: a\r\nHost: b\r\n",
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
            data = dice.choice(
                (
                    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + dice.randbytes(508),
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + dice.randbytes(30),
                    b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n",
                    dice.randbytes(dice.randint(1, 5000)),
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
            count = 20
            asked = [dice.choice(("/healthz", "/nothing")) for _ in range(count)]
            data = "".join(
                f"GET {path} HTTP/1.1\r\nHost: a\r\n"
                + ("Connection: close\r\n" if i == count - 1 else "")
                + "\r\n"
                for i, path in enumerate(asked)
            )

            def run(worker):
                answers, _ = worker.raw(data.encode())
                wanted = [200 if path == "/healthz" else 404 for path in asked]
                found = [answer.status for answer in answers]
                return None if found == wanted else f"pipelined {wanted}: {found}"

            return Case("http", run)
        elif kind == 18:
            # A body where there should be none, and what follows it.
            data = (
                f"HEAD {dice.choice(('/healthz', '/nothing', '/metrics', '/'))} HTTP/1.1\r\n"
                "Host: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )

            def run(worker):
                server = self.server
                link = socket.create_connection(
                    (server.host, server.port),
                    timeout=RAW_SECONDS,
                    source_address=(worker.address(), 0),
                )
                with link:
                    link.sendall(data.encode())
                    received = b""
                    try:
                        while part := link.recv(65536):
                            received += part
                    except OSError as error:
                        return f"{error!r} after {data!r}"
                _, _, rest = received.partition(b"\r\n\r\n")
                return (
                    None
                    if rest.startswith(b"HTTP/1.1 ")
                    else (f"a body in the answer to HEAD: {rest[:200]!r} after {data!r}")
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
            headers = dice.choice(
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
            answers, ended = worker.raw(data, close=close)
            for answer in answers:
                if b"smuggled" in answer.body:
                    return f"smuggled: {answer.body[:200]!r} to {data[:300]!r}"
            return self.all_well(answers, data, at_most, must_end=ended)

        return Case("http", run)

    def cases(self, count):
        """As many as are wanted, in a random order."""
        dice = self.random
        cases = list(self.wrong_type())
        dice.shuffle(cases)
        # At small numbers some of everything.
        del cases[int(count * 0.55) :]
        cases += [self.huge(i) for i in range(max(7, count // 600))]
        cases += [self.costly(i) for i in range(max(8, count // 1250))]
        cases += [self.endless() for _ in range(max(1, count // 2000))]
        cases += [self.password() for _ in range(max(2, count // 700))]
        kinds = [
            (self.http, 22),
            (self.path_trick, 14),
            (self.two_wrong, 18),
            (self.broken_bytes, 12),
            (self.token, 14),
            (self.credential, 8),
            (self.form, 5),
            (self.invalid_text, 4),
            (self.deep, 4),
            (self.many, 3),
            (self.others, 6),
        ]
        makers = dice.choices(
            [maker for maker, _ in kinds],
            [weight for _, weight in kinds],
            k=max(0, count - len(cases)),
        )
        cases += [maker() for maker in makers]
        dice.shuffle(cases)
        return cases

    def send(self, cases):
        waiting = queue.SimpleQueue()
        for case in cases:
            waiting.put(case)
        workers = [Worker(self, waiting) for _ in range(THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


class Slow(threading.Thread):
    """Connections that do not come to an end by themselves; the server has to end them."""

    def __init__(self, stage):
        super().__init__(daemon=True)
        account = stage.accounts[2]
        target = stage.server.path("records/lookup", account.token)
        post = f"POST {target} HTTP/1.1\r\nHost: a\r\n".encode()
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
                b"POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
                b"",
            ),
            "a large body and nothing": (post + b"Content-Length: 99999999\r\n\r\n", b""),
        }
        self.began = time.monotonic()
        self.stage = stage
        self.open = {}
        self.ended = {}
        for name, (first, rest) in shapes.items():
            link = socket.create_connection(
                (stage.server.host, stage.server.port),
                timeout=60,
                source_address=(Worker.address(), 0),
            )
            link.sendall(first)
            link.setblocking(False)
            self.open[name] = [link, list(rest), b""]
        # Those that ask for 5 MB, once or twice, and take nothing of it; and one that takes little.
        body = json.dumps({"zones": [{"zoneID": account.zone(OTHER_ZONE)}]})
        self.wish = (
            f"POST {stage.server.path('changes/zone', account.token)} HTTP/1.1\r\nHost: a\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        self.unread = {"one answer": self.asking(1), "two answers": self.asking(2)}
        self.steady = self.asking(1)
        self.taken = b""
        self.done = threading.Event()

    def asking(self, times):
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.connect((self.stage.server.host, self.stage.server.port))
        link.sendall(self.wish * times)
        return link

    def run(self):
        while self.open and time.monotonic() - self.began < SLOW_SECONDS:
            for name, entry in list(self.open.items()):
                link, rest, _ = entry
                try:
                    if rest:
                        link.send(bytes([rest.pop(0)]))
                    part = link.recv(65536)
                except BlockingIOError:
                    continue
                except OSError:
                    part = b""
                entry[2] += part
                if not part:
                    link.close()
                    self.ended[name] = time.monotonic() - self.began
                    del self.open[name]
                    if re.match(rb"HTTP/1\.1 5", entry[2]):
                        self.stage.tally.fault(f"slow: {name}: {entry[2][:300]!r}")
            self.taken += self.steady.recv(16_384)
            # Slowness is the point here.
            self.done.wait(0.5)
        for name in self.open:
            self.stage.tally.fault(f"slow: {name} is open after {SLOW_SECONDS} s")
        self.done.wait(max(0, SLOW_SECONDS - (time.monotonic() - self.began)))
        self.steady.settimeout(60)
        while b"\r\n\r\n" not in self.taken or len(self.taken) < self.length():
            part = self.steady.recv(MEGABYTE)
            if not part:
                self.stage.tally.fault(f"slow: an answer broke off after {len(self.taken)} bytes")
                break
            self.taken += part
        self.steady.close()
        for name, link in self.unread.items():
            link.settimeout(20)
            size = 0
            try:
                while part := link.recv(MEGABYTE):
                    size += len(part)
                    if size > 4 * MEGABYTE:
                        self.stage.tally.fault(
                            f"slow: {name} kept {SLOW_SECONDS} s for who took nothing"
                        )
                        break
            except OSError:
                pass
            link.close()

    def length(self):
        """How long the answer of the one that takes little is, head and all."""
        head, _, _ = self.taken.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        return len(head) + 4 + int(length[1])


def feed(server, account):
    """All that an account has."""
    found = {}
    for zone in ("_defaultZone", ZONE, OTHER_ZONE):
        token, records = None, []
        while True:
            wish = {"zoneID": account.zone(zone)} | ({"syncToken": token} if token else {})
            page = server.call("changes/zone", {"zones": [wish]}, account.token)[1]["zones"][0]
            records += page["records"]
            token = page["syncToken"]
            if not page["moreComing"]:
                break
        found[zone] = (token, records)
    for route in ("zones/list", "subscriptions/list"):
        found[route] = server.call(route, {}, account.token)[1]
    return found


def knows(command):
    return subprocess.run([service.BINARY, command, "--help"], capture_output=True).returncode == 0


def restored(stage):
    """Whether tokens of before a restore are refused after it; None where it cannot be tried."""
    if not (knows("restore") and knows("backup")):
        return None
    server, account = stage.server, stage.accounts[1]
    stage.collect_tokens()
    with tempfile.TemporaryDirectory() as directory:
        server.command("backup", directory + "/copy")
        server.stop()
        server.command("restore", directory + "/copy")
    server.start(server.port)
    for route, body in (
        (
            "changes/zone",
            {"zones": [{"zoneID": account.zone(), "syncToken": stage.tokens["zone"]}]},
        ),
        ("changes/database", {"syncToken": stage.tokens["database"]}),
        ("records/query", stage.paged(account) | {"continuationMarker": stage.tokens["query"]}),
    ):
        status, answer = server.call(route, body, account.token)
        entry = answer["zones"][0] if route == "changes/zone" and status == 200 else answer
        if entry.get("serverErrorCode") not in ("CHANGE_TOKEN_EXPIRED", "BAD_REQUEST"):
            stage.tally.fault(f"a token of before the restore: {route}: {status} {answer}")
    return True


def end(stage):
    """The server ends when it is told to, whatever it was asked before."""
    server = stage.server
    server.process.send_signal(signal.SIGTERM)
    try:
        status = server.process.wait(60)
    except subprocess.TimeoutExpired:
        stage.tally.fault("the server does not end when it is told to")
        server.kill()
    else:
        if status != 0:
            stage.tally.fault(f"the server ended with {status}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--requests", type=int, default=10_000)
    options.add_argument(
        "--seed", type=service.seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options.add_argument("--only", help="kinds of requests, separated by commas")
    options.add_argument("--skip", default="", help="the same, those that are not sent")
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    server = service.Service()
    with server:
        accounts = [Account(server, f"attacker{i}") for i in range(ATTACKERS)]
        witness = Account(server, "witness")
        for zone in ("_defaultZone", ZONE):
            status, answer = server.call(
                "records/modify",
                {
                    "zoneID": witness.zone(zone),
                    "operations": [
                        {"operationType": "create", "record": service.favorite(witness.user, 2, i)}
                        for i in range(1, 101)
                    ],
                },
                witness.token,
            )
            assert status == 200 and "serverErrorCode" not in json.dumps(answer), answer
        server.call("subscriptions/modify", requests(witness)[11][1], witness.token)
        before = feed(server, witness)
        stage = Stage(server, accounts, witness, options.seed)
        for account in accounts:
            for route, body in requests(account):
                status, answer = server.call(route, body, account.token)
                assert status == 200 and "serverErrorCode" not in json.dumps(answer), (
                    route,
                    status,
                    answer,
                )
        server.call(
            "records/modify",
            {
                "zoneID": accounts[3].zone(),
                "operations": [
                    {
                        "operationType": "forceReplace",
                        "record": service.favorite(accounts[3].user, 3, i),
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
        stage.collect_tokens()
        cases = stage.cases(options.requests)
        warm = stage.cases(300)[:298]

        def is_wanted(case):
            return case.kind not in options.skip.split(",") and (
                not options.only or case.kind in options.only.split(",")
            )

        cases, warm = ([case for case in some if is_wanted(case)] for some in (cases, warm))
        pid = server.process.pid
        slow = Slow(stage)
        slow.start()
        sized = json.dumps({"records": [], "x": "x" * (BODY_LIMIT - 100)})
        warm += [stage.posting("warm", accounts[3], "records/lookup", sized) for _ in range(2)]
        stage.send(warm)
        resident = service.settled(server)
        warmed = time.monotonic()
        stage.send(cases)
        seconds = time.monotonic() - warmed
        slow.join()
        if server.process.poll() is not None:
            stage.tally.fault(f"the server has ended: {server.process.returncode}")
        else:
            growth = service.settled(server) - resident
            if growth > GROWTH_LIMIT:
                stage.tally.fault(f"memory grew by {growth / MEGABYTE:.1f} MB")
            if feed(server, witness) != before:
                stage.tally.fault("what the bystander has is not as before")
            if server.process.pid != pid:
                stage.tally.fault("another process")
            print(
                f"memory {resident / MEGABYTE:.1f} MB after the first requests, "
                f"{growth / MEGABYTE:+.1f} MB at the end"
            )
            epoch = restored(stage)
            print(
                "tokens of before a restore: "
                + ("NOT TRIED, the program has no restore" if epoch is None else "tried")
            )
            if epoch and {
                key: value
                for key, value in feed(server, witness).items()
                if key == "subscriptions/list"
            } != {"subscriptions/list": before["subscriptions/list"]}:
                stage.tally.fault("what the bystander has is not as before the restore")
            end(stage)
    print("sent: " + ", ".join(f"{n} {k}" for k, n in sorted(stage.tally.kinds.items())))
    print(
        "came: "
        + ", ".join(
            f"{n} {k}" for k, n in sorted(stage.tally.answers.items(), key=lambda item: -item[1])
        )
    )
    print(
        "slow connections ended after: "
        + ", ".join(f"{name} {at:.0f} s" for name, at in slow.ended.items())
    )
    print(
        f"{len(cases)} requests in {seconds:.0f} s; {time.monotonic() - began:.0f} s in all; "
        f"{len(stage.tally.faults)} faults"
    )
    sys.exit(1 if stage.tally.faults else 0)


if __name__ == "__main__":
    main()
