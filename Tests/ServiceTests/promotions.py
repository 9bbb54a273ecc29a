"""Promotes replicas of PostgreSQL that lack the last changes, and tests that devices lose nothing.

Three servers use one PostgreSQL database, and three devices sync with them. The histories are those
of rollbacks.py, but the service is not rolled back by a copy of its files: the replica of its
database is disconnected, more changes are made and synced, the primary is killed, and the replica
takes its place. The servers run on. While there is no primary, they answer TRY_AGAIN_LATER, and a
device that syncs keeps its changes and stays signed in.

    python3 promotions.py [--promotions N] [--seed FIRST]
    python3 promotions.py --history SEED      one history, with a log of its steps
"""

import dataclasses
import signal
import sys

from cluster import Cluster
from fleet import MINUTE, NAME, Copy, Fleet
from replica import ReplicatedPostgreSQL
from rollbacks import History, run, run_histories

SERVERS = 3
# The exit status of a reader that cannot reach the service.
UNREACHABLE = 4


class ReplicatedFleet(Fleet):
    """Devices that sync with several servers, whose database has a replica."""

    def __init__(self, directory, timeshift_library, database):
        self.database = database
        # The number of transactions that promotions lost, of forks that the service noticed, and of
        # requests that it refused.
        self.lost = self.forks = self.refusals = 0
        # The device that is syncing.
        self.syncing = None
        self.promotions = 0
        # The web auth token of a session that belongs to no device.
        self.token = None
        super().__init__(directory, timeshift_library)

    def make_service(self, program):
        return Cluster(
            SERVERS,
            variables={**self.database.variables, **self.clock.variables},
            log=self.directory / "service-log",
        )

    def __exit__(self, *_):
        super().__exit__()
        self.service.__exit__()

    def connect(self, rng):
        super().connect(rng)
        self.token = self.service.sign_in(NAME)

    def save_state(self):
        super().save_state()
        self.database.save()

    def reset(self, seed=0):
        self.service.stop()
        self.database.restore()
        super().reset(seed)
        self.database.add_replica()

    def copy(self, while_running):
        self.database.disconnect_replica()
        self.log("--- the replica is disconnected")
        return Copy(None, while_running, 0, 0, self.ledger.checkpoint())

    def roll_back(self, copied, is_killed=False, with_clock=False, with_random=False):
        """Kills the primary and promotes the replica. The service's clock and its random numbers
        stay as they are."""
        before = self.transactions()
        self.kill_primary(is_killed)
        self.ledger.record_rollback(copied.checkpoint)
        # Every second time, the servers connect to the replica before it is promoted.
        self.promotions += 1
        if self.promotions % 2:
            self.database.lead_to(self.database.replica)
            self.check_refusals()
        self.database.promote_replica()
        lost = before - self.transactions()
        self.lost += lost
        self.log(f"--- the replica is promoted, without {lost} transactions")

    def restart(self, is_killed=False):
        self.kill_primary(is_killed)
        self.database.remove_replica()
        self.database.primary.start()
        self.log("--- the primary is restarted")

    def kill_primary(self, is_killed):
        # With SIGQUIT, the server ends its processes itself, without writing anything to the disk.
        self.database.kill_primary(signal.SIGKILL if is_killed else signal.SIGQUIT)
        self.log("--- the primary is killed")
        self.check_refusals()
        self.fail_round(next(device for device in self.devices if device != self.syncing))
        # The service asked the device to wait.
        self.advance_clocks(MINUTE)

    def transactions(self):
        """The number of transactions in the histories of all owners."""
        return int(self.database.primary.sql("SELECT sum(sequence) FROM owner"))

    def check_refusals(self):
        """Checks that every server asks to try again later."""
        for number, server in enumerate(self.service.servers):
            for route, body in (
                ("records/lookup", {"records": [{"recordName": "x"}]}),
                ("records/modify", {"operations": []}),
                ("changes/zone", {"zones": [{"zoneID": {"zoneName": "_defaultZone"}}]}),
            ):
                status, answer = server.call(route, body, token=self.token)
                self.faults.equal(
                    f"server {number} without a primary: {route}",
                    (status, answer.get("serverErrorCode"), answer.get("retryAfter", 0) > 0),
                    (503, "TRY_AGAIN_LATER", True),
                )
                self.refusals += 1

    def fail_round(self, device):
        """Syncs a device without a primary."""
        process = device.start_command("sync", "now", "--json")
        output, errors = process.communicate(timeout=120)
        device.log(f"syncs in vain: {process.returncode} {' '.join((output + errors).split())}")
        self.faults.equal("a round without a primary", process.returncode, UNREACHABLE)

    def sync(self, device, *options):
        self.syncing = device
        try:
            return super().sync(device, *options)
        finally:
            self.syncing = None

    def check(self, rng):
        faults = super().check(rng)
        for details in self.service.ended():
            self.faults.add("server ended", details)
        self.forks += int(self.database.primary.sql("SELECT forks FROM service"))
        return faults


class PromotionHistory(History):
    """A history without the choices that exist only for copies of files."""

    def __init__(self, fleet, seed, is_control=False):
        super().__init__(fleet, seed, is_control)
        self.plan = dataclasses.replace(
            self.plan,
            while_running=True,
            with_clock=False,
            with_random=False,
            second_rollback="new" if self.plan.second_rollback else None,
        )


def work(directory, timeshift_library, seeds, is_control, results):
    """Runs histories with a database of their own; returns the fleet, with its counts."""
    with ReplicatedPostgreSQL() as database:
        fleet = ReplicatedFleet(directory, timeshift_library, database)
        run_histories(fleet, seeds, PromotionHistory, is_control, results)
        return fleet


def main():
    options, results, fleets = run(
        work,
        "promotions",
        100,
        "restart the primary instead of promoting the replica: nothing is lost then",
        __doc__,
    )
    lost, forks, refusals = (
        sum(getattr(fleet, key) for fleet in fleets) for key in ("lost", "forks", "refusals")
    )
    print(
        f"{lost} transactions lost by promotions, {forks} forks noticed; "
        f"{refusals} requests without a primary, each answered by TRY_AGAIN_LATER"
    )
    is_idle = not options.control and not (lost and forks)
    if is_idle:
        print("FAILED: the promotions lost nothing, or nobody noticed it")
    sys.exit(1 if results.failed or is_idle else 0)


if __name__ == "__main__":
    main()
