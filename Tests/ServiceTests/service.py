"""Starts the real record-service and sends requests to it, for the scripts of this folder.

$RECORD_SERVICE_BINARY names the program. A script exits with status 0 if all checks pass, with 77
if it cannot run on this machine (and prints the reason), and with another status otherwise.
"""

import contextlib
import faulthandler
import html
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from limits import SCRIPT_TIMEOUT, SKIPPED

BINARY = os.environ.get("RECORD_SERVICE_BINARY", "record-service")
CONTAINER = "iCloud.donald.kvietnamisht"
PASSWORD = "mật khẩu dài"
# Ends the script that imports this module when it hangs, and prints its stack traces.
faulthandler.dump_traceback_later(SCRIPT_TIMEOUT, exit=True)


def skip(reason):
    """Ends a script that cannot run on this machine."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Service:
    """A server on a port of this machine, with a temporary data directory unless one is given."""

    def __init__(self, *options, data=None, program=None, variables=None, log=None):
        self.data = data or tempfile.mkdtemp(prefix="record-service-")
        self.log = log or self.data + "/log"
        # Environment variables in addition to those of this script.
        self.program, self.variables = program, variables or {}
        self.owns_data = data is None
        self.options = options
        self.process = None
        self.container = CONTAINER
        self.api_token = None
        self.token_id = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if self.owns_data:
            shutil.rmtree(self.data, ignore_errors=True)

    def start(self, port=0):
        url = []
        if "--tls-certificate" in self.options and "--url" not in self.options:
            # With TLS the server has to know its URL.
            port = port or free_port()
            url = ["--url", f"https://127.0.0.1:{port}"]
        self.process = self.open_process(subprocess.PIPE, "--port", str(port), *url)
        file = pathlib.Path(self.data, "api-token")
        for line in self.process.stdout:
            if " is ready at " in line:
                self.url = line.split()[-1]
            if line.startswith("API token:"):
                # Printed only by the start that creates it. On PostgreSQL there is no file.
                if file.exists():
                    self.api_token = file.read_text().strip()
                self.api_token = self.api_token or line.split()[-1]
                break
        else:
            log_text = pathlib.Path(self.log).read_text()
            raise SystemExit(f"the server did not start: {log_text}")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def open_process(self, stdout, *options):
        """Starts the program, and does not wait until it is ready."""
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                [self.program or BINARY, "serve", *options, *self.options],
                stdout=stdout,
                stderr=log,
                text=True,
                env=self.environment(),
            )

    def environment(self):
        """The environment of the program. A variable for a database overrides the directory."""
        return {**os.environ, "RECORD_SERVICE_DATA": self.data, **self.variables}

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

    def resident_memory(self, key="VmRSS"):
        """The resident memory of the server process, in bytes; with `VmHWM` its maximum so far."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(f"{key}:"):
                    return int(line.split()[1]) * 1024
        raise SystemExit(f"no {key}")

    def command(self, *words, text=None):
        """Runs a command of the operator; returns its output."""
        return subprocess.run(
            [self.program or BINARY, *words],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env=self.environment(),
        ).stdout

    def add_user(self, name):
        """Adds an account; returns a web auth token of it."""
        self.command("user", "add", name, text=PASSWORD + "\n")
        return self.sign_in(name)

    def sign_in(self, name):
        """Signs in; returns a web auth token."""
        token_option = ["--api-token-id", self.token_id] if self.token_id else []
        return self.command("user", "sign-in", name, *token_option).split()[-1]

    def use_container(self, container, schema):
        """Deploys a schema to a container, and uses that container from now on.

        Only the built-in container has a change feed of its default zone; Apple's service has none.
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
        """All records of an account in the container, by record name."""
        records = json.loads(
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
        return {record["recordName"]: record for record in records}

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

    def call(self, route, body=None, token=None, method="POST", connection=None, **path_options):
        """Sends a request; returns the status and the decoded body of the response."""
        with contextlib.ExitStack() as stack:
            if connection is None:
                connection = stack.enter_context(self.connection())
            connection.request(
                method,
                self.path(route, token, **path_options),
                None if body is None else json.dumps(body),
            )
            response = connection.getresponse()
            body_text = response.read()
            return response.status, json.loads(body_text) if body_text else None

    def save(self, token, *records, operation="forceReplace"):
        """Changes records; returns the status and the response."""
        operations = [{"operationType": operation, "record": record} for record in records]
        return self.call("records/modify", {"operations": operations}, token)

    def courier(self, token):
        """The path of a new URL at which a session waits for its notifications."""
        status, response = self.call("tokens/create", {"apnsEnvironment": "production"}, token)
        assert status == 200, response
        return urllib.parse.urlsplit(response["webcourierURL"]).path


def hidden_request(page):
    """The value of the hidden field of a form."""
    return html.unescape(re.search(r'name="request" value="([^"]+)"', page).group(1))


def favorite_record(user, surah, ayah, at=1_700_000_000_000):
    """The record of a favourite, as the phone app writes it."""
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


def wait_until(condition, seconds=20):
    """Polls a condition until it is true or the time is over; returns its last value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


def settled_memory(server, seconds=60):
    """The memory of the server once it has not changed for a second, or after `seconds`."""
    last_memory, stable_since = server.resident_memory(), time.monotonic()

    def is_stable():
        nonlocal last_memory, stable_since
        memory = server.resident_memory()
        if abs(memory - last_memory) > 1 << 18:
            last_memory, stable_since = memory, time.monotonic()
        return time.monotonic() - stable_since > 1

    wait_until(is_stable, seconds)
    return server.resident_memory()


def certificate(directory, name="localhost"):
    """Makes a certificate for a name; returns its path and that of its key."""
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
            f"/CN={name}",
            "-addext",
            f"subjectAltName=DNS:{name},IP:127.0.0.1",
            "-keyout",
            directory + "/key.pem",
            "-out",
            directory + "/cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    return directory + "/cert.pem", directory + "/key.pem"


def free_port():
    """A port that is free now, outside the range from which the system chooses ports of clients."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            port = random.randrange(20_000, 32_000)
            probe.bind(("127.0.0.1", port))
            return port


def parse_seed(text):
    """Parses the option --seed: a number, or `random` for a new one."""
    return random.randrange(1 << 32) if text == "random" else int(text)


class Checks:
    """Counts checks, and prints those that fail at once; `finish` ends the script."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def that(self, description, condition, actual=None):
        """Checks a condition; `actual` is printed if it is false."""
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {description}" + ("" if actual is None else f"\n  actual: {actual!r}"))
        return bool(condition)

    def equal(self, description, actual, expected):
        """Checks that two values are equal."""
        # Both values are printed if they differ.
        return self.that(
            description, actual == expected, None if actual == expected else (actual, expected)
        )

    def finish(self, name):
        print(f"{name}: {self.passed} checks passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
