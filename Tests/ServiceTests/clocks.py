"""Tests that a wrong clock of a device neither delays changes nor duplicates notes.

A proxy between `quran-vi` and record-service drops responses or refuses requests.
"""

import contextlib
import json
import pathlib
import tempfile

import timeshift
from device import check_settled, proxied_devices, require_programs, rows_of_records
from gate import forward_all, refused
from service import Checks, wait_until

checks = Checks()
NAME = "an"
HOUR, DAY = 3600, 86_400


@contextlib.contextmanager
def devices_with_clocks(timeshift_library, count=1):
    """A service behind a proxy, and devices each of which has its own clock."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="clocks-"))
        clocks = [timeshift.Timeshift(timeshift_library, f"{directory}/{n}") for n in range(count)]
        for clock in clocks:
            stack.callback(clock.close)
        variables = [clock.variables for clock in clocks]
        service, proxy, devices = stack.enter_context(
            proxied_devices(checks, NAME, variables=variables)
        )
        yield service, proxy, devices, clocks


# Refusals


def refuse_request(status, **error):
    """Makes a response that refuses the whole request."""
    return lambda operations: (status, {"uuid": "0", **error})


def refuse_records(**error):
    """Makes a response that refuses each record."""
    return lambda operations: refused(operations, reason="busy", **error)


# A label, a function that makes the response, and who sends the change afterwards: the command
# `sync now` or a reader that is opened.
REFUSALS = (
    ("request, no time", refuse_request(503, serverErrorCode="TRY_AGAIN_LATER"), "reader"),
    (
        "request, with a time",
        refuse_request(503, serverErrorCode="TRY_AGAIN_LATER", retryAfter=60),
        "command",
    ),
    (
        "request, with a time",
        refuse_request(503, serverErrorCode="TRY_AGAIN_LATER", retryAfter=60),
        "reader",
    ),
    ("records, no time", refuse_records(serverErrorCode="TRY_AGAIN_LATER"), "reader"),
    ("records, with a time", refuse_records(serverErrorCode="THROTTLED", retryAfter=60), "command"),
    ("records, with a time", refuse_records(serverErrorCode="THROTTLED", retryAfter=60), "reader"),
    ("quota exceeded", refuse_records(serverErrorCode="QUOTA_EXCEEDED"), "reader"),
)


def corrected_clock(timeshift_library):
    """A request is refused while the clock is hours ahead; then the clock is corrected."""
    for label, make_response, sender in REFUSALS:
        with devices_with_clocks(timeshift_library) as (service, proxy, (device,), (clock,)):
            clock.advance(7 * HOUR)
            device.add_note("2:255", "chờ")
            proxy.override = lambda route, request, make_response=make_response: (
                make_response(request["operations"]) if route == "records/modify" else None
            )
            device.sync(status=4)
            checks.that(f"{label}: the change is pending", device.status()["pending"] == 1)
            proxy.override = forward_all
            clock.advance(-7 * HOUR)
            status = device.status()
            checks.equal(
                f"{label}: no pause after the correction",
                [status.get(key) for key in ("pendingUntil", "waitsUntil")],
                [None, None],
            )

            def notes_on_service():
                return rows_of_records(service.records(NAME))["notes"]

            if sender == "command":
                checks.equal(f"{label}: the command sends it", device.sync()["sent"], 1)
            else:
                with device.open_reader():
                    checks.that(f"{label}: the reader sends it", wait_until(notes_on_service))
            checks.equal(f"{label}: the service has it once", len(notes_on_service()), 1)
            checks.equal(f"{label}: nothing is pending", device.status()["pending"], 0)


# Lost responses


def sync_without_response(proxy, device):
    """Runs a round whose changes reach the service, but whose response is dropped."""
    with proxy.dropping(lambda body: b'"recordChangeTag"' in body and b'"zones"' not in body):
        device.sync(status=4)


def check(label, service, devices, *texts):
    """Syncs all devices, and checks that the service and they have exactly these notes."""
    check_settled(checks, label, service, NAME, devices, texts)


def lost_responses(timeshift_library):
    """A response is lost while a clock is wrong by days, which is then corrected or not."""
    for days, is_corrected in ((2, True), (2, False), (400, True), (-2, False)):
        label = f"{days} days ahead{', then corrected' if is_corrected else ''}"
        with devices_with_clocks(timeshift_library, 2) as (service, proxy, devices, (clock, _)):
            first, second = devices
            clock.advance(days * DAY)
            note = first.add_note("2:255", "đầu")
            sync_without_response(proxy, first)
            if is_corrected:
                clock.advance(-days * DAY)
            check(f"{label}, note added", service, devices, "đầu")
            # A note is added, and edited before the device knows that the service has it.
            if is_corrected:
                clock.advance(days * DAY)
            other = first.add_note("1:1", "a\nb")
            sync_without_response(proxy, first)
            if is_corrected:
                clock.advance(-days * DAY)
            first.run("note", "edit", other, "-m", "a\nx\nb")
            check(f"{label}, note added and edited", service, devices, "đầu", "a\nx\nb")
            # Both devices edit the same line, and the first one does not get its response.
            second.run("note", "edit", note, "-m", "của hai")
            if is_corrected:
                clock.advance(days * DAY)
            first.run("note", "edit", note, "-m", "của một")
            sync_without_response(proxy, first)
            if is_corrected:
                clock.advance(-days * DAY)
            second.sync()
            check(
                f"{label}, note edited on both", service, devices, "của một", "của hai", "a\nx\nb"
            )
            # The device with the correct clock then edits the merged text.
            second.run("note", "edit", note, "-m", "của hai, sau đó")
            texts = {
                row["text"] for row in json.loads(second.run("note", "list", "2:255", "--json"))
            }
            check(f"{label}, note edited again", service, devices, "a\nx\nb", *texts)


def main():
    require_programs()
    with tempfile.TemporaryDirectory(prefix="clocks-") as directory:
        timeshift_library = timeshift.build(pathlib.Path(directory))
        corrected_clock(timeshift_library)
        lost_responses(timeshift_library)
    checks.finish("clocks")


if __name__ == "__main__":
    main()
