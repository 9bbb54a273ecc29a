"""Lets strangers attack the service, and checks that an honest client hardly notices.

Attacks by connections:

- One address opens as many connections as it can, and sends nothing.
- One address sends heads byte by byte.
- Many addresses together hold more connections than the server allows. On each of them they send a
  request and a part of another.
- One address sends many requests at once on each connection, and more when they are answered.
- One address sends bodies in chunks of one byte.

Attack by sign-in: many addresses guess the password of one account.

Meanwhile no request of an honest client may fail, and its long poll may not end. With --times, the
95th percentile of the requests must stay within 250 ms, or five times that of an idle server.

The attackers run in a process of their own at low priority.
"""

import argparse
import collections
import errno
import http.client
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import service

# The number of connections that an attack holds, and the number that it opens per second.
HELD = 6000
CONNECTS_PER_SECOND = 3000
# The number of connections of one address, and of requests that it sends at once on each.
HELD_BY_ONE = 250
PIPELINED = 16
FILES = 2 * HELD + 500
GUESSERS = 60
SLOWEST = 0.25
FACTOR = 5
# How long an attack may take on a busy machine until it has opened its connections, in seconds.
LONGEST_ATTACK = 30
HONEST = "127.0.0.1"


def percentile(values, part=0.95):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


# MARK: Attackers


def address(number):
    """An address of this machine that no other client of this script has."""
    return f"127.7.{number // 250}.{number % 250 + 1}"


