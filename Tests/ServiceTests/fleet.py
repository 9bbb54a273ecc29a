"""A record service and three devices that sync with it, for tests of rollbacks of its files.

Programs, files and requests are real. The requests go through a proxy that can hold one of them.
Only the clocks are simulated (timeshift.py), and in some histories the service's random numbers.
"""

import contextlib
import copy
import dataclasses
import json
import pathlib
import shutil
import time

from device import rows_of_records
from editing import EditingDevice
from gate import InterceptingProxy
from ledger import Ledger, difference
from service import PASSWORD, Service
from timeshift import Timeshift

NAME = "an"
DEVICES = 3
MINUTE = 60
# The number of rounds of all devices after which no round may change anything.
ROUNDS = 10


class Faults:
    """The faults of one history. Devices use it in the place of `Checks`."""

    def __init__(self):
        self.found = []

    def add(self, kind, details):
        self.found.append((kind, details))

    def that(self, description, condition, actual=None):
        if not condition:
            self.add("command failed", f"{description}: {actual}")
        return bool(condition)

    def equal(self, description, actual, expected):
        return self.that(description, actual == expected, (actual, expected))


@dataclasses.dataclass
class Copy:
    """A copy of the service's files."""

    path: pathlib.Path
    while_running: bool
    # The service's clock when the copy was made, and how many random words had been drawn.
    time: float
    drawn: int
    # See `Ledger.checkpoint`.
    checkpoint: tuple


