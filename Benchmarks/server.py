"""Measures record-service beside Kinto, and prints tables: record-service on SQLite beside Kinto,
which keeps its records in memory; both on one PostgreSQL server, beside the service's statements in
pgbench; and the cost of one change with few and with many stored records.

$RECORD_SERVICE_BINARY names the program. Both servers get the same records and the same requests
in turn: in each round first the one and then the other server does each task. Pages and batches
are requested by one client, single records by several at once.
"""

import argparse
import contextlib
import copy
import multiprocessing
import pathlib
import random
import sys
import time
from statistics import median

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Tests/ServiceTests"))
import pgbench
import postgresql
import stored
from servers import PAGE, Client, Kinto, RecordService, processor_time

ROUNDS = 5
BATCHES = 10  # of a round, PAGE records each
SINGLES = 400  # of a round, by all clients together
CLIENTS = 4
PAGES = 10  # of a round, for each kind of query
KINDS = 10
# The tasks, the units of their rates, and the least ratio of our rate to Kinto's.
TASKS = {
    "batch upload": ("records/s", 10),
    "download": ("records/s", 1),
    "filtered and sorted page of 200": ("pages/s", 10),
    "sorted page of 200": ("pages/s", None),
    "look-up of one record": ("requests/s", None),
    "change of one record": ("requests/s", 8),
}
# The bounds beside the service's statements in pgbench: the least share of their rate for single
# requests, which all clients make at once, and the least rate for the other tasks.
SHARES = {"look-up of one record": 0.3, "change of one record": 0.6}
LEAST = {"batch upload": 10_000, "sorted page of 200": 500}
SAMPLES = 20  # of the single requests whose statements pgbench runs
# PostgreSQL's defaults for the settings that the tests change.
SETTINGS = ("fsync=on", "autovacuum=on", "shared_buffers=128MB")
# Settings without the log of changes for replicas, and without a vacuum during a measurement.
FILLED = (*SETTINGS[:1], *SETTINGS[2:], "wal_level=minimal", "max_wal_senders=0")
RECORDS_EACH = 1_000  # of an account where many records are stored
WORDS = ["sáng", "chiều", "đọc", "lại", "một", "trang", "rồi", "ghi", "chép", "điều", "vừa", "học"]


def notes(number, generator):
    """The notes of a round: the same for both servers."""
    places = list(range(number * PAGE * BATCHES, (number + 1) * PAGE * BATCHES))
    generator.shuffle(places)
    return [
        {
            "title": " ".join(generator.choices(WORDS, k=5)),
            "text": " ".join(generator.choices(WORDS, k=25)),
            "kind": f"kind {generator.randrange(KINDS)}",
            "place": place,
            "editedAt": 1_764_000_000_000 + generator.randrange(10**9),
        }
        for place in places
    ]


class Readings:
    """The measurements of one server and one task, one value for each round."""

    def __init__(self):
        self.rates, self.processor, self.bytes = [], [], []

    def measure(self, server, work):
        """Does the work, and measures it. The work returns the number of things, and the seconds
        that they took; None stands for the seconds of the client."""
        client = server.client
        client.seconds = client.bytes = 0
        before = processor_time(server.pids)
        count, seconds = work(server)
        self.processor.append((processor_time(server.pids) - before) / count)
        self.rates.append(count / (seconds or client.seconds))
        self.bytes.append(client.bytes / count)


def at_once(server, items, work):
    """Lets several clients share the work, each in a process of its own."""
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(CLIENTS + 1), context.SimpleQueue()

    def run(share):
        other = copy.copy(server)
        other.client = Client(server.client.port, server.client.headers)
        work(other, share[0])  # connects, and warms up
        other.client.bytes = 0
        start.wait()
        for item in share:
            work(other, item)
        results.put(other.client.bytes)

    shares = [items[number::CLIENTS] for number in range(CLIENTS)]
    processes = [context.Process(target=run, args=(share,)) for share in shares]
    for process in processes:
        process.start()
    start.wait()
    begin = time.perf_counter()
    server.client.bytes = sum(results.get() for _ in processes)
    seconds = time.perf_counter() - begin
    for process in processes:
        process.join()
    return len(items), seconds


