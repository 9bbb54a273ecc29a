"""A device's clock that is wrong holds no change back, and doubles no note.

A gate stands between `quran-vi` and record-service and loses answers, or refuses requests.
"""

import contextlib
import json
import pathlib
import tempfile

import timeshift
from device import behind_gate, need_programs, rows_of
from service import Checks, skip, until

checks = Checks()
NAME = "an"
HOUR, DAY = 3600, 86_400


@contextlib.contextmanager
def with_clocks(library, count=1):
    """Devices with clocks of their own."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="clocks-"))
        clocks = [timeshift.Timeshift(library, f"{directory}/{n}") for n in range(count)]
        for clock in clocks:
            stack.callback(clock.close)
        variables = [clock.variables for clock in clocks]
        service, gate, devices = stack.enter_context(behind_gate(checks, NAME, variables=variables))
        yield service, gate, devices, clocks


# Refusals


def of_request(status, **error):
    """The whole request is refused."""
    return lambda operations: (status, {"uuid": "0", **error})


def of_records(**error):
    """Each record is refused."""
    return lambda operations: (
        200,
        {
            "records": [
                {"recordName": operation["record"]["recordName"], "reason": "busy", **error}
                for operation in operations
            ]
        },
    )


# And whether a command sends the change then, or a reader that is opened.
REFUSALS = (
    ("busy", of_request(503, serverErrorCode="TRY_AGAIN_LATER"), "reader"),
    ("busy a while", of_request(503, serverErrorCode="TRY_AGAIN_LATER", retryAfter=60), "command"),
    ("busy a while", of_request(503, serverErrorCode="TRY_AGAIN_LATER", retryAfter=60), "reader"),
    ("records busy", of_records(serverErrorCode="TRY_AGAIN_LATER"), "reader"),
    ("records a while", of_records(serverErrorCode="THROTTLED", retryAfter=60), "command"),
    ("records a while", of_records(serverErrorCode="THROTTLED", retryAfter=60), "reader"),
    ("full", of_records(serverErrorCode="QUOTA_EXCEEDED"), "reader"),
)


def set_back(library):
    """A request fails while the clock is hours ahead; then the clock is put right."""
    for where, answer, sender in REFUSALS:
        with with_clocks(library) as (service, gate, (one,), (clock,)):
            clock.move(7 * HOUR)
            one.note("2:255", "chờ")
            gate.lie = lambda route, request, answer=answer: (
                answer(request["operations"]) if route == "records/modify" else None
            )
            one.sync(status=4)
            checks.that(f"{where}: it waits", one.status()["pending"] == 1)
            gate.lie = lambda route, request: None
            clock.move(-7 * HOUR)
            status = one.status()
            checks.equal(
                f"{where}: and for nothing",
                [status.get(key) for key in ("pendingUntil", "waitsUntil")],
                [None, None],
            )

            def is_there():
                return rows_of(service.records(NAME))["notes"]

            if sender == "command":
                checks.equal(f"{where}: it is sent", one.sync()["sent"], 1)
            else:
                with one.reading():
                    checks.that(f"{where}: the reader sends it", until(is_there))
            checks.equal(f"{where}: once", len(is_there()), 1)
            checks.equal(f"{where}: nothing waits", one.status()["pending"], 0)


# Answers that are lost


def lose_answer(gate, device):
    """A round whose changes arrive, and whose answer does not."""

    def cut(body):
        if b'"recordChangeTag"' in body and b'"zones"' not in body:
            raise ConnectionResetError
        return body

    gate.alter = cut
    device.sync(status=4)
    gate.alter = lambda body: body


def check(where, service, devices, *texts):
    for device in 2 * devices:
        device.sync()
    rows = rows_of(service.records(NAME))
    checks.equal(f"{where}: the service", sorted(row[1] for row in rows["notes"]), sorted(texts))
    for number, device in enumerate(devices):
        checks.equal(f"{where}: device {number}", device.rows(), rows)
        checks.equal(f"{where}: nothing waits", device.status()["pending"], 0)


def lost_answers(library):
    """A clock is wrong by days when an answer is lost, and then put right or not."""
    for days, is_put_right in ((2, True), (2, False), (400, True), (-2, False)):
        where = f"{days} days ahead{', then put right' if is_put_right else ''}"
        with with_clocks(library, 2) as (service, gate, devices, (clock, _)):
            one, two = devices
            clock.move(days * DAY)
            note = one.note("2:255", "đầu")
            lose_answer(gate, one)
            if is_put_right:
                clock.move(-days * DAY)
            check(f"{where}, made", service, devices, "đầu")
            # Made, and changed before it is known that it arrived.
            if is_put_right:
                clock.move(days * DAY)
            other = one.note("1:1", "a\nb")
            lose_answer(gate, one)
            if is_put_right:
                clock.move(-days * DAY)
            one.run("note", "edit", other, "-m", "a\nx\nb")
            check(f"{where}, made and changed", service, devices, "đầu", "a\nx\nb")
            # Both change a line, and the first does not hear that its own arrived.
            two.run("note", "edit", note, "-m", "của hai")
            if is_put_right:
                clock.move(days * DAY)
            one.run("note", "edit", note, "-m", "của một")
            lose_answer(gate, one)
            if is_put_right:
                clock.move(-days * DAY)
            two.sync()
            check(f"{where}, changed by both", service, devices, "của một", "của hai", "a\nx\nb")
            # The later edit of the device whose clock is right is made of the others' text.
            two.run("note", "edit", note, "-m", "của hai, sau đó")
            held = {row["text"] for row in json.loads(two.run("note", "list", "2:255", "--json"))}
            check(f"{where}, changed again", service, devices, "a\nx\nb", *held)


def main():
    need_programs()
    with tempfile.TemporaryDirectory(prefix="clocks-") as directory:
        library = timeshift.build(pathlib.Path(directory))
        if library is None:
            skip("there is no Linux, or no C compiler, to make another time with")
        set_back(library)
        lost_answers(library)
    checks.finish("clocks")


if __name__ == "__main__":
    main()
