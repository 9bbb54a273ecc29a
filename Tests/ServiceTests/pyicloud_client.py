"""Lets the CloudKit client of pyicloud work against the real record-service.

It was written for Apple's service by people who never saw this server, so what it sends and
what it insists on in answers are not what we would have thought of. It is installed into a
virtual environment ($SERVICE_TESTS_VENV, else .build-venv-service in the repository), where the
script then runs.
"""

import base64
import contextlib
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import venv

from service import CONTAINER, Checks, Service, favorite, skip

REQUIREMENT = "pyicloud==2026.10.1"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = pathlib.Path(
    os.environ.get("SERVICE_TESTS_VENV") or REPOSITORY / ".build-venv-service"
).absolute()
PYTHON = ENVIRONMENT / "bin" / "python3"
MARK = ENVIRONMENT / "complete"
UNREACHABLE = re.compile(
    r"from versions: none|connection broken|connection aborted|connection reset|ConnectionError|"
    r"ProxyError|SSLError|SSL: |Max retries exceeded|Temporary failure in name resolution|"
    r"timed out|ReadTimeout|HTTP error 50\d|\b50\d Server Error",
    re.IGNORECASE,
)


def install():
    """Makes the virtual environment, unless it is there and whole."""
    if MARK.exists() and MARK.read_text() == REQUIREMENT and PYTHON.exists():
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    try:
        venv.create(ENVIRONMENT, with_pip=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit("no virtual environment can be made; Debian has python3-venv") from error
    pip = subprocess.run(
        [
            PYTHON,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--retries",
            "1",
            "--timeout",
            "20",
            REQUIREMENT,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    if pip.returncode != 0:
        output = pip.stdout + pip.stderr
        if UNREACHABLE.search(output):
            skip(f"no package registry answers, and {REQUIREMENT} is not installed")
        raise SystemExit(output)
    MARK.write_text(REQUIREMENT)


if __name__ == "__main__" and pathlib.Path(sys.prefix) != ENVIRONMENT:
    install()
    os.execv(PYTHON, [str(PYTHON), __file__, *sys.argv[1:]])

# Only there, from here on.
import requests  # noqa: E402
from pyicloud.common.cloudkit import models as M  # noqa: E402
from pyicloud.common.cloudkit.client import (  # noqa: E402
    CloudKitApiError,
    CloudKitAuthError,
    CloudKitContainerClient,
    CloudKitRateLimited,
)

checks = Checks()
DEFAULT = M.CKZoneIDReq(zoneName="_defaultZone")
TEXTS = [
    "Nhân danh Allah, Đấng Rất mực Độ lượng, Đấng Rất mực Khoan dung",
    "Nha\u0302n danh \u2013 decomposed",
    "بِسْمِ ٱللَّهِ",
    '🕌 \u0001\t\n"\\\u2028',
    "",
    "\U0010ffff",
]
MOMENT = datetime.datetime(2026, 3, 4, 5, 6, 7, 89000, tzinfo=datetime.timezone.utc)
MOMENT_MS = 1_772_600_767_089


class Client:
    """pyicloud's client for one database, with a little less to write."""

    def __init__(self, service, token, environment="production", database="private", key=None):
        self.root = f"{service.url}/database/1/{CONTAINER}/{environment}/{database}"
        self.session = requests.Session()
        self.parameters = {"ckAPIToken": service.api_token if key is None else key}
        if token:
            self.parameters["ckWebAuthToken"] = token
        self.cloud = CloudKitContainerClient(self.root, self.session, self.parameters)

    def get(self, path):
        return self.session.get(self.root + path, params=self.parameters, timeout=60)

    def zone(self, name):
        self.cloud.raw_post(
            "/zones/modify",
            {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]},
        )
        return M.CKZoneIDReq(zoneName=name)

    def modify(self, zone, *operations, atomic=None):
        return self.cloud.modify(operations=list(operations), zone_id=zone, atomic=atomic).records

    def lookup(self, zone, *names, keys=None):
        return self.cloud.lookup(names, zone_id=zone, desired_keys=keys).records

    def query(self, zone, record_type, filters=(), sort=None, limit=None, keys=None):
        """All pages, as a list of lists."""
        query = M.CKQueryObject(
            recordType=record_type,
            filterBy=list(filters) or None,
            sortBy=sort and [M.CKQuerySortBy(fieldName=sort[0], ascending=sort[1])],
        )
        marker, pages = None, []
        while True:
            page = self.cloud.query(
                query=query,
                zone_id=zone,
                results_limit=limit,
                continuation=marker,
                desired_keys=keys,
            )
            pages.append(page.records)
            marker = page.continuationMarker
            if marker is None:
                return pages

    def changes(self, zone, token=None, limit=None, **options):
        request = M.CKZoneChangesZoneReq(
            zoneID=M.CKZoneID(zoneName=zone.zoneName), syncToken=token, **options
        )
        return list(self.cloud.iter_changes(zone_req=request, results_limit=limit))


def write(kind, name, fields=None, tag=None, record_type="FavoriteAyah"):
    return M.CKModifyOperation(
        operationType=kind,
        record=M.CKWriteRecord(
            recordName=name, recordType=record_type, fields=fields or {}, recordChangeTag=tag
        ),
    )


def favorite_fields(surah, ayah):
    fields = favorite("u", surah, ayah)["fields"]
    types = {"surahNumber": "INT64", "ayahNumber": "INT64"}
    return {key: {"type": types.get(key, "STRING"), **field} for key, field in fields.items()}


def where(field, comparator, value, kind="INT64"):
    return M.CKQueryFilterBy(
        comparator=comparator, fieldName=field, fieldValue={"type": kind, "value": value}
    )


def refused(claim, error, call, *, code=None, message=None):
    """The exception, which must be of exactly that type."""
    try:
        found = call()
    except Exception as caught:  # Whatever else it is, it is a failed check.
        if not checks.that(claim, type(caught) is error, repr(caught)):
            return caught
        if message is not None:
            checks.that(f"{claim}: the message", message in str(caught), str(caught))
        if code is not None:
            payload = caught.payload if isinstance(caught.payload, dict) else {}
            checks.equal(f"{claim}: the code", payload.get("serverErrorCode"), code)
        return caught
    checks.that(claim, False, found)
    return None


def codes(error):
    return {
        entry["recordName"]: entry.get("serverErrorCode")
        for entry in (error.payload or {}).get("records", [])
    }


def values(record):
    return {name: field.value for name, field in record.fields.items()}


def names(pages):
    return [record.recordName for page in pages for record in page]


def users(service, an, binh):
    for path in ("/users/caller", "/users/current"):
        answer = an.get(path)
        checks.equal(f"{path} status", answer.status_code, 200)
        mine = answer.json().get("userRecordName", "")
        checks.that(f"{path} names me", re.fullmatch("_[0-9a-f]{32}", mine), answer.text)
        checks.that(f"{path} is not somebody else", mine != binh.get(path).json()["userRecordName"])
    identity = M.CKUserIdentity.model_validate(an.get("/users/caller").json())
    checks.equal("the identity has the name", identity.nameComponents.givenName, "an nguyễn")
    checks.that(
        "a session's newest token is told",
        len(an.get("/users/caller").headers["X-Apple-CloudKit-Web-Auth-Token"]) >= 100,
    )
    public = Client(service, an.parameters["ckWebAuthToken"], database="public")
    refused(
        "others are not discovered",
        CloudKitAuthError,
        lambda: public.cloud.raw_post("/users/discover", {"lookupInfos": []}),
    )


def zones(an):
    for _ in range(2):
        an.zone("Q")  # Making it again changes nothing.
    listed = {zone.zoneID.zoneName: zone for zone in an.cloud.zones_list().zones}
    checks.equal("zones", set(listed), {"_defaultZone", "Q"})
    checks.equal("kind of zone", listed["Q"].zoneID.zoneType, "REGULAR_CUSTOM_ZONE")
    checks.equal("kind of the default zone", listed["_defaultZone"].zoneID.zoneType, "DEFAULT_ZONE")
    checks.that("a custom zone has a token", listed["Q"].syncToken)
    checks.that("the built-in container's default zone has one", listed["_defaultZone"].syncToken)
    gone = an.cloud.raw_post("/zones/lookup", {"zones": [{"zoneName": "Nope"}]})
    checks.equal("an unknown zone", gone["zones"][0]["serverErrorCode"], "ZONE_NOT_FOUND")


def production_types(an):
    """Every record type of the built-in container, each of its fields."""
    records = {
        "UserProfile": {
            "appleUserID": ("STRING", "000123.abc"),
            "email": ("STRING", "an@example.org"),
            "givenName": ("STRING", TEXTS[0]),
            "familyName": ("STRING", TEXTS[1]),
            "lastSignIn": ("TIMESTAMP", MOMENT_MS),
            "createdAt": ("TIMESTAMP", -1),
            "userRecord": ("REFERENCE", {"recordName": "profile-2", "action": "NONE"}),
        },
        "FavoriteAyah": {
            "ayahID": ("STRING", "2:255"),
            "surahNumber": ("INT64", 2),
            "ayahNumber": ("INT64", 255),
            "favoritedAt": ("TIMESTAMP", MOMENT_MS),
            "ownerRecordName": ("STRING", "u"),
        },
        "AyahNote": {
            "ayahID": ("STRING", "2:255"),
            "surahNumber": ("INT64", 2),
            "ayahNumber": ("INT64", 255),
            "noteText": ("STRING", "\n".join(TEXTS) * 200),
            "createdAt": ("TIMESTAMP", 0),
            "modifiedAt": ("TIMESTAMP", MOMENT_MS),
            "ownerRecordName": ("STRING", "u"),
        },
        "ReadingProgress": {
            "surahNumber": ("INT64", 114),
            "lastReadAyah": ("INT64", 0),
            "totalAyahs": ("INT64", 2**63 - 1),
            "progressPercentage": ("DOUBLE", 100 / 3),
            "lastUpdatedAt": ("TIMESTAMP", MOMENT_MS),
            "ownerRecordName": ("STRING", "u"),
        },
        "AppSettings": {
            "settingKey": ("STRING", "cỡ chữ"),
            "settingValue": ("STRING", '{"cỡ":[1.5,"\\""]}'),
            "lastModifiedAt": ("TIMESTAMP", MOMENT_MS),
            "ownerRecordName": ("STRING", "u"),
        },
    }
    for record_type, fields in records.items():
        name = f"{record_type}-1"
        wire = {key: {"type": kind, "value": value} for key, (kind, value) in fields.items()}
        an.modify(DEFAULT, write("create", name, wire, record_type=record_type))
        (found,) = an.lookup(DEFAULT, name)
        checks.equal(f"{record_type} comes back as one", type(found), M.CKRecord)
        compare(record_type, found, fields)
    (progress,) = an.lookup(DEFAULT, "ReadingProgress-1", keys=["progressPercentage"])
    checks.equal("desired keys", set(progress.fields), {"progressPercentage"})
    for filters, wanted in (
        ([where("ownerRecordName", "EQUALS", "u", "STRING")], ["AyahNote-1"]),
        (
            [
                where("ayahID", "EQUALS", "2:255", "STRING"),
                where("ownerRecordName", "EQUALS", "u", "STRING"),
            ],
            ["AyahNote-1"],
        ),
        ([where("ayahID", "BEGINS_WITH", "2:", "STRING")], ["AyahNote-1"]),
        ([where("ayahID", "IN", ["9:9", "2:255"], "STRING_LIST")], ["AyahNote-1"]),
        ([where("surahNumber", "GREATER_THAN", 2)], []),
    ):
        checks.equal(f"{filters}", names(an.query(DEFAULT, "AyahNote", filters)), wanted)
    refused(
        "an unknown type",
        CloudKitApiError,
        lambda: an.modify(DEFAULT, write("create", "x", record_type="Unheard")),
        message="x: BAD_REQUEST (Cannot create new type Unheard in production schema)",
    )
    refused(
        "an unknown field",
        CloudKitApiError,
        lambda: an.modify(DEFAULT, write("create", "x", {"mới": {"type": "STRING", "value": ""}})),
        message="x: BAD_REQUEST (",
    )
    refused(
        "a wrong type",
        CloudKitApiError,
        lambda: an.modify(
            DEFAULT, write("create", "x", {"surahNumber": {"type": "STRING", "value": "2"}})
        ),
        message="invalid attempt to set value type STRING for field 'surahNumber' for type "
        "'FavoriteAyah', defined to be: INT64",
    )
    for filters, sort, reason in (
        ([], None, "Field 'recordName' is not marked queryable"),
        (
            [where("noteText", "EQUALS", "x", "STRING")],
            None,
            "Field 'noteText' is not marked queryable",
        ),
    ):
        error = refused(
            reason,
            CloudKitApiError,
            lambda: an.query(DEFAULT, "AyahNote", filters, sort),
            code="BAD_REQUEST",
        )
        checks.equal("its reason", error.payload.get("reason"), reason)


def compare(what, record, fields):
    checks.equal(f"{what}: the fields", set(record.fields), set(fields))
    for key, (kind, value) in fields.items():
        field = record.fields.get(key)
        if field is None:
            continue
        checks.equal(f"{what}.{key}: its type", field.type_tag, kind)
        found = field.value
        if kind == "TIMESTAMP":
            epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            found = round((found - epoch).total_seconds() * 1000)
        elif kind == "BYTES":
            value = base64.b64decode(value)
        elif kind.startswith("REFERENCE"):
            one = kind == "REFERENCE"
            shown = [(one.recordName, one.action) for one in ([found] if one else found)]
            wanted = [(one["recordName"], one["action"]) for one in ([value] if one else value)]
            checks.equal(f"{what}.{key}", shown, wanted)
            continue
        checks.equal(f"{what}.{key}", found, value)


def all_field_types(service, token):
    """The development environment makes types as they come."""
    an = Client(service, token, environment="development")
    zone = an.zone("Types")
    place = {
        "latitude": 10.762622,
        "longitude": 106.660172,
        "altitude": 5.5,
        "horizontalAccuracy": 1.0,
        "verticalAccuracy": 2.0,
        "timestamp": MOMENT_MS,
    }
    target = {"recordName": "all-0", "action": "NONE"}
    fields = {
        "int": ("INT64", -(2**63)),
        "beyond": ("INT64", 2**53 + 1),
        "double": ("DOUBLE", 0.1),
        "whole": ("DOUBLE", 3.0),
        "tiny": ("DOUBLE", 5e-324),
        "huge": ("DOUBLE", 1.7e308),
        "text": ("STRING", TEXTS[3]),
        "at": ("TIMESTAMP", MOMENT_MS),
        "bytes": ("BYTES", base64.b64encode(bytes(range(256))).decode()),
        "nothing": ("BYTES", ""),
        "place": ("LOCATION", place),
        "target": ("REFERENCE", target),
        "texts": ("STRING_LIST", TEXTS),
        "ints": ("INT64_LIST", [2**63 - 1, 0, -5]),
        "doubles": ("DOUBLE_LIST", [1.5, -0.25]),
        "times": ("TIMESTAMP_LIST", [0, MOMENT_MS]),
        "blobs": ("BYTES_LIST", ["AAEC", ""]),
        "places": ("LOCATION_LIST", [place]),
        "targets": ("REFERENCE_LIST", [target, target]),
    }
    wire = {key: {"type": kind, "value": value} for key, (kind, value) in fields.items()}
    an.modify(zone, write("create", "all-0", record_type="Everything"))
    an.modify(zone, write("create", "all-1", wire, record_type="Everything"))
    (found,) = an.lookup(zone, "all-1")
    compare("Everything", found, fields)
    # What pyicloud makes of what it read is written back.
    again = M.CKModifyOperation(
        operationType="update",
        record=M.CKWriteRecord(
            recordName="all-1",
            recordType="Everything",
            recordChangeTag=found.recordChangeTag,
            fields=dict(found.fields.items()),
        ),
    )
    an.modify(zone, again)
    (found,) = an.lookup(zone, "all-1")
    compare("Everything, written back", found, fields)
    pages = an.changes(zone)
    fed = {record.recordName: record for page in pages for record in page.records}
    compare("Everything, in the feed", fed["all-1"], fields)
    an.modify(
        zone,
        write(
            "update",
            "all-1",
            {"texts": {"type": "STRING_LIST", "value": []}},
            found.recordChangeTag,
            "Everything",
        ),
    )
    (found,) = an.lookup(zone, "all-1")
    checks.equal("an empty list stays one", found.fields["texts"].value, [])
    # A whole number is what the schema has of a field, not what JSON makes of it.
    an.modify(
        zone,
        write(
            "forceUpdate",
            "all-1",
            {"whole": {"type": "DOUBLE", "value": 4}},
            record_type="Everything",
        ),
    )
    (found,) = an.lookup(zone, "all-1")
    checks.equal(
        "a whole double",
        (found.fields["whole"].type_tag, found.fields["whole"].value),
        ("DOUBLE", 4.0),
    )
    cleared = an.cloud.raw_post(
        "/records/modify",
        {
            "zoneID": {"zoneName": "Types"},
            "operations": [
                {
                    "operationType": "update",
                    "record": {
                        "recordName": "all-1",
                        "recordType": "Everything",
                        "recordChangeTag": found.recordChangeTag,
                        "fields": {"int": {"value": None}, "text": None},
                    },
                }
            ],
        },
    )["records"][0]["fields"]
    checks.that("null clears a field", "int" not in cleared and "text" not in cleared, cleared)
    refused(
        "production has no such type",
        CloudKitApiError,
        lambda: Client(service, token).modify(
            DEFAULT, write("create", "e", wire, record_type="Everything")
        ),
        message="e: BAD_REQUEST (Cannot create new type Everything in production schema)",
    )


def modifying(an):
    zone = an.zone("Modify")
    (made,) = an.modify(zone, write("create", "f", favorite_fields(2, 255)))
    checks.equal("created", values(made)["ayahID"], "2:255")
    checks.equal(
        "by me", made.created.userRecordName, an.get("/users/caller").json()["userRecordName"]
    )
    checks.equal("not deleted", made.deleted, False)
    (changed,) = an.modify(
        zone,
        write("update", "f", {"ayahNumber": {"type": "INT64", "value": 256}}, made.recordChangeTag),
    )
    checks.equal(
        "an update keeps the rest",
        (values(changed)["ayahNumber"], values(changed)["surahNumber"]),
        (256, 2),
    )
    checks.that("a new tag", changed.recordChangeTag != made.recordChangeTag)
    error = refused(
        "a stale tag",
        CloudKitApiError,
        lambda: an.modify(
            zone,
            write(
                "update", "f", {"ayahNumber": {"type": "INT64", "value": 1}}, made.recordChangeTag
            ),
        ),
        message="f: CONFLICT (client oplock error updating record)",
    )
    checks.equal("an entry of its own", codes(error), {"f": "CONFLICT"})
    refused(
        "a name that is taken",
        CloudKitApiError,
        lambda: an.modify(zone, write("create", "f", favorite_fields(1, 1))),
        message="f: EXISTS (record to insert already exists)",
    )
    refused(
        "an update of nothing",
        CloudKitApiError,
        lambda: an.modify(zone, write("update", "none", {}, "a")),
        message="none: NOT_FOUND",
    )
    refused(
        "a delete with a stale tag",
        CloudKitApiError,
        lambda: an.modify(zone, write("delete", "f", tag=made.recordChangeTag)),
        message="f: CONFLICT",
    )
    # One culprit fails a whole atomic request.
    error = refused(
        "an atomic request with a culprit",
        CloudKitApiError,
        lambda: an.modify(
            zone,
            write("create", "g", favorite_fields(1, 1)),
            write("create", "f", favorite_fields(1, 1)),
            write("create", "h", favorite_fields(1, 2)),
            atomic=True,
        ),
    )
    checks.equal(
        "its entries", codes(error), {"g": "ATOMIC_ERROR", "f": "EXISTS", "h": "ATOMIC_ERROR"}
    )
    missing = [type(entry).__name__ for entry in an.lookup(zone, "g", "h")]
    checks.equal("nothing of it is stored", missing, ["CKErrorItem", "CKErrorItem"])
    error = refused(
        "another, not atomic",
        CloudKitApiError,
        lambda: an.modify(
            zone,
            write("create", "g", favorite_fields(1, 1)),
            write("create", "f", favorite_fields(1, 1)),
            atomic=False,
        ),
    )
    checks.equal("only the culprit fails", codes(error), {"g": None, "f": "EXISTS"})
    (replaced,) = an.modify(
        zone,
        write(
            "replace", "f", {"ayahID": {"type": "STRING", "value": "1:1"}}, changed.recordChangeTag
        ),
    )
    checks.equal("a replacement drops the rest", values(replaced), {"ayahID": "1:1"})
    forced = an.modify(
        zone,
        write("forceUpdate", "f", {"surahNumber": {"type": "INT64", "value": 7}}),
        write("forceReplace", "g", {"ayahID": {"type": "STRING", "value": "7:7"}}),
        write("forceUpdate", "new", {"ayahID": {"type": "STRING", "value": "8:8"}}),
    )
    checks.equal(
        "forced",
        [values(record) for record in forced],
        [{"ayahID": "1:1", "surahNumber": 7}, {"ayahID": "7:7"}, {"ayahID": "8:8"}],
    )
    gone = an.modify(
        zone, write("delete", "f", tag=forced[0].recordChangeTag), write("forceDelete", "g")
    )
    checks.equal(
        "deleted", [(entry.recordName, entry.deleted) for entry in gone], [("f", True), ("g", True)]
    )
    checks.equal(
        "as tombstones", [type(entry).__name__ for entry in gone], ["CKTombstoneRecord"] * 2
    )
    (again,) = an.modify(zone, write("create", "f", favorite_fields(3, 3)))
    checks.that(
        "the name is free again, the tag is new",
        again.recordChangeTag
        not in (made.recordChangeTag, changed.recordChangeTag, replaced.recordChangeTag),
    )
    error = refused(
        "atomic in the default zone",
        CloudKitApiError,
        lambda: an.modify(DEFAULT, write("create", "n", favorite_fields(1, 1)), atomic=True),
    )
    many = [write("create", f"m{index}") for index in range(201)]
    refused("201 operations", CloudKitApiError, lambda: an.modify(zone, *many))
    refused(
        "an unknown zone",
        CloudKitApiError,
        lambda: an.modify(M.CKZoneIDReq(zoneName="Nope"), write("create", "n")),
    )
    found = an.lookup(zone, "f", "none", "g")
    checks.equal(
        "looked up",
        [type(entry).__name__ for entry in found],
        ["CKRecord", "CKErrorItem", "CKErrorItem"],
    )
    checks.equal("not found", found[1].serverErrorCode, "NOT_FOUND")


def paging(an):
    """More records than a page has, by query and by feed."""
    count = 450
    zone = an.zone("Pages")
    start = an.changes(zone)[-1].syncToken
    for first in range(0, count, 150):
        an.modify(
            zone,
            *(
                write("create", f"p{index:03}", favorite_fields(index % 114 + 1, index))
                for index in range(first, first + 150)
            ),
        )
    mine = [where("ownerRecordName", "EQUALS", "u", "STRING")]
    pages = an.query(zone, "FavoriteAyah", mine)
    checks.equal("each once", sorted(names(pages)), [f"p{index:03}" for index in range(count)])
    checks.that("no page beyond 200", max(map(len, pages)) <= 200, list(map(len, pages)))
    for ascending in (True, False):
        pages = an.query(zone, "FavoriteAyah", mine, ("ayahNumber", ascending), limit=70)
        wanted = list(range(count)) if ascending else list(range(count))[::-1]
        checks.equal(
            f"sorted, ascending {ascending}",
            [values(record)["ayahNumber"] for page in pages for record in page],
            wanted,
        )
        checks.that("pages of 70", max(map(len, pages)) <= 70)
    between = [
        where("ayahNumber", "GREATER_THAN_OR_EQUALS", 100),
        where("ayahNumber", "LESS_THAN", 350),
    ]
    pages = an.query(zone, "FavoriteAyah", between, ("ayahNumber", True), keys=["ayahNumber"])
    checks.equal(
        "a range",
        [values(record) for page in pages for record in page],
        [{"ayahNumber": number} for number in range(100, 350)],
    )
    feed = an.changes(zone)
    checks.equal(
        "the feed has each once",
        sorted(record.recordName for page in feed for record in page.records),
        [f"p{index:03}" for index in range(count)],
    )
    checks.equal("its pages", [len(page.records) for page in feed], [200, 200, 50])
    checks.equal(
        "more is coming but at the end",
        [bool(page.moreComing) for page in feed],
        [True, True, False],
    )
    for page in feed:
        base64.b64decode(page.syncToken, validate=True)
    checks.equal(
        "small pages",
        [len(page.records) for page in an.changes(zone, limit=100)],
        [100, 100, 100, 100, 50],
    )
    checks.equal(
        "from the first token", sum(len(page.records) for page in an.changes(zone, start)), count
    )
    for _ in range(2):
        rest = an.changes(zone, feed[0].syncToken)
        checks.equal(
            "a token inside is good again and again",
            [len(page.records) for page in rest],
            [200, 50],
        )
    end = feed[-1].syncToken
    still = an.changes(zone, end)
    checks.equal("nothing new", [(page.records, page.syncToken) for page in still], [([], end)])
    an.modify(zone, *(write("forceDelete", f"p{index:03}") for index in range(200)))
    an.modify(zone, write("forceUpdate", "p449", {"ayahNumber": {"type": "INT64", "value": 9}}))
    after = an.changes(zone, end)
    entries = [entry for page in after for entry in page.records]
    deleted = [entry for entry in entries if entry.deleted]
    checks.equal("deletions since", len(deleted), 200)
    checks.equal(
        "as tombstones of pyicloud",
        {type(entry).__name__ for entry in deleted},
        {"CKTombstoneRecord"},
    )
    checks.equal(
        "and the change", [entry.recordName for entry in entries if not entry.deleted], ["p449"]
    )
    checks.equal("the query forgets them", len(names(an.query(zone, "FavoriteAyah", mine))), 250)
    only = an.changes(zone, end, desiredRecordTypes=["AyahNote"])
    checks.equal(
        "other types are not wanted",
        [entry for page in only for entry in page.records if type(entry) is M.CKRecord],
        [],
    )
    little = an.changes(zone, end, desiredKeys=["ayahNumber"])
    checks.equal(
        "only a field is wanted",
        [values(entry) for page in little for entry in page.records if not entry.deleted],
        [{"ayahNumber": 9}],
    )
    for bad in ("AAAA", "no base64 at all", end[:-8], end[:8]):
        error = refused(
            f"the token {bad[:12]}",
            CloudKitApiError,
            lambda: an.changes(zone, bad),
            message="Zone changes failed: ",
        )
        checks.that(
            "told as a bad token",
            "BAD_REQUEST" in str(error) or "CHANGE_TOKEN_EXPIRED" in str(error),
            str(error),
        )
    other = an.zone("Other")
    refused(
        "another zone's token",
        CloudKitApiError,
        lambda: an.changes(other, end),
        message="Zone changes failed: ",
    )
    refused(
        "an unknown zone",
        CloudKitApiError,
        lambda: an.changes(M.CKZoneIDReq(zoneName="Nope")),
        message="Zone changes failed: ZONE_NOT_FOUND",
    )
    token = an.cloud.query_sync_token(
        query=M.CKQueryObject(recordType="FavoriteAyah", filterBy=mine), zone_id=zone
    )
    if token is not None:
        checks.equal("a query's token", an.changes(zone, token)[0].records, [])


def database_changes(an):
    first = an.cloud.database_changes()
    checks.that(
        "all zones",
        {"_defaultZone", "Q", "Pages"} <= {zone.zoneID.zoneName for zone in first.zones},
        first.zones,
    )
    quiet = an.cloud.database_changes(sync_token=first.syncToken)
    checks.equal("no zone since", (quiet.zones, bool(quiet.moreComing)), ([], False))
    zone = an.zone("Brief")
    an.modify(zone, write("create", "b", favorite_fields(1, 1)))
    then = an.cloud.database_changes(sync_token=quiet.syncToken)
    checks.equal(
        "a new zone",
        [(entry.zoneID.zoneName, bool(entry.deleted)) for entry in then.zones],
        [("Brief", False)],
    )
    token = an.changes(zone)[-1].syncToken
    an.cloud.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": "Brief"}}}]},
    )
    last = an.cloud.database_changes(sync_token=then.syncToken)
    checks.equal(
        "a deleted zone",
        [(entry.zoneID.zoneName, bool(entry.deleted)) for entry in last.zones],
        [("Brief", True)],
    )
    refused("its feed", CloudKitApiError, lambda: an.changes(zone, token), message="ZONE_NOT_FOUND")
    an.zone("Brief")
    refused(
        "its token, once it is made again",
        CloudKitApiError,
        lambda: an.changes(zone, token),
        message="Zone changes failed: ",
    )
    checks.equal("which is empty", an.changes(zone)[0].records, [])
    refused(
        "a zone's token for the database",
        CloudKitApiError,
        lambda: an.cloud.database_changes(sync_token=token),
    )


def default_zone(an):
    """The built-in container has a change feed there, too."""
    before = an.changes(DEFAULT)[-1].syncToken
    an.modify(DEFAULT, write("create", "d", favorite_fields(36, 83)))
    an.modify(DEFAULT, write("forceDelete", "d"), write("create", "e", favorite_fields(1, 7)))
    after = [entry for page in an.changes(DEFAULT, before) for entry in page.records]
    checks.equal(
        "the default zone's feed",
        sorted((entry.recordName, bool(entry.deleted)) for entry in after),
        [("d", True), ("e", False)],
    )


def isolation(an, binh):
    theirs = [type(entry).__name__ for entry in binh.lookup(DEFAULT, "FavoriteAyah-1", "e")]
    checks.equal("others find nothing", theirs, ["CKErrorItem"] * 2)
    checks.equal(
        "not by query",
        names(
            binh.query(DEFAULT, "FavoriteAyah", [where("ownerRecordName", "EQUALS", "u", "STRING")])
        ),
        [],
    )
    refused(
        "not by a token",
        CloudKitApiError,
        lambda: binh.changes(DEFAULT, an.changes(DEFAULT)[-1].syncToken),
    )
    refused(
        "not in their zone",
        CloudKitApiError,
        lambda: binh.changes(M.CKZoneIDReq(zoneName="Q")),
        message="ZONE_NOT_FOUND",
    )


def errors(service, token):
    wrong = Client(service, token, key="0" * 64)
    refused(
        "a wrong API token",
        CloudKitAuthError,
        wrong.cloud.zones_list,
        message="HTTP 401: unauthorized",
    )
    for dead in ("0" * 128, "106__54__abc+/="):
        error = refused(
            "a dead web auth token",
            CloudKitApiError,
            Client(service, dead).cloud.zones_list,
            code="AUTHENTICATION_REQUIRED",
            message="HTTP 421",
        )
        checks.that(
            "says where to sign in",
            requests.get(error.payload["redirectURL"], timeout=30).status_code == 200,
            error.payload,
        )
    an = Client(service, token)
    refused(
        "no such endpoint",
        CloudKitApiError,
        lambda: an.cloud.raw_post("/records/none", {}),
        code="NOT_FOUND",
        message="HTTP 404",
    )
    refused(
        "an unknown zone in a query",
        CloudKitApiError,
        lambda: an.query(
            M.CKZoneIDReq(zoneName="Nope"), "FavoriteAyah", [where("surahNumber", "EQUALS", 1)]
        ),
        code="ZONE_NOT_FOUND",
        message="HTTP 404",
    )
    refused(
        "an unknown type in a query",
        CloudKitApiError,
        lambda: an.query(DEFAULT, "Unheard", [where("surahNumber", "EQUALS", 1)]),
    )
    refused(
        "a feed of the public database",
        CloudKitApiError,
        lambda: Client(service, token, database="public").changes(DEFAULT),
    )
    nobody = Client(service, None)
    with crowd(service):
        for _ in range(2000):
            try:
                nobody.cloud.zones_list()
            except CloudKitRateLimited as error:
                checks.that(
                    "says when to come again", (error.retry_after or 0) >= 1, error.retry_after
                )
                break
            except CloudKitApiError as error:
                if error.payload.get("serverErrorCode") != "AUTHENTICATION_REQUIRED":
                    checks.that("nobody is asked to sign in", False, error.payload)
                    break
        else:
            checks.that("who is nobody is slowed down", False)
    checks.that("who is signed in is not", an.cloud.zones_list().zones)


@contextlib.contextmanager
def crowd(service):
    """Uses up the 20 requests a second that are for whoever has not signed in: one client alone may
    be slower than that."""
    is_over = threading.Event()

    def ask():
        client = Client(service, None)
        with contextlib.suppress(requests.RequestException):
            while not is_over.is_set():
                client.session.post(
                    client.root + "/zones/list", params=client.parameters, json={}, timeout=60
                )

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def main():
    with Service() as service:
        token = service.add_user("An Nguyễn")
        an, binh = Client(service, token), Client(service, service.add_user("Bình"))
        users(service, an, binh)
        zones(an)
        production_types(an)
        all_field_types(service, token)
        modifying(an)
        paging(an)
        database_changes(an)
        default_zone(an)
        isolation(an, binh)
        errors(service, token)
    checks.finish(f"pyicloud {REQUIREMENT.split('==')[1]}")


if __name__ == "__main__":
    main()
