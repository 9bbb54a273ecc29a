"""A PostgreSQL server with a streaming replica that can take its place."""

import os
import pathlib
import shutil
import signal
import tempfile

from postgresql import DATABASE, PASSWORD, USER, PostgreSQL
from service import wait_until

# A copy of the database, from which it can be restored.
SAVED = "saved"


def wait_for(description, condition):
    if not wait_until(condition, 60):
        raise SystemExit(f"not within a minute: {description}")


class Replica(PostgreSQL):
    """A server that follows another one until it is disconnected or promoted."""

    def __init__(self, primary, *settings):
        super().__init__(*settings)
        self.primary = primary

    def fill(self):
        self.run(
            "pg_basebackup",
            *("-d", self.primary.address_of("postgres"), "-D", f"{self.directory}/data"),
            *("--write-recovery-conf", "--checkpoint=fast", "--no-sync"),
        )
        self.start()

    def catch_up(self):
        """Waits until the replica has everything that the primary has now."""
        position = self.primary.sql("SELECT pg_current_wal_lsn()")
        wait_for(
            "the replica catches up",
            lambda: self.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == "t",
        )

    def disconnect(self):
        """Ends the replication."""
        self.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.sql("SELECT pg_reload_conf()")
        wait_for(
            "the replica is disconnected",
            lambda: self.sql("SELECT count(*) FROM pg_stat_wal_receiver") == "0",
        )

    def promote(self):
        if self.sql("SELECT pg_promote()") != "t":
            raise SystemExit("the replica was not promoted")


class ReplicatedPostgreSQL:
    """A primary server, and after `add_replica` a replica.

    Clients reach the primary at an address that never changes: a symbolic link leads to its socket,
    in place of a host name or a network address.
    """

    def __init__(self, *settings):
        self.settings = settings
        self.primary, self.replica = PostgreSQL(*settings), None

    def __enter__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="record-service-pg-", dir="/tmp"))
        self.primary.__enter__()
        self.lead_to(self.primary)
        return self

    def __exit__(self, *_):
        self.remove_replica()
        self.primary.__exit__()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def variables(self):
        """The environment variables of a service on the database."""
        address = f"postgresql://{USER}:{PASSWORD}@/{DATABASE}?host={self.directory}/primary"
        return {"RECORD_SERVICE_STORAGE": address}

    def lead_to(self, server):
        """Makes the address of the primary lead to a server."""
        link = self.directory / "next"
        link.symlink_to(server.directory)
        os.replace(link, self.directory / "primary")

    def save(self):
        """Copies the database for `restore`. No client may use it meanwhile."""
        self.primary.sql(f"CREATE DATABASE {SAVED} TEMPLATE {DATABASE}", database="postgres")

    def restore(self):
        """Replaces the database by its copy."""
        self.remove_replica()
        self.primary.sql(f"DROP DATABASE {DATABASE} WITH (FORCE)", database="postgres")
        self.primary.sql(f"CREATE DATABASE {DATABASE} TEMPLATE {SAVED}", database="postgres")

    def add_replica(self):
        if not self.replica:
            self.replica = Replica(self.primary, *self.settings).__enter__()

    def remove_replica(self):
        if self.replica:
            self.replica.__exit__()
        self.replica = None

    def disconnect_replica(self):
        """Lets the replica catch up and disconnects it, so it lacks all later changes."""
        self.add_replica()
        self.replica.catch_up()
        self.replica.disconnect()

    def kill_primary(self, number=signal.SIGKILL):
        self.primary.kill(number)

    def promote_replica(self):
        """Makes the replica the primary. The former primary was killed."""
        self.replica.promote()
        self.lead_to(self.replica)
        self.primary.__exit__()
        self.primary, self.replica = self.replica, None