class Fleet:
    def __init__(self, directory, timeshift_library, programs=(None,) * (DEVICES + 1)):
        """A service and devices, which use the files that are in the directory already, if any.

        `programs` has the program of the service, then those of the devices; None stands for the
        program under test.
        """
        self.directory, self.timeshift_library = pathlib.Path(directory), timeshift_library
        self.live, self.saved = self.directory / "live", self.directory / "kept"
        (self.live / "service").mkdir(parents=True, exist_ok=True)
        self.clock = Timeshift(timeshift_library, self.directory / "service.time")
        self.faults, self.ledger = Faults(), Ledger()
        self.proxy = InterceptingProxy()
        self.service = self.proxy.service = self.make_service(programs[0])
        self.devices = [
            EditingDevice(self, number, self.live / f"reader-{number}", program)
            for number, program in enumerate(programs[1:])
        ]
        # The devices that are signed in to the account.
        self.account_devices = self.devices[:DEVICES]
        self.saved_ledger = None
        # The log of the history; how often a device asked whether to accept many deletions, and
        # whether that is allowed; the seed of the service's random numbers.
        self.trace, self.deletion_prompts, self.may_prompt, self.seed = [], 0, False, 0
        self.copy_count = 0

    def make_service(self, program):
        return Service(
            data=str(self.live / "service"), program=program, variables=self.clock.variables
        )

    def __enter__(self):
        self.proxy.__enter__()
        return self

    def __exit__(self, *_):
        self.service.stop()
        self.proxy.__exit__()
        for clock_owner in (self, *self.devices):
            clock_owner.clock.close()

    def log(self, message):
        self.trace.append(message)

    # Clocks

    def advance_clocks(self, seconds):
        for clock_owner in (self, *self.devices):
            clock_owner.clock.advance(seconds)

    def set_clocks(self, now):
        for clock_owner in (self, *self.devices):
            clock_owner.clock.set_time(now)

    # Setup

    def connect(self, rng):
        """Adds an account, connects the devices, and adds the first notes."""
        self.service.start()
        self.service.command("user", "add", NAME, text=PASSWORD + "\n")
        for device in self.account_devices:
            self.connect_device(device)
            for _ in range(3):
                device.add_random_note(rng, count=4)
            device.change_own_favorite(rng)
            device.change_own_progress(rng)
            device.change_own_setting(rng)
        for _ in range(2):
            for device in self.account_devices:
                self.sync(device)

    def connect_device(self, device):
        code = self.service.sign_in(NAME)
        device.run(
            "sync",
            "connect",
            self.proxy.url,
            "--paste",
            "--yes",
            text=f"{self.service.api_token}\n{code}\n",
        )

    def save_state(self):
        """Stops the service, and saves the state of everything for `reset`."""
        self.service.stop()
        shutil.copytree(self.live, self.saved)
        self.saved_ledger = copy.deepcopy(self.ledger)

    def reset(self, seed=0):
        """Restores the saved state of service and devices, to start another history.

        The seed is that of the service's random numbers; 0 stands for those of the system.
        """
        self.service.stop()
        shutil.rmtree(self.live)
        shutil.copytree(self.saved, self.live)
        for copy_path in self.directory.glob("copy-*"):
            shutil.rmtree(copy_path)
        self.ledger = copy.deepcopy(self.saved_ledger)
        self.faults.found.clear()
        self.trace.clear()
        self.deletion_prompts, self.may_prompt, self.seed = 0, False, seed
        self.set_clocks(time.time())
        for device in self.devices:
            device.update_from_library()
        self.clock.seed_random(seed)
        self.service.start()

    # Rollbacks

    def copy(self, while_running):
        """Copies the service's files, without its log and the shared memory files of SQLite."""
        if not while_running:
            self.service.stop()
        self.copy_count += 1
        path = self.directory / f"copy-{self.copy_count}"
        shutil.copytree(self.service.data, path, ignore=shutil.ignore_patterns("log", "*-shm"))
        copied = Copy(
            path,
            while_running,
            self.clock.now(),
            self.clock.words_drawn(),
            self.ledger.checkpoint(),
        )
        if not while_running:
            self.service.start()
        self.log(
            f"--- copy of the files of the {'running' if while_running else 'stopped'} service"
        )
        return copied

    def roll_back(self, copied, is_killed=False, with_clock=False, with_random=False):
        """Ends the service, replaces its files by a copy, and starts it again.

        With `with_clock` and `with_random`, the service's clock and random numbers go back, too.
        """
        if is_killed:
            self.service.kill()
        else:
            self.service.stop()
        self.ledger.record_rollback(copied.checkpoint)
        data = pathlib.Path(self.service.data)
        for file in data.iterdir():
            if file.name != "log":
                file.unlink()
        shutil.copytree(copied.path, data, dirs_exist_ok=True)
        if with_clock:
            self.clock.set_time(copied.time)
        if with_random:
            self.clock.seed_random(self.seed, copied.drawn)
        self.service.start()
        if with_random and copied.while_running:
            # The words that were drawn during the start do not count: when the copy was made, the
            # service had started already.
            self.clock.seed_random(self.seed, copied.drawn)
        self.log("--- the service's files are rolled back")

    def restart(self, is_killed=False):
        if is_killed:
            self.service.kill()
        else:
            self.service.stop()
        self.service.start()
        self.log("--- the service is restarted")

    @contextlib.contextmanager
    def during_request(self, at, action, is_before):
        """Calls `action` while the request with the number `at`, counted from now, is held.

        It is held before it is forwarded to the service, or after the service responded. Yields a
        list that is not empty once that happened.
        """
        held_number, done = self.proxy.request_count + at, []

        def act(number):
            if number == held_number:
                action()
                done.append(number)

        no_action = self.proxy.before_forward
        self.log(
            f"--- request {at} from here on is held {'before' if is_before else 'after'} forwarding"
        )
        if is_before:
            self.proxy.before_forward = act
        else:
            self.proxy.after_forward = act
        try:
            yield done
        finally:
            self.proxy.before_forward = self.proxy.after_forward = no_action

    # Syncing

    def sync(self, device, *options):
        """Runs a round; returns what `sync now --json` prints, or None if the round failed.

        It is a fault if the device is signed out, or asks about deletions where it may not.
        """
        counts = self._sync_round(device, *options)
        device.update_from_library()
        return counts

    def _sync_round(self, device, *options):
        options = list(options)
        rollbacks = self.ledger.rollbacks
        # A round may be repeated after a new sign-in, and after deletions were accepted.
        for _ in range(3):
            process = device.start_command("sync", "now", "--json", *options)
            output, errors = process.communicate(timeout=120)
            device.log(f"syncs: {process.returncode} {' '.join((output + errors).split())}")
            if process.returncode == 0:
                self.ledger.record_sync(device.number, rollbacks)
                return json.loads(output)
            if process.returncode == 5:
                self.faults.add("signed out", f"device {device.number}: {errors.strip()}")
                # The fault is recorded; the history continues.
                device.start_command(
                    "sync", "login", "--paste", "--yes", text=self.service.sign_in(NAME) + "\n"
                ).communicate(timeout=120)
            elif "--accept-deletions" in errors:
                self.deletion_prompts += 1
                if not self.may_prompt:
                    self.faults.add("asked about deletions", f"device {device.number}")
                # If there are more deletions than those that were asked about, it asks again.
                options = [*dict.fromkeys([*options, "--accept-deletions"])]
            else:
                break
        self.faults.add(
            "round failed",
            f"device {device.number}: {process.returncode} {(output + errors).strip()[:300]}",
        )
        return None

    def settle(self, rng):
        """Syncs all devices until nothing changes any more; returns their contents."""
        contents = None
        for _ in range(ROUNDS):
            counts = [
                self.sync(device)
                for device in rng.sample(self.account_devices, len(self.account_devices))
            ]
            before, contents = contents, [device.contents() for device in self.account_devices]
            if contents == before and all(result and not result["sent"] for result in counts):
                return contents
            self.advance_clocks(MINUTE)
        self.faults.add("sync does not settle", counts)
        return contents

    def check(self, rng):
        """Syncs until nothing changes, checks devices and service, and returns the faults."""
        contents = self.settle(rng)
        for fault in self.ledger.check(contents):
            self.faults.add(*fault)
        for device in self.account_devices:
            status = device.status()
            if status["pending"] or status["parked"] or not status["isSignedIn"]:
                self.faults.add(
                    "changes are pending or parked, or signed out",
                    f"device {device.number}: {status}",
                )
        device_rows, service_rows = (
            self.devices[0].rows(),
            rows_of_records(self.service.records(NAME)),
        )
        for kind in device_rows:
            if device_rows[kind] != service_rows[kind]:
                self.faults.add(
                    "service differs",
                    f"{kind}: {difference(device_rows[kind], service_rows[kind])}",
                )
        return self.faults.found
