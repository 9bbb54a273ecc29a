"""A container that the phone app filled and a library that was imported from its preferences meet.

Nothing is lost and nothing doubled, whichever comes first, on one device or on two, with a change
feed and without. What the phone app gets wrong costs nothing; what is none of the reader's stays
as it is, to the byte; what cannot be read is counted.
"""

import collections
import contextlib
import json
import os
import pathlib
import plistlib
import re
import unicodedata
import uuid

from device import Device, need_programs, rows_of
from service import CONTAINER, Checks, Service

checks = Checks()
SCHEMA = pathlib.Path(__file__).parents[2] / "Resources/schema/quran-vi.ckdb"
# Like Apple's: its default zone has no change feed.
LISTED = "iCloud.org.example.listed"
# When the preferences were copied, and times before and after.
EARLY, COPIED, LATE = 1_700_000_000_000, 1_720_000_000_000, 1_740_000_000_000

FAVORITES = ["1:1", "2:255", "18:10", "67:1", "112:1"]
NOTES = {
    "2:255": ["Câu Ngai Vàng"],
    "3:8": ["lặp lại"],
    "3:9": ["hai lần ở đây", "hai lần ở đây"],
    "3:10": ["đôi", "đôi"],
    "4:1": ["tổ hợp sẵn"],
    "4:2": ["viết sau"],
    "67:1": ["chỉ ở đây"],
}
PROGRESS = {2: 143, 3: 100, 4: 50, 5: 30, 7: 206}
SURAHS = {2: 286, 3: 200, 4: 176, 5: 120, 6: 165, 7: 206, 8: 75, 9: 129, 18: 110}


def dump(path, as_plist):
    """The phone app's preferences: a list as the app writes it, or JSON that somebody made."""
    values = {
        "favoriteAyahs": [*FAVORITES, "2:300"],
        "ayahNotes": NOTES,
        "ReadingProgressStore.progress": {
            str(surah): {"lastReadAyah": last, "totalAyahs": SURAHS[surah]}
            for surah, last in PROGRESS.items()
        },
    }
    if as_plist:
        written = plistlib.dumps(
            {key: json.dumps(value).encode() for key, value in values.items()},
            fmt=plistlib.FMT_BINARY,
        )
    else:
        written = json.dumps(values).encode()
    path.write_bytes(written)
    os.utime(path, ns=(COPIED * 1_000_000,) * 2)
    return str(path)


def identity(number, is_lower=False):
    text = str(uuid.uuid5(uuid.NAMESPACE_URL, str(number)))
    return text if is_lower else text.upper()


