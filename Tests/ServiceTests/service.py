"""Starts the real record-service and speaks to it, for the scripts beside this file.

$RECORD_SERVICE_BINARY names the program. A script ends with status 0 when all holds, 77 when it
cannot run here (and says why), and fails otherwise.
"""

import contextlib
import faulthandler
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

from limits import LIMIT, SKIPPED

BINARY = os.environ.get("RECORD_SERVICE_BINARY", "record-service")
CONTAINER = "iCloud.donald.kvietnamisht"
PASSWORD = "mật khẩu dài"
# Of the script that imports this.
faulthandler.dump_traceback_later(LIMIT, exit=True)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Service:
    """A server on a port of this machine, with data of its own unless they are given."""

    def __init__(self, *options, data=None, program=None, variables=None):
        self.data = data or tempfile.mkdtemp(prefix="record-service-")
        # Environment variables beside those of this script.
        self.program, self.variables = program, variables or {}
        self.is_mine = data is None
        self.options = options
        self.process = None
        self.container = CONTAINER
        self.token_id = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if self.is_mine:
            shutil.rmtree(self.data, ignore_errors=True)

    def start(self, port=0):
        with open(self.data + "/log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    self.program or BINARY,
                    "serve",
                    "--data",
                    self.data,
                    "--port",
                    str(port),
                    *self.options,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **self.variables},
            )
        self.api_token = None
        for line in self.process.stdout:
            if " is ready at " in line:
                self.url = line.split()[-1]
            if line.startswith("API token:"):
                self.api_token = line.split()[2]
                break
        if self.api_token is None:
            text = pathlib.Path(self.data, "log").read_text()
            raise SystemExit(f"the server did not start: {text}")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        if self.process:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def resident(self):
        """Bytes of memory the server has now."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        raise SystemExit("no VmRSS")

    def command(self, *words, text=None):
        """What a command of the operator prints."""
        return subprocess.run(
            [self.program or BINARY, *words, "--data", self.data],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **self.variables},
        ).stdout

    def add_user(self, name):
        self.command("user", "add", name, text=PASSWORD + "\n")
        return self.sign_in(name)

    def sign_in(self, name):
        """A web auth token."""
        which = ["--api-token-id", self.token_id] if self.token_id else []
        return self.command("user", "sign-in", name, *which).split()[-1]

    def serve(self, container, schema):
        """Has another container, or another schema of the same, and speaks of that from now on.

        The default zone of another one has no change feed, as on Apple's service.
        """
        self.command("schema", "import", "-", "--container", container, text=schema)
        self.command("schema", "deploy", "--yes", "--container", container)
        if container != self.container:
            self.api_token = self.command(
                "token", "create", container, "--container", container
            ).split()[0]
            tokens = json.loads(self.command("token", "list", "--json"))
            self.token_id = str(max(token["id"] for token in tokens))
            self.container = container

    def records(self, name):
        """All that an account has in the container, by record name."""
        listed = json.loads(
            self.command(
                "record",
                "list",
                "--user",
                name,
                "--container",
                self.container,
                "--limit",
                "1000000",
                "--json",
            )
        )
        return {record["recordName"]: record for record in listed}

    def path(self, route, token=None, database="private", environment="production"):
        scope = (
            f"device/1/{self.container}/{environment}"
            if route.startswith("tokens/")
            else (f"database/1/{self.container}/{environment}/{database}")
        )
        query = {"ckAPIToken": self.api_token}
        if token is not None:
            query["ckWebAuthToken"] = token
        return f"/{scope}/{route}?" + urllib.parse.urlencode(query)

    @contextlib.contextmanager
    def connection(self, timeout=70):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            yield connection
        finally:
            connection.close()

    def call(self, route, body=None, token=None, method="POST", connection=None, **place):
        """The status and the decoded body."""
        with contextlib.ExitStack() as stack:
            if connection is None:
                connection = stack.enter_context(self.connection())
            connection.request(
                method, self.path(route, token, **place), None if body is None else json.dumps(body)
            )
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None


def favorite(user, surah, ayah, at=1_700_000_000_000):
    """The record of a favourite, as the phone app makes it."""
    return {
        "recordName": f"favorite-{user}-{surah}:{ayah}",
        "recordType": "FavoriteAyah",
        "fields": {
            "ayahID": {"value": f"{surah}:{ayah}"},
            "surahNumber": {"value": surah},
            "ayahNumber": {"value": ayah},
            "favoritedAt": {"value": at, "type": "TIMESTAMP"},
            "ownerRecordName": {"value": user},
        },
    }


def until(condition, seconds=20):
    """What a condition says as soon as it is something, or at last.

    It is about another program, which tells nobody when it changes: so it is looked at.
    """
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return value


def settled(server, seconds=60):
    """The memory of the server when it has not changed for a second, or after some."""
    last, since = server.resident(), time.monotonic()

    def is_calm():
        nonlocal last, since
        now = server.resident()
        if abs(now - last) > 1 << 18:
            last, since = now, time.monotonic()
        return time.monotonic() - since > 1

    until(is_calm, seconds)
    return server.resident()


def seed(text):
    """What --seed names: a number, or a new one for `random`."""
    return random.randrange(1 << 32) if text == "random" else int(text)


class Checks:
    """Counts what holds and tells at once what does not; `finish` ends the script."""

    def __init__(self):
        self.held = 0
        self.failed = 0

    def that(self, claim, holds, found=None):
        if holds:
            self.held += 1
        else:
            self.failed += 1
            print(f"FAILED: {claim}" + ("" if found is None else f"\n  found: {found!r}"))
        return bool(holds)

    def equal(self, claim, found, wanted):
        return self.that(claim, found == wanted, None if found == wanted else (found, wanted))

    def finish(self, name):
        print(f"{name}: {self.held} held, {self.failed} failed")
        sys.exit(1 if self.failed else 0)


def help_text(*words):
    """What the program tells of a command; empty where it has none."""
    shown = subprocess.run(
        [BINARY, *words, "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
    )
    return shown.stdout if shown.returncode == 0 else ""