class Holder:
    """Opens connections from some addresses, and opens those again that the server closes."""

    held = HELD
    # The key of the count that must reach `held`.
    counted = "connects"

    def __init__(self, port, addresses, sends=b"", drips=False):
        self.port, self.addresses, self.sends, self.drips = port, addresses, sends, drips
        self.selector = selectors.DefaultSelector()
        self.open, self.counts = set(), collections.Counter()

    def connect(self):
        source = self.addresses[self.counts["connects"] % len(self.addresses)]
        self.counts["connects"] += 1
        connection = socket.socket()
        connection.setblocking(False)
        try:
            connection.bind((source, 0))
            status = connection.connect_ex((HONEST, self.port))
        except OSError as error:
            status = error.errno
        if status not in (0, errno.EINPROGRESS):
            self.counts[errno.errorcode.get(status, status)] += 1
            connection.close()
            return
        self.open.add(connection)
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.sends else 0)
        self.selector.register(connection, events)

    def handle(self, connection, events):
        try:
            if events & selectors.EVENT_WRITE:
                connection.send(self.sends)
                self.selector.modify(connection, selectors.EVENT_READ)
            if events & selectors.EVENT_READ:
                self.receive(connection, connection.recv(65536))
        except BlockingIOError:
            pass
        except OSError:
            self.counts["closed by the server"] += 1
            self.selector.unregister(connection)
            self.open.discard(connection)
            connection.close()

    def receive(self, connection, received):
        if not received:
            raise ConnectionResetError

    def run(self, seconds):
        """Attacks for these seconds, and longer until it has opened or sent enough."""
        start = time.monotonic()
        next_drip = start + 1
        while (now := time.monotonic()) < start + seconds or (
            self.counts[self.counted] < self.held and now < start + LONGEST_ATTACK
        ):
            for _ in range(min(self.held - len(self.open), CONNECTS_PER_SECOND // 20)):
                self.connect()
            for key, events in self.selector.select(0.01):
                self.handle(key.fileobj, events)
            if self.drips and now > next_drip:
                next_drip = now + 1
                for connection in list(self.open):
                    try:
                        connection.send(b"x")
                    except BlockingIOError:
                        pass
                    except OSError:
                        self.handle(connection, selectors.EVENT_READ)
            time.sleep(max(0, 0.05 - (time.monotonic() - now)))
        self.counts["open at the end"] = len(self.open)
        return self.counts


class Pipeliner(Holder):
    """Sends many requests at once over each connection, again when all are answered."""

    held = HELD_BY_ONE
    counted = "answers"
    answer = b"HTTP/1.1 404"

    def __init__(self, port, addresses):
        request = b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        super().__init__(port, addresses, request * PIPELINED)
        # The end of what each connection has received, and the answers since it last sent.
        self.ends, self.answered = collections.defaultdict(bytes), collections.Counter()

    def receive(self, connection, received):
        super().receive(connection, received)
        text = self.ends[connection] + received
        self.ends[connection] = text[1 - len(self.answer) :]
        self.answered[connection] += text.count(self.answer)
        self.counts["answers"] += text.count(self.answer)
        if self.answered[connection] >= PIPELINED:
            self.answered[connection] = 0
            connection.send(self.sends)


def hold_silent(port, seconds, _):
    return Holder(port, [address(0)]).run(seconds)


def hold_heads(port, seconds, _):
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
    return Holder(port, [address(0)], head, drips=True).run(seconds)


def hold_many(port, seconds, _):
    request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    # The server must not count the connection as busy because it waits for the body of another one.
    rest = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n"
    return Holder(port, [address(number) for number in range(60)], request + rest).run(seconds)


def pipeline(port, seconds, _):
    return Pipeliner(port, [address(0)]).run(seconds)


def send_chunks(port, seconds, _):
    head = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    holder = Holder(port, [address(0)], head + b"1\r\na\r\n" * 3000)
    holder.held = HELD_BY_ONE
    return holder.run(seconds)


def guess(port, seconds, api_token):
    """Tries passwords for the honest client's account from many addresses."""
    counts, lock = collections.Counter(), threading.Lock()
    end = time.monotonic() + seconds

    def work(number):
        source = address(number)
        form = None
        while time.monotonic() < end:
            try:
                form = form or SignIn(port, api_token, source)
                status = form.send("an", f"guess {number} {time.monotonic()}")
            except (OSError, http.client.HTTPException, AttributeError):
                status = "failed"
            with lock:
                counts[f"answered {status}"] += 1
            if status != 403:
                time.sleep(0.2)

    threads = [threading.Thread(target=work, args=[number]) for number in range(GUESSERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


ATTACKS = {
    "silent": hold_silent,
    "heads": hold_heads,
    "many": hold_many,
    "pipeline": pipeline,
    "chunks": send_chunks,
    "guess": guess,
}


class Attack:
    """An attack in a process of its own at low priority, while the context is open."""

    def __init__(self, name, server, seconds):
        self.words = [name, str(server.port), str(seconds), server.api_token]

    def __enter__(self):
        self.process = subprocess.Popen(
            ["nice", "-n", "19", sys.executable, __file__, "--attack", *self.words],
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def is_over(self):
        return self.process.poll() is not None

    def result(self):
        return json.loads(self.process.communicate()[0])


# MARK: The honest client


class SignIn:
    """The sign-in form of an app, which is sent from one address."""

    def __init__(self, port, api_token, source=HONEST):
        self.port, self.source = port, source
        self.path = "/sign-in?" + urllib.parse.urlencode({"ckAPIToken": api_token, "way": "code"})
        _, page = self.exchange("GET")
        self.request = service.hidden_request(page)

    def exchange(self, method, body=None):
        connection = http.client.HTTPConnection(
            HONEST, self.port, timeout=20, source_address=(self.source, 0)
        )
        try:
            connection.request(
                method, self.path, body, {"Content-Type": "application/x-www-form-urlencoded"}
            )
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def send(self, name, password):
        """Sends the form; returns the status."""
        form = {"request": self.request, "name": name, "password": password}
        return self.exchange("POST", urllib.parse.urlencode(form))[0]


class Honest:
    """Sends each request on its own connection, and measures times and failures."""

    def __init__(self, server, token):
        self.server, self.token = server, token
        self.form = SignIn(server.port, server.api_token)

    def look_up(self):
        status, body = self.server.call(
            "records/lookup", {"records": [{"recordName": "favorite-an-2:255"}]}, self.token
        )
        return status == 200 and "fields" in body["records"][0]

    def sign_in(self):
        return self.form.send("an", service.PASSWORD) == 200

    def measure(self, action, interval, is_over):
        """Repeats an action; returns the seconds that each took, and the failures."""
        times, failures = [], []
        while not is_over():
            start = time.monotonic()
            try:
                if not action():
                    failures.append("refused")
            except (OSError, http.client.HTTPException) as error:
                failures.append(repr(error))
            times.append(time.monotonic() - start)
            time.sleep(max(0, interval - times[-1]))
        return times, failures


class Poll(threading.Thread):
    """A long poll of the honest client."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self.server, self.path = server, server.courier(token)
        self.outcome = "waiting"
        self.start()

    def run(self):
        try:
            with self.server.connection() as connection:
                connection.request("GET", self.path)
                self.outcome = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            self.outcome = repr(error)


def survive(name, action, interval, honest, options, checks):
    """Measures an action of the honest client while an attack runs."""
    end = time.monotonic() + max(2, options.seconds / 3)
    idle, failures = honest.measure(action, interval, lambda: time.monotonic() > end)
    checks.equal(f"{name}: failures on an idle server", failures, [])
    poll = Poll(honest.server, honest.token)
    with Attack(name, honest.server, options.seconds + 1) as attack:
        time.sleep(1)
        times, failures = honest.measure(action, interval, attack.is_over)
        outcome = poll.outcome
        counts = attack.result()
    checks.equal(f"{name}: failures of {len(times)} requests", failures, [])
    checks.equal(f"{name}: the long poll of the honest client", outcome, "waiting")
    limit = max(FACTOR * percentile(idle), SLOWEST)
    if options.times:
        checks.that(
            f"{name}: the 95th percentile is within {limit * 1000:.0f} ms",
            percentile(times) <= limit,
            percentile(times),
        )
    print(
        f"{name}: {action.__name__}: {len(times)} requests, {len(failures)} failed, p95 idle "
        f"{percentile(idle) * 1000:.0f} ms, attacked {percentile(times) * 1000:.0f} ms, limit "
        f"{limit * 1000:.0f} ms; attack: {counts}; {honest.server.resident_memory() >> 20} MB"
    )
    return counts


def twelve_guesses(server, checks):
    """Wrong guesses from other addresses do not lock out the user."""
    server.command("user", "add", "binh", text=service.PASSWORD + "\n")
    statuses = [
        SignIn(server.port, server.api_token, address(1000 + number)).send("binh", "a wrong guess")
        for number in range(12)
    ]
    checks.equal("twelve wrong guesses", statuses, [403] * 12)
    new = SignIn(server.port, server.api_token, address(1100))
    checks.equal("the right password from a new address", new.send("binh", service.PASSWORD), 200)


def common_password(server, checks):
    for password in ("password1234", "Mật khẩu 123", "1234567890", "qwertyuiop"):
        form = SignIn(server.port, server.api_token)
        form.path = "/register"
        _, page = form.exchange("GET")
        form.request = service.hidden_request(page)
        checks.equal(f"registering with '{password}'", form.send("chi", password), 400)


def main():
    if sys.argv[1:2] == ["--attack"]:
        name, port, seconds, api_token = sys.argv[2:]
        print(json.dumps(ATTACKS[name](int(port), float(seconds), api_token)))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="duration of each attack")
    parser.add_argument("--times", action="store_true", help="check the times of requests, too")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    options = parser.parse_args()
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard_limit != resource.RLIM_INFINITY and hard_limit < FILES:
        service.skip(f"the limit of open files is {hard_limit}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard_limit))
    checks = service.Checks()
    with service.Service() as server:
        token = server.add_user("an")
        server.call(
            "records/modify",
            {
                "operations": [
                    {
                        "operationType": "create",
                        "record": service.favorite_record("an", 2, 255),
                    }
                ]
            },
            token,
        )
        honest = Honest(server, token)
        checks.that("the honest client signs in", honest.sign_in())
        twelve_guesses(server, checks)
        common_password(server, checks)
        for name in options.attacks or ATTACKS:
            is_guess = name == "guess"
            if is_guess:
                survive(name, honest.sign_in, 1.2, honest, options, checks)
            counts = survive(name, honest.look_up, 0.05, honest, options, checks)
            if not is_guess:
                count = counts.get("answers", counts.get("connects", 0))
                least = HELD_BY_ONE if name in ("pipeline", "chunks") else HELD
                checks.that(f"{name}: the attack was one", count >= least, counts)
    checks.finish("strangers")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
