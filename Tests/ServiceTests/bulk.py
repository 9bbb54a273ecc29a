"""Ten thousand notes go up and come down, through rounds that are killed on the way.

Each side's `sync now` is killed some times, at random moments that are spread over its work, and
begun again until it is done: every note is there once, on each device and on the server. On a
terminal a bar shows how far it is.
"""

import argparse
import collections
import contextlib
import json
import os
import pty
import random
import re
import subprocess
import time
import urllib.request
import uuid

from device import READER, Device, need_programs, rows_of
from service import PASSWORD, Checks, Service, seed, until

checks = Checks()
BATCH = 200
# The longest that a round goes on, in seconds, once it is far enough to be killed: sending keeps to
# a pace of a request in a good second, so that is any moment of it.
LONGEST = {"records/modify": 1.3, "changes/zone": 0.05}


def library(notes, dice):
    """An export of so many notes: most short, some long."""
    words = ["Nhân", "danh", "Allah", "Đấng", "rất", "mực", "độ", "lượng", "khoan", "dung"]
    return {
        "format": "quran-vi",
        "version": 1,
        "exportedAt": 0,
        "notes": [
            {
                "id": str(uuid.UUID(int=dice.getrandbits(128), version=4)).upper(),
                "ayah": f"2:{dice.randint(1, 286)}",
                "text": f"{number}\n"
                + " ".join(dice.choices(words, k=dice.choice((3, 20, 20, 200)))),
                "createdAt": 1_700_000_000_000 + number,
                "modifiedAt": 1_700_000_000_000 + number,
            }
            for number in range(notes)
        ],
    }


class Books:
    """What the service says of its requests."""

    def __init__(self, service):
        self.service = service

    def __call__(self):
        """How many there were and how many seconds they took, by route."""
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.service.port}/metrics", timeout=30
        ) as answer:
            lines = answer.read().decode().splitlines()
        books = collections.defaultdict(lambda: [0, 0.0])
        for line in lines:
            found = re.match(
                r'record_service_request_seconds_(sum|count)\{path="[^"]*?([^"/]+/[^"/]+)"\} (.+)',
                line,
            )
            if found:
                kind, route, value = found.groups()
                books[route][kind == "sum"] += float(value)
        return books

    def count(self, route):
        return self()[route][0]


def kill_on_the_way(books, device, route, stops, dice):
    """Kills rounds once there were so many requests, each counted from the start of its round."""
    for number, stop in enumerate(stops):
        start = books.count(route)
        reader = device.begin("sync", "now")
        until(lambda: reader.poll() is not None or books.count(route) - start >= stop, seconds=120)
        with contextlib.suppress(subprocess.TimeoutExpired):
            reader.wait(dice.uniform(0, LONGEST[route]))
        checks.that(
            f"{route}, kill {number}: it is at work", reader.poll() is None, reader.returncode
        )
        reader.kill()
        reader.communicate()


