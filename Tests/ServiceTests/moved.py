"""A service at a new address is the same service: nothing is forgotten, nothing is doubled.

A forwarder stands between `quran-vi` and record-service and gives it addresses. It adds the
service's id to answers that lack one, so that the reader's part is tested with every server.
"""

import contextlib
import http.client
import http.server
import json
import os
import pty
import subprocess
import termios
import threading

from device import READER, meeting, need_programs
from service import Checks, until

checks = Checks()
SECRETS = ("API token: ", "Paste the sign-in code: ")
LEFT_OUT = ("connection", "content-length", "transfer-encoding")


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def forward(self):
        address, service = self.server.url, self.server.service
        self.server.seen.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in (*LEFT_OUT, "host")
        }
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            text = answer.read().replace(service.url.encode(), address.encode())
            names = {name.lower() for name, _ in answer.getheaders()}
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in LEFT_OUT:
                    self.send_header(name, value)
            if "users/caller" in self.path and "record-service-id" not in names:
                self.send_header("Record-Service-ID", "5d4c3b2a")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    do_GET = do_POST = forward


@contextlib.contextmanager
def address(service):
    """An address of its own for the service; its requests are in `seen`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.service, server.seen = service, []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Alias:
    """The service as a device knows it: by one of its addresses."""

    def __init__(self, service, url):
        self.service, self.url = service, url

    def __getattr__(self, name):
        return getattr(self.service, name)


def connect(device, service, url):
    device.service = Alias(service, url)
    return device.connect("an nguyễn")


def answering(device, *words, answers):
    """Runs a command at a terminal, and answers its questions.

    Returns what it asked and said, and its status.
    """
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [READER, "--lang", "en", *words],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=device.environment(),
        start_new_session=True,
    )
    os.close(terminal)
    said, rest = "", list(answers)
    while part := process.stdout.read1():
        said += part.decode(errors="replace")
        while rest and rest[0][0] in said:
            question, answer = rest.pop(0)
            # What is typed before the echo is off is thrown away.
            if question in SECRETS:
                checks.that(
                    f"{question}is asked without an echo",
                    until(lambda: not termios.tcgetattr(controller)[3] & termios.ECHO, seconds=60),
                )
            os.write(controller, answer.encode() + b"\n")
    status = process.wait()
    os.close(controller)
    process.stdout.close()
    checks.equal(f"{' '.join(words)}: every question was asked", rest, [])
    return said, status


def nothing_is_forgotten():
    with meeting(checks) as (service, (one, two)), address(service) as old, address(service) as new:
        for device in (one, two):
            connect(device, service, old.url)
        note = one.note("2:255", "a\nb\nc")
        deleted = one.note("2:256", "bị xóa")
        for device in (one, two, one):
            device.sync()
        one.run("note", "edit", note, "-m", "x\nb\nc")
        two.run("note", "edit", note, "-m", "a\nb\ny")
        two.run("note", "remove", deleted)
        old_requests = len(old.seen)
        for device in (one, two):
            said = connect(device, service, new.url)
            checks.that("signed in at the new address", "Signed in as" in said, said)
        for device in (one, two, one):
            device.sync()
        for device in (one, two):
            checks.equal("one note, with both edits", device.notes(), [("2:255", "x\nb\ny")])
            checks.equal("nothing waits", device.status()["pending"], 0)
            checks.equal("the new address is told", device.status()["service"], new.url)
        checks.equal("nothing goes to the old address", len(old.seen), old_requests)


def the_reader_decides():
    """Whoever runs a service can claim to be another one."""
    with (
        meeting(checks, count=1) as (service, (one,)),
        address(service) as old,
        address(service) as new,
    ):
        connect(one, service, old.url)
        one.note("2:255", "chỉ của tôi")
        one.sync()
        token = one.token()
        one.note("2:256", "chưa gửi")
        said, status = answering(
            one,
            "sync",
            "connect",
            new.url,
            "--paste",
            answers=[
                (SECRETS[0], service.api_token),
                (SECRETS[1], service.sign_in("an nguyễn")),
                ("[y/N]", "n"),
            ],
        )
        checks.equal("to say no is no failure", status, 0)
        checks.that("both addresses are named", f"was at {old.url}; {new.url} says" in said, said)
        checks.that(
            "no token of the old address goes to the new one",
            not any(token in path for path in new.seen),
        )
        checks.that(
            "nothing is sent before",
            not any(
                route in path for path in new.seen for route in ("records/", "changes/", "zones/")
            ),
            new.seen,
        )
        checks.that("and the former address stays", old.url in one.run("sync", "status"))
        one.sync()
        one.note("2:257", "chưa gửi nữa")
        one.run(
            "sync",
            "connect",
            new.url,
            "--paste",
            "--yes",
            text=f"{service.api_token}\n{service.sign_in('an nguyễn')}\n",
        )
        checks.that("to say yes moves it", new.url in one.run("sync", "status"))
        checks.equal(
            "then it goes on where it was",
            json.loads(one.run("sync", "status", "--json"))["pending"],
            0,
        )
        checks.equal(
            "with all notes",
            one.notes(),
            [("2:255", "chỉ của tôi"), ("2:256", "chưa gửi"), ("2:257", "chưa gửi nữa")],
        )


def main():
    need_programs()
    nothing_is_forgotten()
    the_reader_decides()
    checks.finish("moved")


if __name__ == "__main__":
    main()
