"""A reader's device, for the scripts beside this file that look at `quran-vi sync` from outside.

$QURAN_VI_BINARY names the reader.
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

from gate import Gate
from service import BINARY, PASSWORD, Service, skip

READER = os.environ.get("QURAN_VI_BINARY", "")
COLUMNS = {
    "favorites": ("ayah", "favoritedAt"),
    "notes": ("ayah", "text", "createdAt", "modifiedAt"),
    "progress": ("surah", "lastReadAyah", "lastUpdatedAt"),
    "settings": ("key", "value", "lastModifiedAt"),
}


def need_programs():
    """Ends a script that cannot run here."""
    if not os.access(READER, os.X_OK):
        skip("$QURAN_VI_BINARY names no reader")
    if not os.access(BINARY, os.X_OK):
        raise SystemExit(f"{BINARY} is no program")


class Device:
    """A home with a library."""

    def __init__(self, service, checks, home=None, program=None, variables=None):
        self.service, self.checks = service, checks
        # Environment variables beside its own.
        self.program, self.variables = program or READER, variables or {}
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

    def begin(self, *words, text=""):
        """A command that runs beside this script; its input is short."""
        reader = subprocess.Popen(
            [self.program, "--lang", "en", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
        )
        reader.stdin.write(text)
        reader.stdin.close()
        reader.stdin = None
        return reader

    def run(self, *words, text="", status=0, language="en"):
        """What a command prints, its errors apart."""
        done = subprocess.run(
            [self.program, "--lang", language, *words],
            input=text,
            capture_output=True,
            text=True,
            env=self.environment(),
            timeout=300,
        )
        self.checks.equal(f"{' '.join(words)}: the status", done.returncode, status)
        if done.returncode != status:
            print(done.stdout, done.stderr)
        self.errors = done.stderr
        return done.stdout

    @contextlib.contextmanager
    def reading(self):
        """The reader is open, line by line, and syncs by itself."""
        controller, terminal = pty.openpty()
        reader = subprocess.Popen(
            [self.program, "--lang", "en", "--plain", "2:255"],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=self.environment(),
            start_new_session=True,
        )
        try:
            yield reader
            os.write(controller, b"q\n")
            self.checks.equal("the reader ends", reader.wait(60), 0)
        finally:
            reader.kill()
            reader.wait()
            for descriptor in (controller, terminal):
                os.close(descriptor)

    def connect(self, name):
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
        said = self.run("sync", "now", "--json", *options, status=status)
        return json.loads(said) if said else None

    def status(self):
        return json.loads(self.run("sync", "status", "--json"))

    def notes(self):
        return sorted(
            (note["ayah"], note["text"]) for note in json.loads(self.run("note", "list", "--json"))
        )

    def note(self, ayah, text):
        self.run("note", "add", ayah, "-m", text)
        return next(
            note["id"]
            for note in json.loads(self.run("note", "list", ayah, "--json"))
            if note["text"] == text
        )

    def holds(self):
        """All that the reader put there."""
        document = json.loads(self.run("export"))
        kept = ("favorites", "notes", "progress", "settings")
        return {key: document[key] for key in kept if key in document}

    def rows(self):
        """The same without the notes' ids, in order: to be compared with `rows_of`."""
        held = self.holds()
        return {
            key: sorted(tuple(row[column] for column in columns) for row in held[key])
            for key, columns in COLUMNS.items()
        }

    def files(self):
        return [path for path in self.data.rglob("*") if path.is_file()]

    def token(self):
        return json.loads((self.data / "library.sqlite.credentials").read_text())["webAuthToken"]


@contextlib.contextmanager
def meeting(checks, count=2):
    """A service with an account, and devices that are connected to it."""
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(Service())
        service.command("user", "add", "An Nguyễn", text=PASSWORD + "\n")
        devices = [stack.enter_context(Device(service, checks)) for _ in range(count)]
        for device in devices:
            said = device.connect("an nguyễn")
            checks.that("connected", "Signed in as “an nguyễn”." in said, said)
        yield service, devices


class Behind:
    """A service as its clients know it: at another address."""

    def __init__(self, service, url):
        self.service, self.url = service, url

    def __getattr__(self, name):
        return getattr(self.service, name)


@contextlib.contextmanager
def behind_gate(checks, name, count=1, variables=()):
    """A service with an account, a gate before it, and devices that are connected through that.

    `variables` are those of the devices, one after the other.
    """
    with contextlib.ExitStack() as stack:
        service, gate = stack.enter_context(Service()), stack.enter_context(Gate())
        gate.service = service
        service.command("user", "add", name, text=PASSWORD + "\n")
        known = Behind(service, gate.url)
        devices = [
            stack.enter_context(Device(known, checks, variables=given))
            for given in variables or [None] * count
        ]
        for device in devices:
            device.connect(name)
        yield service, gate, devices


def rows_of(records):
    """What records on a server say, as `Device.rows` says it of a library."""
    favorites, notes, progress, settings = {}, [], [], []
    for record in records.values():
        fields = {name: field["value"] for name, field in record["fields"].items()}
        kind = record["recordType"]
        if kind == "FavoriteAyah":
            at, ayah = fields["favoritedAt"], fields["ayahID"]
            favorites[ayah] = min(at, favorites.get(ayah, at))
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
