"""Injects network faults between devices and the service, and checks that nothing is lost.

A proxy between `quran-vi` and record-service injects the faults. Each fault is tested alone, at
each request of a round; then random faults are injected while changes are made on two devices.
Without faults both devices must then become equal: they have every line once, nothing is pending,
and no request went to another server.
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

from device import Device, require_programs, rows_of_records
from service import PASSWORD, Checks, Service, parse_seed, wait_until

checks = Checks()
ROUTES = ("changes/zone", "records/modify")
HTML = b"<!DOCTYPE html><title>Wi-Fi</title><p>Please accept the terms."
# The value of Retry-After, in seconds.
RETRY_AFTER = 2


class Exchange:
    """A request that the proxy received, and the faults that it can inject."""

    def __init__(self, proxy, handler, body):
        self.proxy, self.handler, self.body = proxy, handler, body
        self.rng = proxy.rng
        self.route = "/".join(handler.path.split("?")[0].split("/")[-2:])
        self.answered = None

    def forward(self, body=None):
        """Forwards the request; returns status, headers and body of the response, which is not
        compressed, so that faults can change it."""
        connection = http.client.HTTPConnection(*self.proxy.upstream, timeout=30)
        omitted = ("accept-encoding", "connection", "content-length", "transfer-encoding")
        with contextlib.closing(connection):
            headers = {
                name: value
                for name, value in self.handler.headers.items()
                if name.lower() not in omitted
            }
            connection.request(
                self.handler.command,
                self.handler.path,
                self.body if body is None else body,
                headers,
            )
            response = connection.getresponse()
            response_body = response.read()
            headers = {
                name: value
                for name, value in response.getheaders()
                if name.lower() not in ("connection", "content-length", "transfer-encoding")
            }
            return response.status, headers, response_body

    def response_bytes(self, status, headers, body):
        """The bytes of a response."""
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode("latin-1") + body

    def send_response(self, status, headers, body):
        self.handler.wfile.write(self.response_bytes(status, headers, body))

    def close_connection(self):
        """Closes the connection, at random with a reset."""
        if self.rng.random() < 0.5:
            # The connection ends with a reset instead of a regular end.
            self.handler.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        self.handler.close_connection = True

    def maybe_forward(self):
        """Forwards the request at random, although the client will see a failure."""
        if self.rng.random() < 0.5:
            self.forward()

    # The faults

    def close_before_forwarding(self):
        self.close_connection()

    def close_after_forwarding(self):
        self.forward()
        self.close_connection()

    def close_within_response(self):
        whole = self.response_bytes(*self.forward())
        self.handler.wfile.write(whole[: self.rng.randrange(1, len(whole))])
        self.close_connection()

    def delay(self):
        """Delays the response."""
        time.sleep(self.rng.uniform(0.05, 0.3))
        self.send_response(*self.forward())

    def refuse(self, status, code, retry_after=None):
        """Responds with an error, without a body, with HTML or with JSON."""
        self.maybe_forward()
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        body_kind = self.rng.randrange(3)
        if body_kind == 0:
            self.send_response(status, headers, b"")
        elif body_kind == 1:
            self.send_response(status, headers | {"Content-Type": "text/html"}, HTML)
        else:
            error = {"uuid": "0-0", "serverErrorCode": code, "reason": "busy"}
            if retry_after is not None and self.rng.random() < 0.5:
                headers, error = {}, error | {"retryAfter": retry_after}
            self.send_response(
                status, headers | {"Content-Type": "application/json"}, json.dumps(error).encode()
            )

    def error_500(self):
        self.refuse(500, "INTERNAL_ERROR")

    def error_503(self):
        self.refuse(503, "SERVICE_UNAVAILABLE")

    def error_503_with_retry_after(self):
        self.refuse(503, "TRY_AGAIN_LATER", RETRY_AFTER)

    def error_429(self):
        self.refuse(429, "THROTTLED")

    def error_429_with_retry_after(self):
        self.refuse(429, "THROTTLED", RETRY_AFTER)

    def web_page(self):
        """Responds with a web page, like the login page of a Wi-Fi network."""
        self.maybe_forward()
        status = self.rng.choice((200, 200, 401, 403, 404, 407, 511))
        self.send_response(status, {"Content-Type": "text/html"}, HTML)

    def unexpected_json(self):
        """Responds with JSON of an unexpected structure."""
        self.maybe_forward()
        body = self.rng.choice(
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
        self.send_response(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def truncated_json(self):
        """Responds with a truncated JSON document."""
        status, headers, body = self.forward()
        self.send_response(status, headers, body[: self.rng.randrange(len(body))])

    def wrong_count(self):
        """Responds with too few or too many records or zones."""
        status, headers, body = self.forward()
        content = json.loads(body)
        for key in ("records", "zones"):
            if content.get(key):
                content[key] = self.rng.choice(
                    (
                        content[key][1:],
                        [],
                        content[key] + content[key][:1] if key == "records" else [],
                    )
                )
        self.send_response(status, headers, json.dumps(content).encode())

    def redirect(self):
        """Redirects to another server or to another path."""
        self.maybe_forward()
        status = self.rng.choice((301, 302, 303, 307, 308))
        path = self.rng.choice((self.handler.path, "/elsewhere"))
        base_url = self.rng.choice((self.proxy.forbidden_server.url, self.proxy.url + "/elsewhere"))
        self.send_response(status, {"Location": base_url + path}, b"")

    def forward_twice(self):
        """Forwards the request twice, and sends one of the responses."""
        answers = [self.forward(), self.forward()]
        self.send_response(*self.rng.choice(answers))

    def refuse_some(self):
        """Refuses some of the records with TRY_AGAIN_LATER."""
        content = json.loads(self.body or b"{}")
        operations = content.get("operations")
        if self.route != "records/modify":
            self.send_response(*self.forward())
            return
        is_accepted = [self.rng.random() < 0.5 for _ in operations]
        is_accepted[self.rng.randrange(len(is_accepted))] = False
        accepted = [operation for operation, accept in zip(operations, is_accepted) if accept]
        status, headers, body = (200, {}, b'{"records":[]}')
        if accepted:
            status, headers, body = self.forward(
                json.dumps(content | {"operations": accepted}).encode()
            )
            if status != 200:
                self.send_response(status, headers, body)
                return
        results = iter(json.loads(body)["records"])
        records = [
            next(results)
            if accept
            else {
                "recordName": operation["record"]["recordName"],
                "reason": "busy",
                "serverErrorCode": "TRY_AGAIN_LATER",
            }
            for operation, accept in zip(operations, is_accepted)
        ]
        self.send_response(200, headers, json.dumps({"records": records}).encode())

    def garbage(self):
        """Responds with random bytes."""
        self.maybe_forward()
        self.handler.wfile.write(self.rng.randbytes(40) + b"\r\n\r\n")
        self.close_connection()


FAULTS = [
    Exchange.close_before_forwarding,
    Exchange.close_after_forwarding,
    Exchange.close_within_response,
    Exchange.delay,
    Exchange.error_500,
    Exchange.error_503,
    Exchange.error_503_with_retry_after,
    Exchange.error_429,
    Exchange.error_429_with_retry_after,
    Exchange.web_page,
    Exchange.unexpected_json,
    Exchange.truncated_json,
    Exchange.wrong_count,
    Exchange.redirect,
    Exchange.forward_twice,
    Exchange.refuse_some,
    Exchange.garbage,
]
# Faults after which a round can succeed.
FAULTS_WITHOUT_FAILURE = {Exchange.delay, Exchange.forward_twice}


class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        # Broken connections are expected; anything else is a bug of this script.
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            checks.that("the proxy works", False, repr(error))

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class ForbiddenServer(Listener):
    """A server that must not receive any connection."""

    def __init__(self):
        super().__init__(None)
        self.connections = 0

    def finish_request(self, request, client_address):
        self.connections += 1


class Proxy(Listener):
    def __init__(self, forbidden_server, seed):
        super().__init__(Handler)
        self.forbidden_server = forbidden_server
        self.rng = random.Random(seed)
        self.upstream = None
        # Chooses the fault of an exchange, or None.
        self.choose_fault = lambda exchange: None
        self.lock = threading.Lock()
        # The routes and times of all requests, in order.
        self.requests = []
        # The number of injected faults by route.
        self.fault_counts = {}
        # The paths of requests that are not part of the protocol.
        self.unexpected_paths = []

    def times(self, route):
        return [at for request_route, at in self.requests if request_route == route]

    def handle_exchange(self, handler, body):
        """Handles a request, with a fault or without."""
        exchange = Exchange(self, handler, body)
        if not re.match(r"/(database|device)/1/", handler.path):
            self.unexpected_paths.append(handler.path.split("?")[0])
        with self.lock:
            self.requests.append((exchange.route, time.time()))
            fault = self.choose_fault(exchange)
            if fault:
                self.fault_counts[exchange.route] = self.fault_counts.get(exchange.route, 0) + 1
        if fault:
            fault(exchange)
        else:
            exchange.send_response(*exchange.forward())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        length = int(self.headers.get("Content-Length", 0))
        self.server.handle_exchange(self, self.rfile.read(length) or None)

    do_POST = do_GET


class Editor:
    """Makes changes on a device, and records the expected result.

    Simultaneous changes do not conflict: each favourite, progress and setting is changed by one
    editor only, and the first editor adds lines at the start of notes, the second one at the end.
    """

    def __init__(self, device, number, lines, rng):
        self.device, self.number, self.lines, self.rng = device, number, lines, rng
        self.favorites, self.progress, self.settings = {}, {}, {}
        # The lines that this editor removed, by note.
        self.removed_lines = {}

    def make_random_change(self, edits=True):
        """Makes a random change, without edits of notes while a round is running.

        An edit replaces the whole text, which was read before.
        """
        kinds = [self.change_favorite, self.change_progress, self.change_setting]
        # Edits are frequent and notes are few, so that both editors often change the same note.
        kinds += (
            [self.add_line] * 5 + [self.remove_line] * 2 + [self.delete_note]
            if edits
            else [self.add_note]
        )
        self.rng.choice(kinds)()

    def change_favorite(self):
        """Adds or removes a favourite."""
        ayah = f"{(1, 107)[self.number]}:{self.rng.randint(1, 7)}"
        if self.favorites.get(ayah):
            self.device.run("favorite", "remove", ayah)
        else:
            self.device.run("favorite", "add", ayah)
        self.favorites[ayah] = not self.favorites.get(ayah)

    def change_progress(self):
        """Sets the progress of a surah."""
        surah = self.rng.choice(((2, 3), (4, 5))[self.number])
        last = self.rng.randint(1, 100)
        self.device.run("progress", "set", f"{surah}:{last}")
        self.progress[surah] = last

    def change_setting(self):
        """Changes a setting."""
        key, values = (
            ("theme", ("light", "dark", "sepia", "oasis")),
            ("layout", ("verse", "flow")),
        )[self.number]
        value = self.rng.choice(values)
        self.device.run("settings", "set", key, value)
        self.settings[key] = json.dumps(value)

    def add_note(self):
        """Adds a note."""
        lines = [self.lines.new("middle") for _ in range(3)]
        ayah = f"{self.rng.randint(80, 106)}:1"
        self.device.run("note", "add", ayah, "-m", "\n".join(lines))

    def notes(self):
        return json.loads(self.device.run("note", "list", "--json"))

    def add_line(self):
        """Adds a line to a note, at the end that belongs to this editor."""
        notes = self.notes()
        if not notes:
            self.add_note()
            return
        note = self.rng.choice(notes)
        lines = note["text"].split("\n")
        line = [self.lines.new(f"editor {self.number}")]
        lines = line + lines if self.number == 0 else lines + line
        self.device.run("note", "edit", note["id"], "-m", "\n".join(lines))

    def remove_line(self):
        """Removes a line that this editor added."""
        own = [
            (note, line)
            for note in self.notes()
            for line in note["text"].split("\n")
            if line.startswith(f"editor {self.number}")
        ]
        if not own:
            self.add_line()
            return
        note, line = self.rng.choice(own)
        lines = [other_line for other_line in note["text"].split("\n") if other_line != line]
        self.device.run("note", "edit", note["id"], "-m", "\n".join(lines))
        self.lines.removed.add(line)
        self.removed_lines.setdefault(note["id"], set()).add(line)

    def delete_note(self):
        """Deletes the shortest note. Lines that the device does not have yet must be kept.

        If the other editor has changed the note, its version is kept as a whole. It can contain
        lines whose removal the device had not sent before the deletion.
        """
        notes = self.notes()
        if len(notes) < 5:
            self.add_note()
            return
        note = min(notes, key=lambda note: len(note["text"]))
        self.device.run("note", "remove", note["id"])
        removed = self.removed_lines.pop(note["id"], set())
        self.lines.removed -= removed
        self.lines.in_deleted_notes |= removed | set(note["text"].split("\n"))


class Lines:
    """All lines that were ever written; each of them is unique."""

    def __init__(self):
        self.written = []
        # Lines that must not be there any more, and lines that may be there or not.
        self.removed, self.in_deleted_notes = set(), set()

    def new(self, kind):
        self.written.append(f"{kind}, line {len(self.written)}")
        return self.written[-1]

    def check(self, label, notes):
        lines = [line for row in notes for line in row[1].split("\n")]
        checks.equal(
            f"{label}: no line twice", sorted({line for line in lines if lines.count(line) > 1}), []
        )
        lines = set(lines)
        lost = set(self.written) - self.removed - self.in_deleted_notes - lines
        checks.equal(f"{label}: no line lost", sorted(lost), [])
        checks.equal(f"{label}: removed lines stay removed", sorted(self.removed & lines), [])
        checks.equal(f"{label}: no unknown line", sorted(lines - set(self.written)), [])


class TestSetup:
    """The service, the proxy, two devices, and their editors."""

    def __init__(self, service, proxy, devices, name, rng):
        self.service, self.proxy, self.devices, self.name = service, proxy, devices, name
        self.lines = Lines()
        self.editors = [
            Editor(device, number, self.lines, rng) for number, device in enumerate(devices)
        ]
        # The number of rounds by error message.
        self.failures = {}
        # The sign-in code for another device.
        self.code = service.sign_in(name)

    def finish(self, label, process, may_fail=True):
        """Waits for a round, and checks its output; returns its exit status."""
        output, errors = process.communicate(timeout=120)
        checks.that(
            f"{label}: exit status of the round",
            process.returncode in ((0, 4) if may_fail else (0,)),
            (process.returncode, output, errors),
        )
        tokens = [self.service.api_token, self.code, *(device.token() for device in self.devices)]
        # The URL of the sign-in page is printed for the browser, and it contains the API token.
        printed = errors + "".join(
            line for line in output.splitlines() if not line.startswith(self.service.url)
        )
        checks.that(
            f"{label}: no token is printed",
            "ckAPIToken" not in printed and not any(token in printed for token in tokens),
            printed,
        )
        if process.returncode:
            checks.that(
                f"{label}: the error is a sentence",
                re.fullmatch(r"quran-vi: [A-Z][^\n]{10,300}\.?\n", errors),
                errors,
            )
            self.failures[errors] = self.failures.get(errors, 0) + 1
        return process.returncode

    def sync(self, label, *devices, may_fail=True):
        """Runs a round of each device at the same time; returns the exit statuses."""
        processes = [device.start_command("sync", "now", "--json") for device in devices]
        return [self.finish(label, process, may_fail) for process in processes]

    def settle(self, label):
        """Syncs without faults until nothing is pending, and checks the contents."""
        self.proxy.choose_fault = lambda exchange: None

        def is_settled():
            # Rounds fail until the pause that the service requested is over.
            results = [self.sync(label, device) for device in self.devices]
            return not any(status for statuses in results for status in statuses) and not any(
                device.status()["pending"] for device in self.devices
            )

        checks.that(f"{label}: in the end nothing is pending", wait_until(is_settled, seconds=60))
        for device in self.devices:
            self.sync(label, device, may_fail=False)
        checks.equal(
            f"{label}: nothing is parked",
            [device.status()["parked"] for device in self.devices],
            [[], []],
        )
        first, second = (device.contents() for device in self.devices)
        checks.equal(f"{label}: the devices are equal", first, second)
        rows = self.devices[0].rows()
        checks.equal(
            f"{label}: device and server are equal",
            rows_of_records(self.service.records(self.name)),
            rows,
        )
        self.lines.check(label, rows["notes"])
        for editor in self.editors:
            favorites = {ayah for ayah, is_favorite in editor.favorites.items() if is_favorite}
            checks.equal(
                f"{label}: favourites of editor {editor.number}",
                {row[0] for row in rows["favorites"] if row[0] in editor.favorites},
                favorites,
            )
            for actual, expected in (
                (rows["progress"], editor.progress),
                (rows["settings"], editor.settings),
            ):
                actual = {row[0]: row[1] for row in actual if row[0] in expected}
                checks.equal(f"{label}: values of editor {editor.number}", actual, expected)


def single_faults(setup):
    """Injects each fault alone, at each request of a round that sends changes of every kind."""
    proxy, (first, second) = setup.proxy, setup.devices
    editor, second_editor = setup.editors
    for fault in FAULTS:
        for change in (
            editor.change_favorite,
            editor.change_progress,
            editor.change_setting,
            editor.delete_note,
            editor.add_note,
            editor.add_line,
            second_editor.add_line,
        ):
            change()
        setup.sync(fault.__name__, second)
        for route in ROUTES:
            label = f"{fault.__name__} at {route}"
            injection_times = []

            def choose_fault(exchange):
                if exchange.route == route and not injection_times:
                    injection_times.append(time.time())
                    return fault
                return None

            proxy.choose_fault = choose_fault
            statuses = []

            def is_injected():
                statuses.append(setup.sync(label, first)[0])
                return injection_times

            # Rounds send nothing until the pause of the previous fault is over.
            wait_until(is_injected, seconds=30)
            status = statuses[-1]
            proxy.choose_fault = lambda exchange: None
            checks.that(f"{label}: the fault was injected", injection_times)
            if fault not in FAULTS_WITHOUT_FAILURE and (fault, route) != (
                Exchange.refuse_some,
                "changes/zone",
            ):
                checks.equal(f"{label}: the round failed", status, 4)
                checks.that(f"{label}: its changes are pending", first.status()["pending"])
            else:
                # There must be a change to send at the next request, too.
                editor.add_line()
        has_retry_after = fault.__name__.endswith("with_retry_after")
        if has_retry_after:
            # Another round during the pause sends nothing; a round after the pause does.
            proxy.requests.clear()
            setup.sync(label, first)
            if time.time() < injection_times[0] + RETRY_AFTER:
                checks.equal(
                    f"{label}: nothing is sent during the pause", proxy.times("records/modify"), []
                )
        setup.settle(fault.__name__)
        if has_retry_after:
            # No request is needed if the feed showed that the first one was carried out.
            early_requests = [
                at - injection_times[0]
                for at in proxy.times("records/modify")
                if at < injection_times[0] + RETRY_AFTER
            ]
            checks.equal(f"{label}: no request before the end of the pause", early_requests, [])


def random_faults(setup, rounds, rng):
    """Injects random faults while changes are made and synced on both devices."""
    proxy = setup.proxy

    def choose_fault(exchange):
        return rng.choice(FAULTS) if rng.random() < 0.35 else None

    for number in range(rounds):
        label = f"round {number}"
        proxy.choose_fault = choose_fault
        for editor in setup.editors:
            for _ in range(rng.randrange(3)):
                editor.make_random_change()
        devices = rng.choice((setup.devices, setup.devices, setup.devices[:1], setup.devices[1:]))
        processes = [device.start_command("sync", "now", "--json") for device in devices]
        if rng.random() < 0.3:
            # A change while the rounds are running.
            rng.choice(setup.editors).make_random_change(edits=False)
        for process in processes:
            setup.finish(label, process)
        if number % 10 == 9:
            setup.settle(label)
    setup.settle("after all rounds")
    proxy.choose_fault = choose_fault
    with Device(setup.service, checks) as new_device:
        connect(setup, new_device)
        proxy.choose_fault = lambda exchange: None
        setup.sync("new device", new_device, may_fail=False)
        checks.equal(
            "the new device has the same contents",
            new_device.contents(),
            setup.devices[0].contents(),
        )
        setup.settle("after the new device")


def connect(setup, device):
    """Signs in and syncs, repeatedly until that succeeds."""

    def is_done(*words):
        process = device.start_command(*words, text=f"{setup.service.api_token}\n{setup.code}\n")
        return setup.finish(f"new device, {' '.join(words[:2])}", process) == 0

    url = setup.service.url
    words = ("sync", "connect", url, "--paste", "--yes")
    signed_in = wait_until(lambda: is_done(*words), seconds=30)
    checks.that("the new device signs in", signed_in)
    checks.that(
        "the new device syncs", wait_until(lambda: is_done("sync", "now", "--json"), seconds=30)
    )


def main():
    require_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument(
        "--seed", type=parse_seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        forbidden_server = stack.enter_context(ForbiddenServer())
        proxy = stack.enter_context(Proxy(forbidden_server, options.seed))
        service = stack.enter_context(Service())
        port = service.port
        # The service tells clients the URL of the proxy as its own.
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
        rng = random.Random(options.seed)
        setup = TestSetup(service, proxy, devices, name, rng)
        single_faults(setup)
        print(f"single faults: {time.monotonic() - start:.0f} s", flush=True)
        random_faults(setup, options.rounds, rng)
        checks.equal(
            "no request went to another server or path",
            (forbidden_server.connections, proxy.unexpected_paths),
            (0, []),
        )
        print(
            f"{len(setup.lines.written)} lines, {len(setup.lines.removed)} of them removed "
            f"and {len(setup.lines.in_deleted_notes)} in deleted notes; "
            f"{time.monotonic() - start:.0f} s; faults:",
            ", ".join(f"{count} at {route}" for route, count in proxy.fault_counts.items()),
        )
        for output, count in sorted(setup.failures.items()):
            print(f"{count:4} {output.strip()}")
    checks.finish("faults")


if __name__ == "__main__":
    main()
