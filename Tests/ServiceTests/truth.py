"""What `quran-vi sync` says is so: of what waits, of signing in and out, and of broken settings.

A gate stands between the reader and record-service and answers some requests itself.
"""

import json
import os
import shutil
import subprocess

from device import Device, behind_gate, need_programs, rows_of
from service import Checks

checks = Checks()
NAME = "an"
# The longest text of a service that is shown.
LONGEST = 200


def honest(route, request):
    """Nothing, so that the answer is the service's own."""


# Settings


def setting(user, value, key="theme", at=5):
    return {
        "recordName": f"setting-{user}-{key}",
        "recordType": "AppSettings",
        "fields": {
            "settingKey": {"value": key},
            "settingValue": {"value": value},
            "lastModifiedAt": {"value": at, "type": "TIMESTAMP"},
            "ownerRecordName": {"value": user},
        },
    }


class OtherProgram:
    """Another program of the same account, which writes what it likes."""

    def __init__(self, service):
        self.service, self.token = service, service.sign_in(NAME)
        answer = service.call("users/caller", token=self.token, method="GET")
        self.user = answer[1]["userRecordName"]

    def write(self, value):
        """Puts a value in the place of whatever the setting has."""
        operation = {"operationType": "forceReplace", "record": setting(self.user, value)}
        _, answer = self.service.call("records/modify", {"operations": [operation]}, self.token)
        checks.that("the value is there", "recordChangeTag" in answer["records"][0], answer)


def theme(service):
    """The value of the setting on the service."""
    return [
        record["fields"]["settingValue"]["value"]
        for record in service.records(NAME).values()
        if record["recordType"] == "AppSettings"
    ]


def broken_settings():
    with behind_gate(checks, NAME, 2) as (service, gate, (one, two)):
        other = OtherProgram(service)
        for value, chosen in (("{broken", "light"), ("nul", "dark"), ("", "sepia")):
            where = f"the value {value!r}"
            other.write(value)
            for device in (one, two):
                device.sync()
            checks.equal(f"{where} stays until a value is set", theme(service), [value])
            checks.equal(
                f"{where} is told",
                [row["type"] for row in one.status()["unreadable"]],
                ["AppSettings"],
            )
            one.run("settings", "set", "theme", chosen)
            checks.equal(f"{where} gives way", one.sync()["sent"], 1)
            checks.equal(f"{where}: the next one", theme(service), [json.dumps(chosen)])
            checks.equal(f"{where} is forgotten", one.status()["unreadable"], [])
            two.sync()
            checks.equal(f"{where}: both have it", two.rows(), one.rows())
            for device in (one, two):
                status = device.status()
                checks.equal(
                    f"{where}: nothing is left",
                    [status[key] for key in ("unreadable", "parked", "pending")],
                    [[], [], 0],
                )
        # One that appears between fetching and sending.
        one.run("settings", "set", "theme", "oasis")
        written = []

        def write(route, request):
            if route == "records/modify" and not written:
                written.append(True)
                other.write("}")

        gate.lie = write
        one.sync()
        gate.lie = honest
        checks.equal("it appears meanwhile: the value", theme(service), ['"oasis"'])
        checks.equal("it appears meanwhile: nothing is parked", one.status()["parked"], [])


# What waits


def refused(code, **error):
    """Every record is refused."""

    def lie(route, request):
        if route != "records/modify":
            return None
        return 200, {
            "records": [
                {
                    "recordName": operation["record"]["recordName"],
                    "serverErrorCode": code,
                    **error,
                }
                for operation in request["operations"]
            ]
        }

    return lie


def waiting():
    for code, error in (("TRY_AGAIN_LATER", {"retryAfter": 600}), ("QUOTA_EXCEEDED", {})):
        with behind_gate(checks, NAME) as (_, gate, (one,)):
            one.note("2:255", "chờ")
            gate.lie = refused(code, reason="không", **error)
            # The second time it is in its pause, and whoever asks is told so.
            for attempt in ("first", "second"):
                where = f"{code}, {attempt}"
                said = one.run("sync", "now", status=4)
                checks.that(f"{where}: on the output", "Waiting to be sent: 1" in said, said)
                checks.that(f"{where}: until when", " at 20" in said, said)
                left = one.sync(status=4)["left"]
                checks.equal(f"{where}: to scripts", left["pending"], 1)
                checks.that(f"{where}: until when, too", left["pendingUntil"], left)
                status = one.status()
                checks.equal(
                    f"{where}: the status is the same",
                    [status[key] for key in ("pending", "pendingUntil", "lastError")],
                    [left[key] for key in ("pending", "pendingUntil", "lastError")],
                )
            said = one.run("sync", "now", status=4, language="vi")
            checks.that(f"{code}: in Vietnamese", "Đang chờ gửi: 1" in said, said)


def long_reasons():
    """A service says too much, and what a terminal would obey."""
    reason = "\x1b[31m\x9b2J\u202e\n" + "không " * 20_000
    for code in ("NOT_FOUND", "VALIDATING_REFERENCE_ERROR", "THROTTLED"):
        with behind_gate(checks, NAME) as (_, gate, (one,)):
            one.note("2:255", "chờ")
            gate.lie = refused(code, reason=reason)
            left = json.loads(one.run("sync", "now", "--json", status=4))["left"]
            # Why it waits, or why it does not any more.
            told = [row["reason"] for row in left["parked"]] or [left["lastError"]]
            (shown,) = {problem["reason"] for problem in told}
            checks.that(f"{code}: cut", 100 < len(shown) <= LONGEST, len(shown))
            for words in (("sync", "now"), ("sync", "status"), ("sync", "now", "--json")):
                said = one.run(*words, status=0 if words[1] == "status" else 4) + one.errors
                where = f"{code}, {' '.join(words)}"
                checks.that(f"{where}: short", len(said) < 1500 + LONGEST, len(said))
                checks.that(
                    f"{where}: clean",
                    not any(character in said for character in "\x1b\x9b\u202e"),
                    said,
                )


