"""A device with the reader `quran-vi`, for the scripts that test `sync` through its command line.

$QURAN_VI_BINARY names the program.
"""

import contextlib
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unicodedata

from gate import InterceptingProxy
from service import BINARY, PASSWORD, Service, skip

READER_BINARY = os.environ.get("QURAN_VI_BINARY", "")
# The keys of the rows of each list of an export that `Device.rows` returns.
COLUMNS = {
    "favorites": ("ayah", "favoritedAt"),
    "notes": ("ayah", "text", "createdAt", "modifiedAt"),
    "progress": ("surah", "lastReadAyah", "lastUpdatedAt"),
    "settings": ("key", "value", "lastModifiedAt"),
}


def require_programs():
    """Ends the script if one of the two programs is missing."""
    if not os.access(READER_BINARY, os.X_OK):
        skip("$QURAN_VI_BINARY does not name an executable file")
    if not os.access(BINARY, os.X_OK):
        raise SystemExit(f"{BINARY} is not an executable file")


class Device:
    """A home directory with a library, in which `quran-vi` runs."""

    def __init__(self, service, checks, home=None, program=None, variables=None):
        self.service, self.checks = service, checks
        # Environment variables in addition to those of `environment`.
        self.program, self.variables = program or READER_BINARY, variables or {}
        self.home = pathlib.Path(home or tempfile.mkdtemp(prefix="quran-vi-"))
        self.data = self.home / "data" / "quran-vi"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.home, ignore_errors=True)

    def environment(self):
        return {
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            **self.variables,
        }

    def start_command(self, *words, text=""):
        """Starts a command in the background; returns its process. The input must be short."""
        process = subprocess.Popen(
            [self.program, "--lang", "en", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
        )
        process.stdin.write(text)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, *words, text="", status=0, language="en"):
        """Runs a command; returns its output. `errors` then has its stderr."""
        process = subprocess.run(
            [self.program, "--lang", language, *words],
            input=text,
            capture_output=True,
            text=True,
            env=self.environment(),
            timeout=300,
        )
        self.checks.equal(f"{' '.join(words)}: exit status", process.returncode, status)
        if process.returncode != status:
            print(process.stdout, process.stderr)
        self.errors = process.stderr
        return process.stdout

    @contextlib.contextmanager
    def open_reader(self):
        """Keeps the reader open in its line mode, in which it syncs in the background."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen(
            [self.program, "--lang", "en", "--plain", "2:255"],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=self.environment(),
            start_new_session=True,
        )
        try:
            yield process
            os.write(controller, b"q\n")
            self.checks.equal("the reader exits", process.wait(60), 0)
        finally:
            process.kill()
            process.wait()
            for descriptor in (controller, terminal):
                os.close(descriptor)

    def connect(self, name):
        """Signs in to an account of the service; returns the output."""
        code = self.service.sign_in(name)
        return self.run(
            "sync",
            "connect",
            self.service.url,
            "--container",
            self.service.container,
            "--paste",
            "--yes",
            text=f"{self.service.api_token}\n{code}\n",
        )

    def sync(self, *options, status=0):
        """Runs a round; returns its result."""
        output = self.run("sync", "now", "--json", *options, status=status)
        return json.loads(output) if output else None

    def status(self):
        return json.loads(self.run("sync", "status", "--json"))

    def notes(self):
        """All notes, as sorted pairs of an ayah and a text."""
        return sorted(
            (note["ayah"], note["text"]) for note in json.loads(self.run("note", "list", "--json"))
        )

    def add_note(self, ayah, text):
        """Adds a note; returns its id."""
        self.run("note", "add", ayah, "-m", text)
        return next(
            note["id"]
            for note in json.loads(self.run("note", "list", ayah, "--json"))
            if note["text"] == text
        )

    def contents(self):
        """The lists of an export that are synced."""
        document = json.loads(self.run("export"))
        synced_lists = ("favorites", "notes", "progress", "settings")
        return {key: document[key] for key in synced_lists if key in document}

    def rows(self):
        """The contents as sorted rows without note ids, comparable with `rows_of_records`."""
        contents = self.contents()
        return {
            key: sorted(tuple(row[column] for column in columns) for row in contents[key])
            for key, columns in COLUMNS.items()
        }

    def files(self):
        return [path for path in self.data.rglob("*") if path.is_file()]

    def token(self):
        """The web auth token of the library."""
        return json.loads((self.data / "library.sqlite.credentials").read_text())["webAuthToken"]


@contextlib.contextmanager
def connected_devices(checks, count=2):
    """A service with an account, and devices that are signed in to it."""
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(Service())
        service.command("user", "add", "An Nguyễn", text=PASSWORD + "\n")
        devices = [stack.enter_context(Device(service, checks)) for _ in range(count)]
        for device in devices:
            output = device.connect("an nguyễn")
            checks.that("signed in", "Signed in as “an nguyễn”." in output, output)
        yield service, devices


class ServiceAtURL:
    """A service as its clients see it, at another URL."""

    def __init__(self, service, url):
        self.service, self.url = service, url

    def __getattr__(self, name):
        return getattr(self.service, name)


@contextlib.contextmanager
def proxied_devices(checks, name, count=1, variables=()):
    """A service with an account, a proxy in front of it, and devices that sign in through that.

    `variables` has the environment variables of each device, and so determines their number.
    """
    with contextlib.ExitStack() as stack:
        service, proxy = stack.enter_context(Service()), stack.enter_context(InterceptingProxy())
        proxy.service = service
        service.command("user", "add", name, text=PASSWORD + "\n")
        service_at_proxy = ServiceAtURL(service, proxy.url)
        devices = [
            stack.enter_context(Device(service_at_proxy, checks, variables=device_variables))
            for device_variables in variables or [None] * count
        ]
        for device in devices:
            device.connect(name)
        yield service, proxy, devices


def check_settled(checks, label, service, name, devices, texts=None):
    """Syncs all devices, and checks that they equal the service and that no change is pending.

    `texts` are the expected texts of all notes. Returns the rows of the service.
    """
    for device in 2 * devices:
        device.sync()
    rows = rows_of_records(service.records(name))
    if texts is not None:
        checks.equal(
            f"{label}: notes on the service", sorted(row[1] for row in rows["notes"]), sorted(texts)
        )
    for number, device in enumerate(devices):
        checks.equal(f"{label}: device {number} equals the service", device.rows(), rows)
        status = device.status()
        checks.equal(
            f"{label}: nothing is pending on device {number}",
            (status["pending"], status["parked"]),
            (0, []),
        )
    return rows


def rows_of_records(records):
    """The contents of records of a service, in the form of `Device.rows`."""
    favorites, notes, progress, settings = {}, [], [], []
    for record in records.values():
        fields = {name: field["value"] for name, field in record["fields"].items()}
        kind = record["recordType"]
        if kind == "FavoriteAyah":
            favorited_at, ayah = fields["favoritedAt"], fields["ayahID"]
            favorites[ayah] = min(favorited_at, favorites.get(ayah, favorited_at))
        elif kind == "AyahNote":
            text = unicodedata.normalize("NFC", fields["noteText"]).replace("\r\n", "\n")
            modified = fields["modifiedAt"]
            created = fields.get("createdAt", modified)
            notes.append((fields["ayahID"], text, created, modified))
        elif kind == "ReadingProgress":
            progress.append(
                tuple(fields[name] for name in ("surahNumber", "lastReadAyah", "lastUpdatedAt"))
            )
        elif kind == "AppSettings":
            settings.append(
                tuple(fields[name] for name in ("settingKey", "settingValue", "lastModifiedAt"))
            )
    return {
        "favorites": sorted(favorites.items()),
        "notes": sorted(notes),
        "progress": sorted(progress),
        "settings": sorted(settings),
    }
