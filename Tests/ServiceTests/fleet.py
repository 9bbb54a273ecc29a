"""Three readers' devices and their record service, whose files can go back in time.

Everything is real: `quran-vi`, `record-service`, their files, and the requests between them, which
pass a gate where one can be held. Only the time is made up (timeshift.py), and random numbers where
a history asks for it.
"""

import contextlib
import copy
import dataclasses
import json
import pathlib
import shutil
import time

from device import rows_of
from editing import EditingDevice
from gate import Gate
from ledger import Ledger, difference
from service import PASSWORD, Service
from timeshift import Timeshift

NAME = "an"
READERS = 3
MINUTE = 60
# Rounds of all devices after which they have to be quiet.
ROUNDS = 10


class Faults:
    """What is wrong in one history. Devices tell it what they would tell `Checks`."""

    def __init__(self):
        self.found = []

    def add(self, kind, facts):
        self.found.append((kind, facts))

    def that(self, claim, holds, found=None):
        if not holds:
            self.add("command failed", f"{claim}: {found}")
        return bool(holds)

    def equal(self, claim, found, wanted):
        return self.that(claim, found == wanted, (found, wanted))


@dataclasses.dataclass
class Copy:
    """The service's files, and when they were copied."""

    path: pathlib.Path
    is_of_running: bool
    time: float
    drawn: int
    # Of the ledger.
    moment: tuple


