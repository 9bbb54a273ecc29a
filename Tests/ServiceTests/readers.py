"""Tests `quran-vi sync` through its command line, with several devices and a record-service."""

import stat
import subprocess
import tempfile
import urllib.parse
import urllib.request

from device import READER_BINARY, Device, connected_devices, require_programs
from service import PASSWORD, Checks, Service, hidden_request

checks = Checks()


def testing_checklist():
    """Goes through the testing checklist of the phone app's schema document with `quran-vi`."""
    with connected_devices(checks) as (service, (first, second)):
        token = service.sign_in("an nguyễn")

        def query_records(kind):
            """Queries all records of a type."""
            status, response = service.call(
                "records/query",
                {
                    "query": {
                        "recordType": kind,
                        "filterBy": [
                            {
                                "fieldName": "ownerRecordName",
                                "comparator": "NOT_EQUALS",
                                "fieldValue": {"value": "-"},
                            }
                        ],
                    }
                },
                token,
            )
            checks.equal(f"status of a query for {kind}", status, 200)
            return response["records"]

        user = service.call("users/caller", token=token, method="GET")[1]["userRecordName"]
        profile = service.call("records/lookup", {"records": [{"recordName": user}]}, token)[1][
            "records"
        ][0]
        checks.equal("a profile is created", profile.get("recordType"), "UserProfile")
        first_sign_in = profile["fields"]["lastSignIn"]["value"]
        second.run(
            "sync",
            "login",
            "--paste",
            "--yes",
            text=service.command("user", "sign-in", "an nguyễn").split()[-1] + "\n",
        )
        updated_profile = service.call(
            "records/lookup", {"records": [{"recordName": user}]}, token
        )[1]["records"][0]
        checks.that(
            "a sign-in updates the profile",
            updated_profile["fields"]["lastSignIn"]["value"] > first_sign_in,
        )
        checks.equal(
            "a sign-in keeps the profile's creation time",
            updated_profile["fields"]["createdAt"],
            profile["fields"]["createdAt"],
        )

        first.run("favorite", "add", "2:255")
        first.sync()
        checks.equal(
            "a favourite is on the service",
            [record["recordName"] for record in query_records("FavoriteAyah")],
            [f"favorite-{user}-2:255"],
        )
        first.run("favorite", "remove", "2:255")
        first.sync()
        checks.equal("a removed favourite is not", query_records("FavoriteAyah"), [])
        note = first.add_note("2:255", "Câu Ngai Vàng")
        first.sync()
        checks.equal(
            "a note is on the service",
            [record["fields"]["noteText"]["value"] for record in query_records("AyahNote")],
            ["Câu Ngai Vàng"],
        )
        first.run("note", "remove", note)
        first.sync()
        checks.equal("a removed note is not", query_records("AyahNote"), [])
        second.sync()
        note = first.add_note("3:1", "bị xóa nơi khác")
        for device in (first, second):
            device.sync()
        first.run("note", "remove", note)
        for device in (first, second):
            device.sync()
        checks.equal("a note is deleted on the other device", second.notes(), [])
        checks.that(
            "the deleted note is in the trash there", "bị xóa" in second.run("note", "restore")
        )
        second.run("note", "restore", note)
        for device in (second, first):
            device.sync()
        checks.equal(
            "a note restored from the trash is synced", first.notes(), [("3:1", "bị xóa nơi khác")]
        )
        first.run("note", "remove", note)
        first.sync()
        first.run("progress", "set", "2:100")
        first.sync()
        first.run("progress", "set", "2:143")
        first.sync()
        progress = query_records("ReadingProgress")
        checks.equal("progress is one record", len(progress), 1)
        checks.equal(
            "progress is updated",
            (
                progress[0]["fields"]["lastReadAyah"]["value"],
                progress[0]["fields"]["progressPercentage"]["value"],
            ),
            (143, 50),
        )

        first.run("sync", "logout")
        checks.equal("the status after signing out", first.status()["isSignedIn"], False)
        first.run("favorite", "add", "36:1")
        first.sync(status=5)
        checks.that(
            "sync without a sign-in: the error has an instruction",
            "quran-vi sync login" in first.errors,
            first.errors,
        )
        first.run(
            "sync",
            "login",
            "--paste",
            "--yes",
            text=service.command("user", "sign-in", "an nguyễn").split()[-1] + "\n",
        )
        second.sync()
        checks.equal("the second device has the same contents", second.contents(), first.contents())

        first.run("sync", "delete-account", "--yes")
        for kind in ("FavoriteAyah", "AyahNote", "ReadingProgress", "AppSettings"):
            checks.equal(f"deleted account: no {kind} is on the service", query_records(kind), [])
        checks.that(
            "deleted account: this device keeps its contents", first.contents()["favorites"]
        )
        second.sync(status=4)
        checks.that(
            "deleted account: the other device needs a confirmation",
            "--accept-deletions" in second.errors,
            second.errors,
        )
        checks.that("deleted account: it deletes nothing before", second.contents()["favorites"])
        second.sync("--accept-deletions")
        checks.equal(
            "deleted account: it deletes everything afterwards", second.contents()["favorites"], []
        )


