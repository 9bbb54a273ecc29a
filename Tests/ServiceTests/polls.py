"""Tests the long polls of the service.

Notifications must arrive at once, at all sessions except the one that made the change. Waiting
polls must take little memory. No poll may remain after its client is gone or signed out, and none
may delay the end of the server.
"""

import argparse
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import resource
import select
import selectors
import shutil
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import tempfile
import time
import urllib.parse

import service
from postgresql import PostgreSQL, programs

MEGABYTE = 1 << 20
# The maximum number of couriers of a session: CloudKit's name for the URLs of long polls.
MAX_COURIERS = 10
# The maximum number of couriers of an account.
MAX_ACCOUNT_COURIERS = 20
# The maximum memory of 1,000 waiting polls in a release build, in MB.
MEMORY_LIMITS = {"plain": 25, "TLS": 45}
# The time limits of a release build: for a notification to arrive, and for the server to end.
TIME_LIMITS = {"notification": 1, "end": 2}
# The number of notifications that are queued for a session.
QUEUE_LENGTH = 64
# How many responses are left unread by their clients.
UNREAD_RESPONSES = 60
ENVIRONMENT = "production"


checks = service.Checks()


class Poll:
    """A long poll, on a new connection or on that of an earlier poll."""

    numbers = itertools.count()

    def __init__(self, server, path, context=None, connection=None, fields=""):
        # An address may have 250 connections.
        source = f"127.0.{next(self.numbers) // 200 % 200}.1"
        self.connection = connection or socket.create_connection(
            (server.host, server.port), timeout=30, source_address=(source, 0)
        )
        if context and not connection:
            self.connection = context.wrap_socket(self.connection, server_hostname="localhost")
        head = f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n{fields}\r\n"
        self.connection.sendall(head.encode())
        self.connection.setblocking(False)
        self.received = b""
        self.ended = None

    def fileno(self):
        return self.connection.fileno()

    def read(self):
        """Reads what has arrived, without waiting."""
        while self.ended is None:
            try:
                chunk = self.connection.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError):
                return
            except OSError as error:
                self.ended = type(error).__name__
                return
            self.received += chunk
            if not chunk:
                self.ended = "end"

    @property
    def response(self):
        """Status, headers and body of the response, or None until they are complete."""
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        length = int(headers.get("content-length", 0))
        if len(body) < length:
            return None
        return int(first.split()[1]), headers, body[:length]

    @property
    def notification(self):
        """The notification in the response, or None."""
        response = self.response
        return json.loads(response[2]) if response and response[0] == 200 and response[2] else None

    @property
    def has_ended(self):
        self.read()
        return self.response is not None or self.ended is not None

    def wait(self, seconds=30.0):
        """Waits for the response or the end of the connection; returns False after the timeout.

        The server ends a poll without a notification much later.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            deadline = time.monotonic() + seconds
            while not self.has_ended:
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    return False
                selector.select(remaining)
        return True

    def close(self):
        self.connection.close()

    def reset(self):
        """Closes the connection with a reset instead of a regular end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class Session:
    """A session of an account, as of a signed-in device."""

    def __init__(self, server, account):
        self.server = server
        self.token = server.sign_in(account)
        self.path = None

    def call(self, route, body):
        status, response = self.server.call(route, body, self.token)
        assert status == 200, (route, status, response)
        return response

    def courier(self):
        """Creates a courier; returns its path."""
        return self.server.courier(self.token)

    def poll(self, path=None, fields=""):
        if self.path is None:
            self.path = self.courier()
        return Poll(self.server, path or self.path, fields=fields)

    def make_zones(self, names):
        self.call(
            "zones/modify",
            {
                "operations": [
                    {"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}
                    for name in names
                ]
            },
        )

    def subscribe(self, names, kind="zone"):
        response = self.call(
            "subscriptions/modify",
            {
                "operations": [
                    {
                        "operationType": "create",
                        "subscription": {
                            "subscriptionID": f"{kind} {name}",
                            "subscriptionType": kind,
                            "zoneID": {"zoneName": name},
                        }
                        | (
                            {}
                            if kind == "zone"
                            else {
                                "firesOn": ["create", "update", "delete"],
                                "query": {"recordType": "AyahNote"},
                            }
                        ),
                    }
                    for name in names
                ]
            },
        )
        assert "serverErrorCode" not in json.dumps(response), response

    def change(self, zone, number):
        """Changes the record of a zone."""
        response = self.call(
            "records/modify",
            {
                "zoneID": {"zoneName": zone},
                "operations": [
                    {
                        "operationType": "forceUpdate",
                        "record": {
                            "recordName": "note",
                            "recordType": "AyahNote",
                            "fields": {"ayahNumber": {"value": number}},
                        },
                    }
                ],
            },
        )
        assert "serverErrorCode" not in json.dumps(response), response

    def sign_out(self):
        path = f"/session/1/{service.CONTAINER}/{ENVIRONMENT}/end?" + urllib.parse.urlencode(
            {"ckAPIToken": self.server.api_token, "ckWebAuthToken": self.token}
        )
        with self.server.connection() as connection:
            connection.request("POST", path)
            response = connection.getresponse()
            return response.status, response.read()


def gauge(server, name="polls", context=None):
    """The value of a gauge in the metrics of the server."""
    connection = (
        http.client.HTTPSConnection(server.host, server.port, timeout=60, context=context)
        if context
        else http.client.HTTPConnection(server.host, server.port, timeout=60)
    )
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    return next(
        int(float(line.split()[1])) for line in lines if line.startswith(f"record_service_{name} ")
    )


def subscription_of(notification):
    """The id of the subscription that a notification is for."""
    change = notification["ck"]
    return (change.get("fet") or change.get("qry"))["sid"]


def drain(session):
    """Receives all queued notifications; returns them, and how many came twice."""
    found, duplicates = [], 0
    before = gauge(session.server)
    while True:
        # The gauge includes a poll for a moment after its response.
        service.wait_until(lambda: gauge(session.server) <= before)
        poll = session.poll()
        if not service.wait_until(lambda: poll.has_ended or gauge(session.server) > before):
            raise AssertionError("a poll neither waits nor has a response")
        if not poll.has_ended:
            poll.close()
            service.wait_until(lambda: gauge(session.server) <= before)
            return found, duplicates
        notification = poll.notification
        poll.close()
        if notification is None:
            raise AssertionError(f"unexpected response: {poll.response} {poll.ended}")
        if found and found[-1]["ck"]["nid"] == notification["ck"]["nid"]:
            duplicates += 1
        else:
            found.append(notification)


def notifications(server, changes):
    """A change notifies other sessions at once, and never the session that made it."""
    reader, writer = Session(server, "a"), Session(server, "a")
    reader.make_zones(["X", "W", "Y"])
    reader.subscribe(["X", "Y"])
    reader.subscribe(["W"], "query")
    own_poll = writer.poll()
    seconds = []
    for number in range(changes):
        zone, kind = ("X", "zone") if number % 2 == 0 else ("W", "query")
        poll = reader.poll()
        if not service.wait_until(lambda: gauge(server) == 2 or poll.has_ended):
            checks.that(f"{gauge(server)} polls wait instead of 2", False)
        start = time.monotonic()
        writer.change(zone, number)
        if checks.that("a change does not notify the other session", poll.wait()):
            seconds.append(time.monotonic() - start)
            checks.that(
                f"unexpected notification: {poll.notification or poll.response}",
                poll.notification and subscription_of(poll.notification) == f"{kind} {zone}",
            )
        poll.close()
        # Empties the queue before the next change.
        queued, _ = drain(reader)
        checks.that(
            f"more than one notification of a change: {queued}",
            all(item["ck"]["nid"] == (poll.notification or item)["ck"]["nid"] for item in queued),
        )
    checks.that(
        f"the session that made the changes was notified: {own_poll.response}",
        not own_poll.has_ended,
    )
    # The writer's first notification is about a change of the other session.
    reader.change("Y", 1)
    checks.that("a change of the other session does not notify the writer", own_poll.wait())
    checks.that(
        f"the writer was notified of its own changes: {own_poll.response}",
        own_poll.notification and subscription_of(own_poll.notification) == "zone Y",
    )
    own_poll.close()
    checks.that(
        f"the slowest notification took {max(seconds, default=0):.3f} s",
        max(seconds, default=0) < TIME_LIMITS["notification"],
    )
    print(
        f"notification: median {statistics.median(seconds) * 1000:.0f} ms, worst "
        f"{max(seconds) * 1000:.0f} ms of {len(seconds)}",
        flush=True,
    )


def queueing(server):
    """Without a waiting poll, notifications are queued: one for each subscription."""
    reader, writer = Session(server, "b"), Session(server, "b")
    zones = [f"Z{number}" for number in range(QUEUE_LENGTH + 16)]
    reader.make_zones(zones)
    reader.subscribe(zones)
    reader.path = reader.courier()
    for number in range(6):
        writer.change("Z1", number)
    for number in range(4):
        writer.change("Z2", number)
    found, duplicates = drain(reader)
    ids = [subscription_of(item) for item in found]
    checks.that(f"not one notification for each subscription: {ids}", ids == ["zone Z1", "zone Z2"])
    checks.that("the queue is not empty after it was read", drain(reader)[0] == [])
    for zone in zones:
        writer.change(zone, 99)
    found, _ = drain(reader)
    ids = [subscription_of(item) for item in found]
    checks.that(
        f"{len(ids)} of {len(zones)} notifications were queued, the last: {ids[-1:]}",
        len(ids) == QUEUE_LENGTH and ids[-1] == f"zone {zones[-1]}",
    )
    # A client that disconnects before the response loses no notification.
    kept = 0
    for number in range(10):
        poll = reader.poll()
        if not service.wait_until(lambda: gauge(server) == 1):
            checks.that("a poll does not wait", False)
        (poll.reset if number % 2 else poll.close)()
        checks.that(
            "a poll waits after its client disconnected",
            service.wait_until(lambda: gauge(server) == 0),
        )
        writer.change("Z3", number)
        found, _ = drain(reader)
        kept += [subscription_of(item) for item in found] == ["zone Z3"]
    checks.that(f"{kept} of 10 notifications were kept after a client disconnected", kept == 10)
    # A client disconnects at once, or when the response has arrived, and has read none of it. Half
    # of them let the server close the connection.
    survived = 0
    for number in range(UNREAD_RESPONSES):
        writer.change("Z4", number)
        poll = reader.poll(fields="Connection: close\r\n" if number % 8 > 3 else "")
        if number % 4 < 2:
            arrival = select.poll()
            arrival.register(poll, select.POLLRDHUP if number % 8 > 3 else select.POLLIN)
            arrival.poll(30_000)
        (poll.reset if number % 2 else poll.close)()
        following = reader.poll()
        following.wait(10)
        survived += following.notification is not None
        following.close()
        drain(reader)
    # A client that has read a notification does not get it again.
    for number in range(10):
        writer.change("Z5", number)
        poll = reader.poll(fields="Connection: close\r\n" if number % 2 else "")
        poll.wait()
        checks.that("a poll has no notification", poll.notification)
        poll.close()
        found, _ = drain(reader)
        checks.that("a notification that was read came again", not found)
    checks.that(
        f"{survived} of {UNREAD_RESPONSES} notifications were kept after a client closed its "
        "connection without having read the response",
        survived == UNREAD_RESPONSES,
    )
    print(
        f"queue: {len(ids)} of {len(zones)} kept, {duplicates} came twice; "
        f"{kept} of 10 kept after a disconnect, {survived} of {UNREAD_RESPONSES} after one without "
        "reading",
        flush=True,
    )


def reused_connection(server):
    """The connection of a poll can be used again, unless `Connection: close` was sent."""
    reader, writer = Session(server, "c"), Session(server, "c")
    reader.make_zones(["X"])
    reader.subscribe(["X"])
    for number, is_waiting in enumerate((False, True)):
        reader.path = reader.path or reader.courier()
        if not is_waiting:
            writer.change("X", number)
        poll = reader.poll()
        if is_waiting:
            service.wait_until(lambda: gauge(server) == 1)
            writer.change("X", number)
        checks.that("a poll has no response", poll.wait())
        is_close_announced = "close" in poll.response[1].get("connection", "")
        follower = None
        if not is_close_announced:
            try:
                follower = Poll(server, "/healthz", connection=poll.connection)
                follower.wait()
            except OSError:
                follower = None
        checks.that(
            f"the connection ends after a poll that {'waited' if is_waiting else 'did not wait'}, "
            "without Connection: close",
            is_close_announced or (follower and follower.response and follower.response[0] == 200),
        )
        poll.close()
        drain(reader)
    # A request is sent before the response of the poll.
    poll = reader.poll()
    service.wait_until(lambda: gauge(server) == 1)
    poll.connection.setblocking(True)
    poll.connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    poll.connection.setblocking(False)
    writer.change("X", 9)
    poll.wait()
    service.wait_until(
        lambda: (poll.read(), poll.ended or poll.received.count(b"HTTP/1.1 200") == 2)[1]
    )
    checks.that(
        "a request after a poll has no response, and its connection does not end",
        poll.ended or poll.received.count(b"HTTP/1.1 200") == 2,
    )
    poll.close()
    drain(reader)


def disconnects(server, count):
    """Polls end when their clients disconnect."""
    paths = [
        session.courier()
        for session in sessions_of(server, "disconnect", count)
        for _ in range(MAX_COURIERS)
    ][:count]
    before = gauge(server)
    polls = [Poll(server, path) for path in paths]
    checks.that(
        f"not {count} polls wait",
        service.wait_until(lambda: gauge(server) == before + count),
        gauge(server),
    )
    start = time.monotonic()
    for number, poll in enumerate(polls):
        (poll.reset if number % 2 else poll.close)()
    checks.that(
        f"some of {count} polls wait after their clients disconnected",
        service.wait_until(lambda: gauge(server) == before),
        gauge(server) - before,
    )
    print(f"disconnected: {count} polls ended after {time.monotonic() - start:.2f} s", flush=True)


def signed_out(server):
    """Couriers stop working when their session ends."""
    writer = Session(server, "f")
    writer.make_zones(["X"])
    writer.subscribe(["X"])
    session = Session(server, "f")
    before = gauge(server, "couriers")
    first, second = session.courier(), session.courier()
    writer.change("X", 1)
    waiting_poll = session.poll(second)
    waiting_poll.wait()
    waiting_poll.close()
    # The first courier has a queued notification, the second one waits again.
    session.path = second
    drain(session)
    waiting_poll = session.poll(second)
    checks.that("a poll does not wait", service.wait_until(lambda: gauge(server) == 1))
    status, body = session.sign_out()
    checks.that(f"sign-out: {status} {body}", status == 200)
    ended = waiting_poll.wait()
    checks.that("a poll waits after its session signed out", ended)
    writer.change("X", 2)
    waiting_poll.wait()
    checks.that(
        f"notification after sign-out: {waiting_poll.response}",
        waiting_poll.has_ended and waiting_poll.notification is None,
    )
    for path in (first, second):
        poll = session.poll(path)
        checks.that(
            "a courier after sign-out",
            poll.wait() and poll.response and poll.response[0] == 404,
            poll.response or poll.ended or "waits",
        )
        poll.close()
    waiting_poll.close()
    checks.that(f"{gauge(server)} polls wait after sign-out", gauge(server) == 0)
    status, _ = server.call("records/lookup", {"records": []}, session.token)
    checks.that(f"a web auth token after sign-out: {status}", status == 421)
    checks.that(
        "couriers remain after their session ended",
        service.wait_until(lambda: gauge(server, "couriers") <= before),
        gauge(server, "couriers") - before,
    )
    # The number of couriers of a session is limited.
    other_session = Session(server, "f")
    before = gauge(server, "couriers")
    paths = [other_session.courier() for _ in range(5 * MAX_COURIERS)]
    kept = gauge(server, "couriers") - before
    checks.that(f"a session has {kept} couriers, more than {MAX_COURIERS}", kept <= MAX_COURIERS)
    poll = other_session.poll(paths[0])
    checks.that(
        "a removed courier works", poll.wait() and poll.response and poll.response[0] == 404
    )
    poll.close()


def sessions_of(server, name, couriers):
    """Adds as many accounts, with their sessions, as this number of couriers needs."""

    def make(number):
        account = f"{name}{number}"
        try:
            server.command("user", "add", account, text=service.PASSWORD + "\n")
            return [Session(server, account) for _ in range(MAX_ACCOUNT_COURIERS // MAX_COURIERS)]
        except subprocess.CalledProcessError as error:
            raise AssertionError(f"sign-in failed: {error}: {error.stderr}") from error

    count = -(-couriers // MAX_ACCOUNT_COURIERS)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return [session for sessions in pool.map(make, range(count)) for session in sessions]


def first_polls(server, paths, context):
    """The first polls since the server was started, which are told of lost notifications."""
    for path in paths:
        poll = Poll(server, path, context)
        refused = poll.wait() and poll.response and poll.response[0] == 503
        checks.that(f"a first poll after a restart has {poll.received[:80]}", refused)
        poll.close()


def idle_polls(server, paths, name, context=None):
    """Measures the memory of waiting polls on a server that was just started; returns the polls."""
    first_polls(server, paths[:10], context)
    polls = [Poll(server, path, context) for path in paths[:10]]
    service.wait_until(lambda: gauge(server, context=context) == 10)
    for poll in polls:
        poll.close()
    checks.that(
        "polls wait after they were closed",
        service.wait_until(lambda: gauge(server, context=context) == 0),
    )
    before = service.settled_memory(server)
    first_polls(server, paths[10:], context)
    start = time.monotonic()
    polls = [Poll(server, path, context) for path in paths]
    checks.that(
        f"not all of {len(paths)} polls wait",
        service.wait_until(lambda: gauge(server, context=context) == len(paths), 30),
        gauge(server, context=context),
    )
    seconds = time.monotonic() - start
    # This takes less time than the polls wait.
    growth = service.settled_memory(server, 10) - before
    limit = MEMORY_LIMITS[name] * MEGABYTE * len(paths) / 1000
    checks.that(
        f"{len(paths)} polls by {name} take {growth / MEGABYTE:.1f} MB, "
        f"more than {limit / MEGABYTE:.1f}",
        growth <= limit,
    )
    answered = sum(poll.has_ended for poll in polls)
    checks.that(f"{answered} idle polls have a response", answered == 0)
    print(
        f"idle: {len(paths)} polls by {name} take {growth / MEGABYTE:.1f} MB "
        f"(from {before / MEGABYTE:.1f}), open after {seconds:.1f} s",
        flush=True,
    )
    return polls


def stalled_clients(server, are_answered):
    """The server ends in time although clients read nothing of the responses to their polls.

    - are_answered: whether the server has begun to send the responses before SIGTERM.

    Returns the paths of the polls.
    """
    reader, writer = Session(server, "c"), Session(server, "c")
    reader.make_zones(["S"])
    reader.subscribe(["S"])
    couriers = [reader.courier() for _ in range(MAX_COURIERS - 1)]
    with contextlib.ExitStack() as stack:
        for courier in couriers:
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect((server.host, server.port))
            requests = "".join(
                f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
                for path in ["/healthz"] * 15 + [courier]
            )
            connection.sendall(requests.encode())
        checks.that(
            "stalled: no polls wait", service.wait_until(lambda: gauge(server) == len(couriers))
        )
        writer.change("S", 0)
        if are_answered:
            checks.that(
                "stalled: polls are not answered", service.wait_until(lambda: gauge(server) == 0)
            )
        end(server)
    return couriers


def kept_notifications(data):
    """In PostgreSQL, the notifications that no client has received outlive the server."""
    with PostgreSQL() as database:
        server = service.Service(data=tempfile.mkdtemp(dir=data), variables=database.variables)
        with server:
            server.command("user", "add", "c", text=service.PASSWORD + "\n")
            couriers = stalled_clients(server, True)
        with server:
            polls = [Poll(server, path) for path in couriers]
            for poll in polls:
                checks.that("a notification was not kept", poll.wait() and poll.notification)
                poll.close()


def end(server):
    """The server ends in a regular way when it gets SIGTERM; returns the seconds that it takes."""
    start = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    try:
        status = server.process.wait(60)
    except subprocess.TimeoutExpired:
        status = None
        server.process.kill()
        server.process.wait()
    seconds = time.monotonic() - start
    checks.that(f"the server exited with {status}", status == 0)
    checks.that(f"the server took {seconds:.2f} s to end", seconds < TIME_LIMITS["end"])
    return seconds


def server_end(server, polls, context=None):
    """After SIGTERM the server ends all waiting polls in a regular way, and exits."""
    for poll in polls[200:]:
        poll.close()
    polls = polls[:200]
    service.wait_until(lambda: gauge(server, context=context) == len(polls))
    seconds = end(server)
    for poll in polls:
        poll.wait()
        service.wait_until(lambda: (poll.read(), poll.ended)[1] is not None)
    answered = sum(poll.response is not None and poll.response[0] == 200 for poll in polls)
    closed = sum(poll.ended == "end" and not poll.received for poll in polls)
    irregular = [
        (poll.ended, poll.received[:80])
        for poll in polls
        if not (poll.response and poll.response[0] == 200)
        and not (poll.ended == "end" and not poll.received)
    ]
    checks.that(
        f"{len(irregular)} polls ended irregularly, the first: {irregular[:1]}", not irregular
    )
    print(
        f"SIGTERM: exit after {seconds:.2f} s with {len(polls)} polls, {answered} with a response, "
        f"{closed} closed",
        flush=True,
    )
    for poll in polls:
        poll.close()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--polls", type=int, default=1000, help="number of polls that wait at the same time"
    )
    options.add_argument(
        "--scale",
        type=float,
        default=1,
        help="factor for the memory limits, for a build with assertions",
    )
    options.add_argument(
        "--seconds",
        type=float,
        help="time limit for a notification and for the end of the server",
    )
    options.add_argument("--times", type=int, default=20, help="number of changes that must notify")
    options = options.parse_args()
    for name in MEMORY_LIMITS:
        MEMORY_LIMITS[name] *= options.scale
    if options.seconds is not None:
        TIME_LIMITS.update(dict.fromkeys(TIME_LIMITS, options.seconds))
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    needed_files = 2 * options.polls + 500
    if hard_limit != resource.RLIM_INFINITY and hard_limit < needed_files:
        service.skip(f"the limit of open files is {hard_limit}")
    # The server inherits the limit.
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed_files, hard_limit))
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="record-service-") as data:
        server = service.Service(data=data)
        with server:
            for name in "abcf":
                server.command("user", "add", name, text=service.PASSWORD + "\n")
            for test in (
                lambda: notifications(server, options.times),
                lambda: queueing(server),
                lambda: reused_connection(server),
                lambda: disconnects(server, 100),
                lambda: signed_out(server),
            ):
                try:
                    test()
                except (AssertionError, OSError) as error:
                    checks.that(f"{error!r}", False)
            paths = [
                session.courier()
                for session in sessions_of(server, "idle", options.polls)
                for _ in range(MAX_COURIERS)
            ][: options.polls]
        with server:
            server_end(server, idle_polls(server, paths, "plain"))
        # The progress of the responses at SIGTERM varies, so this is tested several times.
        for are_answered in (False, False, False, True):
            with server:
                stalled_clients(server, are_answered)
        if shutil.which("openssl"):
            cert, key = service.certificate(data)
            context = ssl.create_default_context(cafile=cert)
            context.check_hostname = False
            server.options = ("--tls-certificate", cert, "--tls-key", key)
            with server:
                server_end(server, idle_polls(server, paths, "TLS", context), context)
        else:
            print("idle: TLS was NOT TESTED, as openssl is not installed")
        if programs() or os.environ.get("CI") == "true":
            kept_notifications(data)
        else:
            print("kept: NOT TESTED, as PostgreSQL is not installed")
    print(f"{time.monotonic() - start:.0f} s")
    checks.finish("polls")


if __name__ == "__main__":
    main()
