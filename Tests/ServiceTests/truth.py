"""Tests that `quran-vi sync` reports the actual state.

Its reports are about pending changes, invalid settings, expired sync tokens, signing in and signing
out. A proxy between the reader and record-service answers some requests itself.
"""

import json
import os
import shutil
import subprocess

from device import Device, proxied_devices, require_programs, rows_of_records
from gate import forward_all, refused
from service import Checks

checks = Checks()
NAME = "an"
# The maximum length at which a reason that the service sent is printed.
MAX_REASON_LENGTH = 200


# Settings


def setting_record(user, value, key="theme", at=5):
    """The record of a setting."""
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
    """Another program of the same account, which writes invalid settings."""

    def __init__(self, service):
        self.service, self.token = service, service.sign_in(NAME)
        response = service.call("users/caller", token=self.token, method="GET")
        self.user = response[1]["userRecordName"]

    def write(self, value):
        """Overwrites the value of the setting on the service."""
        _, response = self.service.save(self.token, setting_record(self.user, value))
        checks.that("the value is written", "recordChangeTag" in response["records"][0], response)


def setting_values(service):
    """The values of all settings on the service."""
    return [
        record["fields"]["settingValue"]["value"]
        for record in service.records(NAME).values()
        if record["recordType"] == "AppSettings"
    ]


def invalid_settings():
    """A setting with an invalid value is reported, and replaced once the user sets it."""
    with proxied_devices(checks, NAME, 2) as (service, proxy, (first, second)):
        other = OtherProgram(service)
        for value, new_value in (("{broken", "light"), ("nul", "dark"), ("", "sepia")):
            label = f"the value {value!r}"
            other.write(value)
            for device in (first, second):
                device.sync()
            checks.equal(
                f"{label} stays on the service until the user sets one",
                setting_values(service),
                [value],
            )
            checks.equal(
                f"{label} is reported",
                [row["type"] for row in first.status()["unreadable"]],
                ["AppSettings"],
            )
            first.run("settings", "set", "theme", new_value)
            checks.equal(f"{label} is replaced", first.sync()["sent"], 1)
            checks.equal(
                f"{label}: the new value on the service",
                setting_values(service),
                [json.dumps(new_value)],
            )
            checks.equal(f"{label} is no longer reported", first.status()["unreadable"], [])
            second.sync()
            checks.equal(f"{label}: both devices have the new value", second.rows(), first.rows())
            for device in (first, second):
                status = device.status()
                checks.equal(
                    f"{label}: nothing is unreadable, parked or pending",
                    [status[key] for key in ("unreadable", "parked", "pending")],
                    [[], [], 0],
                )
        # An invalid value is written between fetching and sending.
        first.run("settings", "set", "theme", "oasis")
        written = []

        def write(route, request):
            if route == "records/modify" and not written:
                written.append(True)
                other.write("}")

        proxy.override = write
        first.sync()
        proxy.override = forward_all
        checks.equal(
            "invalid value during a round: the value on the service",
            setting_values(service),
            ['"oasis"'],
        )
        checks.equal(
            "invalid value during a round: nothing is parked", first.status()["parked"], []
        )


# Pending changes


def refuse_records(code, **error):
    """Makes an override that refuses every record."""

    return lambda route, request: (
        refused(request["operations"], serverErrorCode=code, **error)
        if route == "records/modify"
        else None
    )


def pending_changes():
    """A pending change is reported with the time at which it is sent again."""
    for code, error in (("TRY_AGAIN_LATER", {"retryAfter": 600}), ("QUOTA_EXCEEDED", {})):
        with proxied_devices(checks, NAME) as (_, proxy, (device,)):
            device.add_note("2:255", "chờ")
            proxy.override = refuse_records(code, reason="không", **error)
            # The second round takes place during the pause.
            for attempt in ("first", "second"):
                label = f"{code}, {attempt}"
                output = device.run("sync", "now", status=4)
                checks.that(f"{label}: printed count", "Waiting to be sent: 1" in output, output)
                checks.that(f"{label}: printed time", " at 20" in output, output)
                left = device.sync(status=4)["left"]
                checks.equal(f"{label}: count in JSON", left["pending"], 1)
                checks.that(f"{label}: time in JSON", left["pendingUntil"], left)
                status = device.status()
                checks.equal(
                    f"{label}: `sync status` reports the same",
                    [status[key] for key in ("pending", "pendingUntil", "lastError")],
                    [left[key] for key in ("pending", "pendingUntil", "lastError")],
                )
            output = device.run("sync", "now", status=4, language="vi")
            checks.that(f"{code}: printed count in Vietnamese", "Đang chờ gửi: 1" in output, output)


