"""Tests that devices keep their sync state when the service moves to another address.

Proxies between `quran-vi` and record-service give the service several addresses. They add a service
id to responses without one, so that the reader can be tested with every version of the service.
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

from device import READER_BINARY, connected_devices, require_programs
from service import Checks, wait_until

checks = Checks()
# Prompts for secrets.
SECRET_PROMPTS = ("API token: ", "Paste the sign-in code: ")
HOP_BY_HOP = ("connection", "content-length", "transfer-encoding")


class ProxyHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def forward(self):
        proxy_url, service = self.server.url, self.server.service
        self.server.request_paths.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in (*HOP_BY_HOP, "host")
        }
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            response_body = response.read().replace(service.url.encode(), proxy_url.encode())
            names = {name.lower() for name, _ in response.getheaders()}
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            if "users/caller" in self.path and "record-service-id" not in names:
                self.send_header("Record-Service-ID", "5d4c3b2a")
            self.send_header("Content-Length", str(len(response_body)))
            self.end_headers()
            self.wfile.write(response_body)

    do_GET = do_POST = forward


@contextlib.contextmanager
def proxy_address(service):
    """Gives the service another address; `request_paths` has the paths of the requests to it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ProxyHandler)
    server.service, server.request_paths = service, []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class ServiceAtURL:
    """The service as a device sees it, at one of its addresses."""

    def __init__(self, service, url):
        self.service, self.url = service, url

    def __getattr__(self, name):
        return getattr(self.service, name)


def connect(device, service, url):
    """Signs a device in at an address of the service; returns the output."""
    device.service = ServiceAtURL(service, url)
    return device.connect("an nguyễn")


def run_with_answers(device, *words, answers):
    """Runs a command on a terminal, and answers its prompts.

    `answers` are pairs of a prompt and an answer. Returns the output and the exit status.
    """
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [READER_BINARY, "--lang", "en", *words],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=device.environment(),
        start_new_session=True,
    )
    os.close(terminal)
    output, remaining = "", list(answers)
    while chunk := process.stdout.read1():
        output += chunk.decode(errors="replace")
        while remaining and remaining[0][0] in output:
            prompt, answer = remaining.pop(0)
            # Input that arrives before the echo is off is discarded.
            if prompt in SECRET_PROMPTS:
                checks.that(
                    f"{prompt}no echo",
                    wait_until(
                        lambda: not termios.tcgetattr(controller)[3] & termios.ECHO, seconds=60
                    ),
                )
            os.write(controller, answer.encode() + b"\n")
    status = process.wait()
    os.close(controller)
    process.stdout.close()
    checks.equal(f"{' '.join(words)}: prompts that did not appear", remaining, [])
    return output, status


def move_keeps_state():
    """Two devices with unsent changes move to a new address, and then sync."""
    with (
        connected_devices(checks) as (service, (first, second)),
        proxy_address(service) as old,
        proxy_address(service) as new,
    ):
        for device in (first, second):
            connect(device, service, old.url)
        note = first.add_note("2:255", "a\nb\nc")
        deleted = first.add_note("2:256", "bị xóa")
        for device in (first, second, first):
            device.sync()
        first.run("note", "edit", note, "-m", "x\nb\nc")
        second.run("note", "edit", note, "-m", "a\nb\ny")
        second.run("note", "remove", deleted)
        old_requests = len(old.request_paths)
        for device in (first, second):
            output = connect(device, service, new.url)
            checks.that("signed in at the new address", "Signed in as" in output, output)
        for device in (first, second, first):
            device.sync()
        for device in (first, second):
            checks.equal(
                "a note with the edits of both devices", device.notes(), [("2:255", "x\nb\ny")]
            )
            checks.equal("nothing is pending", device.status()["pending"], 0)
            checks.equal("the status has the new address", device.status()["service"], new.url)
        checks.equal("no request goes to the old address", len(old.request_paths), old_requests)


def move_is_confirmed():
    """The user confirms a move, as any server can claim to be the service by sending its id."""
    with (
        connected_devices(checks, count=1) as (service, (device,)),
        proxy_address(service) as old,
        proxy_address(service) as new,
    ):
        connect(device, service, old.url)
        device.add_note("2:255", "chỉ của tôi")
        device.sync()
        token = device.token()
        device.add_note("2:256", "chưa gửi")
        output, status = run_with_answers(
            device,
            "sync",
            "connect",
            new.url,
            "--paste",
            answers=[
                (SECRET_PROMPTS[0], service.api_token),
                (SECRET_PROMPTS[1], service.sign_in("an nguyễn")),
                ("[y/N]", "n"),
            ],
        )
        checks.equal("exit status after the answer no", status, 0)
        checks.that(
            "the prompt has both addresses", f"was at {old.url}; {new.url} says" in output, output
        )
        checks.that(
            "the token of the old address is not sent to the new one",
            not any(token in path for path in new.request_paths),
        )
        checks.that(
            "no records are requested before the answer",
            not any(
                route in path
                for path in new.request_paths
                for route in ("records/", "changes/", "zones/")
            ),
            new.request_paths,
        )
        checks.that(
            "the old address stays after the answer no", old.url in device.run("sync", "status")
        )
        device.sync()
        device.add_note("2:257", "chưa gửi nữa")
        device.run(
            "sync",
            "connect",
            new.url,
            "--paste",
            "--yes",
            text=f"{service.api_token}\n{service.sign_in('an nguyễn')}\n",
        )
        checks.that("--yes moves to the new address", new.url in device.run("sync", "status"))
        checks.equal(
            "nothing is pending after the move",
            json.loads(device.run("sync", "status", "--json"))["pending"],
            0,
        )
        checks.equal(
            "all notes after the move",
            device.notes(),
            [("2:255", "chỉ của tôi"), ("2:256", "chưa gửi"), ("2:257", "chưa gửi nữa")],
        )


def main():
    require_programs()
    move_keeps_state()
    move_is_confirmed()
    checks.finish("moved")


if __name__ == "__main__":
    main()
