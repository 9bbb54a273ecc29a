"""Rolls back the service's files, and tests that devices lose nothing and do not ask the user.

A seed determines each history: changes are made on three devices and synced; the service's files
are copied; more changes are made and synced; the files are replaced by the copy; more changes
follow. In the end the devices and the service must have equal contents, which must conform to the
rules of ledger.py. The seed also determines how the files are copied and replaced, and whether the
service's clock and random numbers are set back with them.

    python3 rollbacks.py [--rollbacks N] [--seed FIRST]
    python3 rollbacks.py --history SEED      one history, with a log of its steps
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import sys
import tempfile
import threading
import time
import uuid

import timeshift
from device import require_programs
from fleet import DEVICES, MINUTE, Fleet

# How many notes are imported to test mass deletions, and how many of them are deleted.
IMPORTED_NOTES, DELETED_NOTES = 30, 24


@dataclasses.dataclass
class Plan:
    """The random choices that distinguish a history."""

    # Whether the service runs while its files are copied, and whether it is killed before they are
    # replaced.
    while_running: bool
    is_killed: bool
    # Whether the rollback happens during a request: `before` or `after` the request is forwarded.
    during_request: str | None
    with_clock: bool
    with_random: bool
    # Whether the third device does not sync between copy and rollback, but syncs first after it.
    third_syncs_first: bool
    # Whether several devices edit the same note.
    same_note: bool
    deletions: bool
    many_deletions: bool
    # The time between copy and rollback.
    minutes: int
    # Whether there is a second rollback: to the `same` copy, or to a `new` one.
    second_rollback: str | None

    @classmethod
    def from_seed(cls, seed):
        rng = random.Random(f"plan {seed}")
        clock, random_numbers = rng.choice(((0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 0), (0, 1)))
        return cls(
            while_running=rng.random() < 0.5,
            is_killed=rng.random() < 0.5,
            during_request=rng.choice((None, None, None, "before", "after")),
            with_clock=bool(clock),
            with_random=bool(random_numbers),
            third_syncs_first=rng.random() < 0.4,
            same_note=rng.random() < 0.5,
            deletions=rng.random() < 0.5,
            many_deletions=rng.random() < 0.08,
            minutes=rng.randint(1, 60),
            second_rollback=rng.choice((None, None, None, "same", "new")),
        )

    @property
    def rollbacks(self):
        return 2 if self.second_rollback else 1

    @property
    def labels(self):
        """Words that describe the plan."""
        labels = {
            "copied while running": self.while_running,
            "killed": self.is_killed,
            "before a request": self.during_request == "before",
            "after a request": self.during_request == "after",
            "clock set back": self.with_clock,
            "random numbers set back": self.with_random,
            "third device first": self.third_syncs_first,
            "same note": self.same_note,
            "deletions": self.deletions,
            "many deletions": self.many_deletions,
            "over ten minutes": self.minutes > 10,
            "same copy twice": self.second_rollback == "same",
            "two copies": self.second_rollback == "new",
        }
        return [label for label, is_chosen in labels.items() if is_chosen]


class History:
    """A sequence of changes, rounds and rollbacks that a seed determines."""

    def __init__(self, fleet, seed, is_control=False):
        self.fleet, self.seed, self.plan = fleet, seed, Plan.from_seed(seed)
        # The service is restarted instead of being rolled back.
        self.is_control = is_control
        self.rng = random.Random(f"history {seed}")

    def run(self):
        """Runs the history; returns the faults."""
        fleet, plan, rng = self.fleet, self.plan, self.rng
        fleet.reset(seed=self.seed + 1 if plan.with_random else 0)
        for device in fleet.devices:
            device.clock.advance(rng.choice((0, 0, 0, -90, 20, 240)))
        # A note that several devices edit, and a note for each device to delete.
        notes = rng.sample(fleet.devices[0].notes_in_order(), DEVICES + 1)
        self.shared_note, self.notes_to_delete = notes[0], notes[1:]
        self.imported_notes = []
        if plan.many_deletions:
            self.import_many_notes()
        self.make_changes(rng.randint(1, 4), fleet.devices)
        copy = fleet.copy(plan.while_running)
        for number in range(plan.rollbacks):
            if number and plan.second_rollback == "new":
                copy = fleet.copy(plan.while_running)
            self.make_lost_changes(is_first=number == 0)
            self.roll_back(copy)
            self.make_changes_after_rollback(is_first=number == 0)
        return fleet.check(rng)

    def make_changes(self, steps, devices, minutes=0):
        """Makes random changes on random devices, most of which sync afterwards."""
        for _ in range(steps):
            device = self.rng.choice(devices)
            for _ in range(self.rng.choice((0, 1, 1, 2))):
                device.make_random_change(self.rng)
            self.fleet.advance_clocks(minutes * MINUTE / steps)
            if self.rng.random() < 0.75:
                self.fleet.sync(device)

    def make_lost_changes(self, is_first):
        """Makes the changes after the copy, which the service loses by the rollback."""
        fleet, plan, rng = self.fleet, self.plan, self.rng
        devices = fleet.devices[:2] if plan.third_syncs_first else fleet.devices
        if is_first and plan.same_note:
            rng.choice(devices).edit_note(rng, self.shared_note)
        if is_first and plan.deletions:
            devices[0].delete_note(rng, self.notes_to_delete[0])
        if is_first and plan.many_deletions:
            for note in self.imported_notes[:DELETED_NOTES]:
                devices[0].delete_note(rng, note)
        self.make_changes(rng.randint(2, 5), devices, plan.minutes)
        if is_first and plan.same_note and rng.random() < 0.5:
            rng.choice(devices).edit_note(rng, self.shared_note)
        fleet.sync(devices[0])
        if rng.random() < 0.5:
            fleet.sync(devices[1])
        # Changes that are not sent before the rollback.
        for device in devices:
            if rng.random() < 0.4:
                device.make_random_change(rng)

    def roll_back(self, copy):
        """Rolls back the service, during a request if the plan says so."""
        fleet, plan, rng = self.fleet, self.plan, self.rng
        is_rolled_back = threading.Event()

        def roll_back_now():
            if self.is_control:
                fleet.restart(plan.is_killed)
            else:
                fleet.roll_back(copy, plan.is_killed, plan.with_clock, plan.with_random)
            is_rolled_back.set()

        if plan.during_request:
            device = rng.choice(fleet.devices)
            device.make_random_change(rng)
            with fleet.during_request(
                rng.randint(1, 3), roll_back_now, plan.during_request == "before"
            ):
                fleet.sync(device)
        if not is_rolled_back.is_set():
            roll_back_now()

    def make_changes_after_rollback(self, is_first):
        """Makes changes after the rollback.

        The service gives them change numbers and tags that it used before.
        """
        fleet, plan, rng = self.fleet, self.plan, self.rng
        third = fleet.devices[2]
        if plan.third_syncs_first:
            for _ in range(rng.randint(1, 4)):
                third.make_random_change(rng)
                fleet.sync(third)
        if is_first and plan.same_note:
            rng.choice((third, third, *fleet.devices)).edit_note(rng, self.shared_note)
        if is_first and plan.deletions:
            third.delete_note(rng, self.notes_to_delete[2])
        self.make_changes(rng.randint(1, 4), fleet.devices, rng.choice((0, 1, 30)))

    def import_many_notes(self):
        """Imports many notes on one device, and syncs them to all."""
        fleet = self.fleet
        device, notes = fleet.devices[0], []
        for number in range(IMPORTED_NOTES):
            note = str(uuid.UUID(int=self.rng.getrandbits(128), version=4)).upper()
            line = fleet.ledger.new_line()
            fleet.ledger.record_lines(0, note, [line])
            self.imported_notes.append(note)
            notes.append(
                {
                    "id": note,
                    "ayah": f"2:{number + 1}",
                    "text": line,
                    "createdAt": 1_700_000_000_000,
                    "modifiedAt": 1_700_000_000_000,
                }
            )
        file = fleet.live / "import.json"
        file.write_text(
            json.dumps({"format": "quran-vi", "version": 1, "exportedAt": 0, "notes": notes})
        )
        device.run("import", str(file))
        device.update_from_library()
        fleet.may_prompt = True
        for device in fleet.devices:
            fleet.sync(device)


class Results:
    """The results of all histories."""

    def __init__(self, is_verbose):
        self.lock = threading.Lock()
        self.is_verbose = is_verbose
        self.passed, self.failed, self.deletion_prompts, self.rollbacks = 0, 0, 0, 0
        self.returned = 0
        self.fault_kinds, self.label_counts = collections.Counter(), collections.Counter()
        self.failed_label_counts = collections.Counter()

    def add(self, history, faults):
        plan, fleet = history.plan, history.fleet
        with self.lock:
            self.rollbacks += plan.rollbacks
            self.deletion_prompts += fleet.deletion_prompts
            self.returned += fleet.ledger.returned
            self.label_counts.update(plan.labels)
            if not faults:
                self.passed += 1
            else:
                self.failed += 1
                kinds = collections.Counter(kind for kind, _ in faults)
                self.fault_kinds.update(set(kinds))
                self.failed_label_counts.update(plan.labels)
                print(
                    f"FAILED: seed {history.seed} ({', '.join(plan.labels)}): "
                    + ", ".join(f"{kind} × {count}" for kind, count in kinds.items()),
                    flush=True,
                )
                if self.failed <= 3 or self.is_verbose:
                    for kind, details in faults[:12]:
                        print(f"  {kind}: {details}", flush=True)
            if self.is_verbose:
                print("\n".join(fleet.trace), flush=True)

    def print_summary(self, seconds, name):
        for label, count in sorted(self.label_counts.items()):
            failed = self.failed_label_counts[label]
            print(f"  {count:4} {label}" + (f", {failed} of them failed" if failed else ""))
        for kind, count in self.fault_kinds.most_common():
            print(f"  {count:4} histories with: {kind}")
        print(
            f"{self.rollbacks} {name} in {self.passed + self.failed} histories, "
            f"{seconds:.0f} s; {self.deletion_prompts} prompts about many deletions; "
            f"{self.returned} deleted notes returned, of which the service had lost a version"
        )
        print(f"{name}: {self.passed} passed, {self.failed} failed")


def choose_seeds(rollbacks, first):
    """The seeds of histories that together have at least this number of rollbacks."""
    seeds, count = [], 0
    while count < rollbacks:
        seeds.append(first + len(seeds))
        count += Plan.from_seed(seeds[-1]).rollbacks
    return seeds


def run_histories(fleet, seeds, make_history, is_control, results):
    """Runs histories until no seeds are left; all workers take them from the same queue."""
    with fleet:
        fleet.connect(random.Random("the first notes"))
        if fleet.faults.found:
            raise SystemExit(f"setup failed: {fleet.faults.found}")
        fleet.save_state()
        while True:
            try:
                seed = seeds.popleft()
            except IndexError:
                return
            history = make_history(fleet, seed, is_control)
            results.add(history, history.run())


def work(directory, timeshift_library, seeds, is_control, results):
    """Runs histories with a service of their own."""
    run_histories(Fleet(directory, timeshift_library), seeds, History, is_control, results)


def run(work, name, count, control_help, doc):
    """Runs the histories that the options ask for, in several workers at once.

    `work` runs histories in its own directory, and `count` is the default number of rollbacks.
    Returns the options, the results, and the values that the workers returned.
    """
    require_programs()
    options = argparse.ArgumentParser(description=doc.splitlines()[0])
    options.add_argument(f"--{name}", type=int, default=count, dest="count")
    options.add_argument("--seed", type=int, default=1, help="the seed of the first history")
    options.add_argument("--history", type=int, metavar="SEED", help="run only this history")
    options.add_argument("--at-once", type=int, default=2)
    options.add_argument("--control", action="store_true", help=control_help)
    options = options.parse_args()
    start = time.monotonic()
    is_single = options.history is not None
    seeds = collections.deque(
        [options.history] if is_single else choose_seeds(options.count, options.seed)
    )
    results = Results(is_single)
    if not is_single:
        print(f"seeds {seeds[0]} to {seeds[-1]}", flush=True)
    workers = min(options.at_once, len(seeds))
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as directory:
        timeshift_library = timeshift.build(directory)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            futures = [
                pool.submit(
                    work,
                    pathlib.Path(directory) / str(number),
                    timeshift_library,
                    seeds,
                    options.control,
                    results,
                )
                for number in range(workers)
            ]
        returned = [future.result() for future in futures]
    results.print_summary(time.monotonic() - start, name)
    return options, results, returned


def main():
    _, results, _ = run(
        work,
        "rollbacks",
        20,
        "restart the service instead of rolling it back: every version must pass",
        __doc__,
    )
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
