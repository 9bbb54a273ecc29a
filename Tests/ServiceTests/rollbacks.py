"""The service's files go back in time behind its back; nothing is lost by it, and nobody is asked.

Each history is drawn by a seed: three readers change things and sync; the service's files are
copied; more is changed and synced; the files are put back, and all goes on. In the end the devices
and the service have to hold the same, and all of what ledger.py says. How files are copied and put
back, whether the service's clock and random numbers go back with them, and who does what meanwhile,
differs from seed to seed.

    python3 rollbacks.py [--rollbacks N] [--seed FIRST]
    python3 rollbacks.py --history SEED      one of them, step by step
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
from device import need_programs
from fleet import MINUTE, READERS, Fleet
from service import skip

# Of many notes that are deleted at once.
MANY, DELETED = 30, 24


@dataclasses.dataclass
class Plan:
    """What is special about a history."""

    is_of_running: bool
    is_killed: bool
    # Whether the files go back while a request is held, and before or after it is carried out.
    middle: str | None
    with_clock: bool
    with_random: bool
    third_first: bool
    same_note: bool
    deletions: bool
    many_deletions: bool
    minutes: int
    # A second time: the same copy again, or a new one.
    again: str | None

    @classmethod
    def drawn(cls, seed):
        dice = random.Random(f"plan {seed}")
        clock, numbers = dice.choice(((0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 0), (0, 1)))
        return cls(
            is_of_running=dice.random() < 0.5,
            is_killed=dice.random() < 0.5,
            middle=dice.choice((None, None, None, "before", "after")),
            with_clock=bool(clock),
            with_random=bool(numbers),
            third_first=dice.random() < 0.4,
            same_note=dice.random() < 0.5,
            deletions=dice.random() < 0.5,
            many_deletions=dice.random() < 0.08,
            minutes=dice.randint(1, 60),
            again=dice.choice((None, None, None, "same", "new")),
        )

    @property
    def rollbacks(self):
        return 2 if self.again else 1

    @property
    def words(self):
        chosen = {
            "copied while running": self.is_of_running,
            "killed": self.is_killed,
            "before a request": self.middle == "before",
            "after a request": self.middle == "after",
            "clock back": self.with_clock,
            "random numbers back": self.with_random,
            "third first": self.third_first,
            "same note": self.same_note,
            "deletions": self.deletions,
            "many deletions": self.many_deletions,
            "over ten minutes": self.minutes > 10,
            "same copy twice": self.again == "same",
            "two copies": self.again == "new",
        }
        return [word for word, is_chosen in chosen.items() if is_chosen]


class History:
    def __init__(self, fleet, seed, is_control=False):
        self.fleet, self.seed, self.plan = fleet, seed, Plan.drawn(seed)
        # Without that anything goes back: a failure then is none of going back.
        self.is_control = is_control
        self.dice = random.Random(f"history {seed}")

    def play(self):
        fleet, plan, dice = self.fleet, self.plan, self.dice
        fleet.reset(seed=self.seed + 1 if plan.with_random else 0)
        for reader in fleet.readers:
            reader.clock.move(dice.choice((0, 0, 0, -90, 20, 240)))
        # The note that more than one edits, and one that each deletes.
        notes = dice.sample(fleet.readers[0].notes_in_order(), READERS + 1)
        self.shared, self.doomed = notes[0], notes[1:]
        self.imported = []
        if plan.many_deletions:
            self.import_many()
        self.go_on(dice.randint(1, 4), fleet.readers)
        copy = fleet.copy(plan.is_of_running)
        for number in range(plan.rollbacks):
            if number and plan.again == "new":
                copy = fleet.copy(plan.is_of_running)
            self.lose(is_first=number == 0)
            self.go_back(copy)
            self.use_numbers(is_first=number == 0)
        return fleet.check(dice)

    def go_on(self, steps, readers, minutes=0):
        """Some of the readers change something, and most of those then sync."""
        for _ in range(steps):
            reader = self.dice.choice(readers)
            for _ in range(self.dice.choice((0, 1, 1, 2))):
                reader.change(self.dice)
            self.fleet.move(minutes * MINUTE / steps)
            if self.dice.random() < 0.75:
                self.fleet.sync(reader)

    def lose(self, is_first):
        """What happens after the copy was made, and is forgotten."""
        fleet, plan, dice = self.fleet, self.plan, self.dice
        readers = fleet.readers[:2] if plan.third_first else fleet.readers
        if is_first and plan.same_note:
            dice.choice(readers).edit(dice, self.shared)
        if is_first and plan.deletions:
            readers[0].delete(dice, self.doomed[0])
        if is_first and plan.many_deletions:
            for note in self.imported[:DELETED]:
                readers[0].delete(dice, note)
        self.go_on(dice.randint(2, 5), readers, plan.minutes)
        if is_first and plan.same_note and dice.random() < 0.5:
            dice.choice(readers).edit(dice, self.shared)
        fleet.sync(readers[0])
        if dice.random() < 0.5:
            fleet.sync(readers[1])
        # What is not sent when the files go back.
        for reader in readers:
            if dice.random() < 0.4:
                reader.change(dice)

    def go_back(self, copy):
        fleet, plan, dice = self.fleet, self.plan, self.dice
        is_back = threading.Event()

        def act():
            if self.is_control:
                fleet.restart(plan.is_killed)
            else:
                fleet.go_back(copy, plan.is_killed, plan.with_clock, plan.with_random)
            is_back.set()

        if plan.middle:
            reader = dice.choice(fleet.readers)
            reader.change(dice)
            with fleet.holding(dice.randint(1, 3), act, plan.middle == "before"):
                fleet.sync(reader)
        if not is_back.is_set():
            act()

    def use_numbers(self, is_first):
        """What happens with the files that were put back."""
        fleet, plan, dice = self.fleet, self.plan, self.dice
        third = fleet.readers[2]
        if plan.third_first:
            for _ in range(dice.randint(1, 4)):
                third.change(dice)
                fleet.sync(third)
        if is_first and plan.same_note:
            dice.choice((third, third, *fleet.readers)).edit(dice, self.shared)
        if is_first and plan.deletions:
            third.delete(dice, self.doomed[2])
        self.go_on(dice.randint(1, 4), fleet.readers, dice.choice((0, 1, 30)))

    def import_many(self):
        """One reader has many notes more, which all get."""
        fleet = self.fleet
        reader, notes = fleet.readers[0], []
        for number in range(MANY):
            note = str(uuid.UUID(int=self.dice.getrandbits(128), version=4)).upper()
            line = fleet.ledger.new_line()
            fleet.ledger.write(0, note, [line])
            self.imported.append(note)
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
        reader.run("import", str(file))
        reader.look()
        fleet.may_ask = True
        for reader in fleet.readers:
            fleet.sync(reader)


class Results:
    """What came of all histories."""

    def __init__(self, is_verbose):
        self.lock = threading.Lock()
        self.is_verbose = is_verbose
        self.passed, self.failed, self.asked, self.rollbacks = 0, 0, 0, 0
        self.returned = 0
        self.kinds, self.variants = collections.Counter(), collections.Counter()
        self.failed_variants = collections.Counter()

    def add(self, history, faults):
        plan, fleet = history.plan, history.fleet
        with self.lock:
            self.rollbacks += plan.rollbacks
            self.asked += fleet.asked
            self.returned += fleet.ledger.returned
            self.variants.update(plan.words)
            if not faults:
                self.passed += 1
            else:
                self.failed += 1
                kinds = collections.Counter(kind for kind, _ in faults)
                self.kinds.update(set(kinds))
                self.failed_variants.update(plan.words)
                print(
                    f"FAILED: seed {history.seed} ({', '.join(plan.words)}): "
                    + ", ".join(f"{kind} × {count}" for kind, count in kinds.items()),
                    flush=True,
                )
                if self.failed <= 3 or self.is_verbose:
                    for kind, facts in faults[:12]:
                        print(f"  {kind}: {facts}", flush=True)
            if self.is_verbose:
                print("\n".join(fleet.trace), flush=True)

    def tell(self, seconds):
        for word, count in sorted(self.variants.items()):
            failed = self.failed_variants[word]
            print(f"  {count:4} {word}" + (f", {failed} of them failed" if failed else ""))
        for kind, count in self.kinds.most_common():
            print(f"  {count:4} histories with: {kind}")
        print(
            f"{self.rollbacks} rollbacks in {self.passed + self.failed} histories, "
            f"{seconds:.0f} s; asked about many deletions {self.asked} times; {self.returned} "
            "deleted notes came back of which a version was lost"
        )
        print(f"rollbacks: {self.passed} passed, {self.failed} failed")


def seeds_of(rollbacks, first):
    """Seeds of histories that have so many rollbacks between them."""
    seeds, count = [], 0
    while count < rollbacks:
        seeds.append(first + len(seeds))
        count += Plan.drawn(seeds[-1]).rollbacks
    return seeds


def work(directory, library, seeds, is_control, results):
    """Plays the histories that no other worker has begun."""
    with Fleet(directory, library) as fleet:
        fleet.connect(random.Random("the first notes"))
        if fleet.faults.found:
            raise SystemExit(f"nothing works: {fleet.faults.found}")
        fleet.keep()
        while True:
            try:
                seed = seeds.popleft()
            except IndexError:
                return
            history = History(fleet, seed, is_control)
            results.add(history, history.play())


def main():
    need_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rollbacks", type=int, default=20)
    options.add_argument("--seed", type=int, default=1, help="the first history's")
    options.add_argument("--history", type=int, metavar="SEED", help="this one alone")
    options.add_argument("--at-once", type=int, default=2)
    options.add_argument(
        "--control",
        action="store_true",
        help="restart the service instead of putting files back: any version has to pass",
    )
    options = options.parse_args()
    began = time.monotonic()
    is_single = options.history is not None
    seeds = collections.deque(
        [options.history] if is_single else seeds_of(options.rollbacks, options.seed)
    )
    results = Results(is_single)
    if not is_single:
        print(f"seeds {seeds[0]} to {seeds[-1]}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rollbacks-") as directory:
        library = timeshift.build(directory)
        if library is None:
            skip("there is no Linux, or no C compiler, to make another time with")
        workers = 1 if is_single else options.at_once
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            works = [
                pool.submit(
                    work,
                    pathlib.Path(directory) / str(number),
                    library,
                    seeds,
                    options.control,
                    results,
                )
                for number in range(workers)
            ]
        for one in works:
            one.result()
    results.tell(time.monotonic() - began)
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
