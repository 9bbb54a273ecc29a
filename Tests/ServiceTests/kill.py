"""Kills the server repeatedly while many clients write, and checks that no data is lost.

Changes that were acknowledged must be there after every kill. Changes without a response may be
there or not, but an atomic request only completely or not at all. A client that follows the change
feed with tokens must end with the same records as one that lists everything. These checks find
servers that respond before a change is on the disk, that number changes in another order than they
commit them, or whose indexes can differ from the records.
"""

import http.client
import random
import subprocess
import sys
import threading
import time

import service
from follower import FeedFollower
from load import ACCOUNTS, Connection, Faults, add_accounts, kill_options
from writer import Writer

# The time limit for the first acknowledged change of a round.
ROUND_SECONDS = 30


class Rounds:
    """Starts and ends rounds: a round begins when the server is up, and ends when it is killed."""

    def __init__(self, server, faults):
        self.server, self.faults = server, faults
        self.condition = threading.Condition()
        self.round = 0
        self.is_finished = False
        self.is_killing = False
        self.active_clients = 0
        self.acknowledged = 0
        self.acknowledged_in_round = 0

    def enter(self, seen):
        """Waits for a round after `seen`; returns its number, or None if there are no more."""
        with self.condition:
            self.condition.wait_for(lambda: self.round > seen or self.is_finished)
            return None if self.is_finished else self.round

    def leave(self, error):
        """Reports that a client has ended its round because of an error."""
        with self.condition:
            self.active_clients -= 1
            if not self.is_killing:
                self.faults.add(f"a connection failed while the server was running: {error!r}")
            self.condition.notify_all()

    def acknowledge(self, _, count):
        with self.condition:
            self.acknowledged += count
            self.acknowledged_in_round += count
            self.condition.notify_all()

    def run(self, client):
        """Lets a client work in each round until its connection breaks."""
        seen = 0
        while (seen := self.enter(seen)) is not None:
            error = None
            client.connection = Connection(self.server)
            try:
                client.begin()
                while True:
                    client.work()
            except (OSError, http.client.HTTPException) as exception:
                error = exception
            except Exception as exception:
                error = exception
                self.faults.add(f"{client.account.name}: {exception!r}")
            client.connection.close()
            self.leave(error)


def interrupt_start(server, delay):
    """Kills a server while it is starting; returns whether it was still running."""
    process = server.open_process(subprocess.DEVNULL, "--port", str(server.port))
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        pass
    else:
        return False
    process.kill()
    process.wait()
    return True


def check(server, clients, writers, followers):
    """Runs the checks of all clients."""
    for client in clients:
        client.connection = Connection(server)
    for writer in writers:
        writer.check_records()
    for follower in followers:
        follower.check([writer for writer in writers if writer.account is follower.account])
    for client in clients:
        client.connection.close()


def main():
    options = kill_options(__doc__, 20_261_121)
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    start_time = time.monotonic()
    faults = Faults()
    server = service.Service()
    with server:
        rounds = Rounds(server, faults)
        accounts = add_accounts(server)
        writers = [
            Writer(accounts[name], number, options.seed, faults, rounds.acknowledge)
            for number, name in enumerate(ACCOUNTS)
        ]
        followers = [FeedFollower(account, options.seed, faults) for account in accounts.values()]
        clients = writers + followers
        for client in clients:
            threading.Thread(target=rounds.run, args=(client,), daemon=True).start()
        checks = interrupted = 0
        slowest = 0.0
        for number in range(1, options.kills + 1):
            with rounds.condition:
                rounds.acknowledged_in_round, rounds.is_killing = 0, False
                rounds.active_clients = len(clients)
                rounds.round += 1
                rounds.condition.notify_all()
                if not rounds.condition.wait_for(
                    lambda: rounds.acknowledged_in_round > 0, timeout=ROUND_SECONDS
                ):
                    faults.add(f"round {number}: nothing was acknowledged")
                # The server is killed at a random time, while other threads write.
                rounds.condition.wait_for(
                    lambda: bool(faults.found), timeout=rng.uniform(0, options.longest)
                )
                rounds.is_killing = True
            if server.process.poll() is not None:
                faults.add(f"round {number}: the server had exited: {server.process.returncode}")
            server.kill()
            with rounds.condition:
                if not rounds.condition.wait_for(
                    lambda: rounds.active_clients == 0, timeout=2 * ROUND_SECONDS
                ):
                    faults.add(f"round {number}: a client does not end its round")
            if number % 10 == 0:
                interrupted += interrupt_start(server, rng.uniform(0, 0.15))
            start_of_server = time.monotonic()
            server.start(server.port)
            slowest = max(slowest, time.monotonic() - start_of_server)
            if number % options.every == 0 or number == options.kills or faults.found:
                check(server, clients, writers, followers)
                checks += 1
            if faults.found:
                break
        with rounds.condition:
            rounds.is_finished = True
            rounds.condition.notify_all()
    carried_out, lost = (
        sum(getattr(writer, key) for writer in writers)
        for key in ("carried_out_count", "lost_count")
    )
    print(
        f"{number} kills and {interrupted} during a start, {checks} full checks; "
        f"{sum(writer.requests for writer in writers)} requests, "
        f"{rounds.acknowledged} changes acknowledged; "
        f"of the requests without a response {carried_out} were carried out and {lost} were not; "
        f"{sum(follower.pages for follower in followers)} pages of feeds; "
        f"slowest start {slowest:.2f} s; {time.monotonic() - start_time:.0f} s; "
        f"{len(faults.found)} faults"
    )
    sys.exit(1 if faults.found else 0)


if __name__ == "__main__":
    main()