class Phone:
    """The phone app of an account. It keeps books of what it writes, by record name."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.token = service.add_user(name)
        self.user = service.call("users/caller", token=self.token, method="GET")[1][
            "userRecordName"
        ]
        self.foreign, self.malformed, self.unlisted = set(), {}, set()
        # Of the reader's things: names of what is written anew in any case, and of what is when
        # the copied times take part.
        self.mended, self.dated = set(), set()
        self.operations = []

    def put(self, kind, name, owner="", **fields):
        """Makes a record; its owner is the user, somebody else or, with None, not told."""
        if owner is not None:
            fields["ownerRecordName"] = owner or self.user
        self.operations.append(
            {
                "operationType": "forceReplace",
                "record": {
                    "recordType": kind,
                    "recordName": name,
                    "fields": {key: {"value": value} for key, value in fields.items()},
                },
            }
        )
        return name

    def favorite(self, ayah, at=EARLY, user=None, **fields):
        surah, number = map(int, ayah.split(":"))
        return self.put(
            "FavoriteAyah",
            f"favorite-{user or self.user}-{ayah}",
            **(
                {
                    "owner": user or "",
                    "ayahID": ayah,
                    "surahNumber": surah,
                    "ayahNumber": number,
                    "favoritedAt": at,
                }
                | fields
            ),
        )

    def note(self, ayah, text, id, user=None, **fields):
        surah, number = map(int, ayah.split(":"))
        return self.put(
            "AyahNote",
            f"note-{user or self.user}-{ayah}-{id}",
            **(
                {
                    "owner": user or "",
                    "ayahID": ayah,
                    "surahNumber": surah,
                    "ayahNumber": number,
                    "noteText": text,
                    "createdAt": EARLY,
                    "modifiedAt": LATE,
                }
                | fields
            ),
        )

    def progress(self, surah, last, percentage, **fields):
        return self.put(
            "ReadingProgress",
            f"progress-{self.user}-{surah}",
            **(
                {
                    "surahNumber": surah,
                    "lastReadAyah": last,
                    "totalAyahs": SURAHS[surah],
                    "progressPercentage": percentage,
                    "lastUpdatedAt": LATE,
                }
                | fields
            ),
        )

    def setting(self, key, value, **fields):
        return self.put(
            "AppSettings",
            f"setting-{self.user}-{key}",
            **({"settingKey": key, "settingValue": value, "lastModifiedAt": EARLY} | fields),
        )

    def send(self):
        while self.operations:
            part, self.operations = self.operations[:200], self.operations[200:]
            status, answer = self.service.call("records/modify", {"operations": part}, self.token)
            refused = [record for record in answer["records"] if "serverErrorCode" in record]
            if status != 200 or refused:
                raise SystemExit(f"the phone was refused: {status} {refused or answer}")

    def delete(self, *names):
        self.operations = [
            {"operationType": "forceDelete", "record": {"recordName": name}} for name in names
        ]
        self.send()

    def fill(self):
        self.put(
            "UserProfile",
            self.user,
            None,
            appleUserID="001234.abcd.0987",
            email="an@example.org",
            givenName="An",
            familyName="Nguyễn",
            createdAt=EARLY,
            lastSignIn=EARLY,
        )
        self.favorite("1:1")
        self.dated.add(self.favorite("2:255", LATE))
        # Taken away on the phone, which never told.
        self.favorite("36:1")
        # One ayah twice: the own name has the later time, then the earlier, then none is own.
        self.mended.add(self.favorite("18:10", EARLY + 1000))
        self.favorite("18:10", EARLY, "__defaultOwner__")
        self.favorite("18:11", EARLY)
        self.favorite("18:11", EARLY + 1000, "__defaultOwner__")
        self.favorite("55:13", EARLY, "_defaultOwner")
        self.favorite("55:13", EARLY, "__defaultOwner__")
        self.favorite("55:14", label="đỏ")

        self.note("2:255", "Câu Ngai Vàng", identity("throne"))
        self.cheap = self.note("2:256", "không\nép buộc", identity("cheap", True), color="xanh")
        self.note("3:8", "lặp lại", identity("twin 1"))
        self.note("3:8", "lặp lại", identity("twin 2", True))
        self.note("3:9", "hai lần ở đây", identity("one of two", True))
        self.note("3:10", "đôi", identity("pair 1"))
        self.note("3:10", "đôi", identity("pair 2"))
        self.note("4:1", unicodedata.normalize("NFD", "tổ hợp sẵn"), identity("decomposed"))
        self.dated.add(self.note("4:2", "viết sau", identity("late"), createdAt=LATE))
        self.note("4:3", "dòng\r\ndòng", identity("lines"))
        self.note("5:1", "của trước đây", identity("former"), "_defaultOwner")
        self.note("5:2", "không tên", identity("former 2"), "__defaultOwner__")
        self.note("5:3", "một lúc", identity("one time"), createdAt=None)
        self.note("6:1", "hoa", identity("case"))
        self.note("6:1", "thường", identity("case", True))

        self.progress(2, 143, 0.5)
        self.progress(3, 200, 1.0)
        self.mended.add(self.progress(4, 10, 0.0568))
        self.mended.add(self.progress(5, 0, 0.0))
        self.progress(6, 33, 20.0, totalAyahs=999)
        self.progress(18, 55, 250.0)
        self.setting("theme", '"sepia"')
        self.setting("phoneOnly", '{"a":[1,2]}')

        self.foreign |= {
            self.put("Bookmark", "bookmark-1", title="của chương trình khác"),
            self.put("Bookmark", f"favorite-{self.user}-20:1", title="tên như câu yêu thích"),
            self.put("UserProfile", "profile-2", None, appleUserID="hai"),
            self.favorite("21:1", owner="_somebody"),
            self.note("21:2", "của ai khác", identity("other"), owner="_somebody"),
        }
        self.malformed |= {
            self.favorite("2:300"): "name",
            self.favorite("115:1"): "name",
            self.favorite("0:1"): "name",
            self.favorite("22:1", ayahNumber=2): "name",
            self.favorite("22:2", ayahID="22:3"): "name",
            self.favorite("22:4", favoritedAt=None): "missing favoritedAt",
            self.favorite("22:5", at=-1): "outOfRange favoritedAt",
            self.favorite("022:6"): "name",
            self.put("FavoriteAyah", "favorite-22:7", ayahID="22:7", favoritedAt=EARLY): "name",
            self.put("FavoriteAyah", identity("no name"), favoritedAt=EARLY): "name",
            self.note("23:1", "", identity("empty")): "outOfRange noteText",
            self.note("23:2", " \n\t", identity("blank")): "outOfRange noteText",
            self.note("23:3", None, identity("none")): "missing noteText",
            self.note("23:4", "không UUID", "no-UUID"): "name",
            self.note("23:5", "chương khác", identity("surah"), surahNumber=24): "name",
            self.note(
                "23:6", "không giờ", identity("timeless"), createdAt=None, modifiedAt=None
            ): "missing modifiedAt",
            self.progress(8, 76, 1.0): "outOfRange lastReadAyah",
            self.progress(9, -1, 0.0): "outOfRange lastReadAyah",
            self.put(
                "ReadingProgress",
                f"progress-{self.user}-010",
                surahNumber=10,
                lastReadAyah=1,
                lastUpdatedAt=EARLY,
            ): "name",
            self.put(
                "ReadingProgress",
                f"progress-{self.user}-11",
                surahNumber=12,
                lastReadAyah=1,
                lastUpdatedAt=EARLY,
            ): "name",
            self.put(
                "ReadingProgress", f"progress-{self.user}-13", surahNumber=13, lastUpdatedAt=EARLY
            ): "missing lastReadAyah",
            self.setting("broken", "{"): "outOfRange settingValue",
            self.setting("other", "1", settingKey="another"): "name",
        }
        # Nobody is told to own it: it is in no listing by owners.
        nobodys = self.favorite("24:1", owner=None)
        self.malformed[nobodys] = "missing ownerRecordName"
        self.unlisted.add(nobodys)
        self.send()


def on_server(phone, records):
    """What the reader's records say, in the form of `Device.rows`."""
    strangers = phone.foreign | phone.malformed.keys()
    return rows_of({name: record for name, record in records.items() if name not in strangers})


