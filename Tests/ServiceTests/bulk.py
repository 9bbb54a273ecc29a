"""Syncs ten thousand notes between devices, through rounds that are killed.

`sync now` of each device is killed several times, at random moments that are spread over its work,
and started again until it finishes. In the end each device and the server must have every note
once. The progress bar on a terminal is checked, too.
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

from device import READER_BINARY, Device, require_programs, rows_of_records
from service import PASSWORD, Checks, Service, parse_seed, wait_until

checks = Checks()
# The number of notes in a request.
BATCH = 200
# The longest delay of a kill, in seconds, after the number of requests of a route was reached.
# Requests that send are a little more than a second apart, which this delay covers.
MAX_DELAYS = {"records/modify": 1.3, "changes/zone": 0.05}


def make_export(note_count, rng):
    """An export with this number of notes, most of them short and some long."""
    words = ["Nhân", "danh", "Allah", "Đấng", "rất", "mực", "độ", "lượng", "khoan", "dung"]
    return {
        "format": "quran-vi",
        "version": 1,
        "exportedAt": 0,
        "notes": [
            {
                "id": str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper(),
                "ayah": f"2:{rng.randint(1, 286)}",
                "text": f"{number}\n"
                + " ".join(rng.choices(words, k=rng.choice((3, 20, 20, 200)))),
                "createdAt": 1_700_000_000_000 + number,
                "modifiedAt": 1_700_000_000_000 + number,
            }
            for number in range(note_count)
        ],
    }


class RequestMetrics:
    """The request metrics of the service."""

    def __init__(self, service):
        self.service = service

    def __call__(self):
        """The number of requests and the seconds that they took, by route."""
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.service.port}/metrics", timeout=30
        ) as response:
            lines = response.read().decode().splitlines()
        metrics = collections.defaultdict(lambda: [0, 0.0])
        for line in lines:
            match = re.match(
                r'record_service_request_seconds_(sum|count)\{path="[^"]*?([^"/]+/[^"/]+)"\} (.+)',
                line,
            )
            if match:
                kind, route, value = match.groups()
                metrics[route][kind == "sum"] += float(value)
        return metrics

    def request_count(self, route):
        return self()[route][0]


def kill_rounds(metrics, device, route, stops, rng):
    """Kills a round for each number of requests in `stops`, counted from the start of the round."""
    for number, stop in enumerate(stops):
        start_count = metrics.request_count(route)
        process = device.start_command("sync", "now")
        wait_until(
            lambda: (
                process.poll() is not None or metrics.request_count(route) - start_count >= stop
            ),
            seconds=120,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, MAX_DELAYS[route]))
        checks.that(
            f"{route}, kill {number}: the round is still running",
            process.poll() is None,
            process.returncode,
        )
        process.kill()
        process.communicate()


def run_on_terminal(device, *words):
    """Runs a command with a terminal as stderr.

    Returns the exit status, the output, what was written to the terminal, and the seconds it took.
    """
    start = time.monotonic()
    terminal, process_end = pty.openpty()
    process = subprocess.Popen(
        [READER_BINARY, "--lang", "en", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=process_end,
        env=device.environment(),
    )
    os.close(process_end)
    drawn = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(terminal, 4096):
            drawn += chunk
    os.close(terminal)
    output = process.communicate()[0]
    return process.returncode, output.decode(), drawn.decode(), time.monotonic() - start


def check_progress_bar(label, drawn, seconds, is_percentage):
    """Checks that a bar is drawn in place, only grows, and is removed in the end."""
    frames = [frame.rstrip() for frame in drawn.split("\r") if frame.strip()]
    # The first one is drawn after half a second, then ten per second, fewer on a busy machine.
    is_long = seconds > 2
    if is_long:
        checks.that(f"{label}: a bar is drawn", len(frames) >= 3, drawn)
    if not frames:
        return
    pattern = r"[▓░]{30} (\d{1,3}) %" if is_percentage else r"[▓░]{30} (\d+)"
    found = [re.fullmatch(pattern, frame) for frame in frames]
    if is_percentage:
        # A round receives before it sends, and then the total is not known.
        found = [
            match for match, frame in zip(found, frames) if not re.fullmatch(r"░{30} \d+", frame)
        ]
    checks.that(f"{label}: format of the bar", all(found), frames)
    numbers = [int(match[1]) for match in found if match]
    checks.equal(f"{label}: the bar never shrinks", numbers, sorted(numbers))
    if is_long:
        checks.that(f"{label}: the bar grows", len(set(numbers)) >= 3, numbers)
    checks.that(f"{label}: the bar stays on its line", "\n" not in drawn, drawn)
    checks.that(
        f"{label}: the bar is removed in the end", re.search(r"\r +\r$", drawn), drawn[-80:]
    )


def check_all(label, device, expected, ids):
    """Checks that a device has all notes, and that nothing is pending."""
    notes_on_device = device.contents()["notes"]
    checks.equal(f"{label}: number of notes", len(notes_on_device), len(expected))
    checks.that(f"{label}: every note once", device.rows()["notes"] == expected)
    checks.that(f"{label}: the same ids", {note["id"] for note in notes_on_device} == ids)
    status = device.status()
    checks.equal(f"{label}: nothing is pending", (status["pending"], status["parked"]), (0, []))


def main():
    require_programs()
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--kills", type=int, default=5, help="number of kills for each device")
    options.add_argument(
        "--seed", type=parse_seed, default=20_261_121, help="a number, or `random` for a new one"
    )
    options = options.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    content = make_export(options.notes, rng)
    expected = sorted(
        (note["ayah"], note["text"], note["createdAt"], note["modifiedAt"])
        for note in content["notes"]
    )
    ids = {note["id"] for note in content["notes"]}
    requests = options.notes // BATCH
    kills = options.kills
    start = time.monotonic()

    before = collections.defaultdict(lambda: [0, 0.0])

    def print_timing(label):
        nonlocal start
        now, metrics_now = time.monotonic(), metrics()
        print(
            f"{label}: {now - start:.1f} s; "
            + ", ".join(
                f"{route} {count - before[route][0]:.0f} in {seconds - before[route][1]:.1f} s"
                for route, (count, seconds) in metrics_now.items()
                if count > before[route][0]
            ),
            flush=True,
        )
        start = now
        before.update(metrics_now)

    with contextlib.ExitStack() as stack:
        service = stack.enter_context(Service())
        metrics = RequestMetrics(service)
        service.command("user", "add", "an", text=PASSWORD + "\n")
        first, second, third = (stack.enter_context(Device(service, checks)) for _ in range(3))
        first.connect("an")
        second.connect("an")
        file = first.home / "export.json"
        file.write_text(json.dumps(content, ensure_ascii=False))
        first.run("import", str(file))
        print_timing("import")

        def stops(requests_per_kill):
            """Numbers of requests after which rounds are killed."""
            return [
                max(1, requests_per_kill - rng.randint(0, requests_per_kill // 2))
                for _ in range(kills)
            ]

        # At least 1/(kills + 1) of the notes is left for the last round.
        requests_per_kill = requests // (kills + 1)
        kill_rounds(metrics, first, "records/modify", stops(requests_per_kill), rng)
        print_timing("sending, killed rounds")
        status, output, drawn, seconds = run_on_terminal(first, "sync", "now")
        checks.equal("sending: the last round succeeds", (status, output[:7]), (0, "Synced:"))
        check_progress_bar("sending", drawn, seconds, is_percentage=True)
        print_timing("sending, last round")
        check_all("the sending device", first, expected, ids)
        records = service.records("an")
        checks.equal(
            "on the server: number of records, with a profile", len(records), options.notes + 1
        )
        checks.that("on the server: every note once", rows_of_records(records)["notes"] == expected)
        print_timing("checks")

        # Receiving is fast, so half of the notes is left for the round whose bar is checked.
        kill_rounds(metrics, second, "changes/zone", stops(requests // (2 * kills)), rng)
        print_timing("receiving, killed rounds")
        status, output, drawn, seconds = run_on_terminal(second, "sync", "now")
        checks.equal("receiving: the last round succeeds", (status, output[:7]), (0, "Synced:"))
        check_progress_bar("receiving", drawn, seconds, is_percentage=False)
        print_timing("receiving, last round")
        check_all("the receiving device", second, expected, ids)

        # A new device is killed during its first sync, which `sync connect` runs.
        code = service.sign_in("an")
        process = third.start_command(
            "sync",
            "connect",
            service.url,
            "--paste",
            "--yes",
            text=f"{service.api_token}\n{code}\n",
        )
        start_count = metrics.request_count("changes/zone")
        wait_until(
            lambda: metrics.request_count("changes/zone") - start_count >= requests_per_kill,
            seconds=60,
        )
        process.kill()
        process.communicate()
        kill_rounds(metrics, third, "changes/zone", stops(requests_per_kill)[1:], rng)
        print_timing("first sync, killed rounds")
        third.sync()
        # Each round continues where the one before was killed.
        page_count = metrics.request_count("changes/zone") - start_count
        checks.that(
            "first sync: few pages are fetched twice",
            page_count <= requests + 4 * kills,
            page_count,
        )
        print_timing("first sync, last round")
        check_all("the new device", third, expected, ids)

        for device in (first, second, third):
            device.sync()
            checks.equal(
                "another round changes nothing",
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
            "no record is written again",
            all(records[name] == record for name, record in after.items()),
        )
        numbers = {int(record["recordChangeTag"].split("-")[0], 36) for record in after.values()}
        checks.equal("each record was written once", max(numbers) - min(numbers) + 1, options.notes)
        print_timing("checks")
    checks.finish("bulk")


if __name__ == "__main__":
    main()
