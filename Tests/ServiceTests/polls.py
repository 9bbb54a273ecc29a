"""Waits at long polls in every way that goes wrong elsewhere.

Notifications have to come at once, to everyone but who made the change; waiting has to cost
little memory; who goes away, signs out or stops the server must leave nothing behind that waits.
"""

import argparse
import concurrent.futures
import http.client
import json
import resource
import selectors
import shutil
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

import service

MEGABYTE = 1 << 20
COURIERS = 10  # that a session may have
LIMITS = {"plain": 25, "TLS": 45}  # MB for 1,000 polls of a release build
# What is promised of a release build: how soon a change wakes, and how soon the server ends.
SECONDS = {"wake-up": 1, "end": 2}
QUEUE = 64
ENVIRONMENT = "production"


class Faults:
    def __init__(self):
        self.count = 0

    def check(self, holds, what):
        if not holds:
            self.count += 1
            print("FAULT:", what, flush=True)
        return holds


class Poll:
    """One long poll on a connection of its own, or on one that is left of another."""

    def __init__(self, server, path, context=None, link=None):
        self.link = link or socket.create_connection((server.host, server.port), timeout=30)
        if context and not link:
            self.link = context.wrap_socket(self.link, server_hostname="localhost")
        self.link.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        self.link.setblocking(False)
        self.received = b""
        self.ended = None

    def fileno(self):
        return self.link.fileno()

    def read(self):
        """Takes what is there."""
        while self.ended is None:
            try:
                part = self.link.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError):
                return
            except OSError as error:
                self.ended = type(error).__name__
                return
            self.received += part
            if not part:
                self.ended = "end"

    @property
    def answer(self):
        """Status, headers and body when they are complete."""
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
        answer = self.answer
        return json.loads(answer[2]) if answer and answer[0] == 200 and answer[2] else None

    @property
    def is_over(self):
        self.read()
        return self.answer is not None or self.ended is not None

    def wait(self, seconds=30.0):
        """Whether it was answered or ended in time, which is long before it is over by itself."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.link, selectors.EVENT_READ)
            deadline = time.monotonic() + seconds
            while not self.is_over:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                selector.select(left)
        return True

    def close(self):
        self.link.close()

    def reset(self):
        """Goes away as a machine does that was cut off and comes back."""
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.link.close()


class Session:
    """A device that is signed in."""

    def __init__(self, server, account):
        self.server = server
        self.token = server.sign_in(account)
        self.path = None

    def call(self, route, body):
        status, answer = self.server.call(route, body, self.token)
        assert status == 200, (route, status, answer)
        return answer

    def courier(self):
        answer = self.call("tokens/create", {"apnsEnvironment": ENVIRONMENT})
        return urllib.parse.urlsplit(answer["webcourierURL"]).path

    def poll(self, path=None):
        if self.path is None:
            self.path = self.courier()
        return Poll(self.server, path or self.path)

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
        answer = self.call(
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
        assert "serverErrorCode" not in json.dumps(answer), answer

    def change(self, zone, number):
        answer = self.call(
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
        assert "serverErrorCode" not in json.dumps(answer), answer

    def sign_out(self):
        path = f"/session/1/{service.CONTAINER}/{ENVIRONMENT}/end?" + urllib.parse.urlencode(
            {"ckAPIToken": self.server.api_token, "ckWebAuthToken": self.token}
        )
        with self.server.connection() as connection:
            connection.request("POST", path)
            answer = connection.getresponse()
            return answer.status, answer.read()


def gauge(server, name="polls", context=None):
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
    """The id of what fired."""
    change = notification["ck"]
    return (change.get("fet") or change.get("qry"))["sid"]


def drain(session):
    """All that is queued for a session, and how often one came twice."""
    found, twice = [], 0
    before = gauge(session.server)
    while True:
        # The service counts a poll for a moment after it has answered it.
        service.until(lambda: gauge(session.server) <= before)
        poll = session.poll()
        if not service.until(lambda: poll.is_over or gauge(session.server) > before):
            raise AssertionError("a poll is neither held nor answered")
        if not poll.is_over:
            poll.close()
            service.until(lambda: gauge(session.server) <= before)
            return found, twice
        notification = poll.notification
        poll.close()
        if notification is None:
            raise AssertionError(f"an odd answer: {poll.answer} {poll.ended}")
        # Its removal may come a moment after its answer.
        if found and found[-1]["ck"]["nid"] == notification["ck"]["nid"]:
            twice += 1
        else:
            found.append(notification)


def wake(server, faults, times):
    """A change wakes the others at once, and never who made it."""
    reader, writer = Session(server, "a"), Session(server, "a")
    reader.make_zones(["X", "W", "Y"])
    reader.subscribe(["X", "Y"])
    reader.subscribe(["W"], "query")
    own = writer.poll()
    seconds = []
    for number in range(times):
        zone, kind = ("X", "zone") if number % 2 == 0 else ("W", "query")
        poll = reader.poll()
        if not service.until(lambda: gauge(server) == 2 or poll.is_over):
            faults.check(False, f"{gauge(server)} polls instead of 2")
        began = time.monotonic()
        writer.change(zone, number)
        if faults.check(poll.wait(), "a change does not wake the other session"):
            seconds.append(time.monotonic() - began)
            faults.check(
                poll.notification and subscription_of(poll.notification) == f"{kind} {zone}",
                f"woken by another thing: {poll.notification or poll.answer}",
            )
        poll.close()
        # The former one is taken off before the next is waited for.
        left, _ = drain(reader)
        faults.check(
            all(item["ck"]["nid"] == (poll.notification or item)["ck"]["nid"] for item in left),
            f"more than one notification of a change: {left}",
        )
    faults.check(not own.is_over, f"who made the changes was woken: {own.answer}")
    # The first that it gets is of another session's change.
    reader.change("Y", 1)
    faults.check(own.wait(), "the writer is not woken by the other session")
    faults.check(
        own.notification and subscription_of(own.notification) == "zone Y",
        f"the session that made the changes was told of them: {own.answer}",
    )
    own.close()
    faults.check(
        max(seconds, default=0) < SECONDS["wake-up"],
        f"the slowest wake-up took {max(seconds, default=0):.3f} s",
    )
    print(
        f"wake-up: median {statistics.median(seconds) * 1000:.0f} ms, worst "
        f"{max(seconds) * 1000:.0f} ms of {len(seconds)}",
        flush=True,
    )


def queued(server, faults):
    """What happens while nobody waits is kept, once for each subscription."""
    reader, writer = Session(server, "b"), Session(server, "b")
    zones = [f"Z{number}" for number in range(QUEUE + 16)]
    reader.make_zones(zones)
    reader.subscribe(zones)
    reader.path = reader.courier()
    for number in range(6):
        writer.change("Z1", number)
    for number in range(4):
        writer.change("Z2", number)
    found, twice = drain(reader)
    sids = [subscription_of(item) for item in found]
    # What may be on its way already, the first, is not taken back.
    faults.check(
        set(sids) == {"zone Z1", "zone Z2"} and len(sids) <= 3,
        f"not one for each subscription: {sids}",
    )
    faults.check(drain(reader)[0] == [], "a queue that is not empty after it was read")
    for zone in zones:
        writer.change(zone, 99)
    found, _ = drain(reader)
    sids = [subscription_of(item) for item in found]
    faults.check(
        QUEUE - 2 <= len(sids) <= QUEUE and sids[-1] == f"zone {zones[-1]}",
        f"{len(sids)} of {len(zones)} notifications were kept, the last {sids[-1:]}",
    )
    # Who goes away before there is an answer takes nothing along.
    kept = 0
    for number in range(10):
        poll = reader.poll()
        if not service.until(lambda: gauge(server) == 1):
            faults.check(False, "a poll is not held")
        (poll.reset if number % 2 else poll.close)()
        faults.check(
            service.until(lambda: gauge(server) == 0), "a poll is held whose client is gone"
        )
        writer.change("Z3", number)
        found, _ = drain(reader)
        kept += [subscription_of(item) for item in found] == ["zone Z3"]
    faults.check(kept == 10, f"{kept} of 10 notifications outlived a client that had gone")
    # Who goes away while it is answered: what the kernel has taken the server cannot know of.
    survived = 0
    for number in range(20):
        writer.change("Z4", number)
        reader.poll().reset()
        service.until(lambda: gauge(server) == 0)
        survived += bool(drain(reader)[0])
    print(
        f"queue: {len(sids)} of {len(zones)} kept, {twice} came twice; {kept} of 10 outlived a "
        f"client that had gone, {survived} of 20 one that went without reading",
        flush=True,
    )


def again(server, faults):
    """What is asked after a poll on the same connection is answered, or its end was announced."""
    reader, writer = Session(server, "c"), Session(server, "c")
    reader.make_zones(["X"])
    reader.subscribe(["X"])
    for number, is_held in enumerate((False, True)):
        reader.path = reader.path or reader.courier()
        if not is_held:
            writer.change("X", number)
        poll = reader.poll()
        if is_held:
            service.until(lambda: gauge(server) == 1)
            writer.change("X", number)
        faults.check(poll.wait(), "a poll is not answered")
        is_announced = "close" in poll.answer[1].get("connection", "")
        follower = None
        if not is_announced:
            try:
                follower = Poll(server, "/healthz", link=poll.link)
                follower.wait()
            except OSError:
                follower = None
        faults.check(
            is_announced or (follower and follower.answer and follower.answer[0] == 200),
            f"the connection ends after a poll that was {'held' if is_held else 'not held'}, "
            "without Connection: close",
        )
        poll.close()
        drain(reader)
    # Sent before the first was answered.
    poll = reader.poll()
    service.until(lambda: gauge(server) == 1)
    poll.link.setblocking(True)
    poll.link.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    poll.link.setblocking(False)
    writer.change("X", 9)
    poll.wait()
    service.until(lambda: (poll.read(), poll.ended or poll.received.count(b"HTTP/1.1 200") == 2)[1])
    faults.check(
        poll.ended or poll.received.count(b"HTTP/1.1 200") == 2,
        "a request behind a poll is neither answered nor its connection ended",
    )
    poll.close()
    drain(reader)


def gone(server, faults, count):
    """Clients that vanish leave no waits behind."""
    with_path = [
        session.courier()
        for session in sessions_of(server, ["d", "e"], count)
        for _ in range(COURIERS)
    ][:count]
    before = gauge(server)
    polls = [Poll(server, path) for path in with_path]
    faults.check(
        service.until(lambda: gauge(server) == before + count),
        f"{gauge(server)} polls, not {count}",
    )
    began = time.monotonic()
    for number, poll in enumerate(polls):
        (poll.reset if number % 2 else poll.close)()
    faults.check(
        service.until(lambda: gauge(server) == before),
        f"{gauge(server) - before} of {count} polls are held whose clients are gone",
    )
    print(f"vanished: {count} polls were free after {time.monotonic() - began:.2f} s", flush=True)


def signed_out(server, faults):
    """The URL is dead when its session has ended."""
    witness = Session(server, "f")
    witness.make_zones(["X"])
    witness.subscribe(["X"])
    leaving = Session(server, "f")
    before = gauge(server, "couriers")
    first, second = leaving.courier(), leaving.courier()
    witness.change("X", 1)
    held = leaving.poll(second)
    held.wait()
    held.close()
    # The other has something queued, this one waits again.
    leaving.path = second
    drain(leaving)
    held = leaving.poll(second)
    faults.check(service.until(lambda: gauge(server) == 1), "a poll is not held")
    status, body = leaving.sign_out()
    faults.check(status == 200, f"sign-out: {status} {body}")
    ended = held.wait()
    faults.check(ended, "a poll goes on after its session has signed out")
    witness.change("X", 2)
    held.wait()
    faults.check(held.is_over and held.notification is None, f"told after sign-out: {held.answer}")
    for path in (first, second):
        poll = leaving.poll(path)
        faults.check(
            poll.wait() and poll.answer and poll.answer[0] == 404,
            f"a courier after sign-out: {poll.answer or poll.ended or 'held'}",
        )
        poll.close()
    held.close()
    faults.check(gauge(server) == 0, f"{gauge(server)} polls after sign-out")
    status, _ = server.call("records/lookup", {"records": []}, leaving.token)
    faults.check(status == 421, f"a web auth token after sign-out: {status}")
    faults.check(
        service.until(lambda: gauge(server, "couriers") <= before),
        f"{gauge(server, 'couriers') - before} couriers of a session that has ended are kept",
    )
    # A session has only so many.
    many = Session(server, "f")
    before = gauge(server, "couriers")
    paths = [many.courier() for _ in range(5 * COURIERS)]
    kept = gauge(server, "couriers") - before
    faults.check(
        kept <= COURIERS, f"{kept} couriers of a session are kept that may have {COURIERS}"
    )
    poll = many.poll(paths[0])
    faults.check(
        poll.wait() and poll.answer and poll.answer[0] == 404, "a former courier is served"
    )
    poll.close()


def sessions_of(server, accounts, couriers):
    def make(number):
        try:
            return Session(server, accounts[number % len(accounts)])
        except subprocess.CalledProcessError as error:
            raise AssertionError(f"sign-in failed: {error}: {error.stderr}") from error

    count = -(-couriers // COURIERS)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(make, range(count)))


def idle(server, faults, paths, name, context=None):
    """What waiting costs; the server was just started."""
    polls = [Poll(server, path, context) for path in paths[:10]]
    service.until(lambda: gauge(server, context=context) == 10)
    for poll in polls:
        poll.close()
    faults.check(
        service.until(lambda: gauge(server, context=context) == 0),
        "polls that were closed are held",
    )
    before = service.settled(server)
    began = time.monotonic()
    polls = [Poll(server, path, context) for path in paths]
    faults.check(
        service.until(lambda: gauge(server, context=context) == len(paths), 30),
        f"{gauge(server, context=context)} of {len(paths)} polls are held",
    )
    seconds = time.monotonic() - began
    # Before they are over by themselves.
    growth = service.settled(server, 10) - before
    limit = LIMITS[name] * MEGABYTE * len(paths) / 1000
    faults.check(
        growth <= limit,
        f"{len(paths)} polls by {name} take {growth / MEGABYTE:.1f} MB, "
        f"more than {limit / MEGABYTE:.1f}",
    )
    answered = sum(poll.is_over for poll in polls)
    faults.check(answered == 0, f"{answered} idle polls were answered")
    print(
        f"idle: {len(paths)} polls by {name} take {growth / MEGABYTE:.1f} MB "
        f"(from {before / MEGABYTE:.1f}), open after {seconds:.1f} s",
        flush=True,
    )
    return polls


def ending(server, faults, polls, context=None):
    """SIGTERM does not wait for idle polls, and leaves none without an end."""
    for poll in polls[200:]:
        poll.close()
    polls = polls[:200]
    service.until(lambda: gauge(server, context=context) == len(polls))
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    try:
        status = server.process.wait(60)
    except subprocess.TimeoutExpired:
        status = None
        server.process.kill()
        server.process.wait()
    seconds = time.monotonic() - began
    faults.check(status == 0, f"the server ended with {status}")
    faults.check(seconds < SECONDS["end"], f"the server took {seconds:.2f} s to end")
    for poll in polls:
        poll.wait()
        service.until(lambda: (poll.read(), poll.ended)[1] is not None)
    whole = sum(poll.answer is not None and poll.answer[0] == 200 for poll in polls)
    clean = sum(poll.ended == "end" and not poll.received for poll in polls)
    odd = [
        (poll.ended, poll.received[:80])
        for poll in polls
        if not (poll.answer and poll.answer[0] == 200)
        and not (poll.ended == "end" and not poll.received)
    ]
    faults.check(not odd, f"{len(odd)} polls ended in the middle, as {odd[:1]}")
    print(
        f"SIGTERM: ended after {seconds:.2f} s with {len(polls)} polls, {whole} answered, "
        f"{clean} closed",
        flush=True,
    )
    for poll in polls:
        poll.close()


def certificate(directory):
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout",
            directory + "/key.pem",
            "-out",
            directory + "/cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    return directory + "/cert.pem", directory + "/key.pem"


def tls_option():
    shown = subprocess.run([service.BINARY, "serve", "--help"], capture_output=True, text=True)
    if shown.returncode or "--tls-certificate" not in shown.stdout or not shutil.which("openssl"):
        return None
    return "--tls-key" if "--tls-key" in shown.stdout else None


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--polls", type=int, default=1000, help="that wait at once")
    options.add_argument(
        "--scale", type=float, default=1, help="times as much memory, for a build with assertions"
    )
    options.add_argument(
        "--seconds",
        type=float,
        help="that a wake-up and the server's end may take instead of what is promised",
    )
    options.add_argument("--times", type=int, default=20, help="changes that wake")
    options = options.parse_args()
    for name in LIMITS:
        LIMITS[name] *= options.scale
    if options.seconds is not None:
        SECONDS.update(dict.fromkeys(SECONDS, options.seconds))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 2 * options.polls + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        service.skip(f"no more than {hard} open files are allowed")
    # The server gets it, too.
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    began = time.monotonic()
    faults = Faults()
    with tempfile.TemporaryDirectory(prefix="record-service-") as data:
        server = service.Service(data=data)
        with server:
            for name in "abcdef":
                server.command("user", "add", name, text=service.PASSWORD + "\n")
            for part in (
                lambda: wake(server, faults, options.times),
                lambda: queued(server, faults),
                lambda: again(server, faults),
                lambda: gone(server, faults, 100),
                lambda: signed_out(server, faults),
            ):
                try:
                    part()
                except (AssertionError, OSError) as error:
                    faults.check(False, f"{error!r}")
            paths = [
                session.courier()
                for session in sessions_of(server, list("abcde"), options.polls)
                for _ in range(COURIERS)
            ][: options.polls]
        with server:
            ending(server, faults, idle(server, faults, paths, "plain"))
        if tls_option():
            cert, key = certificate(data)
            context = ssl.create_default_context(cafile=cert)
            context.check_hostname = False
            server.options = ("--tls-certificate", cert, "--tls-key", key)
            with server:
                ending(server, faults, idle(server, faults, paths, "TLS", context), context)
        else:
            print("idle: TLS was NOT TRIED, the program or openssl does not know it")
    print(f"{time.monotonic() - began:.0f} s; {faults.count} faults")
    sys.exit(1 if faults.count else 0)


if __name__ == "__main__":
    main()
