"""Kills servers of one PostgreSQL database, and PostgreSQL itself, while many clients write.

Three servers use the database. One of them is killed and started again while the others go on; its
clients continue at another. PostgreSQL is killed and started again while the servers run. Meanwhile
every request is answered by TRY_AGAIN_LATER; afterwards all servers continue without a restart. No
kill may lose a change that was acknowledged, or leave an atomic request carried out in part. The
change feeds, the queries and `doctor` must agree with the clients.

    python3 outages.py [--kills N] [--outages N] [--unsafe]

Only processes are killed, not the machine. So this finds servers that acknowledge too early, and a
database that commits too late, but not disks that lose data.
"""

import contextlib
import http.client
import json
import pathlib
import random
import signal
import sys
import threading
import time

from cluster import Cluster
from follower import FeedFollower
from load import ACCOUNTS, DEFAULT, Connection, Faults, Refusal, add_accounts, kill_options
from postgresql import PostgreSQL
from writer import Writer

SERVERS = 3
# A wait that takes longer is a fault.
WAIT_SECONDS = 60
# The probability that a client changes to another server, as behind a load balancer.
CHANGE_OF_SERVER = 0.05
# The states of the database. Requests at the time of a change may succeed or not.
UP, CHANGING, AWAY = "up", "changing", "away"


class WatchedConnection(Connection):
    """A connection whose answers have to fit the state of the database."""

    def __init__(self, load, server):
        super().__init__(server)
        self.load, self.lifetime = load, load.lifetimes[server]

    def may_fail(self):
        """Whether the server was not running all the time since this connection was made."""
        return self.lifetime is None or self.lifetime != self.load.lifetimes[self.server]

    def call(self, route, body, token):
        before, start = self.load.state, time.monotonic()
        refusal = None
        try:
            return super().call(route, body, token)
        except Refusal as exception:
            refusal = exception
            raise
        except (OSError, http.client.HTTPException):
            # The server ended the connection, so the state of the database does not matter.
            before = None
            raise
        finally:
            if before is not None:
                self.load.judge(self, before, refusal, time.monotonic() - start)


class Load:
    """Lets clients work at several servers until it is paused."""

    def __init__(self, servers, faults, seed):
        self.servers, self.faults, self.seed = servers, faults, seed
        self.condition = threading.Condition()
        self.is_paused, self.is_finished, self.working = True, False, 0
        # How often each server was started; None while it is killed or not ready.
        self.lifetimes = dict.fromkeys(servers, 1)
        # The state of the database, and how often it has changed.
        self.state = (UP, 0)
        # The clients that were answered since the state changed: refused, and not refused.
        self.refused, self.served = set(), set()
        self.refusals, self.slowest_refusal = 0, 0.0
        # Acknowledged changes, by server.
        self.acknowledged = dict.fromkeys(servers, 0)

    # Clients

    def run(self, client, number):
        rng = random.Random(f"{self.seed} client {number}")
        while self.may_work():
            try:
                if client.connection is None or rng.random() < CHANGE_OF_SERVER:
                    self.disconnect(client)
                    client.connection = WatchedConnection(self, rng.choice(self.servers))
                client.begin()
                client.work()
                self.note(client, self.served)
            except (OSError, http.client.HTTPException) as error:
                if not client.connection.may_fail():
                    self.faults.add(f"a connection failed while its server was running: {error!r}")
                self.disconnect(client)
            except Refusal:
                self.note(client, self.refused)
                self.wait_for_database()
            except Exception as error:
                self.faults.add(f"{client.account.name}: {error!r}")
                self.disconnect(client)
            finally:
                with self.condition:
                    self.working -= 1
                    self.condition.notify_all()
        self.disconnect(client)

    def may_work(self):
        """Waits while the load is paused; returns whether there is more to do."""
        with self.condition:
            self.condition.wait_for(lambda: self.is_finished or not self.is_paused)
            self.working += not self.is_finished
            return not self.is_finished

    def disconnect(self, client):
        if client.connection:
            client.connection.close()
        client.connection = None

    def note(self, client, clients):
        with self.condition:
            clients.add(client)
            self.condition.notify_all()

    def wait_for_database(self):
        """Waits until the state of the database changes, but not for long."""
        with self.condition:
            before = self.state
            self.condition.wait_for(lambda: self.state != before, timeout=0.05)

    def acknowledge(self, writer, count):
        with self.condition:
            self.acknowledged[writer.connection.server] += count
            self.condition.notify_all()

    def judge(self, connection, before, refusal, seconds):
        """Checks an answer. `before` is the state of the database when the request was sent."""
        if refusal:
            code, wait = (refusal.response.get(key) for key in ("serverErrorCode", "retryAfter"))
            if (refusal.status, code) != (503, "TRY_AGAIN_LATER") or not wait:
                self.faults.add(f"answered while the database was {before[0]}: {refusal}")
            with self.condition:
                self.refusals += 1
                self.slowest_refusal = max(self.slowest_refusal, seconds)
        # If the state has changed meanwhile, the answer may be a success or a refusal.
        expected = {UP: False, AWAY: True}.get(before[0])
        is_refused = refusal is not None
        if self.state == before and expected is not None and is_refused != expected:
            self.faults.add(f"the database was {before[0]}: {refusal or 'a success'}")

    # Control

    def change_state(self, name):
        with self.condition:
            self.state = (name, self.state[1] + 1)
            self.refused, self.served = set(), set()
            self.condition.notify_all()

    def wait(self, description, condition):
        """Waits for a condition, or for a fault."""
        with self.condition:
            if not self.condition.wait_for(
                lambda: condition() or bool(self.faults.found), timeout=WAIT_SECONDS
            ):
                self.faults.add(f"not within {WAIT_SECONDS} s: {description}")

    def resume(self):
        with self.condition:
            self.is_paused = False
            self.condition.notify_all()

    def pause(self):
        with self.condition:
            self.is_paused = True
        self.wait("every client pauses", lambda: self.working == 0)

    def finish(self):
        with self.condition:
            self.is_finished = True
            self.condition.notify_all()


