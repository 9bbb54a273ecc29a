"""Runs the statements of the service in pgbench, the benchmark program of PostgreSQL.

The statements are those that the service sends: it gets some requests with log_statement=all, and
each request becomes a script of the statements in PostgreSQL's log, with their arguments. A script
has the whole request, with the transaction that reads the session.
"""

import contextlib
import pathlib
import re
import time

# The sequence numbers of the captured account begin at a multiple of this, so they can be found
# among the arguments: those of the zone at the first multiple, those of the owner at the second.
NUMBERS = 1_000_000
FIRST_NUMBERS = {1: "zone", 2: "owner"}
SECONDS = 2  # of each run
ENTRY = re.compile(r"^\d{4}-\d\d-\d\d .*? \[(\d+)\] (\w+):  ", re.MULTILINE)
ARGUMENT = re.compile(r"\$(\d+) = ('(?:[^']|'')*'|NULL)")
# The statements that return the number that a zone or an owner has reached: before the transaction,
# or with the numbers that it takes.
READING = re.compile(r"SELECT [^()]*\bsequence\b[^()]*? FROM (owner|zone)\b")
TAKING = re.compile(r"UPDATE (owner|zone) SET sequence = sequence \+")


def logged_statements(text):
    """The statements in a part of PostgreSQL's log, each with its arguments as SQL literals.

    The service does not wait for the COMMIT of a transaction that has only read: it can be logged
    after the next transaction has begun, or after the response.
    """
    transactions, last = [], {}
    parts = ENTRY.split(text)[1:]
    for process, kind, entry in zip(parts[::3], parts[1::3], parts[2::3]):
        if kind == "LOG" and (match := re.match(r"(?:statement|execute [^:]*): (.*)", entry, re.S)):
            if match[1].startswith("BEGIN"):
                last[process] = []
                transactions.append(last[process])
            if process in last:
                last[process].append((match[1].strip(), {}))
        elif kind == "DETAIL" and entry.startswith("parameters: ") and process in last:
            last[process][-1][1].update(ARGUMENT.findall(entry))
    for statements in transactions:
        if statements[-1][0] not in ("COMMIT", "ROLLBACK"):
            statements.append(("COMMIT", {}))
    return [statement for statements in transactions for statement in statements]


def script(statements, new_names=()):
    """The script of a request. It can run again and again: sequence numbers follow those that its
    own statements return, and the names of the records that it creates contain such a number."""
    numbers = {"zone": set(), "owner": set()}

    def sequence_number(literal):
        """The table of a sequence number, and the number; None if the literal is another value."""
        number = int(literal.strip("'")) if literal.strip("'").isdigit() else 0
        table = FIRST_NUMBERS.get(number // NUMBERS)
        return table and (table, number)

    for _, arguments in statements:
        for literal in arguments.values():
            if found := sequence_number(literal):
                numbers[found[0]].add(found[1])
    taken = {match[1] for sql, _ in statements if (match := TAKING.match(sql))}
    returned = {
        table: max(values) if table in taken else min(values) - 1
        for table, values in numbers.items()
        if values
    }

    def argument(literal):
        if literal.strip("'") in new_names:
            return f"({literal[:-1]}-' || :zone_sequence)"
        if not (found := sequence_number(literal)):
            return literal
        table, number = found
        return f"(:{table}_sequence + {number - returned[table]})"

    lines = []
    for sql, arguments in statements:
        text = re.sub(r"\$(\d+)", lambda match: argument(arguments[match[1]]), sql)
        match = READING.match(text) or TAKING.match(text)
        lines.append(f"{text} \\gset {match[1]}_" if match else f"{text};")
    return "\n".join(lines) + "\n"


class Pgbench:
    """Captures requests of an account, and runs their statements."""

    def __init__(self, database, account):
        self.database = database
        self.log = pathlib.Path(database.directory, "log")
        self.scripts, self.clients, self.rates = {}, {}, {}
        self.statements = {}
        owner = f"(SELECT id FROM account WHERE name = '{account}')"
        database.sql(
            f"UPDATE zone SET sequence = {NUMBERS} FROM owner"
            f" WHERE owner.id = owner_id AND name = 'notes' AND account = {owner};"
            f"UPDATE owner SET sequence = {NUMBERS * 2} WHERE account = {owner}"
        )

    def wait_until_quiet(self):
        """Waits until the service has sent nothing for a second.

        After its start it also deletes expired data.
        """
        size = None
        while size != (size := self.log.stat().st_size):
            time.sleep(1)

    def capture(self, task, requests, clients, new_names=()):
        """Makes the scripts of a task.

        - requests: functions that each send a request to a service that logs its statements.
        - clients: how many clients run the scripts at once.
        """
        self.clients[task], self.rates[task], self.scripts[task] = clients, [], []
        for number, request in enumerate(requests):
            start = self.log.stat().st_size
            request()
            with self.log.open("rb") as log:
                log.seek(start)
                statements = logged_statements(log.read().decode())
            self.statements[task] = [sql for sql, _ in statements]
            path = pathlib.Path(self.database.directory, f"{task}-{number}.sql")
            path.write_text(script(statements, new_names))
            self.scripts[task].append(path)

    def run(self, task):
        """Measures how many requests of the task per second the clients make together."""
        clients = str(self.clients[task])
        files = [word for path in self.scripts[task] for word in ("-f", path)]
        process = self.database.run(
            *("pgbench", "-n", "-M", "prepared", "-T", str(SECONDS), "-c", clients, "-j", clients),
            *(*files, self.database.address),
            check=False,
        )
        match = re.search(r"^tps = ([\d.]+)", process.stdout, re.MULTILINE)
        # pgbench goes on with the other clients when a statement of one fails.
        if process.returncode or not match:
            raise SystemExit(f"pgbench, {task}: {process.stderr[-1000:]}")
        self.rates[task].append(float(match[1]))

    def run_all(self):
        for task in self.scripts:
            self.run(task)

    def shape(self, task):
        """The number of statements of a request of the task, and of its transactions."""
        controls = ("BEGIN", "COMMIT", "ROLLBACK")
        statements = self.statements[task]
        return (
            sum(not sql.startswith(controls) for sql in statements),
            sum(sql.startswith("BEGIN") for sql in statements),
        )


@contextlib.contextmanager
def written(database):
    """Yields a dictionary that has, at the end, how often PostgreSQL has flushed its log of changes
    to the disk, and how many bytes were added. A session adds its counts when it ends."""

    def counts():
        columns = ("wal_sync", "wal_bytes")
        sql = ", ".join(f"to_jsonb(pg_stat_wal) ->> '{column}'" for column in columns)
        row = database.sql(f"SELECT {sql} FROM pg_stat_wal").split("|")
        return dict(zip(columns, (int(value or 0) for value in row)))

    before, result = counts(), {}
    yield result
    result.update({column: count - before[column] for column, count in counts().items()})
