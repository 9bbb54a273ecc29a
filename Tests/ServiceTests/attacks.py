"""Attacks the service by one signed-in account, while an honest client works beside it.

Each attack runs in processes of its own at low priority. No request of the honest client may fail,
and with --times its 95th percentile must stay within the larger of 250 ms and five times the value
without an attack. The attacks:

- fan-out: an account with 100 subscriptions saves records as fast as it can, while 250 long polls
  of 25 sessions wait for the notifications.
- queries: twelve connections of an account with 19,000 records send queries with 100 filters. Every
  record passes all of them but the last. Half of the clients close the connection without waiting.
- writes: twenty connections of an account change records of 4 MB of JSON, as many in one request as
  the service allows.
- reads: twenty connections of an account look up such records and list them, with all expensive
  options.
"""

import argparse
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time

import service
from attackers import ROLES, note

SUBSCRIPTIONS = 100
SESSIONS = 25
# The maximum number of couriers of an account.
MAX_COURIERS = 20
POLLS = 250
BATCH = 200
RECORDS = 19_000
FILTERS = 100
CONNECTIONS = 12
# The attackers that change and read large records. A control character takes six bytes in JSON.
LARGE_RECORDS, LARGE_TEXT, LARGE_CONNECTIONS = 24, "\u0001" * 690_000, 20
# The p95 of the honest client is allowed to reach this, in seconds, or this multiple of the p95
# without an attack.
LIMIT_SECONDS, LIMIT_FACTOR = 0.250, 5


class HonestClient(threading.Thread):
    """Saves, looks up, queries and fetches changes, one request after the other."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self.server, self.token = server, token
        self.seconds, self.failures = [], []
        self.ending = threading.Event()

    def requests(self, number):
        yield "records/modify", {"operations": [note(f"n{number % 100}", f"note {number}")]}
        yield "records/lookup", {"records": [{"recordName": f"n{number % 100}"}]}
        yield (
            "records/query",
            {
                "query": {
                    "recordType": "AyahNote",
                    "filterBy": [
                        {
                            "comparator": "EQUALS",
                            "fieldName": "surahNumber",
                            "fieldValue": {"value": 2},
                        }
                    ],
                }
            },
        )
        yield "changes/zone", {"zones": [{"zoneID": {"zoneName": "_defaultZone"}}]}

    def run(self):
        number = 0
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        while not self.ending.is_set():
            for route, body in self.requests(number):
                start = time.monotonic()
                try:
                    status, response = self.server.call(
                        route, body, self.token, connection=connection
                    )
                    if status != 200 or "serverErrorCode" in json.dumps(response):
                        self.failures.append((route, status, response))
                except (OSError, http.client.HTTPException, ValueError) as error:
                    self.failures.append((route, repr(error), None))
                    connection.close()
                self.seconds.append(time.monotonic() - start)
            number += 1
            self.ending.wait(0.02)
        connection.close()

    def end(self):
        self.ending.set()
        self.join()

    @property
    def p50(self):
        return statistics.median(self.seconds)

    @property
    def p95(self):
        return sorted(self.seconds)[int(len(self.seconds) * 0.95)]

    def summary(self):
        return (
            f"{len(self.seconds)} requests, p50 {self.p50 * 1000:.1f} ms, "
            f"p95 {self.p95 * 1000:.1f} ms, worst {max(self.seconds) * 1000:.0f} ms, "
            f"{len(self.failures)} failed"
        )


# MARK: The attackers, in processes of their own


def attack():
    """Carries out the plans on standard input until SIGTERM, and then prints the counts."""
    all_counts = []
    for plan in json.load(sys.stdin):
        counts = {}
        all_counts.append((plan["role"], counts))
        threading.Thread(target=ROLES[plan["role"]], args=(plan, counts), daemon=True).start()
    signal.sigwait({signal.SIGTERM})
    total = {}
    for role, counts in all_counts:
        for key, value in list(counts.items()):
            total[f"{role} {key}"] = total.get(f"{role} {key}", 0) + value
    print(json.dumps(total), flush=True)
    os._exit(0)


class Attack:
    """A group of attacking processes."""

    def __init__(self, *groups):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        self.processes = []
        for plans in groups:
            process = subprocess.Popen(
                ["nice", "-n", "19", sys.executable, __file__, "--attacker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            process.stdin.write(json.dumps(plans))
            process.stdin.close()
            self.processes.append(process)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def end(self):
        """Ends the attack; returns the attackers' counts of their answers."""
        total = {}
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            for key, value in json.loads(process.stdout.read() or "{}").items():
                total[key] = total.get(key, 0) + value
            process.stdout.close()
            process.wait()
        return dict(sorted(total.items()))