def long_reasons():
    """The service sends a very long reason with control characters."""
    reason = "\x1b[31m\x9b2J\u202e\n" + "không " * 20_000
    for code in ("NOT_FOUND", "VALIDATING_REFERENCE_ERROR", "THROTTLED"):
        with proxied_devices(checks, NAME) as (_, proxy, (device,)):
            device.add_note("2:255", "chờ")
            proxy.override = refuse_records(code, reason=reason)
            left = json.loads(device.run("sync", "now", "--json", status=4))["left"]
            # The reason why the change is parked or pending.
            problems = [row["reason"] for row in left["parked"]] or [left["lastError"]]
            (printed_reason,) = {problem["reason"] for problem in problems}
            checks.that(
                f"{code}: the reason is shortened",
                100 < len(printed_reason) <= MAX_REASON_LENGTH,
                len(printed_reason),
            )
            for words in (("sync", "now"), ("sync", "status"), ("sync", "now", "--json")):
                output = device.run(*words, status=0 if words[1] == "status" else 4) + device.errors
                label = f"{code}, {' '.join(words)}"
                checks.that(
                    f"{label}: short output", len(output) < 1500 + MAX_REASON_LENGTH, len(output)
                )
                checks.that(
                    f"{label}: no control characters",
                    not any(character in output for character in "\x1b\x9b\u202e"),
                    output,
                )


# Sync tokens and sign-in codes


def expired_token():
    """An expired sync token makes the device read everything again."""
    with proxied_devices(checks, NAME, 2) as (service, proxy, (first, second)):
        first.add_note("2:255", "một")
        for device in (first, second):
            device.sync()
        second.add_note("1:1", "hai")
        second.sync()
        expired = {
            "zoneID": {"zoneName": "_defaultZone"},
            "serverErrorCode": "CHANGE_TOKEN_EXPIRED",
            "reason": "Change token expired",
        }

        def override(route, request):
            if route != "changes/zone" or not request["zones"][0].get("syncToken"):
                return None
            return 200, {"zones": [expired]}

        proxy.override = override
        checks.equal("expired token: all records are read", first.sync()["received"], 1)
        checks.equal(
            "expired token: nothing is lost", first.notes(), [("1:1", "hai"), ("2:255", "một")]
        )
        proxy.override = lambda route, request: (
            (200, {"zones": [expired]}) if route == "changes/zone" else None
        )
        first.run("sync", "now", status=4)
        checks.that(
            "token that expires at once: the error has an instruction",
            "nothing is lost" in first.errors and "run quran-vi sync now" in first.errors,
            first.errors,
        )
        first.run("sync", "now", status=4, language="vi")
        checks.that(
            "token that expires at once: in Vietnamese",
            "không mất gì" in first.errors,
            first.errors,
        )
        proxy.override = forward_all
        first.sync()
        checks.equal(
            "device and service are equal in the end",
            first.rows(),
            rows_of_records(service.records(NAME)),
        )


def wrong_sign_in_codes():
    """A wrong sign-in code is reported, and the former sign-in stays valid."""
    with proxied_devices(checks, NAME) as (service, proxy, (device,)):
        token = device.token()
        for words in (("login",), ("connect", proxy.url)):
            text = "sai\n" if words == ("login",) else f"{service.api_token}\nsai\n"
            device.run("sync", *words, "--paste", "--yes", text=text, status=5)
            checks.that(
                f"{words[0]}: a wrong code", "code is wrong" in device.errors, device.errors
            )
            checks.equal(f"{words[0]}: the token is unchanged", device.token(), token)
        device.run("sync", "login", "--paste", "--yes", text="sai\n", status=5, language="vi")
        checks.that(
            "login: a wrong code, in Vietnamese", "Mã đăng nhập sai" in device.errors, device.errors
        )
        device.sync()