# Tokens


def expired_token():
    with behind_gate(checks, NAME, 2) as (service, gate, (one, two)):
        one.note("2:255", "một")
        for device in (one, two):
            device.sync()
        two.note("1:1", "hai")
        two.sync()
        expired = {
            "zoneID": {"zoneName": "_defaultZone"},
            "serverErrorCode": "CHANGE_TOKEN_EXPIRED",
            "reason": "Change token expired",
        }

        def lie(route, request):
            if route != "changes/zone" or not request["zones"][0].get("syncToken"):
                return None
            return 200, {"zones": [expired]}

        gate.lie = lie
        checks.equal("a token that expired: all is read", one.sync()["received"], 1)
        checks.equal("and nothing is lost", one.notes(), [("1:1", "hai"), ("2:255", "một")])
        gate.lie = lambda route, request: (
            (200, {"zones": [expired]}) if route == "changes/zone" else None
        )
        one.run("sync", "now", status=4)
        checks.that(
            "one that expires at once: what to do",
            "nothing is lost" in one.errors and "run quran-vi sync now" in one.errors,
            one.errors,
        )
        one.run("sync", "now", status=4, language="vi")
        checks.that("in Vietnamese", "không mất gì" in one.errors, one.errors)
        gate.lie = honest
        one.sync()
        checks.equal("then it is well again", one.rows(), rows_of(service.records(NAME)))


def wrong_codes():
    with behind_gate(checks, NAME) as (service, gate, (one,)):
        token = one.token()
        for words in (("login",), ("connect", gate.url)):
            text = "sai\n" if words == ("login",) else f"{service.api_token}\nsai\n"
            one.run("sync", *words, "--paste", "--yes", text=text, status=5)
            checks.that(f"{words[0]}: a wrong code", "code is wrong" in one.errors, one.errors)
            checks.equal(f"{words[0]}: the sign-in before stays", one.token(), token)
        one.run("sync", "login", "--paste", "--yes", text="sai\n", status=5, language="vi")
        checks.that("in Vietnamese", "Mã đăng nhập sai" in one.errors, one.errors)
        one.sync()


def first_connects():
    with behind_gate(checks, NAME) as (service, gate, (one,)):
        one.note("2:255", "một")
        one.run("favorite", "add", "2:255", "36:1")
        one.sync()
        with Device(one.service, checks) as new:
            said = new.connect(NAME)
            checks.that(
                "what a reader knows is counted", "0 sent, 3 received, 0 deleted" in said, said
            )
        service.stop()
        with Device(one.service, checks) as new:
            for url in (gate.url, service.url):
                new.run("sync", "connect", url, text="a\n", status=4)
                checks.that("a dead address", "not connected" in new.errors, new.errors)
                checks.that("keeps nothing", "kept" not in new.errors, new.errors)


# Signing out where nothing can be written


def is_signed_in(service, token):
    return service.call("users/caller", token=token, method="GET")[0] == 200


def cannot_sign_out(where, service, one, at):
    """Signing out fails for `at`, a device that shares the home of `one`, and says so."""
    token = one.token()
    at.run("sync", "logout", status=3)
    checks.that(f"{where}: it names the file", "library.sqlite.credentials" in at.errors, at.errors)
    checks.that(f"{where}: and does not say otherwise", "Signed out" not in at.errors, at.errors)
    checks.equal(f"{where}: the token is there", one.token(), token)
    checks.that(f"{where}: and valid", is_signed_in(service, token))
    status = json.loads(at.run("sync", "status", "--json"))
    checks.equal(f"{where}: the status says so", status["isSignedIn"], True)


def read_only(service, one):
    """A device whose home is on a disk that cannot be written to; None where that cannot be."""
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(one.home)]
    if not shutil.which("unshare") or subprocess.run([*words, "true"]).returncode != 0:
        return None
    program = one.home.parent / f"{one.home.name}-read-only"
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in [*words, one.program])
    program.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n')
    program.chmod(0o700)
    return Device(service, checks, home=one.home, program=str(program))


def signing_out():
    with behind_gate(checks, NAME) as (service, _, (one,)):
        one.note("2:255", "một")
        one.sync()
        device = read_only(service, one)
        if device:
            cannot_sign_out("a disk that cannot be written to", service, one, device)
            os.unlink(device.program)
        else:
            print("left out: a disk that cannot be written to, as none can be mounted here")
        file = one.data / "library.sqlite.credentials"
        if shutil.which("chattr") and subprocess.run(["chattr", "+i", file]).returncode == 0:
            try:
                cannot_sign_out("a file that cannot be changed", service, one, one)
            finally:
                subprocess.run(["chattr", "-i", file], check=True)
        else:
            print("left out: a file that cannot be changed, as chattr does not make one here")
        one.sync()
        token = one.token()
        checks.that("then it works", "Signed out" in one.run("sync", "logout"))
        checks.that("and the sign-in is over", not is_signed_in(service, token))
        checks.equal("which is told", one.status()["isSignedIn"], False)
        checks.that(
            "the token is in no file",
            not any(token.encode() in path.read_bytes() for path in one.files()),
        )


def main():
    need_programs()
    for part in (
        broken_settings,
        waiting,
        long_reasons,
        expired_token,
        wrong_codes,
        first_connects,
        signing_out,
    ):
        part()
    checks.finish("truth")


if __name__ == "__main__":
    main()
