"""What lies between a reader and its service fails in every way it can; nothing is lost by it.

A proxy stands between `quran-vi` and record-service. Each fault is tried alone, at each request of
a round; then all of them, drawn by a seed, while two devices go on changing things. Once the way
is good again both come to hold the same: every line once, nothing waits, and no request ever went
elsewhere.
"""

import argparse
import contextlib
import http.client
import http.server
import json
import random
import re
import socket
import socketserver
import struct
import sys
import threading
import time

from device import Device, need_programs, rows_of
from service import PASSWORD, Checks, Service, seed, until

checks = Checks()
ROUTES = ("changes/zone", "records/modify")
HTML = b"<!DOCTYPE html><title>Wi-Fi</title><p>Please accept the terms."
# Seconds that are asked for with Retry-After.
PAUSE = 2


class Exchange:
    """A request that came to the proxy, and what may become of it."""

    def __init__(self, proxy, handler, body):
        self.proxy, self.handler, self.body = proxy, handler, body
        self.dice = proxy.dice
        self.route = "/".join(handler.path.split("?")[0].split("/")[-2:])
        self.answered = None

    def forward(self, body=None):
        """The server's answer: status, headers and body."""
        connection = http.client.HTTPConnection(*self.proxy.upstream, timeout=30)
        with contextlib.closing(connection):
            headers = {
                name: value
                for name, value in self.handler.headers.items()
                if name.lower() not in ("connection", "content-length", "transfer-encoding")
            }
            connection.request(
                self.handler.command,
                self.handler.path,
                self.body if body is None else body,
                headers,
            )
            answer = connection.getresponse()
            text = answer.read()
            headers = {
                name: value
                for name, value in answer.getheaders()
                if name.lower() not in ("connection", "content-length", "transfer-encoding")
            }
            return answer.status, headers, text

    def raw(self, status, headers, body):
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode("latin-1") + body

    def answer(self, status, headers, body):
        self.handler.wfile.write(self.raw(status, headers, body))

    def cut(self):
        if self.dice.random() < 0.5:
            # Without a farewell.
            self.handler.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        self.handler.close_connection = True

    def maybe_forward(self):
        """The request may have been carried out, though what follows does not say so."""
        if self.dice.random() < 0.5:
            self.forward()

    # The faults

    def cut_before(self):
        self.cut()

    def cut_after(self):
        self.forward()
        self.cut()

    def cut_within(self):
        whole = self.raw(*self.forward())
        self.handler.wfile.write(whole[: self.dice.randrange(1, len(whole))])
        self.cut()

    def late(self):
        """The delay is the fault: nothing is waited for."""
        time.sleep(self.dice.uniform(0.05, 0.3))
        self.answer(*self.forward())

    def refuse(self, status, code, pause=None):
        self.maybe_forward()
        headers = {} if pause is None else {"Retry-After": pause}
        kind = self.dice.randrange(3)
        if kind == 0:
            self.answer(status, headers, b"")
        elif kind == 1:
            self.answer(status, headers | {"Content-Type": "text/html"}, HTML)
        else:
            error = {"uuid": "0-0", "serverErrorCode": code, "reason": "busy"}
            if pause is not None and self.dice.random() < 0.5:
                headers, error = {}, error | {"retryAfter": pause}
            self.answer(
                status, headers | {"Content-Type": "application/json"}, json.dumps(error).encode()
            )

    def error_500(self):
        self.refuse(500, "INTERNAL_ERROR")

    def error_503(self):
        self.refuse(503, "SERVICE_UNAVAILABLE")

    def error_503_with_time(self):
        self.refuse(503, "TRY_AGAIN_LATER", PAUSE)

    def error_429(self):
        self.refuse(429, "THROTTLED")

    def error_429_with_time(self):
        self.refuse(429, "THROTTLED", PAUSE)

    def page(self):
        self.maybe_forward()
        status = self.dice.choice((200, 200, 401, 403, 404, 407, 511))
        self.answer(status, {"Content-Type": "text/html"}, HTML)

    def other_shape(self):
        self.maybe_forward()
        body = self.dice.choice(
            (
                {"hello": [1, 2]},
                [],
                [{}],
                "text",
                1,
                None,
                {"records": "none"},
                {"zones": {}},
                {"records": [1]},
                {"zones": [{"zoneID": 1}]},
                {"records": [{"recordName": None}]},
                {"serverErrorCode": 5},
            )
        )
        self.answer(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def half_document(self):
        status, headers, body = self.forward()
        self.answer(status, headers, body[: self.dice.randrange(len(body))])

    def other_count(self):
        status, headers, body = self.forward()
        content = json.loads(body)
        for key in ("records", "zones"):
            if content.get(key):
                content[key] = self.dice.choice(
                    (
                        content[key][1:],
                        [],
                        content[key] + content[key][:1] if key == "records" else [],
                    )
                )
        self.answer(status, headers, json.dumps(content).encode())

    def redirect(self):
        self.maybe_forward()
        status = self.dice.choice((301, 302, 303, 307, 308))
        path = self.dice.choice((self.handler.path, "/elsewhere"))
        to = self.dice.choice((self.proxy.elsewhere.url, self.proxy.url + "/elsewhere"))
        self.answer(status, {"Location": to + path}, b"")

    def twice(self):
        """It arrives twice, and either answer comes back."""
        answers = [self.forward(), self.forward()]
        self.answer(*self.dice.choice(answers))

    def in_part(self):
        """The service has no time for some of the records."""
        content = json.loads(self.body or b"{}")
        operations = content.get("operations")
        if self.route != "records/modify":
            self.answer(*self.forward())
            return
        taken = [self.dice.random() < 0.5 for _ in operations]
        taken[self.dice.randrange(len(taken))] = False
        some = [operation for operation, is_taken in zip(operations, taken) if is_taken]
        status, headers, body = (200, {}, b'{"records":[]}')
        if some:
            status, headers, body = self.forward(
                json.dumps(content | {"operations": some}).encode()
            )
            if status != 200:
                self.answer(status, headers, body)
                return
        results = iter(json.loads(body)["records"])
        records = [
            next(results)
            if is_taken
            else {
                "recordName": operation["record"]["recordName"],
                "reason": "busy",
                "serverErrorCode": "TRY_AGAIN_LATER",
            }
            for operation, is_taken in zip(operations, taken)
        ]
        self.answer(200, headers, json.dumps({"records": records}).encode())

    def garbage(self):
        self.maybe_forward()
        self.handler.wfile.write(self.dice.randbytes(40) + b"\r\n\r\n")
        self.cut()


FAULTS = [
    Exchange.cut_before,
    Exchange.cut_after,
    Exchange.cut_within,
    Exchange.late,
    Exchange.error_500,
    Exchange.error_503,
    Exchange.error_503_with_time,
    Exchange.error_429,
    Exchange.error_429_with_time,
    Exchange.page,
    Exchange.other_shape,
    Exchange.half_document,
    Exchange.other_count,
    Exchange.redirect,
    Exchange.twice,
    Exchange.in_part,
    Exchange.garbage,
]
# After these the round goes well, or may.
MILD = {Exchange.late, Exchange.twice}


class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        # A client that has gone is none; anything else is a fault of this script.
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            checks.that("the proxy works", False, repr(error))

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Elsewhere(Listener):
    """Where nobody is to go."""

    def __init__(self):
        super().__init__(None)
        self.visits = 0

    def finish_request(self, request, client_address):
        self.visits += 1


class Proxy(Listener):
    def __init__(self, elsewhere, seed):
        super().__init__(Handler)
        self.elsewhere = elsewhere
        self.dice = random.Random(seed)
        self.upstream = None
        # Says which fault befalls an exchange; nothing for none.
        self.plan = lambda exchange: None
        self.lock = threading.Lock()
        # Routes and times, as they came.
        self.seen = []
        # How many faults there were, by route.
        self.befell = {}
        self.strays = []

    def times(self, route):
        return [at for seen, at in self.seen if seen == route]

    def take(self, handler, body):
        exchange = Exchange(self, handler, body)
        if not re.match(r"/(database|device)/1/", handler.path):
            self.strays.append(handler.path.split("?")[0])
        with self.lock:
            self.seen.append((exchange.route, time.time()))
            fault = self.plan(exchange)
            if fault:
                self.befell[exchange.route] = self.befell.get(exchange.route, 0) + 1
        if fault:
            fault(exchange)
        else:
            exchange.answer(*exchange.forward())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        length = int(self.headers.get("Content-Length", 0))
        self.server.take(self, self.rfile.read(length) or None)

    do_POST = do_GET


class Editor:
    """Who changes things on a device, and remembers what is to come of it.

    Of what two may change at once only one changes: favourites, progress and settings have an
    editor each, and of the notes the first writes at the beginning and the second at the end.
    """

    def __init__(self, device, number, lines, dice):
        self.device, self.number, self.lines, self.dice = device, number, lines, dice
        self.favorites, self.progress, self.settings = {}, {}, {}

    def change(self, edits=True):
        """Changes something; an edit of a note is none that a round may run beside, as it puts a
        text in the place of one that was read before."""
        kinds = [self.mark, self.read, self.choose]
        # Of few notes, so that two often change the same.
        kinds += [self.edit] * 5 + [self.shorten] * 2 + [self.drop] if edits else [self.write]
        self.dice.choice(kinds)()

    def mark(self):
        ayah = f"{(1, 107)[self.number]}:{self.dice.randint(1, 7)}"
        if self.favorites.get(ayah):
            self.device.run("favorite", "remove", ayah)
        else:
            self.device.run("favorite", "add", ayah)
        self.favorites[ayah] = not self.favorites.get(ayah)

    def read(self):
        surah = self.dice.choice(((2, 3), (4, 5))[self.number])
        last = self.dice.randint(1, 100)
        self.device.run("progress", "set", f"{surah}:{last}")
        self.progress[surah] = last

    def choose(self):
        key, values = (
            ("theme", ("light", "dark", "sepia", "oasis")),
            ("layout", ("verse", "flow")),
        )[self.number]
        value = self.dice.choice(values)
        self.device.run("settings", "set", key, value)
        self.settings[key] = json.dumps(value)

    def write(self):
        lines = [self.lines.new("middle") for _ in range(3)]
        ayah = f"{self.dice.randint(80, 106)}:1"
        self.device.run("note", "add", ayah, "-m", "\n".join(lines))

    def notes(self):
        return json.loads(self.device.run("note", "list", "--json"))

    def edit(self):
        """Writes a line of its own at its own end of a note."""
        notes = self.notes()
        if not notes:
            self.write()
            return
        note = self.dice.choice(notes)
        lines = note["text"].split("\n")
        line = [self.lines.new(f"editor {self.number}")]
        lines = line + lines if self.number == 0 else lines + line
        self.device.run("note", "edit", note["id"], "-m", "\n".join(lines))

    def shorten(self):
        """Takes away a line that it wrote."""
        own = [
            (note, line)
            for note in self.notes()
            for line in note["text"].split("\n")
            if line.startswith(f"editor {self.number}")
        ]
        if not own:
            self.edit()
            return
        note, line = self.dice.choice(own)
        lines = [other for other in note["text"].split("\n") if other != line]
        self.device.run("note", "edit", note["id"], "-m", "\n".join(lines))
        self.lines.removed.add(line)

    def drop(self):
        """Deletes the shortest note. Lines that it did not know have to stay."""
        notes = self.notes()
        if len(notes) < 5:
            self.write()
            return
        note = min(notes, key=lambda note: len(note["text"]))
        self.device.run("note", "remove", note["id"])
        self.lines.dropped |= set(note["text"].split("\n"))


class Lines:
    """Every line that was ever written: each is like no other."""

    def __init__(self):
        self.written = []
        # Those that are to stay away, and those that may be there or not.
        self.removed, self.dropped = set(), set()

    def new(self, kind):
        self.written.append(f"{kind}, line {len(self.written)}")
        return self.written[-1]

    def check(self, where, notes):
        held = [line for row in notes for line in row[1].split("\n")]
        checks.equal(
            f"{where}: no line twice", sorted({line for line in held if held.count(line) > 1}), []
        )
        held = set(held)
        lost = set(self.written) - self.removed - self.dropped - held
        checks.equal(f"{where}: no line lost", sorted(lost), [])
        checks.equal(f"{where}: what was taken away stays away", sorted(self.removed & held), [])
        checks.equal(f"{where}: none of nobody's", sorted(held - set(self.written)), [])


class Stage:
    def __init__(self, service, proxy, devices, name, dice):
        self.service, self.proxy, self.devices, self.name = service, proxy, devices, name
        self.lines = Lines()
        self.editors = [
            Editor(device, number, self.lines, dice) for number, device in enumerate(devices)
        ]
        self.failures = {}
        # With which another device signs in.
        self.code = service.sign_in(name)

    def finish(self, where, reader, may_fail=True):
        """Waits for a round, and looks at how it says that it failed."""
        said, errors = reader.communicate(timeout=120)
        checks.that(
            f"{where}: it ends in good order",
            reader.returncode in ((0, 4) if may_fail else (0,)),
            (reader.returncode, said, errors),
        )
        tokens = [self.service.api_token, self.code, *(device.token() for device in self.devices)]
        # The page to sign in at is told with the API token: it is where a browser is to go.
        told = errors + "".join(
            line for line in said.splitlines() if not line.startswith(self.service.url)
        )
        checks.that(
            f"{where}: no token is told",
            "ckAPIToken" not in told and not any(token in told for token in tokens),
            told,
        )
        if reader.returncode:
            checks.that(
                f"{where}: a sentence is said",
                re.fullmatch(r"quran-vi: [A-Z][^\n]{10,300}\.?\n", errors),
                errors,
            )
            self.failures[errors] = self.failures.get(errors, 0) + 1
        return reader.returncode

    def sync(self, where, *devices, may_fail=True):
        """A round of each device at the same time."""
        readers = [device.begin("sync", "now", "--json") for device in devices]
        return [self.finish(where, reader, may_fail) for reader in readers]

    def settle(self, where):
        """Syncs on a good way until nothing waits anywhere."""
        self.proxy.plan = lambda exchange: None

        def is_quiet():
            # A service that wants to be left alone is, also by who asks.
            ended = [self.sync(where, device) for device in self.devices]
            return not any(status for statuses in ended for status in statuses) and not any(
                device.status()["pending"] for device in self.devices
            )

        checks.that(f"{where}: in the end nothing waits", until(is_quiet, seconds=60))
        for device in self.devices:
            self.sync(where, device, may_fail=False)
        checks.equal(
            f"{where}: nothing is parked",
            [device.status()["parked"] for device in self.devices],
            [[], []],
        )
        one, two = (device.holds() for device in self.devices)
        checks.equal(f"{where}: both hold the same", one, two)
        rows = self.devices[0].rows()
        checks.equal(
            f"{where}: and so does the server", rows_of(self.service.records(self.name)), rows
        )
        self.lines.check(where, rows["notes"])
        for editor in self.editors:
            marked = {ayah for ayah, is_marked in editor.favorites.items() if is_marked}
            checks.equal(
                f"{where}: favourites of {editor.number}",
                {row[0] for row in rows["favorites"] if row[0] in editor.favorites},
                marked,
            )
            for held, wanted in (
                (rows["progress"], editor.progress),
                (rows["settings"], editor.settings),
            ):
                held = {row[0]: row[1] for row in held if row[0] in wanted}
                checks.equal(f"{where}: what {editor.number} chose", held, wanted)


def alone(stage):
    """Each fault at each request of a round, with something of every kind to send."""
    proxy, (one, two) = stage.proxy, stage.devices
    editor, other = stage.editors
    for fault in FAULTS:
        for change in (
            editor.mark,
            editor.read,
            editor.choose,
            editor.drop,
            editor.write,
            editor.edit,
            other.edit,
        ):
            change()
        stage.sync(fault.__name__, two)
        for route in ROUTES:
            where = f"{fault.__name__} at {route}"
            befell = []

            def plan(exchange):
                if exchange.route == route and not befell:
                    befell.append(time.time())
                    return fault
                return None

            proxy.plan = plan
            ended = []

            def befalls():
                ended.append(stage.sync(where, one)[0])
                return befell

            # The time that was asked for at the former request goes by first.
            until(befalls, seconds=30)
            status = ended[-1]
            proxy.plan = lambda exchange: None
            checks.that(f"{where}: it befell", befell)
            if fault not in MILD and (fault, route) != (Exchange.in_part, "changes/zone"):
                checks.equal(f"{where}: the round failed", status, 4)
                checks.that(f"{where}: its changes wait", one.status()["pending"])
            else:
                # For the other request there has to be something again.
                editor.edit()
        is_timed = fault.__name__.endswith("with_time")
        if is_timed:
            # Asked again at once it sends nothing; and it does once the time is up.
            proxy.seen.clear()
            stage.sync(where, one)
            if time.time() < befell[0] + PAUSE:
                checks.equal(f"{where}: it is not hurried", proxy.times("records/modify"), [])
        stage.settle(fault.__name__)
        if is_timed:
            # None is needed where the feed told that the first one was carried out.
            early = [
                at - befell[0] for at in proxy.times("records/modify") if at < befell[0] + PAUSE
            ]
            checks.equal(f"{where}: the time is kept", early, [])


def together(stage, rounds, dice):
    """All faults, while both devices go on."""
    proxy = stage.proxy

    def plan(exchange):
        return dice.choice(FAULTS) if dice.random() < 0.35 else None

    for number in range(rounds):
        where = f"round {number}"
        proxy.plan = plan
        for editor in stage.editors:
            for _ in range(dice.randrange(3)):
                editor.change()
        devices = dice.choice((stage.devices, stage.devices, stage.devices[:1], stage.devices[1:]))
        readers = [device.begin("sync", "now", "--json") for device in devices]
        if dice.random() < 0.3:
            # While it is under way.
            dice.choice(stage.editors).change(edits=False)
        for reader in readers:
            stage.finish(where, reader)
        if number % 10 == 9:
            stage.settle(where)
    stage.settle("the end")
    proxy.plan = plan
    with Device(stage.service, checks) as newcomer:
        connect(stage, newcomer)
        proxy.plan = lambda exchange: None
        stage.sync("a newcomer", newcomer, may_fail=False)
        checks.equal("a newcomer holds the same", newcomer.holds(), stage.devices[0].holds())
        stage.settle("after the newcomer")


def connect(stage, device):
    """Signs in, and fetches all there is, however often that fails."""

    def is_done(*words):
        reader = device.begin(*words, text=f"{stage.service.api_token}\n{stage.code}\n")
        return stage.finish(f"a newcomer's {' '.join(words[:2])}", reader) == 0

    url = stage.service.url
    words = ("sync", "connect", url, "--paste", "--yes")
    signed_in = until(lambda: is_done(*words), seconds=30)
    checks.that("a newcomer signs in", signed_in)
    checks.that("and syncs", until(lambda: is_done("sync", "now", "--json"), seconds=30))


def main():
    need_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument(
        "--seed", type=seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        elsewhere = stack.enter_context(Elsewhere())
        proxy = stack.enter_context(Proxy(elsewhere, options.seed))
        service = stack.enter_context(Service())
        port = service.port
        # It tells clients to find it behind the proxy.
        service.stop()
        service.options = ("--url", proxy.url)
        service.start(port)
        service.port = port
        proxy.upstream = ("127.0.0.1", port)
        name = "an"
        service.command("user", "add", name, text=PASSWORD + "\n")
        devices = [stack.enter_context(Device(service, checks)) for _ in range(2)]
        for device in devices:
            device.connect(name)
        dice = random.Random(options.seed)
        stage = Stage(service, proxy, devices, name, dice)
        alone(stage)
        print(f"alone: {time.monotonic() - began:.0f} s", flush=True)
        together(stage, options.rounds, dice)
        checks.equal("nobody went elsewhere", (elsewhere.visits, proxy.strays), (0, []))
        print(
            f"{len(stage.lines.written)} lines, {len(stage.lines.removed)} of them removed "
            f"and {len(stage.lines.dropped)} perhaps; {time.monotonic() - began:.0f} s; faults:",
            ", ".join(f"{count} at {route}" for route, count in proxy.befell.items()),
        )
        for said, count in sorted(stage.failures.items()):
            print(f"{count:4} {said.strip()}")
    checks.finish("faults")


if __name__ == "__main__":
    main()
