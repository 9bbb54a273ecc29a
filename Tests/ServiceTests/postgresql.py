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
# Only the address contains the password. It must not appear in any output.
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

    def __init__(self, *settings):
        """`settings` are configuration parameters, such as `fsync=on`. They replace the parameters
        of `start`, which are for speed."""
        self.programs, self.settings = programs(), settings
        if self.programs is None:
            reason = "PostgreSQL is not installed"
            sys.exit(reason) if os.environ.get("CI") == "true" else skip(reason)
        self.process = None

    def __enter__(self):
        # The path of a socket must be short.
        self.directory = tempfile.mkdtemp(prefix="record-service-pg-", dir="/tmp")
        # The server refuses to run as root.
        self.user = []
        if os.getuid() == 0:
            self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(self.directory, "nobody", "nogroup")
        self.fill()
        return self

    def fill(self):
        """Makes the files of the server, and starts it."""
        password = pathlib.Path(self.directory, "password")
        password.write_text(PASSWORD)
        if self.user:
            shutil.chown(password, "nobody", "nogroup")
        self.run(
            "initdb",
            *("-D", f"{self.directory}/data", "-U", USER, "-A", "scram-sha-256"),
            *(f"--pwfile={password}", "-E", "UTF8", "--locale=C", "--no-sync"),
        )
        self.start()
        self.sql(f"CREATE DATABASE {DATABASE}", database="postgres")

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
        settings = ("listen_addresses=", "fsync=off", "autovacuum=off", "shared_buffers=32MB")
        with open(self.directory + "/log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    *(*self.user, self.programs / "postgres", "-D", f"{self.directory}/data"),
                    *("-k", self.directory),
                    # The last value of a parameter counts.
                    *(word for setting in (*settings, *self.settings) for word in ("-c", setting)),
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

    def kill(self, number=signal.SIGKILL):
        """Kills the server, and waits for the processes of its connections, too.

        With SIGQUIT it ends its processes itself, but also without writing anything to the disk.
        """
        process = self.process.pid
        # A stopped server starts no more processes.
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(process, os.WUNTRACED)
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        self.process.wait()
        # The other processes end by themselves. No other server can start before that.
        if not wait_until(lambda: not any(map(is_alive, children)), 60):
            raise SystemExit("processes of PostgreSQL do not end")


def is_alive(process):
    """Whether a process that is not a child of this one is running."""
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    # The state follows the name, which is in parentheses.
    return state.rpartition(")")[2].split()[0] not in ("Z", "X")
