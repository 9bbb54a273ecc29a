"""Tests the first sync of an imported library with a container that the phone app filled.

The library is imported from the preferences of the phone app, before or after the first sync, on
one device or on two, and with a change feed or without. Nothing may be lost or duplicated. Mistakes
of the phone app are tolerated; records that do not belong to the reader stay unchanged; and records
that cannot be read are reported.
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

from device import Device, require_programs, rows_of_records
from service import CONTAINER, Checks, Service

checks = Checks()
SCHEMA = pathlib.Path(__file__).parents[2] / "Resources/schema/quran-vi.ckdb"
# A container whose default zone has no change feed, as on Apple's service, so that it is listed.
LISTED_CONTAINER = "iCloud.org.example.listed"
# The time of the preferences file, and times before and after it, in milliseconds since 1970.
EARLIER, PREFERENCES_TIME, LATER = 1_700_000_000_000, 1_720_000_000_000, 1_740_000_000_000

# The contents of the preferences.
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
# The number of ayahs of some surahs.
SURAH_LENGTHS = {2: 286, 3: 200, 4: 176, 5: 120, 6: 165, 7: 206, 8: 75, 9: 129, 18: 110}


def write_preferences(path, as_plist):
    """Writes the phone app's preferences, as the property list of the app or as JSON."""
    values = {
        "favoriteAyahs": [*FAVORITES, "2:300"],
        "ayahNotes": NOTES,
        "ReadingProgressStore.progress": {
            str(surah): {"lastReadAyah": last, "totalAyahs": SURAH_LENGTHS[surah]}
            for surah, last in PROGRESS.items()
        },
    }
    if as_plist:
        data = plistlib.dumps(
            {key: json.dumps(value).encode() for key, value in values.items()},
            fmt=plistlib.FMT_BINARY,
        )
    else:
        data = json.dumps(values).encode()
    path.write_bytes(data)
    os.utime(path, ns=(PREFERENCES_TIME * 1_000_000,) * 2)
    return str(path)


def uuid_of(name, is_lower_case=False):
    """A UUID that is derived from a name, in upper case unless `is_lower_case`."""
    text = str(uuid.uuid5(uuid.NAMESPACE_URL, str(name)))
    return text if is_lower_case else text.upper()