def sign_in_on_page():
    """Signs in through the web page, as a browser does; the form redirects to the reader."""
    with Service() as service, Device(service, checks) as device:
        service.command("user", "add", "An", text=PASSWORD + "\n")
        process = subprocess.Popen(
            [READER_BINARY, "--lang", "en", "sync", "connect", service.url, "--yes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=device.environment(),
        )
        process.stdin.write(service.api_token + "\n")
        process.stdin.flush()
        url = next(line.strip() for line in process.stdout if line.startswith(service.url))
        with urllib.request.urlopen(url, timeout=30) as response:
            request_token = hidden_request(response.read().decode())
        fields = {"request": request_token, "name": "An", "password": PASSWORD}
        # urlopen follows the redirect to the reader.
        with urllib.request.urlopen(
            url, urllib.parse.urlencode(fields).encode(), timeout=30
        ) as response:
            page = response.read().decode()
        checks.that("the browser shows the reader's page", "Close this page" in page, page)
        output, errors = process.communicate(timeout=60)
        checks.equal("exit status after signing in on the page", process.returncode, 0)
        checks.that("the account name is printed", "Signed in as “an”." in output, output + errors)


def conflicts():
    """Devices edit the same note at the same time."""
    with connected_devices(checks, 3) as (_, (first, second, third)):
        note = first.add_note("2:255", "một\nhai\nba")
        for device in (first, second, third):
            device.sync()
        first.run("note", "edit", note, "-m", "MỘT\nhai\nba")
        second.run("note", "edit", note, "-m", "một\nhai\nBA")
        for device in (first, second, first):
            device.sync()
        checks.equal(
            "edits of different lines are merged", first.notes(), [("2:255", "MỘT\nhai\nBA")]
        )
        checks.equal("both devices have the merged text", second.notes(), first.notes())
        first.run("note", "edit", note, "-m", "một, sửa")
        second.run("note", "edit", note, "-m", "hai, sửa")
        third.run("note", "edit", note, "-m", "ba, sửa")
        for device in 2 * (first, second, third):
            device.sync()
        checks.equal(
            "edits of the same line are all kept",
            first.notes(),
            [("2:255", "ba, sửa"), ("2:255", "hai, sửa"), ("2:255", "một, sửa")],
        )
        for device in (second, third):
            checks.equal("all devices have the same contents", device.contents(), first.contents())
            checks.equal("nothing is pending", device.status()["pending"], 0)
        first.run("note", "remove", note)
        second.run("note", "edit", note, "-m", "được giữ")
        for device in (first, second, first, third):
            device.sync()
        checks.that(
            "an edit wins over a deletion", ("2:255", "được giữ") in first.notes(), first.notes()
        )
        checks.equal("all devices keep the edited note", third.contents(), first.contents())


def restored_backup():
    """Devices lose nothing when the service is restored from an older backup."""
    with (
        connected_devices(checks) as (service, (first, second)),
        tempfile.TemporaryDirectory() as directory,
    ):
        old = first.add_note("2:255", "trước")
        for device in (first, second):
            device.sync()
        service.command("backup", directory + "/copy")
        first.run("note", "edit", old, "-m", "sau")
        first.add_note("1:1", "mới")
        first.run("favorite", "add", "1:1")
        for device in (first, second):
            device.sync()
        before = first.contents()
        service.stop()
        service.command("restore", directory + "/copy")
        service.start(service.port)
        second.run("favorite", "add", "112:1")
        for device in 2 * (first, second):
            device.sync()
        checks.equal("notes after the restore", first.contents()["notes"], before["notes"])
        checks.equal(
            "number of favourites after the restore", len(first.contents()["favorites"]), 2
        )
        checks.equal("contents of the other device", second.contents(), first.contents())
        with Device(service, checks) as third:
            third.connect("an nguyễn")
            checks.equal("contents of a new device", third.contents(), first.contents())


def token_secrecy():
    """Tokens are stored in the credentials file only, and are not printed."""
    with connected_devices(checks, 1) as (service, (device,)):
        device.add_note("2:255", "bí mật")
        device.sync()
        device.run("backup")
        file = device.data / "library.sqlite.credentials"
        checks.equal(
            "permissions of the credentials file", stat.S_IMODE(file.stat().st_mode), 0o600
        )
        tokens = [device.token(), service.api_token]
        output = (
            device.run("sync", "status")
            + device.run("sync", "status", "--json")
            + device.run("sync", "now")
            + device.run("doctor")
            + device.run("export")
        )
        checks.that("no token is printed", not any(token in output for token in tokens))
        device.add_note("2:255", "nữa")
        for path in device.files():
            contents = path.read_bytes()
            if path != file:
                checks.that(
                    f"{path.name} has no token",
                    not any(token.encode() in contents for token in tokens),
                )
        file.chmod(0o644)
        device.sync(status=3)
        checks.that(
            "a credentials file that others can read is not used",
            "chmod 600" in device.errors,
            device.errors,
        )


def refusals():
    """Commands that cannot be carried out report that, and nothing is lost."""
    with connected_devices(checks, 1) as (service, (device,)):
        with Device(service, checks) as unconnected:
            unconnected.run("sync", status=5)
            checks.that(
                "not connected: the error has an instruction",
                "sync connect URL" in unconnected.errors,
                unconnected.errors,
            )
            for url, word in (
                ("http://example.org", "https"),
                ("ftp://a", "https"),
                ("https://a/b", "port"),
                ("https://u:p@a", "password"),
            ):
                unconnected.run("sync", "connect", url, text="a\n", status=2)
                checks.that(f"{url} is refused", word in unconnected.errors, unconnected.errors)
            unconnected.run("sync", "connect", service.url, status=2)
            unconnected.run("sync", "connect", service.url, text="0" * 64 + "\n", status=4)
            checks.that(
                "an unknown API token", "API token" in unconnected.errors, unconnected.errors
            )
            unconnected.run(
                "sync",
                "connect",
                service.url,
                "--paste",
                "--yes",
                status=5,
                text=f"{service.api_token}\n" + "0" * 128 + "\n",
            )
            unconnected.run(
                "sync",
                "connect",
                service.url,
                "--paste",
                "--yes",
                status=2,
                text=f"{service.api_token}\n\n",
            )
            unconnected.run("sync", "connect", "http://127.0.0.1:1", text="a\n", status=4)
            checks.that(
                "an address without a service",
                "cannot be reached" in unconnected.errors,
                unconnected.errors,
            )
        device.add_note("2:255", "chờ")
        service.stop()
        device.sync(status=4)
        checks.that(
            "no service: the error says that the change is kept",
            "kept to be sent" in device.errors,
            device.errors,
        )
        checks.equal("no service: the change is pending", device.status()["pending"], 1)
        service.start(service.port)
        checks.equal("the change is sent when the service is back", device.sync()["sent"], 1)
        service.command("user", "sign-out", "an nguyễn")
        device.add_note("1:1", "nữa")
        device.sync(status=5)
        checks.that(
            "signed out by the operator: the error has an instruction",
            "sync login" in device.errors,
            device.errors,
        )
        checks.equal(
            "signed out by the operator: the change is pending", device.status()["pending"], 1
        )
        service.command("user", "add", "Bình", text=PASSWORD + "\n")
        device.run(
            "sync",
            "login",
            "--paste",
            status=2,
            text=service.command("user", "sign-in", "bình").split()[-1] + "\n",
        )
        checks.that(
            "another account needs a confirmation", "--merge" in device.errors, device.errors
        )
        checks.equal("the account is unchanged", device.status()["account"], "an nguyễn")


def main():
    require_programs()
    testing_checklist()
    sign_in_on_page()
    conflicts()
    restored_backup()
    token_secrecy()
    refusals()
    checks.finish("readers")


if __name__ == "__main__":
    main()