def upload(server, named):
    for start in range(0, len(named), PAGE):
        server.upload(named[start : start + PAGE])
    return len(named), None


def pages(server, expected):
    for kind, places in expected:
        found = server.page(kind)
        assert found == places, (kind, found[:5], places[:5])
    return len(expected), None


def measure_all(servers, rounds, after_round=lambda number: None):
    generator = random.Random(7)
    readings = {task: [Readings() for _ in servers] for task in TASKS}
    notes_of = {}
    for number in range(rounds + 1):
        batch = {f"note-{note['place']:06}": note for note in notes(number, generator)}
        notes_of |= batch
        named = list(batch.items())
        names = generator.sample(sorted(notes_of), SINGLES)
        changed = [(name, {**notes_of[name], "title": f"{number}"}) for name in names]
        places = sorted(note["place"] for note in notes_of.values())
        of_kinds = [
            (
                kind,
                sorted(note["place"] for note in notes_of.values() if note["kind"] == kind)[:PAGE],
            )
            for kind in (f"kind {number % KINDS}" for number in range(PAGES))
        ]
        tasks = {
            "batch upload": lambda server: upload(server, named),
            "download": lambda server: (server.download(), None),
            "filtered and sorted page of 200": lambda server: pages(server, of_kinds),
            "sorted page of 200": lambda server: pages(server, [(None, places[:PAGE])] * PAGES),
            "look-up of one record": lambda server: at_once(
                server, names, lambda server, name: server.look_up(name)
            ),
            "change of one record": lambda server: at_once(
                server, changed, lambda server, item: server.change(*item)
            ),
        }
        for task, work in tasks.items():
            for server, values in list(zip(servers, readings[task]))[:: 1 if number % 2 else -1]:
                # The first round warms both up.
                (values if number else Readings()).measure(server, work)
        notes_of |= dict(changed)
        after_round(number)
        print(f"round {number} of {rounds}: {len(notes_of)} records", file=sys.stderr)
    return readings


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def verdict(value, bound):
    return "" if bound is None else "holds" if value >= bound else "**exceeded**"


def compared(task, readings):
    """The cells of a task beside Kinto, its processor times, and whether it misses its bound."""
    unit, bound = TASKS[task]
    ours, theirs = readings[task]
    ratio = median(ours.rates) / median(theirs.rates)
    cells = [
        f"{task} ({unit})",
        figure(median(ours.rates)),
        figure(median(theirs.rates)),
        f"{ratio:.1f} ×",
        "—" if bound is None else f"≥ {bound} ×",
        verdict(ratio, bound),
    ]
    costs = f"{median(ours.processor) * 1e6:,.0f} / {median(theirs.processor) * 1e6:,.0f}"
    return cells, costs, bound is not None and ratio < bound


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(readings):
    heading = ["", "record-service", "Kinto, in memory", "ratio", "bound", ""]
    heading += ["processor time, ours / Kinto's (µs)", "bytes, ours / Kinto's"]
    lines = [row(heading), row(["---"] * len(heading))]
    missed = 0
    for task in TASKS:
        cells, costs, is_missed = compared(task, readings)
        ours, theirs = readings[task]
        sizes = f"{median(ours.bytes):,.0f} / {median(theirs.bytes):,.0f}"
        lines.append(row([*cells, costs, sizes]))
        missed += is_missed
    return "\n".join(lines), missed


def postgresql_table(readings, raw, on_sqlite):
    """The table of the servers on PostgreSQL.

    - raw: the rates of pgbench, by task.
    - on_sqlite: the readings of the first table.
    """
    heading = ["on PostgreSQL", "record-service", "Kinto", "ratio", "bound", ""]
    heading += ["its statements in pgbench", "share", "bound", "", "record-service on SQLite"]
    heading += ["processor time with PostgreSQL's, ours / Kinto's (µs)"]
    lines = [row(heading), row(["---"] * len(heading))]
    missed = 0
    for task in TASKS:
        cells, costs, is_missed = compared(task, readings)
        rate, beside = median(readings[task][0].rates), ["—", "—", "—", ""]
        if task in raw:
            each = PAGE if task == "batch upload" else 1
            alone = median(raw[task]) * each
            share, least = SHARES.get(task), LEAST.get(task)
            is_missed += rate < least if share is None else rate / alone < share
            beside = [
                figure(alone),
                f"{rate / alone:.0%}",
                f"≥ {least:,} a second" if share is None else f"≥ {share:.0%}",
                verdict(rate, least) if share is None else verdict(rate / alone, share),
            ]
        lines.append(row([*cells, *beside, figure(median(on_sqlite[task][0].rates)), costs]))
        missed += is_missed
    return "\n".join(lines), missed