class Phone:
    """The phone app of an account. It tracks the records that it writes, by name."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.token = service.add_user(name)
        self.user = service.call("users/caller", token=self.token, method="GET")[1][
            "userRecordName"
        ]
        # Records that do not belong to the reader; records that cannot be read, and the problem of
        # each; and those of them that a listing does not contain.
        self.foreign, self.malformed, self.unlisted = set(), {}, set()
        # Records of the reader that sync writes again: in any case, and only if a device imports
        # before its first sync.
        self.rewritten, self.rewritten_by_early_import = set(), set()
        self.operations = []

    def put_record(self, kind, name, owner="", **fields):
        """Queues a record: without an owner if that is None, owned by the user if it is empty.

        Returns the name of the record.
        """
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

    def put_favorite(self, ayah, at=EARLIER, user=None, **fields):
        surah, number = map(int, ayah.split(":"))
        return self.put_record(
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

    def put_note(self, ayah, text, id, user=None, **fields):
        surah, number = map(int, ayah.split(":"))
        return self.put_record(
            "AyahNote",
            f"note-{user or self.user}-{ayah}-{id}",
            **(
                {
                    "owner": user or "",
                    "ayahID": ayah,
                    "surahNumber": surah,
                    "ayahNumber": number,
                    "noteText": text,
                    "createdAt": EARLIER,
                    "modifiedAt": LATER,
                }
                | fields
            ),
        )

    def put_progress(self, surah, last, percentage, **fields):
        return self.put_record(
            "ReadingProgress",
            f"progress-{self.user}-{surah}",
            **(
                {
                    "surahNumber": surah,
                    "lastReadAyah": last,
                    "totalAyahs": SURAH_LENGTHS[surah],
                    "progressPercentage": percentage,
                    "lastUpdatedAt": LATER,
                }
                | fields
            ),
        )

    def put_setting(self, key, value, **fields):
        return self.put_record(
            "AppSettings",
            f"setting-{self.user}-{key}",
            **({"settingKey": key, "settingValue": value, "lastModifiedAt": EARLIER} | fields),
        )

    def send(self):
        """Sends the queued operations."""
        while self.operations:
            batch, self.operations = self.operations[:200], self.operations[200:]
            status, response = self.service.call(
                "records/modify", {"operations": batch}, self.token
            )
            refused = [record for record in response["records"] if "serverErrorCode" in record]
            if status != 200 or refused:
                raise SystemExit(
                    f"an operation of the phone app was refused: {status} {refused or response}"
                )

    def delete(self, *names):
        self.operations = [
            {"operationType": "forceDelete", "record": {"recordName": name}} for name in names
        ]
        self.send()

    def fill(self):
        """Fills the container with records of all kinds."""
        self.put_record(
            "UserProfile",
            self.user,
            None,
            appleUserID="001234.abcd.0987",
            email="an@example.org",
            givenName="An",
            familyName="Nguyễn",
            createdAt=EARLIER,
            lastSignIn=EARLIER,
        )
        self.put_favorite("1:1")
        self.rewritten_by_early_import.add(self.put_favorite("2:255", LATER))
        # Removed in the phone app, which did not delete the record.
        self.put_favorite("36:1")
        # Two records of an ayah: the one with the regular name has the later time, or the earlier
        # time, or neither has the regular name.
        self.rewritten.add(self.put_favorite("18:10", EARLIER + 1000))
        self.put_favorite("18:10", EARLIER, "__defaultOwner__")
        self.put_favorite("18:11", EARLIER)
        self.put_favorite("18:11", EARLIER + 1000, "__defaultOwner__")
        self.put_favorite("55:13", EARLIER, "_defaultOwner")
        self.put_favorite("55:13", EARLIER, "__defaultOwner__")
        self.put_favorite("55:14", label="đỏ")

        self.put_note("2:255", "Câu Ngai Vàng", uuid_of("throne"))
        self.note_with_lower_case_id = self.put_note(
            "2:256", "không\nép buộc", uuid_of("cheap", True), color="xanh"
        )
        self.put_note("3:8", "lặp lại", uuid_of("twin 1"))
        self.put_note("3:8", "lặp lại", uuid_of("twin 2", True))
        self.put_note("3:9", "hai lần ở đây", uuid_of("one of two", True))
        self.put_note("3:10", "đôi", uuid_of("pair 1"))
        self.put_note("3:10", "đôi", uuid_of("pair 2"))
        self.put_note("4:1", unicodedata.normalize("NFD", "tổ hợp sẵn"), uuid_of("decomposed"))
        self.rewritten_by_early_import.add(
            self.put_note("4:2", "viết sau", uuid_of("late"), createdAt=LATER)
        )
        self.put_note("4:3", "dòng\r\ndòng", uuid_of("lines"))
        self.put_note("5:1", "của trước đây", uuid_of("former"), "_defaultOwner")
        self.put_note("5:2", "không tên", uuid_of("former 2"), "__defaultOwner__")
        self.put_note("5:3", "một lúc", uuid_of("one time"), createdAt=None)
        self.put_note("6:1", "hoa", uuid_of("case"))
        self.put_note("6:1", "thường", uuid_of("case", True))

        self.put_progress(2, 143, 0.5)
        self.put_progress(3, 200, 1.0)
        self.rewritten.add(self.put_progress(4, 10, 0.0568))
        self.rewritten.add(self.put_progress(5, 0, 0.0))
        self.put_progress(6, 33, 20.0, totalAyahs=999)
        self.put_progress(18, 55, 250.0)
        self.put_setting("theme", '"sepia"')
        self.put_setting("phoneOnly", '{"a":[1,2]}')

        self.foreign |= {
            self.put_record("Bookmark", "bookmark-1", title="của chương trình khác"),
            self.put_record(
                "Bookmark", f"favorite-{self.user}-20:1", title="tên như câu yêu thích"
            ),
            self.put_record("UserProfile", "profile-2", None, appleUserID="hai"),
            self.put_favorite("21:1", owner="_somebody"),
            self.put_note("21:2", "của ai khác", uuid_of("other"), owner="_somebody"),
        }
        self.malformed |= {
            self.put_favorite("2:300"): "name",
            self.put_favorite("115:1"): "name",
            self.put_favorite("0:1"): "name",
            self.put_favorite("22:1", ayahNumber=2): "name",
            self.put_favorite("22:2", ayahID="22:3"): "name",
            self.put_favorite("22:4", favoritedAt=None): "missing favoritedAt",
            self.put_favorite("22:5", at=-1): "outOfRange favoritedAt",
            self.put_favorite("022:6"): "name",
            self.put_record(
                "FavoriteAyah", "favorite-22:7", ayahID="22:7", favoritedAt=EARLIER
            ): "name",
            self.put_record("FavoriteAyah", uuid_of("no name"), favoritedAt=EARLIER): "name",
            self.put_note("23:1", "", uuid_of("empty")): "outOfRange noteText",
            self.put_note("23:2", " \n\t", uuid_of("blank")): "outOfRange noteText",
            self.put_note("23:3", None, uuid_of("none")): "missing noteText",
            self.put_note("23:4", "không UUID", "no-UUID"): "name",
            self.put_note("23:5", "chương khác", uuid_of("surah"), surahNumber=24): "name",
            self.put_note(
                "23:6", "không giờ", uuid_of("timeless"), createdAt=None, modifiedAt=None
            ): "missing modifiedAt",
            self.put_progress(8, 76, 1.0): "outOfRange lastReadAyah",
            self.put_progress(9, -1, 0.0): "outOfRange lastReadAyah",
            self.put_record(
                "ReadingProgress",
                f"progress-{self.user}-010",
                surahNumber=10,
                lastReadAyah=1,
                lastUpdatedAt=EARLIER,
            ): "name",
            self.put_record(
                "ReadingProgress",
                f"progress-{self.user}-11",
                surahNumber=12,
                lastReadAyah=1,
                lastUpdatedAt=EARLIER,
            ): "name",
            self.put_record(
                "ReadingProgress", f"progress-{self.user}-13", surahNumber=13, lastUpdatedAt=EARLIER
            ): "missing lastReadAyah",
            self.put_setting("broken", "{"): "outOfRange settingValue",
            self.put_setting("other", "1", settingKey="another"): "name",
        }
        # A listing does not have a record without an owner, because it queries by owner.
        without_owner = self.put_favorite("24:1", owner=None)
        self.malformed[without_owner] = "missing ownerRecordName"
        self.unlisted.add(without_owner)
        self.send()


def readable_rows(phone, records):
    """The contents of the records that the reader can read, in the form of `Device.rows`."""
    excluded = phone.foreign | phone.malformed.keys()
    return rows_of_records(
        {name: record for name, record in records.items() if name not in excluded}
    )


def expected_contents(imports_first):
    """The contents after the first sync.

    A note text that was on both sides several times is there as often as on the side with more.
    """
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
            "1:1": EARLIER,
            "2:255": PREFERENCES_TIME if imports_first else LATER,
            "36:1": EARLIER,
            "18:10": EARLIER,
            "18:11": EARLIER,
            "55:13": EARLIER,
            "55:14": EARLIER,
            "67:1": PREFERENCES_TIME,
            "112:1": PREFERENCES_TIME,
        },
        "notes": notes,
        "progress": {2: 143, 3: 200, 4: 50, 5: 30, 6: 33, 7: 206, 18: 55},
        "settings": {"theme": '"sepia"', "phoneOnly": '{"a":[1,2]}'},
    }


def new_record_counts(user):
    """Name patterns of the records that sync creates on the server, and the number of each."""
    note = "-".join(f"[0-9A-F]{{{length}}}" for length in (8, 4, 4, 4, 12))
    return {
        f"favorite-{user}-67:1": 1,
        f"favorite-{user}-112:1": 1,
        f"progress-{user}-7": 1,
        f"note-{user}-3:9-{note}": 1,
        f"note-{user}-67:1-{note}": 1,
    }


def sync_until_settled(devices):
    """Syncs the devices until none of them sends anything; then they have the same contents."""
    for _ in range(4):
        # A round with parked changes exits with status 4.
        if not sum(
            device.sync(status=4 if device.status()["parked"] else 0)["sent"] for device in devices
        ):
            return
    checks.that("sync settles", False)


def last_change_number(records):
    """The number of the newest change, from the change tags."""
    return max(int(record["recordChangeTag"].split("-")[0], 36) for record in records.values())


def first_sync(service, name, steps, imports_first):
    """Carries out the steps, such as `import one`, and checks devices and service."""
    label = f"{name}: {', '.join(steps)}"
    phone = Phone(service, name)
    phone.fill()
    before = service.records(name)
    with contextlib.ExitStack() as stack:
        devices = {key: stack.enter_context(Device(service, checks)) for key in ("one", "two")}
        file = write_preferences(devices["one"].home / "dump", as_plist=imports_first)
        for step in steps:
            verb, key = step.split()
            if verb == "import":
                devices[key].run("import", file)
            elif verb == "connect":
                output = devices[key].connect(name)
                checks.that(f"{label}: signed in", "Signed in as" in output, output)
            else:
                devices[key].sync()
        sync_until_settled(devices.values())
        check_all(label, phone, before, list(devices.values()), imports_first)
        yield phone, devices, file


def check_all(label, phone, before, devices, imports_first):
    """Checks the contents of devices and service, and which records were written."""
    service = phone.service
    records = service.records(phone.name)
    service_rows, expected = readable_rows(phone, records), expected_contents(imports_first)
    checks.equal(f"{label}: favourites", dict(service_rows["favorites"]), expected["favorites"])
    checks.equal(
        f"{label}: notes",
        collections.Counter((note[0], note[1]) for note in service_rows["notes"]),
        expected["notes"],
    )
    checks.equal(
        f"{label}: progress",
        {row[0]: row[1] for row in service_rows["progress"]},
        expected["progress"],
    )
    checks.equal(
        f"{label}: settings",
        {row[0]: row[1] for row in service_rows["settings"]},
        expected["settings"],
    )
    for number, device in enumerate(devices):
        checks.equal(f"{label}: device {number} equals the service", device.rows(), service_rows)
        status = device.status()
        checks.equal(f"{label}: nothing is pending", (status["pending"], status["parked"]), (0, []))
        unreadable = {
            found: problem
            for found, problem in phone.malformed.items()
            if service.container == CONTAINER or found not in phone.unlisted
        }
        checks.equal(
            f"{label}: unreadable records are reported",
            {
                record["name"]: " ".join(
                    record["problem"][key] for key in ("code", "field") if key in record["problem"]
                )
                for record in status["unreadable"]
            },
            unreadable,
        )
        checks.that(
            f"{label}: unreadable records are counted",
            f"cannot be read: {len(unreadable)} " in device.run("sync", "status"),
        )
    checks.equal(
        f"{label}: the devices are equal, with note ids",
        devices[0].contents(),
        devices[1].contents(),
    )

    rewritten = (
        phone.rewritten
        | {phone.user}
        | (phone.rewritten_by_early_import if imports_first else set())
    )
    for record_name, record in before.items():
        found = records.get(record_name)
        if record_name not in rewritten:
            checks.equal(f"{label}: {record_name} is unchanged", found, record)
        elif found:
            checks.that(f"{label}: {record_name} is written", found != record)
            fixed_keys = {"recordType", "created", "recordName"}
            checks.equal(
                f"{label}: {record_name} is the same record",
                {key: found[key] for key in fixed_keys},
                {key: record[key] for key in fixed_keys},
            )
    profile = records[phone.user]["fields"]
    checks.equal(
        f"{label}: the profile changed only in its sign-in time",
        profile | {"lastSignIn": before[phone.user]["fields"]["lastSignIn"]},
        before[phone.user]["fields"],
    )
    new = records.keys() - before.keys()
    for pattern, count in new_record_counts(phone.user).items():
        found = {record_name for record_name in new if re.fullmatch(pattern, record_name)}
        checks.equal(f"{label}: new records that match {pattern}", len(found), count)
        new -= found
    checks.equal(f"{label}: other new records", new, set())
    # Every record is written once, except the profile, which each of the two sign-ins writes.
    checks.equal(
        f"{label}: nothing is written twice",
        last_change_number(records) - last_change_number(before),
        len(rewritten) - 1 + sum(new_record_counts(phone.user).values()) + 2,
    )


def later_changes(phone, devices, file):
    """Makes further changes on the devices and with the mistakes of the phone app."""
    service, (first, second) = phone.service, devices.values()
    label = phone.name

    def note_of(ayah):
        return json.loads(first.run("note", "list", ayah, "--json"))[0]["id"]

    note = note_of("2:256")
    first.run("note", "edit", note, "-m", "không\nép buộc\ntrong đạo")
    first.run("note", "edit", note_of("67:1"), "-m", "sửa rồi")
    first.run("note", "remove", note_of("4:2"))
    for lists in json.loads(first.run("import", file, "--json")):
        for kind, counts in lists["lists"].items():
            checks.equal(f"{label}: a second import, {kind}", counts["imported"], 0)
    first.run("favorite", "remove", "36:1", "18:10")
    sync_until_settled((first, second))
    records = service.records(phone.name)
    fields = records[phone.note_with_lower_case_id]["fields"]
    checks.equal(
        f"{label}: an edit updates the record with a lower-case id",
        (fields["noteText"]["value"], fields["color"]["value"]),
        ("không\nép buộc\ntrong đạo", "xanh"),
    )
    checks.equal(
        f"{label}: both records of a removed favourite are deleted",
        [record_name for record_name in records if record_name.endswith("-18:10")],
        [],
    )

    # The phone app writes removed favourites again; it deletes notes during its upload; a changed
    # percentage counts only with another last read ayah; and an unreadable record is corrected.
    records_before = service.records(phone.name)
    phone.put_favorite("36:1")
    phone.delete(phone.note_with_lower_case_id)
    phone.put_favorite("36:1")
    phone.put_progress(2, 150, 150 / 286)
    phone.put_progress(6, 33, 0.2, totalAyahs=165)
    corrected = phone.put_favorite("22:1")
    phone.send()
    phone.malformed.pop(corrected)
    sync_until_settled((first, second))
    service_rows = readable_rows(phone, service.records(phone.name))
    for device in (first, second):
        rows = device.rows()
        checks.equal(f"{label}: device and service are equal", rows, service_rows)
        checks.that(f"{label}: the favourite is back", "36:1" in dict(rows["favorites"]))
        checks.that(f"{label}: the corrected record is read", "22:1" in dict(rows["favorites"]))
        checks.that(
            f"{label}: the new progress is read", 150 in [row[1] for row in rows["progress"]]
        )
        checks.that(
            f"{label}: the deleted note is in the trash", "2:256" in device.run("note", "restore")
        )
        checks.that(
            f"{label}: the corrected record is no longer reported",
            corrected not in [record["name"] for record in device.status()["unreadable"]],
        )
    changed = {
        record_name
        for record_name, record in service.records(phone.name).items()
        if records_before.get(record_name) != record
    }
    checks.equal(
        f"{label}: only the phone app wrote records",
        changed,
        {
            f"favorite-{phone.user}-36:1",
            f"favorite-{phone.user}-22:1",
            f"progress-{phone.user}-2",
            f"progress-{phone.user}-6",
        },
    )
    second.run("note", "restore", note)
    sync_until_settled((first, second))
    checks.that(
        f"{label}: the note restored from the trash is synced",
        ("2:256", "không\nép buộc\ntrong đạo") in first.notes(),
    )


def taken_record_names(service, name):
    """Imports things whose record names are taken by unreadable or foreign records.

    The things stay on the device and are reported as parked. The records stay unchanged.
    """
    phone = Phone(service, name)
    names = {
        "favorite 1:1": phone.put_favorite("1:1", ayahNumber=2),
        "favorite 2:255": phone.put_record(
            "Bookmark", f"favorite-{phone.user}-2:255", title="khác"
        ),
        "favorite 67:1": phone.put_favorite("67:1", owner="_somebody"),
        "progress 7": phone.put_progress(7, 207, 1.0),
    }
    phone.send()
    before = service.records(name)
    with Device(service, checks) as first, Device(service, checks) as second:
        first.run("import", write_preferences(first.home / "dump", as_plist=True))
        imported_rows = first.rows()
        first.connect(name)
        second.connect(name)
        sync_until_settled((first, second))
        records = service.records(name)
        for record_name in names.values():
            checks.equal(
                f"{name}: {record_name} is unchanged", records[record_name], before[record_name]
            )
        checks.equal(f"{name}: the imported things stay on the device", first.rows(), imported_rows)
        status = first.status()
        checks.equal(
            f"{name}: what cannot be sent is parked",
            {f"{parked['kind']} {parked['key']}" for parked in status["parked"]},
            set(names),
        )
        checks.equal(f"{name}: nothing is pending", status["pending"], 0)
        second_rows = second.rows()
        hidden = {"1:1", "2:255", "67:1"}
        checks.equal(
            f"{name}: everything else is synced",
            second_rows,
            imported_rows
            | {
                "favorites": [row for row in imported_rows["favorites"] if row[0] not in hidden],
                "progress": [row for row in imported_rows["progress"] if row[0] != 7],
            },
        )


# The steps of each variant, and whether a device imports before its first sync: then the times of
# the import count. Such variants import a property list, the others JSON.
VARIANTS = {
    "before": (["import one", "connect one", "connect two"], True),
    "after": (["connect one", "import one", "sync one", "connect two"], False),
    "both-before": (["import one", "import two", "connect one", "connect two"], True),
    "both-after": (["connect one", "connect two", "import one", "import two"], False),
    "either": (["import one", "connect one", "connect two", "import two"], True),
    "late": (["connect one", "import one", "sync one", "import two", "connect two"], True),
}


def main():
    require_programs()
    schema = SCHEMA.read_text()
    schema = schema.replace("noteText           STRING,", "noteText STRING, color STRING,")
    schema = schema.replace("favoritedAt        TIMESTAMP", "label STRING, favoritedAt TIMESTAMP")
    schema += """
    RECORD TYPE Bookmark (
        title STRING, ownerRecordName STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_creator"
    );"""
    with Service() as service:
        for container in (CONTAINER, LISTED_CONTAINER):
            service.use_container(container, schema)
            feed_kind = "fed" if container == CONTAINER else "listed"
            for variant, (steps, imports_first) in VARIANTS.items():
                for phone, devices, file in first_sync(
                    service, f"{feed_kind}-{variant}", steps, imports_first
                ):
                    if variant in ("before", "both-after"):
                        later_changes(phone, devices, file)
            taken_record_names(service, f"{feed_kind}-contested")
    checks.finish("meeting")


if __name__ == "__main__":
    main()
