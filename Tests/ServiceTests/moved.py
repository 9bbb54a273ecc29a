"""Tests that devices keep their sync state when the service moves to another address.

Proxies between `quran-vi` and record-service give the service several addresses.
"""

import contextlib
import json
import os
import pty
import subprocess
import termios

from device import READER_BINARY, ServiceAtURL, connected_devices, require_programs
from gate import InterceptingProxy
from service import Checks, wait_until

checks = Checks()
# Prompts for secrets.
SECRET_PROMPTS = ("API token: ", "Paste the sign-in code: ")


@contextlib.contextmanager
def proxy_address(service):
    """Gives the service another address."""
    with InterceptingProxy() as proxy:
        proxy.service = service
        proxy.alter_body = lambda body: body.replace(service.url.encode(), proxy.url.encode())
        yield proxy


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