class Fleet:
    def __init__(self, directory, library, programs=(None,) * (READERS + 1)):
        """A service and readers, with files of theirs where there are some.

        `programs` are that of the service and those of the readers; None is the one under test.
        """
        self.directory, self.library = pathlib.Path(directory), library
        self.live, self.kept = self.directory / "live", self.directory / "kept"
        (self.live / "service").mkdir(parents=True, exist_ok=True)
        self.clock = Timeshift(library, self.directory / "service.time")
        self.faults, self.ledger = Faults(), Ledger()
        self.gate = Gate()
        self.service = self.gate.service = Service(
            data=str(self.live / "service"), program=programs[0], variables=self.clock.variables
        )
        self.readers = [
            EditingDevice(self, number, self.live / f"reader-{number}", program)
            for number, program in enumerate(programs[1:])
        ]
        # Those who share the account.
        self.members = self.readers[:READERS]
        self.kept_ledger = None
        self.trace, self.asked, self.may_ask, self.seed = [], 0, False, 0
        self.copies = 0

    def __enter__(self):
        self.gate.__enter__()
        return self

    def __exit__(self, *_):
        self.service.stop()
        self.gate.__exit__()
        for one in (self, *self.readers):
            one.clock.close()

    def tell(self, what):
        self.trace.append(what)

    # Time

    def move(self, seconds):
        for one in (self, *self.readers):
            one.clock.move(seconds)

    def set_time(self, now):
        for one in (self, *self.readers):
            one.clock.set_time(now)

    # Beginning

    def connect(self, dice):
        """Makes an account, connects all readers, and has them write the first notes."""
        self.service.start()
        self.service.command("user", "add", NAME, text=PASSWORD + "\n")
        for reader in self.members:
            self.connect_reader(reader)
            for _ in range(3):
                reader.write(dice, count=4)
            reader.mark(dice)
            reader.advance(dice)
            reader.choose(dice)
        for _ in range(2):
            for reader in self.members:
                self.sync(reader)

    def connect_reader(self, reader):
        code = self.service.sign_in(NAME)
        reader.run(
            "sync",
            "connect",
            self.gate.url,
            "--paste",
            "--yes",
            text=f"{self.service.api_token}\n{code}\n",
        )

    def keep(self):
        """Keeps the state of all, for `reset`; the service stops."""
        self.service.stop()
        shutil.copytree(self.live, self.kept)
        self.kept_ledger = copy.deepcopy(self.ledger)

    def reset(self, seed=0):
        """Goes back to the kept state, readers and all, to begin another history.

        A seed is for the service's random numbers; 0 leaves those alone.
        """
        self.service.stop()
        shutil.rmtree(self.live)
        shutil.copytree(self.kept, self.live)
        for one in self.directory.glob("copy-*"):
            shutil.rmtree(one)
        self.ledger = copy.deepcopy(self.kept_ledger)
        self.faults.found.clear()
        self.trace.clear()
        self.asked, self.may_ask, self.seed = 0, False, seed
        self.set_time(time.time())
        for reader in self.readers:
            reader.look()
        self.clock.repeat(seed)
        self.service.start()

    # Going back

    def copy(self, is_of_running):
        """Copies the service's files; the shared memory of a database is in no copy."""
        if not is_of_running:
            self.service.stop()
        self.copies += 1
        path = self.directory / f"copy-{self.copies}"
        shutil.copytree(self.service.data, path, ignore=shutil.ignore_patterns("log", "*-shm"))
        made = Copy(path, is_of_running, self.clock.now(), self.clock.drawn(), self.ledger.moment())
        if not is_of_running:
            self.service.start()
        self.tell(f"--- the {'running' if is_of_running else 'stopped'} service is copied")
        return made

    def go_back(self, made, is_killed=False, with_clock=False, with_random=False):
        """Puts the service's files back, behind its back."""
        if is_killed:
            self.service.kill()
        else:
            self.service.stop()
        self.ledger.lose(made.moment)
        data = pathlib.Path(self.service.data)
        for file in data.iterdir():
            if file.name != "log":
                file.unlink()
        shutil.copytree(made.path, data, dirs_exist_ok=True)
        if with_clock:
            self.clock.set_time(made.time)
        if with_random:
            self.clock.repeat(self.seed, made.drawn)
        self.service.start()
        if with_random and made.is_of_running:
            # What starting drew had been drawn before.
            self.clock.repeat(self.seed, made.drawn)
        self.tell("--- the service's files are put back")

    def restart(self, is_killed=False):
        if is_killed:
            self.service.kill()
        else:
            self.service.stop()
        self.service.start()
        self.tell("--- the service starts again")

    @contextlib.contextmanager
    def holding(self, at, action, is_before):
        """Does something while the request with this number from now on is held: before the
        service gets it, or after it was answered. Says whether there was such a request."""
        wanted, done = self.gate.count + at, []

        def act(number):
            if number == wanted:
                action()
                done.append(number)

        nothing = self.gate.before
        self.tell(f"--- request {at} from here on is held {'before' if is_before else 'after'}")
        if is_before:
            self.gate.before = act
        else:
            self.gate.after = act
        try:
            yield done
        finally:
            self.gate.before = self.gate.after = nothing

    # Syncing

    def sync(self, reader, *options):
        """One round, after which nobody may have been asked but about many deletions.

        Says how many things were sent, received and deleted; nothing where the round failed.
        """
        counts = self._round(reader, *options)
        reader.look()
        return counts

    def _round(self, reader, *options):
        options = list(options)
        losses = self.ledger.losses
        # Once signed in again, and once asked.
        for _ in range(3):
            process = reader.begin("sync", "now", "--json", *options)
            said, errors = process.communicate(timeout=120)
            reader.tell(f"syncs: {process.returncode} {' '.join((said + errors).split())}")
            if process.returncode == 0:
                self.ledger.sync(reader.number, losses)
                return json.loads(said)
            if process.returncode == 5:
                self.faults.add("signed out", f"device {reader.number}: {errors.strip()}")
                # To see what else there is.
                reader.begin(
                    "sync", "login", "--paste", "--yes", text=self.service.sign_in(NAME) + "\n"
                ).communicate(timeout=120)
            elif "--accept-deletions" in errors and "--accept-deletions" not in options:
                self.asked += 1
                if not self.may_ask:
                    self.faults.add("asked about deletions", f"device {reader.number}")
                options.append("--accept-deletions")
            else:
                break
        self.faults.add(
            "round failed",
            f"device {reader.number}: {process.returncode} {(said + errors).strip()[:300]}",
        )
        return None

    def settle(self, dice):
        """Has all sync until a round of theirs changes nothing; says what they hold."""
        held = None
        for _ in range(ROUNDS):
            counts = [self.sync(reader) for reader in dice.sample(self.members, len(self.members))]
            before, held = held, [reader.holds() for reader in self.members]
            if held == before and all(one and not one["sent"] for one in counts):
                return held
            self.move(MINUTE)
        self.faults.add("never quiet", counts)
        return held

    def check(self, dice):
        """Lets all come to rest, and looks at what they have."""
        held = self.settle(dice)
        for fault in self.ledger.check(held):
            self.faults.add(*fault)
        for reader in self.members:
            status = reader.status()
            if status["pending"] or status["parked"] or not status["isSignedIn"]:
                self.faults.add("something waits", f"device {reader.number}: {status}")
        ours, theirs = self.readers[0].rows(), rows_of(self.service.records(NAME))
        for kind in ours:
            if ours[kind] != theirs[kind]:
                self.faults.add(
                    "service differs", f"{kind}: {difference(ours[kind], theirs[kind])}"
                )
        return self.faults.found