# MARK: Preparing the attacks


def prepare_fan_out(server):
    """Makes subscriptions and couriers; returns the plans of the attackers."""
    token = server.add_user("fan-out")
    operations = [
        {
            "operationType": "create",
            "subscription": {
                "subscriptionID": f"s{number}",
                "subscriptionType": "query",
                "firesOn": ["create", "update", "delete"],
                "query": {"recordType": "AyahNote"},
                "notificationInfo": {"alertBody": "x" * 400, "soundName": "default"},
            },
        }
        for number in range(SUBSCRIPTIONS)
    ]
    status, response = server.call("subscriptions/modify", {"operations": operations}, token)
    assert status == 200 and "serverErrorCode" not in json.dumps(response), response
    couriers = []
    for _ in range(SESSIONS):
        session = server.sign_in("fan-out")
        couriers += [server.courier(session) for _ in range(POLLS // SESSIONS)]
    where = {"host": server.host, "port": server.port}
    path = server.path("records/modify", token)
    return [
        [{"role": "poll", "couriers": couriers, **where}],
        [
            {"role": "save", "path": path, "batch": 1, **where},
            {"role": "save", "path": path, "batch": BATCH, **where},
        ],
    ]


def load(server, token, records):
    """Saves favourites, as fast as the service allows."""
    for first in range(0, records, BATCH):
        operations = []
        for number in range(first, min(first + BATCH, records)):
            record = service.favorite_record("q", number % 114 + 1, number)
            operations.append({"operationType": "forceReplace", "record": record})
        while True:
            status, response = server.call("records/modify", {"operations": operations}, token)
            if status != 429:
                break
            time.sleep(response["retryAfter"])
        assert status == 200, response


def expensive_query():
    """A query with as many filters as are allowed, of which only the last excludes records."""

    def filter(comparator, value, type):
        return {
            "comparator": comparator,
            "fieldName": "surahNumber",
            "fieldValue": {"value": value, "type": type},
        }

    filters = [filter("NOT_EQUALS", 1000 + number, "INT64") for number in range(FILTERS - 1)]
    filters.append(filter("NOT_IN", list(range(1, 115)), "INT64_LIST"))
    return {"query": {"recordType": "FavoriteAyah", "filterBy": filters}}


def prepare_queries(server, records):
    token = server.add_user("queries")
    load(server, token, records)
    # A restart resets the request allowance of the account.
    port = server.port
    server.stop()
    server.start(port)
    plan = {
        "role": "query",
        "path": server.path("records/query", token),
        "body": expensive_query(),
        "host": server.host,
        "port": server.port,
    }
    return [[{**plan, "waits": number % 2 == 0} for number in range(CONNECTIONS)]]


def add_large_records(server, name):
    """Adds an account with large records; returns its token."""
    token = server.add_user(name)
    for number in range(LARGE_RECORDS):
        operations = [note(f"r{number}", LARGE_TEXT)]
        status, response = server.call(
            "records/modify", {"operations": operations, "desiredKeys": []}, token
        )
        assert status == 200 and "serverErrorCode" not in json.dumps(response), response
    return token


def plan_repetitions(server, role, token, requests):
    """The plans of attackers who send these requests: their routes, bodies and headers."""
    plans = []
    for number in range(LARGE_CONNECTIONS):
        route, body, headers = requests[number % len(requests)]
        plans.append(
            {
                "role": role,
                "path": server.path(route, token),
                "body": body,
                "headers": headers,
                "host": server.host,
                "port": server.port,
            }
        )
    return [plans]


def prepare_writes(server):
    token = add_large_records(server, "writes")
    operations = []
    for number in range(LARGE_RECORDS):
        operation = note(f"r{number}", "")
        operation["record"]["fields"] = {"surahNumber": {"value": 3}}
        operations.append(operation)
    body = {"operations": operations, "atomic": False, "desiredKeys": []}
    return plan_repetitions(server, "write", token, [("records/modify", body, {})])


def prepare_reads(server):
    token = add_large_records(server, "reads")
    names = [{"recordName": f"r{number}"} for number in range(LARGE_RECORDS)]
    zones = [{"zoneID": {"zoneName": "_defaultZone"}}]
    requests = []
    for options in ({}, {"desiredKeys": ["surahNumber"]}, {"numbersAsStrings": True}):
        for headers in ({}, {"Accept-Encoding": "gzip"}):
            requests.append(("records/lookup", {"records": names, **options}, headers))
            requests.append(("changes/zone", {"zones": zones, **options}, headers))
    return plan_repetitions(server, "read", token, requests)


# MARK: Running


def processor_seconds(server):
    """The processor time that the server has used, in seconds."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def becomes_idle(server):
    """Whether the server becomes idle after its clients have gone. It first carries out the writes
    that it has received, which takes long on a busy machine.
    """

    def is_idle():
        before = processor_seconds(server)
        time.sleep(0.5)
        return processor_seconds(server) - before < 0.1

    return service.wait_until(is_idle, 60)


def run_attack(name, prepare, options, checks):
    with service.Service() as server:
        honest_token = server.add_user("honest")
        plans = prepare(server)
        for first in range(0, 100, BATCH):
            operations = [note(f"n{index}", "x") for index in range(first, 100)]
            server.call("records/modify", {"operations": operations}, honest_token)
        idle = HonestClient(server, honest_token)
        idle.start()
        time.sleep(max(3.0, options.seconds / 3))
        idle.end()
        attack = Attack(*plans)
        honest = HonestClient(server, honest_token)
        honest.start()
        time.sleep(options.seconds)
        before = processor_seconds(server)
        honest.end()
        counts = attack.end()
        print(f"{name}: without an attack: {idle.summary()}")
        print(f"{name}: attacked: {honest.summary()}")
        print(
            f"{name}: answers to the attackers: {counts}; {before:.1f} s of processor", flush=True
        )
        checks.equal(f"{name}: no failure without an attack", idle.failures[:3], [])
        checks.equal(f"{name}: no failure of the honest client", honest.failures[:3], [])
        checks.that(
            f"{name}: the attackers get no other answers than successes and refusals",
            all(key.split()[1] in ("200", "404", "429", "abandoned") for key in counts),
            counts,
        )
        checks.that(f"{name}: the server becomes idle after the attack", becomes_idle(server))
        if options.times:
            limit = max(LIMIT_SECONDS, LIMIT_FACTOR * idle.p95)
            checks.that(
                f"{name}: the p95 of the honest client is within {limit * 1000:.0f} ms",
                honest.p95 <= limit,
                honest.p95,
            )
        return counts


def fan_out(options, checks):
    counts = run_attack("fan-out", prepare_fan_out, options, checks)
    refused = counts.get("poll 404", 0)
    checks.that(
        f"fan-out: all but {MAX_COURIERS} couriers gave way",
        refused == POLLS - MAX_COURIERS,
        counts,
    )
    checks.that("fan-out: notifications arrive", counts.get("poll 200", 0) > 0, counts)
    if options.times:
        checks.that("fan-out: the account is throttled", counts.get("save 429", 0) > 0, counts)


def queries(options, checks):
    counts = run_attack(
        "queries", lambda server: prepare_queries(server, options.records), options, checks
    )
    checks.that("queries: pages end early", counts.get("query 200 with marker", 0) > 0, counts)
    if options.times:
        checks.that("queries: the account is throttled", counts.get("query 429", 0) > 0, counts)


def writes(options, checks):
    counts = run_attack("writes", prepare_writes, options, checks)
    checks.that("writes: records are changed", counts.get("write 200", 0) > 0, counts)


def reads(options, checks):
    counts = run_attack("reads", prepare_reads, options, checks)
    checks.that("reads: records are read", counts.get("read 200", 0) > 0, counts)
    checks.equal("reads: a client that reads much is not refused", counts.get("read 429", 0), 0)


ATTACKS = {"fan-out": fan_out, "queries": queries, "writes": writes, "reads": reads}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="how long each attack takes")
    parser.add_argument("--records", type=int, default=RECORDS, help="what the queries look at")
    parser.add_argument("--times", action="store_true", help="check the honest client's p95")
    parser.add_argument("--attacker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of {', '.join(ATTACKS)}")
    options = parser.parse_args()
    if options.attacker:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        return attack()
    checks = service.Checks()
    for name in options.attacks or ATTACKS:
        ATTACKS[name](options, checks)
    return checks.finish("attacks")


if __name__ == "__main__":
    main()