def kill_server(load, rng, longest):
    """Kills a server, and starts it again after the others have acknowledged changes."""
    server = rng.choice(load.servers)
    before = dict(load.acknowledged)
    load.wait("the server acknowledges", lambda: load.acknowledged[server] > before[server])
    with load.condition:
        # A random time, as other threads write.
        load.condition.wait_for(lambda: bool(load.faults.found), timeout=rng.uniform(0, longest))
        lifetime, load.lifetimes[server] = load.lifetimes[server], None
    if server.process.poll() is not None:
        load.faults.add(f"a server had exited: {server.process.returncode}")
    server.kill()
    before = dict(load.acknowledged)
    load.wait(
        "the other servers acknowledge",
        lambda: all(
            load.acknowledged[other] > before[other] for other in load.servers if other != server
        ),
    )
    server.start(server.port)
    with load.condition:
        load.lifetimes[server] = lifetime + 1


def kill_database(load, database, token, clients, number):
    """Kills PostgreSQL, and starts it again after every client and every server has refused."""
    load.change_state(CHANGING)
    database.kill(number)
    load.change_state(AWAY)
    for server in load.servers:
        connection = WatchedConnection(load, server)
        for route, body in (
            ("records/lookup", {"records": [{"recordName": "counter"}]}),
            ("records/modify", {"operations": []}),
            ("changes/zone", {"zones": [{"zoneID": {"zoneName": DEFAULT}}]}),
        ):
            # `judge` checks the answers.
            with contextlib.suppress(Refusal):
                connection.call(route, body, token)
        connection.close()
    load.wait("every client is refused", lambda: load.refused >= clients)
    load.change_state(CHANGING)
    database.start()
    load.change_state(UP)
    load.wait("every client is served", lambda: load.served >= clients)


def check(load, writers, followers, rng):
    """Runs all checks while the load is paused."""
    for client in (*writers, *followers):
        client.connection = WatchedConnection(load, rng.choice(load.servers))
    for writer in writers:
        writer.begin()
    for writer in writers:
        writer.check_records()
    for follower in followers:
        follower.check([writer for writer in writers if writer.account is follower.account])
    for client in (*writers, *followers):
        load.disconnect(client)
    for finding in json.loads(load.servers[0].command("doctor", "--json")):
        if not finding["ok"]:
            load.faults.add(f"doctor: {finding}")


def main():
    options = kill_options(__doc__, 20_261_127)
    options.add_argument("--outages", type=int, default=20)
    options.add_argument(
        "--unsafe",
        action="store_true",
        help="have PostgreSQL commit before the log is on the disk: the checks must find that",
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    start_time = time.monotonic()
    faults = Faults()
    # Outages of the database are spread evenly between the kills of servers.
    events = sorted(
        [(number / options.kills, "server") for number in range(options.kills)]
        + [((number + 0.5) / options.outages, "database") for number in range(options.outages)]
    )
    settings = ["fsync=on", f"synchronous_commit={'off' if options.unsafe else 'on'}"]
    if options.unsafe:
        settings.append("wal_writer_delay=10s")
    with PostgreSQL(*settings) as database:
        log = pathlib.Path(database.directory, "service-log")
        with Cluster(SERVERS, variables=database.variables, log=log) as cluster:
            load = Load(cluster.servers, faults, options.seed)
            accounts = add_accounts(cluster)
            writers = [
                Writer(accounts[name], number, options.seed, faults, load.acknowledge)
                for number, name in enumerate(ACCOUNTS)
            ]
            followers = [
                FeedFollower(account, options.seed, faults) for account in accounts.values()
            ]
            clients = [*writers, *followers]
            threads = [
                threading.Thread(target=load.run, args=(client, number), daemon=True)
                for number, client in enumerate(clients)
            ]
            for thread in threads:
                thread.start()
            load.resume()
            checks, counts = 0, {"server": 0, "database": 0}
            for position, (_, kind) in enumerate(events, 1):
                counts[kind] += 1
                if kind == "server":
                    kill_server(load, rng, options.longest)
                else:
                    signals = (signal.SIGKILL, signal.SIGQUIT)
                    number = signals[counts[kind] % 2]
                    kill_database(load, database, accounts["a"].token, set(clients), number)
                for description in cluster.ended():
                    faults.add(description)
                if position % options.every == 0 or position == len(events):
                    load.pause()
                    # After a fault, clients may not have paused.
                    if not faults.found:
                        check(load, writers, followers, rng)
                        checks += 1
                    load.resume()
                if faults.found:
                    break
            load.finish()
            for thread in threads:
                thread.join(WAIT_SECONDS)
    carried_out, lost = (
        sum(getattr(writer, key) for writer in writers)
        for key in ("carried_out_count", "lost_count")
    )
    print(
        f"{counts['server']} kills of a server and {counts['database']} of PostgreSQL, "
        f"{checks} full checks; {sum(writer.requests for writer in writers)} requests, "
        f"{sum(load.acknowledged.values())} changes acknowledged; "
        f"of the requests without a success {carried_out} were carried out and {lost} were not; "
        f"{load.refusals} answers TRY_AGAIN_LATER, the slowest after {load.slowest_refusal:.2f} s; "
        f"{sum(follower.pages for follower in followers)} pages of feeds; "
        f"{time.monotonic() - start_time:.0f} s; {len(faults.found)} faults"
    )
    sys.exit(1 if faults.found else 0)


if __name__ == "__main__":
    main()
