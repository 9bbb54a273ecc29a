"""Tests the copies that a merge makes: a text that loses a conflict is kept as a note of its own.

Each text that loses gets a copy, even if the same text lost before, the earlier copy was changed or
deleted, or another note has the same text.
"""

import contextlib
import itertools
import json

from device import check_settled, connected_devices, require_programs
from service import Checks

checks = Checks()
NAME = "an nguyễn"
READ = "đã đọc"


def notes(device):
    """The texts of all notes by id."""
    return {note["id"]: note["text"] for note in json.loads(device.run("note", "list", "--json"))}


def note_of(device, text):
    """The id of the only note with this text."""
    (found,) = [note for note, note_text in notes(device).items() if note_text == text]
    return found


def edit(device, note, text):
    device.run("note", "edit", note, "-m", text)


def sync_all(devices):
    for device in 2 * devices:
        device.sync()


def check_all(label, service, devices, *texts):
    """Syncs all devices, and checks that they have these texts and that no change is pending."""
    check_settled(checks, label, service, NAME, devices, texts)


@contextlib.contextmanager
def devices_with_note(count=2):
    """A service and devices that have a note in common."""
    with connected_devices(checks, count) as (service, devices):
        note = devices[0].add_note("2:255", "đầu")
        sync_all(devices)
        yield service, devices, note


def make_conflict(note, first, second, text):
    """Makes a conflict: the first device writes READ, and later the second device writes `text`."""
    edit(first, note, READ)
    edit(second, note, text)


def changed_copy():
    """A text loses again after the first copy was changed.

    The copy is changed on the device that wrote the text, on the other one or on a third one, and
    the change is synced before the next conflict or not.
    """
    for changing_device, is_synced in itertools.product(range(3), (True, False)):
        label = (
            f"copy changed on device {changing_device}, {'synced' if is_synced else 'not synced'}"
        )
        with devices_with_note(3) as (service, devices, note):
            first, second, _ = devices
            changed = []
            make_conflict(note, first, second, "một")
            for text in ("hai", "ba"):
                sync_all(devices)
                changed.append(f"đã đọc {text} lần")
                edit(devices[changing_device], note_of(devices[changing_device], READ), changed[-1])
                if is_synced:
                    sync_all(devices)
                make_conflict(note, first, second, text)
            check_all(label, service, devices, *changed, READ, "ba")


def deleted_copy():
    """A copy that was deleted is made again when its text loses again."""
    with devices_with_note() as (service, devices, note):
        first, second = devices
        make_conflict(note, first, second, "hai")
        sync_all(devices)
        second.run("note", "remove", note_of(second, READ))
        sync_all(devices)
        make_conflict(note, first, second, "ba")
        check_all("copy after a deletion", service, devices, "ba", READ)


def repeated_conflicts():
    """A text that loses several times is copied each time; equal texts make no copy."""
    with devices_with_note() as (service, devices, note):
        first, second = devices
        for number, text in enumerate(("hai", "ba", "bốn"), 1):
            make_conflict(note, first, second, text)
            check_all(f"conflict with “{text}”", service, devices, text, *[READ] * number)
        make_conflict(note, first, second, READ)
        check_all("the same text on both devices", service, devices, *[READ] * 4)


def other_note_with_text():
    """Another note with the same text is deleted, before or after the merge."""
    for is_before in (True, False):
        label = "deleted before the merge" if is_before else "deleted after the merge"
        with devices_with_note(3) as (service, devices, note):
            first, second, third = devices
            other = first.add_note("2:255", READ)
            sync_all(devices)
            make_conflict(note, first, second, "hai")
            if is_before:
                third.run("note", "remove", other)
            else:
                sync_all(devices)
                third.run("note", "remove", other)
            check_all(f"{label}, other note", service, devices, "hai", READ)


def main():
    require_programs()
    for test in (changed_copy, deleted_copy, repeated_conflicts, other_note_with_text):
        test()
    checks.finish("copies")


if __name__ == "__main__":
    main()