def wanted(is_dated):
    """What there is when all have met: as many of each text as whoever had most of it."""
    notes = collections.Counter(
        {
            ("2:255", "Câu Ngai Vàng"): 1,
            ("2:256", "không\nép buộc"): 1,
            ("3:8", "lặp lại"): 2,
            ("3:9", "hai lần ở đây"): 2,
            ("3:10", "đôi"): 2,
            ("4:1", "tổ hợp sẵn"): 1,
            ("4:2", "viết sau"): 1,
            ("4:3", "dòng\ndòng"): 1,
            ("5:1", "của trước đây"): 1,
            ("5:2", "không tên"): 1,
            ("5:3", "một lúc"): 1,
            ("6:1", "hoa"): 1,
            ("6:1", "thường"): 1,
            ("67:1", "chỉ ở đây"): 1,
        }
    )
    return {
        "favorites": {
            "1:1": EARLY,
            "2:255": COPIED if is_dated else LATE,
            "36:1": EARLY,
            "18:10": EARLY,
            "18:11": EARLY,
            "55:13": EARLY,
            "55:14": EARLY,
            "67:1": COPIED,
            "112:1": COPIED,
        },
        "notes": notes,
        "progress": {2: 143, 3: 200, 4: 50, 5: 30, 6: 33, 7: 206, 18: 55},
        "settings": {"theme": '"sepia"', "phoneOnly": '{"a":[1,2]}'},
    }


def made(user):
    """What the server did not have: patterns of names, and how many there are of each."""
    note = "-".join(f"[0-9A-F]{{{length}}}" for length in (8, 4, 4, 4, 12))
    return {
        f"favorite-{user}-67:1": 1,
        f"favorite-{user}-112:1": 1,
        f"progress-{user}-7": 1,
        f"note-{user}-3:9-{note}": 1,
        f"note-{user}-67:1-{note}": 1,
    }


def until_quiet(devices):
    """Has each sync until none of them has anything to send: then all know the same."""
    for _ in range(4):
        # What is parked is left behind by every round.
        if not sum(
            device.sync(status=4 if device.status()["parked"] else 0)["sent"] for device in devices
        ):
            return
    checks.that("it comes to rest", False)


def last_number(records):
    """Of the newest change: tags are numbers."""
    return max(int(record["recordChangeTag"].split("-")[0], 36) for record in records.values())


def meet(service, name, steps, is_dated):
    """Takes the steps, such as `import one`, and looks at what became of all."""
    where = f"{name}: {', '.join(steps)}"
    phone = Phone(service, name)
    phone.fill()
    before = service.records(name)
    with contextlib.ExitStack() as stack:
        devices = {key: stack.enter_context(Device(service, checks)) for key in ("one", "two")}
        file = dump(devices["one"].home / "dump", as_plist=is_dated)
        for step in steps:
            verb, key = step.split()
            if verb == "import":
                devices[key].run("import", file)
            elif verb == "connect":
                said = devices[key].connect(name)
                checks.that(f"{where}: connected", "Signed in as" in said, said)
            else:
                devices[key].sync()
        until_quiet(devices.values())
        look(where, phone, before, list(devices.values()), is_dated)
        yield phone, devices, file