def captured(database, server):
    """Captures the tasks for pgbench, with an account that has the notes of the first round."""
    generator = random.Random(7)
    named = [(f"note-{note['place']:06}", note) for note in notes(0, generator)]
    fresh = [(f"new-{note['place']:06}", note) for note in notes(1, generator)[:PAGE]]
    own = copy.copy(server)
    own.add_user("pgbench")
    upload(own, named)
    bench = pgbench.Pgbench(database, "pgbench")
    sample = generator.sample(named, SAMPLES)
    user = postgresql.USER
    database.sql(f"ALTER USER {user} SET log_statement = 'all'")
    with own.second_process() as logged:
        # The first request also reads the schema.
        logged.change(*sample[0])
        logged.page(None)
        bench.wait_until_quiet()
        for task, clients, requests in (
            ("look-up of one record", CLIENTS, [lambda n=n: logged.look_up(n) for n, _ in sample]),
            ("change of one record", CLIENTS, [lambda i=i: logged.change(*i) for i in sample]),
            ("sorted page of 200", 1, [lambda: logged.page(None)]),
            ("batch upload", 1, [lambda: logged.upload(fresh)]),
        ):
            bench.capture(task, requests, clients, {name for name, _ in fresh})
    database.sql(f"ALTER USER {user} RESET log_statement")
    return bench


def measure_postgresql(options, on_sqlite):
    """Measures both servers on one PostgreSQL server; returns a text and how many bounds are
    exceeded."""
    bench = None

    def after_round(number):
        nonlocal bench
        if number == 0:
            bench = captured(database, servers[0])
        else:
            bench.run_all()

    with postgresql.PostgreSQL(*SETTINGS) as database, contextlib.ExitStack() as stack:
        # Kinto is started first: the service closes a connection that is idle while Kinto starts.
        kinto = Kinto(stack, options.kinto, database)
        servers = [RecordService(stack, database), kinto]
        readings = measure_all(servers, options.rounds, after_round)
        version = database.sql("SHOW server_version")
    text, missed = postgresql_table(readings, bench.rates, on_sqlite)
    shapes = "; ".join(
        f"{task} {count:,} in {transactions}"
        for task in bench.scripts
        for count, transactions in [bench.shape(task)]
    )
    text += f"\n\nPostgreSQL {version}, with fsync. Medians of {options.rounds} rounds."
    return f"{text} Statements and transactions of a request: {shapes}.", missed


def filled(stack, owners, each):
    """A service on PostgreSQL with the records of many accounts; `sample` has tokens of some."""
    database = stack.enter_context(postgresql.PostgreSQL(*FILLED))
    server = RecordService(stack, database)
    server.database, server.stored = database, owners * each
    server.seconds = stored.fill(database, owners, each)
    numbers = random.Random(7).sample(range(1, owners + 1), stored.OWNERS)
    server.sample = [server.server.sign_in(f"account-{number}") for number in numbers]
    server.client = Client(server.server.port, {})
    # The records must be the same as if the service had saved them.
    server.token = server.sample[0]
    assert server.page(None) == list(range(min(each, PAGE)))
    assert server.download() == each
    sizes = [
        int(database.sql(f"SELECT {'+'.join(f'pg_total_relation_size({t!r})' for t in tables)}"))
        for tables in (("record", "entry"), ("account", "owner", "zone", "history", "usage"))
    ]
    server.sizes = sizes[0] / server.stored, sizes[1] / owners
    print(f"{server.stored:,} records filled in, {server.seconds:.0f} s", file=sys.stderr)
    return server


