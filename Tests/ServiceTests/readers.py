"""Two readers' libraries and one record-service: what `quran-vi sync` promises, from outside."""

import html
import re
import stat
import subprocess
import tempfile
import urllib.parse
import urllib.request

from device import READER, Device, meeting, need_programs
from service import PASSWORD, Checks, Service

checks = Checks()


def testing_checklist():
    """The testing checklist of the phone app's schema document, by the real client."""
    with meeting(checks) as (service, (one, two)):
        token = service.sign_in("an nguyễn")

        def names(kind):
            status, answer = service.call(
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
            checks.equal(f"{kind} can be asked for", status, 200)
            return answer["records"]

        user = service.call("users/caller", token=token, method="GET")[1]["userRecordName"]
        profile = service.call("records/lookup", {"records": [{"recordName": user}]}, token)[1][
            "records"
        ][0]
        checks.equal("a profile is made", profile.get("recordType"), "UserProfile")
        first = profile["fields"]["lastSignIn"]["value"]
        two.run(
            "sync",
            "login",
            "--paste",
            "--yes",
            text=service.command("user", "sign-in", "an nguyễn").split()[-1] + "\n",
        )
        again = service.call("records/lookup", {"records": [{"recordName": user}]}, token)[1][
            "records"
        ][0]
        checks.that("and updated", again["fields"]["lastSignIn"]["value"] > first)
        checks.equal(
            "and no more than that", again["fields"]["createdAt"], profile["fields"]["createdAt"]
        )

        one.run("favorite", "add", "2:255")
        one.sync()
        checks.equal(
            "a favourite appears",
            [record["recordName"] for record in names("FavoriteAyah")],
            [f"favorite-{user}-2:255"],
        )
        one.run("favorite", "remove", "2:255")
        one.sync()
        checks.equal("and goes", names("FavoriteAyah"), [])
        note = one.note("2:255", "Câu Ngai Vàng")
        one.sync()
        checks.equal(
            "a note appears",
            [record["fields"]["noteText"]["value"] for record in names("AyahNote")],
            ["Câu Ngai Vàng"],
        )
        one.run("note", "remove", note)
        one.sync()
        checks.equal("and goes", names("AyahNote"), [])
        two.sync()
        note = one.note("3:1", "bị xóa nơi khác")
        for device in (one, two):
            device.sync()
        one.run("note", "remove", note)
        for device in (one, two):
            device.sync()
        checks.equal("it goes on the other device", two.notes(), [])
        checks.that("and lies in its trash", "bị xóa" in two.run("note", "restore"))
        two.run("note", "restore", note)
        for device in (two, one):
            device.sync()
        checks.equal("from where it comes back", one.notes(), [("3:1", "bị xóa nơi khác")])
        one.run("note", "remove", note)
        one.sync()
        one.run("progress", "set", "2:100")
        one.sync()
        one.run("progress", "set", "2:143")
        one.sync()
        progress = names("ReadingProgress")
        checks.equal("progress is made once", len(progress), 1)
        checks.equal(
            "and updated",
            (
                progress[0]["fields"]["lastReadAyah"]["value"],
                progress[0]["fields"]["progressPercentage"]["value"],
            ),
            (143, 50),
        )

        one.run("sync", "logout")
        checks.equal("signing out keeps what there is", one.status()["isSignedIn"], False)
        one.run("favorite", "add", "36:1")
        one.sync(status=5)
        checks.that("it says what to do", "quran-vi sync login" in one.errors, one.errors)
        one.run(
            "sync",
            "login",
            "--paste",
            "--yes",
            text=service.command("user", "sign-in", "an nguyễn").split()[-1] + "\n",
        )
        two.sync()
        checks.equal("a second device has it all", two.holds(), one.holds())

        one.run("sync", "delete-account", "--yes")
        for kind in ("FavoriteAyah", "AyahNote", "ReadingProgress", "AppSettings"):
            checks.equal(f"no {kind} is left", names(kind), [])
        checks.that("this device keeps its own", one.holds()["favorites"])
        two.sync(status=4)
        checks.that("others ask first", "--accept-deletions" in two.errors, two.errors)
        checks.that("and keep all until then", two.holds()["favorites"])
        two.sync("--accept-deletions")
        checks.equal("then it goes there, too", two.holds()["favorites"], [])


def by_page():
    """Signing in by the page, as a browser does: the form leads back to the reader."""
    with Service() as service, Device(service, checks) as device:
        service.command("user", "add", "An", text=PASSWORD + "\n")
        reader = subprocess.Popen(
            [READER, "--lang", "en", "sync", "connect", service.url, "--yes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=device.environment(),
        )
        reader.stdin.write(service.api_token + "\n")
        reader.stdin.flush()
        url = next(line.strip() for line in reader.stdout if line.startswith(service.url))
        with urllib.request.urlopen(url, timeout=30) as answer:
            form = re.search(r'name="request" value="([^"]+)"', answer.read().decode())[1]
        fields = {"request": html.unescape(form), "name": "An", "password": PASSWORD}
        # It follows the redirect to the reader.
        with urllib.request.urlopen(
            url, urllib.parse.urlencode(fields).encode(), timeout=30
        ) as answer:
            page = answer.read().decode()
        checks.that("the browser shows the reader's page", "Close this page" in page, page)
        said, errors = reader.communicate(timeout=60)
        checks.equal("signed in by the page", reader.returncode, 0)
        checks.that("as who signed in", "Signed in as “an”." in said, said + errors)


def conflicts():
    with meeting(checks, 3) as (_, (one, two, three)):
        note = one.note("2:255", "một\nhai\nba")
        for device in (one, two, three):
            device.sync()
        one.run("note", "edit", note, "-m", "MỘT\nhai\nba")
        two.run("note", "edit", note, "-m", "một\nhai\nBA")
        for device in (one, two, one):
            device.sync()
        checks.equal("other lines are merged", one.notes(), [("2:255", "MỘT\nhai\nBA")])
        checks.equal("on both", two.notes(), one.notes())
        one.run("note", "edit", note, "-m", "một, sửa")
        two.run("note", "edit", note, "-m", "hai, sửa")
        three.run("note", "edit", note, "-m", "ba, sửa")
        for device in 2 * (one, two, three):
            device.sync()
        checks.equal(
            "the same line keeps all texts",
            one.notes(),
            [("2:255", "ba, sửa"), ("2:255", "hai, sửa"), ("2:255", "một, sửa")],
        )
        for device in (two, three):
            checks.equal("everywhere the same", device.holds(), one.holds())
            checks.equal("and nothing waits", device.status()["pending"], 0)
        one.run("note", "remove", note)
        two.run("note", "edit", note, "-m", "được giữ")
        for device in (one, two, one, three):
            device.sync()
        checks.that(
            "an edit outlives a deletion", ("2:255", "được giữ") in one.notes(), one.notes()
        )
        checks.equal("for all", three.holds(), one.holds())


def restored():
    """A service that went back to yesterday's backup costs nothing on any device."""
    with meeting(checks) as (service, (one, two)), tempfile.TemporaryDirectory() as directory:
        old = one.note("2:255", "trước")
        for device in (one, two):
            device.sync()
        service.command("backup", directory + "/copy")
        one.run("note", "edit", old, "-m", "sau")
        one.note("1:1", "mới")
        one.run("favorite", "add", "1:1")
        for device in (one, two):
            device.sync()
        before = one.holds()
        service.stop()
        service.command("restore", directory + "/copy")
        service.start(service.port)
        two.run("favorite", "add", "112:1")
        for device in 2 * (one, two):
            device.sync()
        checks.equal("its notes", one.holds()["notes"], before["notes"])
        checks.equal("its favourites", len(one.holds()["favorites"]), 2)
        checks.equal("the other device's", two.holds(), one.holds())
        with Device(service, checks) as three:
            three.connect("an nguyễn")
            checks.equal("a new device's", three.holds(), one.holds())


def secrets():
    """Tokens are in one file, and nowhere else."""
    with meeting(checks, 1) as (service, (one,)):
        one.note("2:255", "bí mật")
        one.sync()
        one.run("backup")
        file = one.data / "library.sqlite.credentials"
        checks.equal("only its owner reads it", stat.S_IMODE(file.stat().st_mode), 0o600)
        tokens = [one.token(), service.api_token]
        said = (
            one.run("sync", "status")
            + one.run("sync", "status", "--json")
            + one.run("sync", "now")
            + one.run("doctor")
            + one.run("export")
        )
        checks.that("nothing that is printed has one", not any(token in said for token in tokens))
        one.note("2:255", "nữa")
        for path in one.files():
            held = path.read_bytes()
            if path != file:
                checks.that(
                    f"{path.name} has none", not any(token.encode() in held for token in tokens)
                )
        file.chmod(0o644)
        one.sync(status=3)
        checks.that("one that others read is not used", "chmod 600" in one.errors, one.errors)


def refusals():
    """What cannot be done is told, and nothing is lost by it."""
    with meeting(checks, 1) as (service, (one,)):
        with Device(service, checks) as other:
            other.run("sync", status=5)
            checks.that("what to do", "sync connect URL" in other.errors, other.errors)
            for url, word in (
                ("http://example.org", "https"),
                ("ftp://a", "https"),
                ("https://a/b", "port"),
                ("https://u:p@a", "password"),
            ):
                other.run("sync", "connect", url, text="a\n", status=2)
                checks.that(f"{url} is refused", word in other.errors, other.errors)
            other.run("sync", "connect", service.url, status=2)
            other.run("sync", "connect", service.url, text="0" * 64 + "\n", status=4)
            checks.that("an unknown API token", "API token" in other.errors, other.errors)
            other.run(
                "sync",
                "connect",
                service.url,
                "--paste",
                "--yes",
                status=5,
                text=f"{service.api_token}\n" + "0" * 128 + "\n",
            )
            other.run(
                "sync",
                "connect",
                service.url,
                "--paste",
                "--yes",
                status=2,
                text=f"{service.api_token}\n\n",
            )
            other.run("sync", "connect", "http://127.0.0.1:1", text="a\n", status=4)
            checks.that("no service there", "cannot be reached" in other.errors, other.errors)
        one.note("2:255", "chờ")
        service.stop()
        one.sync(status=4)
        checks.that("it says that it is kept", "kept to be sent" in one.errors, one.errors)
        checks.equal("and it is", one.status()["pending"], 1)
        service.start(service.port)
        checks.equal("until the service is back", one.sync()["sent"], 1)
        service.command("user", "sign-out", "an nguyễn")
        one.note("1:1", "nữa")
        one.sync(status=5)
        checks.that("signed out elsewhere", "sync login" in one.errors, one.errors)
        checks.equal("nothing is dropped", one.status()["pending"], 1)
        service.command("user", "add", "Bình", text=PASSWORD + "\n")
        one.run(
            "sync",
            "login",
            "--paste",
            status=2,
            text=service.command("user", "sign-in", "bình").split()[-1] + "\n",
        )
        checks.that("another account is asked about", "--merge" in one.errors, one.errors)
        checks.equal("and nothing changed", one.status()["account"], "an nguyễn")


def main():
    need_programs()
    testing_checklist()
    by_page()
    conflicts()
    restored()
    secrets()
    refusals()
    checks.finish("readers")


if __name__ == "__main__":
    main()
