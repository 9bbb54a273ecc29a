"""Texts that lose against another device's stay as notes of their own: copies.

People write the same short text again and again. It stays each time, whatever becomes of the first
copy, or of another note that has the text.
"""

import contextlib
import itertools
import json

from device import meeting, need_programs, rows_of
from service import Checks

checks = Checks()
NAME = "an nguyễn"
READ = "đã đọc"


def notes(device):
    """Texts by id."""
    return {note["id"]: note["text"] for note in json.loads(device.run("note", "list", "--json"))}


def note_of(device, text):
    (found,) = [note for note, held in notes(device).items() if held == text]
    return found


def edit(device, note, text):
    device.run("note", "edit", note, "-m", text)


def settle(devices):
    for device in 2 * devices:
        device.sync()


def agree(where, service, devices, *texts):
    """All sync, and hold these texts, and nothing waits."""
    settle(devices)
    rows = rows_of(service.records(NAME))
    checks.equal(f"{where}: the service", sorted(row[1] for row in rows["notes"]), sorted(texts))
    for number, device in enumerate(devices):
        checks.equal(f"{where}: device {number} agrees", device.rows(), rows)
        status = device.status()
        checks.equal(
            f"{where}: nothing waits on device {number}",
            (status["pending"], status["parked"]),
            (0, []),
        )


@contextlib.contextmanager
def with_note(count=2):
    """Devices that have a note."""
    with meeting(checks, count) as (service, devices):
        note = devices[0].note("2:255", "đầu")
        settle(devices)
        yield service, devices, note


def collide(note, one, two, text):
    """The first writes what it has written before, the second something else, and later."""
    edit(one, note, READ)
    edit(two, note, text)


def lost_again():
    """The first copy was changed when its text loses again: on the device that wrote the text, on
    the other one, or on a third; and the others know of that, or do not yet."""
    for place, is_known in itertools.product(range(3), (True, False)):
        where = f"changed on device {place}, {'known' if is_known else 'unknown'}"
        with with_note(3) as (service, devices, note):
            one, two, _ = devices
            changed = []
            collide(note, one, two, "một")
            for text in ("hai", "ba"):
                settle(devices)
                changed.append(f"đã đọc {text} lần")
                edit(devices[place], note_of(devices[place], READ), changed[-1])
                if is_known:
                    settle(devices)
                collide(note, one, two, text)
            agree(where, service, devices, *changed, READ, "ba")


def deleted_copy():
    """A copy that somebody deleted is made again where its text loses again."""
    with with_note() as (service, devices, note):
        one, two = devices
        collide(note, one, two, "hai")
        settle(devices)
        two.run("note", "remove", note_of(two, READ))
        settle(devices)
        collide(note, one, two, "ba")
        agree("it is made again", service, devices, "ba", READ)


def each_time():
    """What is written again and loses again is there again, but not where it does not lose."""
    with with_note() as (service, devices, note):
        one, two = devices
        for number, text in enumerate(("hai", "ba", "bốn"), 1):
            collide(note, one, two, text)
            agree(f"against “{text}”", service, devices, text, *[READ] * number)
        collide(note, one, two, READ)
        agree("the same text on both", service, devices, *[READ] * 4)


def another_note():
    """Another note that has the text may go, before or after the merge."""
    for is_before in (True, False):
        where = "deleted before" if is_before else "deleted after"
        with with_note(3) as (service, devices, note):
            one, two, three = devices
            other = one.note("2:255", READ)
            settle(devices)
            collide(note, one, two, "hai")
            if is_before:
                three.run("note", "remove", other)
            else:
                settle(devices)
                three.run("note", "remove", other)
            agree(f"{where}, in the end", service, devices, "hai", READ)


def main():
    need_programs()
    for part in (lost_again, deleted_copy, each_time, another_note):
        part()
    checks.finish("copies")


if __name__ == "__main__":
    main()