def look(where, phone, before, devices, is_dated):
    service = phone.service
    records = service.records(phone.name)
    server, target = on_server(phone, records), wanted(is_dated)
    checks.equal(f"{where}: favourites", dict(server["favorites"]), target["favorites"])
    checks.equal(
        f"{where}: notes",
        collections.Counter((note[0], note[1]) for note in server["notes"]),
        target["notes"],
    )
    checks.equal(
        f"{where}: progress", {row[0]: row[1] for row in server["progress"]}, target["progress"]
    )
    checks.equal(
        f"{where}: settings", {row[0]: row[1] for row in server["settings"]}, target["settings"]
    )
    for number, device in enumerate(devices):
        checks.equal(f"{where}: device {number} and the server", device.rows(), server)
        status = device.status()
        checks.equal(f"{where}: nothing waits", (status["pending"], status["parked"]), (0, []))
        counted = {
            found: problem
            for found, problem in phone.malformed.items()
            if service.container == CONTAINER or found not in phone.unlisted
        }
        checks.equal(
            f"{where}: what cannot be read is told",
            {
                record["name"]: " ".join(
                    record["problem"][key] for key in ("code", "field") if key in record["problem"]
                )
                for record in status["unreadable"]
            },
            counted,
        )
        checks.that(
            f"{where}: and counted",
            f"cannot be read: {len(counted)} " in device.run("sync", "status"),
        )
    checks.equal(f"{where}: the devices, with ids", devices[0].holds(), devices[1].holds())

    written = phone.mended | {phone.user} | (phone.dated if is_dated else set())
    for record_name, record in before.items():
        found = records.get(record_name)
        if record_name not in written:
            checks.equal(f"{where}: {record_name} is as it was", found, record)
        elif found:
            checks.that(f"{where}: {record_name} is written", found != record)
            kept = {"recordType", "created", "recordName"}
            checks.equal(
                f"{where}: {record_name} is the same record",
                {key: found[key] for key in kept},
                {key: record[key] for key in kept},
            )
    profile = records[phone.user]["fields"]
    checks.equal(
        f"{where}: of the profile only the sign-in",
        profile | {"lastSignIn": before[phone.user]["fields"]["lastSignIn"]},
        before[phone.user]["fields"],
    )
    new = records.keys() - before.keys()
    for pattern, count in made(phone.user).items():
        found = {record_name for record_name in new if re.fullmatch(pattern, record_name)}
        checks.equal(f"{where}: made of {pattern}", len(found), count)
        new -= found
    checks.equal(f"{where}: nothing else is made", new, set())
    # Each of them once, and at each of two sign-ins the profile.
    checks.equal(
        f"{where}: nothing is written twice",
        last_number(records) - last_number(before),
        len(written) - 1 + sum(made(phone.user).values()) + 2,
    )