def measure_cost_of_change(options):
    """Measures the cost of one change with few and with many stored records, in accounts that are
    drawn at random; returns a text."""
    generator = random.Random(7)

    def draw(each):
        note = notes(0, generator)[0]
        place = generator.randrange(each)
        note |= {"place": place, "kind": f"kind {place % KINDS}"}
        return f"note-{place:06}", note

    def change(server, item):
        server.token, (name, note) = item
        server.change(name, note)

    def look_up(server, item):
        server.token, (name, _) = item
        server.look_up(name)

    with contextlib.ExitStack() as stack:
        few = filled(stack, stored.OWNERS, RECORDS_EACH // stored.OWNERS)
        many = filled(stack, options.stored // RECORDS_EACH, RECORDS_EACH)
        servers = [few, many]
        tasks = {"change of one record": change, "look-up of one record": look_up}
        readings = {task: [Readings() for _ in servers] for task in tasks}
        for number in range(options.rounds + 1):
            for task, work in tasks.items():
                for server, values in list(zip(servers, readings[task]))[
                    :: 1 if number % 2 else -1
                ]:
                    each = RECORDS_EACH // (stored.OWNERS if server is few else 1)
                    items = [(generator.choice(server.sample), draw(each)) for _ in range(SINGLES)]
                    (values if number else Readings()).measure(
                        server, lambda server: at_once(server, items, work)
                    )
        few.server.stop()
        with pgbench.written(few.database) as writes, few.second_process() as other:
            for _ in range(SINGLES):
                change(other, (few.sample[0], draw(RECORDS_EACH // stored.OWNERS)))
    heading = ["records stored", f"{few.stored:,}", f"{many.stored:,}", "ratio"]
    lines = [row(heading), row(["---"] * len(heading))]
    for task in tasks:
        for unit, values in (
            ("requests/s", [median(one.rates) for one in readings[task]]),
            (
                "processor time with PostgreSQL's, µs",
                [median(one.processor) * 1e6 for one in readings[task]],
            ),
        ):
            ratio = f"{values[1] / values[0]:.2f} ×"
            lines.append(row([f"{task} ({unit})", *map(figure, values), ratio]))
    flushes = writes["wal_sync"] / SINGLES
    return "\n".join(lines) + (
        f"\n\nIt took {many.seconds:.0f} s to fill in {many.stored:,} records of"
        f" {many.stored // RECORDS_EACH:,} accounts. In the tables and their indexes a record has"
        f" {many.sizes[0]:,.0f} bytes, an account {many.sizes[1]:,.0f} besides. A change writes"
        f" {writes['wal_bytes'] / SINGLES:,.0f} bytes of PostgreSQL's log of changes, which is"
        f" flushed {flushes:.2f} times for each."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinto", required=True, help="the program kinto")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bound is exceeded")
    parser.add_argument(
        "--stored",
        type=int,
        default=10_000_000,
        help=f"how many records are stored when one is changed, in thousands; 0 leaves that out, "
        f"else at least {stored.OWNERS * RECORDS_EACH:,} (default: %(default)s)",
    )
    options = parser.parse_args()
    if options.stored and options.stored < stored.OWNERS * RECORDS_EACH:
        parser.error("--stored is too small")
    with contextlib.ExitStack() as stack:
        # Kinto is started first: the service closes a connection that is idle while Kinto starts.
        kinto = Kinto(stack, options.kinto)
        servers = [RecordService(stack), kinto]
        readings = measure_all(servers, options.rounds)
        compressed = servers[0].download_compressed()
    text, missed = table(readings)
    print(text)
    print(
        f"\nMedians of {options.rounds} rounds. Bytes are those of bodies, for each record, page "
        f"or request; with gzip a downloaded record has {compressed:.0f}."
    )
    if postgresql.programs() is None:
        print("\nNot measured: PostgreSQL is not installed.")
    else:
        text, missed_there = measure_postgresql(options, readings)
        print(f"\n{text}", flush=True)
        missed += missed_there
        if options.stored:
            print(f"\n{measure_cost_of_change(options)}")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