def on_terminal(device, *words):
    """The status of a command, what it prints, what it shows on a terminal meanwhile, and how many
    seconds it takes."""
    began = time.monotonic()
    terminal, end = pty.openpty()
    reader = subprocess.Popen(
        [READER, "--lang", "en", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=end,
        env=device.environment(),
    )
    os.close(end)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    said = reader.communicate()[0]
    return reader.returncode, said.decode(), shown.decode(), time.monotonic() - began


def check_bar(where, shown, seconds, is_share):
    """Drawn in place, never going back, and gone in the end."""
    pictures = [picture.rstrip() for picture in shown.split("\r") if picture.strip()]
    # The first comes after half a second, another each tenth of one; on a busy machine fewer.
    is_long = seconds > 2
    if is_long:
        checks.that(f"{where}: a bar is shown", len(pictures) >= 3, shown)
    if not pictures:
        return
    form = r"[▓░]{30} (\d{1,3}) %" if is_share else r"[▓░]{30} (\d+)"
    found = [re.fullmatch(form, picture) for picture in pictures]
    if is_share:
        # Before it sends, it receives: of how much, nobody knows.
        found = [
            match
            for match, picture in zip(found, pictures)
            if not re.fullmatch(r"░{30} \d+", picture)
        ]
    checks.that(f"{where}: it has its form", all(found), pictures)
    numbers = [int(match[1]) for match in found if match]
    checks.equal(f"{where}: it never goes back", numbers, sorted(numbers))
    if is_long:
        checks.that(f"{where}: it goes on", len(set(numbers)) >= 3, numbers)
    checks.that(f"{where}: it stays in its line", "\n" not in shown, shown)
    checks.that(f"{where}: in the end it is gone", re.search(r"\r +\r$", shown), shown[-80:])


def check_all(where, device, wanted, ids):
    held = device.holds()["notes"]
    checks.equal(f"{where}: as many", len(held), len(wanted))
    checks.that(f"{where}: all of them, each once", device.rows()["notes"] == wanted)
    checks.that(f"{where}: with their ids", {note["id"] for note in held} == ids)
    status = device.status()
    checks.equal(f"{where}: nothing waits", (status["pending"], status["parked"]), (0, []))


def main():
    need_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--kills", type=int, default=5, help="of each device")
    options.add_argument(
        "--seed", type=seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    content = library(options.notes, dice)
    wanted = sorted(
        (note["ayah"], note["text"], note["createdAt"], note["modifiedAt"])
        for note in content["notes"]
    )
    ids = {note["id"] for note in content["notes"]}
    requests = options.notes // BATCH
    kills = options.kills
    began = time.monotonic()

    before = collections.defaultdict(lambda: [0, 0.0])

    def tell(what):
        nonlocal began
        now, books_now = time.monotonic(), books()
        print(
            f"{what}: {now - began:.1f} s; "
            + ", ".join(
                f"{route} {count - before[route][0]:.0f} in {seconds - before[route][1]:.1f} s"
                for route, (count, seconds) in books_now.items()
                if count > before[route][0]
            ),
            flush=True,
        )
        began = now
        before.update(books_now)

    with contextlib.ExitStack() as stack:
        service = stack.enter_context(Service())
        books = Books(service)
        service.command("user", "add", "an", text=PASSWORD + "\n")
        one, two, three = (stack.enter_context(Device(service, checks)) for _ in range(3))
        one.connect("an")
        two.connect("an")
        file = one.home / "export.json"
        file.write_text(json.dumps(content, ensure_ascii=False))
        one.run("import", str(file))
        tell("import")

        def stops(part):
            """Each a part of the way."""
            return [max(1, part - dice.randint(0, part // 2)) for _ in range(kills)]

        # More than a sixth is left.
        part = requests // (kills + 1)
        kill_on_the_way(books, one, "records/modify", stops(part), dice)
        tell("up, killed")
        status, said, shown, seconds = on_terminal(one, "sync", "now")
        checks.equal("up: in the end it is done", (status, said[:7]), (0, "Synced:"))
        check_bar("up", shown, seconds, is_share=True)
        tell("up, the rest")
        check_all("where they come from", one, wanted, ids)
        records = service.records("an")
        checks.equal("on the server: as many and a profile", len(records), options.notes + 1)
        checks.that("on the server: all of them, each once", rows_of(records)["notes"] == wanted)
        tell("looking")

        # Receiving is fast: half of it is left, to be seen.
        kill_on_the_way(books, two, "changes/zone", stops(requests // (2 * kills)), dice)
        tell("down, killed")
        status, said, shown, seconds = on_terminal(two, "sync", "now")
        checks.equal("down: in the end it is done", (status, said[:7]), (0, "Synced:"))
        check_bar("down", shown, seconds, is_share=False)
        tell("down, the rest")
        check_all("where they come to", two, wanted, ids)

        # At its first contact a device knows nothing.
        code = service.sign_in("an")
        newcomer = three.begin(
            "sync",
            "connect",
            service.url,
            "--paste",
            "--yes",
            text=f"{service.api_token}\n{code}\n",
        )
        start = books.count("changes/zone")
        until(lambda: books.count("changes/zone") - start >= part, seconds=60)
        newcomer.kill()
        newcomer.communicate()
        kill_on_the_way(books, three, "changes/zone", stops(part)[1:], dice)
        tell("first contact, killed")
        three.sync()
        # Each time it goes on where it was.
        asked = books.count("changes/zone") - start
        checks.that("few pages were fetched twice", asked <= requests + 4 * kills, asked)
        tell("first contact, at last")
        check_all("a newcomer", three, wanted, ids)

        for device in (one, two, three):
            device.sync()
            checks.equal(
                "then there is nothing to do",
                device.sync(),
                {
                    "sent": 0,
                    "received": 0,
                    "deleted": 0,
                    "trashed": 0,
                    "parked": 0,
                    "left": {"pending": 0, "parked": []},
                },
            )
        after = service.records("an")
        after.pop(next(name for name in after if not name.startswith("note-")))
        checks.that(
            "and nothing was written again",
            all(records[name] == record for name, record in after.items()),
        )
        numbers = {int(record["recordChangeTag"].split("-")[0], 36) for record in after.values()}
        checks.equal("each was written once", max(numbers) - min(numbers) + 1, options.notes)
        tell("looking")
    checks.finish("bulk")


if __name__ == "__main__":
    main()
