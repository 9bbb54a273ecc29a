"""Three readers' devices and their record service, whose files can go back in time.

Everything is real: `quran-vi`, `record-service`, their files, and the requests between them, which
pass a gate where one can be held. Only the time is made up (timeshift.py), and random numbers where
a history asks for it.
"""

import contextlib
import copy
import dataclasses
import http.client
import http.server
import json
import pathlib
import shutil
import socketserver
import sys
import threading
import time

from device import Device, rows_of
from ledger import Ledger, difference
from service import PASSWORD, Service
from timeshift import Timeshift

NAME = "an"
READERS = 3
MINUTE = 60
# Rounds of all devices after which they have to be quiet.
ROUNDS = 10
HOP_BY_HOP = ("connection", "content-length", "transfer-encoding")


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


class Gate(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Where all requests to the service pass; its address outlives the service's."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), GateKeeper)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.service = None
        self.count = 0
        # Done before and after a request is passed on, with its number.
        self.before = self.after = lambda number: None

    def handle_error(self, request, client_address):
        # A device whose service is away goes away, too.
        if not isinstance(sys.exc_info()[1], (OSError, http.client.HTTPException)):
            super().handle_error(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class GateKeeper(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        gate = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        gate.count += 1
        number = gate.count
        gate.before(number)
        connection = http.client.HTTPConnection("127.0.0.1", gate.service.port, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(self.command, self.path, skip_host=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            text = answer.read()
        gate.after(number)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET


@dataclasses.dataclass
class Copy:
    """The service's files, and when they were copied."""
    path: pathlib.Path
    is_of_running: bool
    time: float
    drawn: int


class Reader(Device):
    """A device and who writes on it."""

    OWN_SETTINGS = (
        ("theme", ("light", "dark", "sepia", "oasis")), ("layout", ("verse", "flow")),
        ("arabicNames", ("true", "false")))

    def __init__(self, fleet, number, home, program=None):
        self.fleet, self.number = fleet, number
        self.clock = Timeshift(fleet.library, fleet.directory / f"reader-{number}.time")
        super().__init__(
            fleet.service, fleet.faults, home, program, self.clock.variables)
        # Its notes' lines by id, and the favourites.
        self.texts, self.marked = {}, set()

    def tell(self, what):
        self.fleet.tell(f"device {self.number}: {what}")

    def look(self):
        """Remembers what is on the device, and says it."""
        held = self.holds()
        self.texts = {note["id"]: note["text"].split("\n") for note in held["notes"]}
        self.marked = {row["ayah"] for row in held["favorites"]}
        self.fleet.ledger.observe(self.number, self.texts)
        return held

    # What it writes

    def write(self, dice, count=None):
        ledger = self.fleet.ledger
        lines = [ledger.new_line() for _ in range(count or dice.randint(1, 4))]
        ayah = f"{dice.randint(80, 106)}:{dice.randint(1, 3)}"
        said = json.loads(self.run("note", "add", ayah, "-m", "\n".join(lines), "--json"))
        note, = [row["id"] for row in said]
        self.tell(f"writes {note[:8]}: {lines}")
        self.texts[note] = lines
        ledger.write(self.number, note, lines)
        return note

    def edit(self, dice, note=None):
        """Writes a line somewhere into a note, perhaps in the place of another."""
        if note not in self.texts:
            if not self.texts:
                return self.write(dice)
            note = dice.choice(sorted(self.texts))
        ledger = self.fleet.ledger
        lines, line = list(self.texts[note]), ledger.new_line()
        place = dice.randrange(len(lines) + 1)
        if place < len(lines) and dice.random() < 0.4:
            ledger.give_up([lines[place]])
            lines[place] = line
        else:
            lines.insert(place, line)
        self.tell(f"edits {note[:8]}: {self.texts[note]} → {lines}")
        self.run("note", "edit", note, "-m", "\n".join(lines))
        self.texts[note] = lines
        ledger.write(self.number, note, [line])
        return note

    def delete(self, dice, note=None):
        if note not in self.texts:
            if len(self.texts) < 4:
                return self.write(dice)
            note = dice.choice(sorted(self.texts))
        self.tell(f"deletes {note[:8]}: {self.texts[note]}")
        self.run("note", "remove", note)
        self.fleet.ledger.delete(self.number, note, self.texts.pop(note))
        return note

    def mark(self, dice):
        ayah = f"{self.number + 1}:{dice.randint(1, 7)}"
        self.toggle(ayah)
        self.fleet.ledger.favorites[ayah] = ayah in self.marked

    def toggle(self, ayah):
        self.marked ^= {ayah}
        action = "add" if ayah in self.marked else "remove"
        self.tell(f"favorite {action} {ayah}")
        self.run("favorite", action, ayah)

    def advance(self, dice):
        surah, progress = 4 + self.number, self.fleet.ledger.progress
        progress[surah] = min(progress.get(surah, 0) + dice.randint(1, 5), 110)
        self.tell(f"reads {surah}:{progress[surah]}")
        self.run("progress", "set", f"{surah}:{progress[surah]}")

    def choose(self, dice):
        key, values = self.OWN_SETTINGS[self.number]
        value = dice.choice(values)
        self.tell(f"{key} {value}")
        self.run("settings", "set", key, value)
        self.fleet.ledger.settings[key] = (
            value if value in ("true", "false") else json.dumps(value))

    def share(self, dice):
        """Changes what others change, too."""
        if dice.random() < 0.5:
            self.toggle(f"112:{dice.randint(1, 3)}")
        else:
            ayah = f"2:{dice.randint(1, 286)}"
            self.tell(f"reads {ayah}")
            self.run("progress", "set", ayah)

    def change(self, dice):
        dice.choice((
            self.write, self.write, self.edit, self.edit, self.edit, self.delete, self.mark,
            self.advance, self.choose, self.share))(dice)


class Fleet:
    def __init__(self, directory, library, programs=(None,) * (READERS + 1)):
        """A service and readers; `programs` are that of the service and those of the readers."""
        self.directory, self.library = pathlib.Path(directory), library
        self.live, self.kept = self.directory / "live", self.directory / "kept"
        self.live.mkdir(parents=True)
        self.clock = Timeshift(library, self.directory / "service.time")
        self.faults, self.ledger = Faults(), Ledger()
        (self.live / "service").mkdir()
        self.gate = Gate()
        self.service = self.gate.service = Service(
            data=str(self.live / "service"), program=programs[0], variables=self.clock.variables)
        self.readers = [
            Reader(self, number, self.live / f"reader-{number}", program)
            for number, program in enumerate(programs[1:])]
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

    # Beginning

    def connect(self, dice):
        """Makes an account, connects all readers, and has them write the first notes."""
        self.service.start()
        self.service.command("user", "add", NAME, text=PASSWORD + "\n")
        for reader in self.readers:
            code = self.service.sign_in(NAME)
            reader.run(
                "sync", "connect", self.gate.url, "--paste", "--yes",
                text=f"{self.service.api_token}\n{code}\n")
        for reader in self.readers:
            for _ in range(3):
                reader.write(dice, count=4)
            reader.mark(dice)
            reader.advance(dice)
            reader.choose(dice)
        for _ in range(2):
            for reader in self.readers:
                self.sync(reader)
        self.service.stop()

    def keep(self):
        """Keeps the state of all, for `reset`."""
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
        for one in (self, *self.readers):
            one.clock.set_time(time.time())
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
        shutil.copytree(
            self.service.data, path, ignore=shutil.ignore_patterns("log", "*-shm"))
        made = Copy(path, is_of_running, self.clock.now(), self.clock.drawn())
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

    def sync(self, reader):
        """One round, after which nobody may have been asked but about many deletions.

        Says how many things were sent, received and deleted; nothing where the round failed.
        """
        counts = self._round(reader)
        reader.look()
        return counts

    def _round(self, reader):
        options = []
        # Once signed in again, and once asked.
        for _ in range(3):
            process = reader.begin("sync", "now", "--json", *options)
            said, errors = process.communicate(timeout=120)
            reader.tell(f"syncs: {process.returncode} {' '.join((said + errors).split())}")
            if process.returncode == 0:
                return json.loads(said)
            if process.returncode == 5:
                self.faults.add("signed out", f"device {reader.number}: {errors.strip()}")
                # To see what else there is.
                reader.run("sync", "login", "--paste", "--yes",
                           text=self.service.sign_in(NAME) + "\n")
            elif "--accept-deletions" in errors and not options:
                self.asked += 1
                if not self.may_ask:
                    self.faults.add("asked about deletions", f"device {reader.number}")
                options.append("--accept-deletions")
            else:
                break
        self.faults.add(
            "round failed", f"device {reader.number}: {process.returncode} "
            f"{(said + errors).strip()[:300]}")
        return None

    def settle(self, dice):
        """Has all sync until a round of theirs changes nothing; says what they hold."""
        held = None
        for _ in range(ROUNDS):
            order = list(self.readers)
            dice.shuffle(order)
            counts = [self.sync(reader) for reader in order]
            before, held = held, [reader.holds() for reader in self.readers]
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
        for reader in self.readers:
            status = reader.status()
            if status["pending"] or status["parked"] or not status["isSignedIn"]:
                self.faults.add("something waits", f"device {reader.number}: {status}")
        ours, theirs = self.readers[0].rows(), rows_of(self.service.records(NAME))
        for kind in ours:
            if ours[kind] != theirs[kind]:
                self.faults.add(
                    "service differs", f"{kind}: {difference(ours[kind], theirs[kind])}")
        return self.faults.found