def first_rounds():
    """`sync connect` of a new device reports its first round, or that it failed."""
    with proxied_devices(checks, NAME) as (service, proxy, (device,)):
        device.add_note("2:255", "một")
        device.run("favorite", "add", "2:255", "36:1")
        device.sync()
        with Device(device.service, checks) as new_device:
            output = new_device.connect(NAME)
            checks.that(
                "counts of the first round", "0 sent, 3 received, 0 deleted" in output, output
            )
        service.stop()
        with Device(device.service, checks) as new_device:
            for url in (proxy.url, service.url):
                new_device.run("sync", "connect", url, text="a\n", status=4)
                checks.that(
                    "an address without a service",
                    "not connected" in new_device.errors,
                    new_device.errors,
                )
                checks.that(
                    "no change is reported as kept",
                    "kept" not in new_device.errors,
                    new_device.errors,
                )


# Signing out where the credentials file cannot be written


def is_signed_in(service, token):
    return service.call("users/caller", token=token, method="GET")[0] == 200


def check_failing_sign_out(label, service, device, failing_device):
    """Checks that signing out fails on `failing_device`, which shares the home of `device`."""
    token = device.token()
    failing_device.run("sync", "logout", status=3)
    checks.that(
        f"{label}: the error names the file",
        "library.sqlite.credentials" in failing_device.errors,
        failing_device.errors,
    )
    checks.that(
        f"{label}: success is not reported",
        "Signed out" not in failing_device.errors,
        failing_device.errors,
    )
    checks.equal(f"{label}: the token is kept", device.token(), token)
    checks.that(f"{label}: the token is valid", is_signed_in(service, token))
    status = json.loads(failing_device.run("sync", "status", "--json"))
    checks.equal(f"{label}: the status is signed in", status["isSignedIn"], True)


def read_only_device(service, device):
    """A device whose home is on a read-only mount; None if none can be mounted here."""
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(device.home)]
    if not shutil.which("unshare") or subprocess.run([*words, "true"]).returncode != 0:
        return None
    wrapper = device.home.parent / f"{device.home.name}-read-only"
    quoted_words = " ".join(
        "'" + word.replace("'", "'\\''") + "'" for word in [*words, device.program]
    )
    wrapper.write_text(f'#!/bin/sh\nexec {quoted_words} "$@"\n')
    wrapper.chmod(0o700)
    return Device(service, checks, home=device.home, program=str(wrapper))


def signing_out():
    """Signing out fails if the token cannot be removed, and then succeeds."""
    with proxied_devices(checks, NAME) as (service, _, (device,)):
        device.add_note("2:255", "một")
        device.sync()
        failing_device = read_only_device(service, device)
        if failing_device:
            check_failing_sign_out("read-only mount", service, device, failing_device)
            os.unlink(failing_device.program)
        else:
            print("not tested: a read-only mount, as it cannot be made here")
        file = device.data / "library.sqlite.credentials"
        if shutil.which("chattr") and subprocess.run(["chattr", "+i", file]).returncode == 0:
            try:
                check_failing_sign_out("immutable file", service, device, device)
            finally:
                subprocess.run(["chattr", "-i", file], check=True)
        else:
            print("not tested: an immutable file, as chattr cannot make one here")
        device.sync()
        token = device.token()
        checks.that("signing out succeeds", "Signed out" in device.run("sync", "logout"))
        checks.that("the token is no longer valid", not is_signed_in(service, token))
        checks.equal("the status is signed out", device.status()["isSignedIn"], False)
        checks.that(
            "the token is in no file",
            not any(token.encode() in path.read_bytes() for path in device.files()),
        )


def main():
    require_programs()
    for test in (
        invalid_settings,
        pending_changes,
        long_reasons,
        expired_token,
        wrong_sign_in_codes,
        first_rounds,
        signing_out,
    ):
        test()
    checks.finish("truth")


if __name__ == "__main__":
    main()
