"""Starts a PostgreSQL server for the scripts of this folder."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from service import skip, wait_until

USER = "records"
DATABASE = "records"
# It stands in the address alone, which must not get into any output.
PASSWORD = "not-to-be-printed"


def programs():
    """The directory of PostgreSQL's programs; None if PostgreSQL is not installed."""
    versions = pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: float(path.parts[-3]), default=None)
    found = newest or shutil.which("initdb")
    return found and pathlib.Path(found).parent


class PostgreSQL:
    """A server in a temporary directory with one empty database. It runs as an ordinary user, and
    listens only on a socket in the directory."""

    def __init__(self):
        self.programs = programs()
        if self.programs is None:
            reason = "PostgreSQL is not installed"
            sys.exit(reason) if os.environ.get("CI") == "true" else skip(reason)
        self.process = None

    def __enter__(self):
        # The path of a socket must be short.
        self.directory = tempfile.mkdtemp(prefix="record-service-pg-", dir="/tmp")
        password = pathlib.Path(self.directory, "password")
        password.write_text(PASSWORD)
        # The server refuses to run as root.
        self.user = []
        if os.getuid() == 0:
            self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            for path in (self.directory, password):
                shutil.chown(path, "nobody", "nogroup")
        self.run(
            "initdb",
            *("-D", f"{self.directory}/data", "-U", USER, "-A", "scram-sha-256"),
            *(f"--pwfile={password}", "-E", "UTF8", "--locale=C", "--no-sync"),
        )
        self.start()
        self.sql(f"CREATE DATABASE {DATABASE}", database="postgres")
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def address(self):
        return self.address_of(DATABASE)

    def address_of(self, database):
        return f"postgresql://{USER}:{PASSWORD}@/{database}?host={self.directory}"

    @property
    def variables(self):
        """The environment variables of a service on the database."""
        return {"RECORD_SERVICE_STORAGE": self.address}

    def run(self, program, *arguments, check=True):
        return subprocess.run(
            [*self.user, self.programs / program, *arguments],
            check=check,
            capture_output=True,
            text=True,
            cwd="/",
        )

    def sql(self, statement, database=DATABASE):
        """Executes a statement; returns its rows as text."""
        return self.run("psql", "-XAtq", "-c", statement, self.address_of(database)).stdout.strip()

    def start(self):
        with open(self.directory + "/log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    *(*self.user, self.programs / "postgres", "-D", f"{self.directory}/data"),
                    *("-k", self.directory, "-c", "listen_addresses=", "-c", "fsync=off"),
                    *("-c", "autovacuum=off", "-c", "shared_buffers=32MB"),
                ],
                stdout=log,
                stderr=log,
            )

        def is_ready():
            return self.run("pg_isready", "-q", "-h", self.directory, check=False).returncode == 0

        if not wait_until(is_ready, 60):
            raise SystemExit(pathlib.Path(self.directory, "log").read_text())

    def stop(self):
        """Stops the server at once; its clients lose their connections."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