def afterwards(phone, devices, file):
    """What the phone app goes on to get wrong."""
    service, (one, two) = phone.service, devices.values()
    where = phone.name

    def note_of(ayah):
        return json.loads(one.run("note", "list", ayah, "--json"))[0]["id"]

    note = note_of("2:256")
    one.run("note", "edit", note, "-m", "không\nép buộc\ntrong đạo")
    one.run("note", "edit", note_of("67:1"), "-m", "sửa rồi")
    one.run("note", "remove", note_of("4:2"))
    for lists in json.loads(one.run("import", file, "--json")):
        for kind, counts in lists["lists"].items():
            checks.equal(f"{where}: an import again, {kind}", counts["imported"], 0)
    one.run("favorite", "remove", "36:1", "18:10")
    until_quiet((one, two))
    records = service.records(phone.name)
    fields = records[phone.cheap]["fields"]
    checks.equal(
        f"{where}: an edit goes to the record by its own name",
        (fields["noteText"]["value"], fields["color"]["value"]),
        ("không\nép buộc\ntrong đạo", "xanh"),
    )
    checks.equal(
        f"{where}: both records of a favourite go",
        [record_name for record_name in records if record_name.endswith("-18:10")],
        [],
    )

    # Favourites that were taken away come back; notes go while it uploads; fractions are news
    # only with another ayah; and one record is mended.
    at_rest = service.records(phone.name)
    phone.favorite("36:1")
    phone.delete(phone.cheap)
    phone.favorite("36:1")
    phone.progress(2, 150, 150 / 286)
    phone.progress(6, 33, 0.2, totalAyahs=165)
    mended = phone.favorite("22:1")
    phone.send()
    phone.malformed.pop(mended)
    until_quiet((one, two))
    server = on_server(phone, service.records(phone.name))
    for device in (one, two):
        held = device.rows()
        checks.equal(f"{where}: afterwards", held, server)
        checks.that(f"{where}: the favourite is back", "36:1" in dict(held["favorites"]))
        checks.that(f"{where}: what was mended is read", "22:1" in dict(held["favorites"]))
        checks.that(f"{where}: the later ayah", 150 in [row[1] for row in held["progress"]])
        checks.that(
            f"{where}: the note lies in the trash", "2:256" in device.run("note", "restore")
        )
        checks.that(
            f"{where}: and is counted no more",
            mended not in [record["name"] for record in device.status()["unreadable"]],
        )
    changed = {
        record_name
        for record_name, record in service.records(phone.name).items()
        if at_rest.get(record_name) != record
    }
    checks.equal(
        f"{where}: only the phone wrote",
        changed,
        {
            f"favorite-{phone.user}-36:1",
            f"favorite-{phone.user}-22:1",
            f"progress-{phone.user}-2",
            f"progress-{phone.user}-6",
        },
    )
    two.run("note", "restore", note)
    until_quiet((one, two))
    checks.that(
        f"{where}: from where it comes back", ("2:256", "không\nép buộc\ntrong đạo") in one.notes()
    )


def contested(service, name):
    """What is imported where a record stands that cannot be read, or is none of ours: it stays
    here, is told of, and that record stays as it is."""
    phone = Phone(service, name)
    names = {
        "favorite 1:1": phone.favorite("1:1", ayahNumber=2),
        "favorite 2:255": phone.put("Bookmark", f"favorite-{phone.user}-2:255", title="khác"),
        "favorite 67:1": phone.favorite("67:1", owner="_somebody"),
        "progress 7": phone.progress(7, 207, 1.0),
    }
    phone.send()
    before = service.records(name)
    with Device(service, checks) as one, Device(service, checks) as two:
        one.run("import", dump(one.home / "dump", as_plist=True))
        held = one.rows()
        one.connect(name)
        two.connect(name)
        until_quiet((one, two))
        records = service.records(name)
        for record_name in names.values():
            checks.equal(
                f"{name}: {record_name} is as it was", records[record_name], before[record_name]
            )
        checks.equal(f"{name}: what was imported is here", one.rows(), held)
        status = one.status()
        checks.equal(
            f"{name}: what cannot be sent is told",
            {f"{parked['kind']} {parked['key']}" for parked in status["parked"]},
            set(names),
        )
        checks.equal(f"{name}: nothing else waits", status["pending"], 0)
        there = two.rows()
        hidden = {"1:1", "2:255", "67:1"}
        checks.equal(
            f"{name}: all else is there",
            there,
            held
            | {
                "favorites": [row for row in held["favorites"] if row[0] not in hidden],
                "progress": [row for row in held["progress"] if row[0] != 7],
            },
        )


VARIANTS = {
    "before": (["import one", "connect one", "connect two"], True),
    "after": (["connect one", "import one", "sync one", "connect two"], False),
    "both-before": (["import one", "import two", "connect one", "connect two"], True),
    "both-after": (["connect one", "connect two", "import one", "import two"], False),
    "either": (["import one", "connect one", "connect two", "import two"], True),
    "late": (["connect one", "import one", "sync one", "import two", "connect two"], True),
}


def main():
    need_programs()
    schema = SCHEMA.read_text()
    schema = schema.replace("noteText           STRING,", "noteText STRING, color STRING,")
    schema = schema.replace("favoritedAt        TIMESTAMP", "label STRING, favoritedAt TIMESTAMP")
    schema += """
    RECORD TYPE Bookmark (
        title STRING, ownerRecordName STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_creator"
    );"""
    with Service() as service:
        for container in (CONTAINER, LISTED):
            service.serve(container, schema)
            kind = "fed" if container == CONTAINER else "listed"
            for variant, (steps, is_dated) in VARIANTS.items():
                for phone, devices, file in meet(service, f"{kind}-{variant}", steps, is_dated):
                    if variant in ("before", "both-after"):
                        afterwards(phone, devices, file)
            contested(service, f"{kind}-contested")
    checks.finish("meeting")


if __name__ == "__main__":
    main()
