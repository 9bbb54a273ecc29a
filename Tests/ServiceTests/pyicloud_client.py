"""Tests the real record-service with the CloudKit client of pyicloud.

That client was written for Apple's service, independently of this server, so its requests and its
requirements for responses differ from those of our own client. It is installed into a virtual
environment ($SERVICE_TESTS_VENV, or .build-venv-service in the repository), in which the script
then runs.
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
import tempfile
import threading
import venv

from service import CONTAINER, Checks, Service, certificate, favorite_record, skip

REQUIREMENT = "pyicloud==2026.10.1"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = pathlib.Path(
    os.environ.get("SERVICE_TESTS_VENV") or REPOSITORY / ".build-venv-service"
).absolute()
PYTHON = ENVIRONMENT / "bin" / "python3"
INSTALLED_MARK = ENVIRONMENT / "complete"
# Output of pip if the package registry cannot be reached.
UNREACHABLE = re.compile(
    r"from versions: none|connection broken|connection aborted|connection reset|ConnectionError|"
    r"ProxyError|SSLError|SSL: |Max retries exceeded|Temporary failure in name resolution|"
    r"timed out|ReadTimeout|HTTP error 50\d|\b50\d Server Error",
    re.IGNORECASE,
)


def install():
    """Creates the virtual environment, unless there is a complete one."""
    if INSTALLED_MARK.exists() and INSTALLED_MARK.read_text() == REQUIREMENT and PYTHON.exists():
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    try:
        venv.create(ENVIRONMENT, with_pip=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            "cannot create a virtual environment; the Debian package is python3-venv"
        ) from error
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
            skip(f"{REQUIREMENT} is not installed, and the package registry cannot be reached")
        raise SystemExit(output)
    INSTALLED_MARK.write_text(REQUIREMENT)


if __name__ == "__main__" and pathlib.Path(sys.prefix) != ENVIRONMENT:
    install()
    os.execv(PYTHON, [str(PYTHON), __file__, *sys.argv[1:]])

# These packages exist in the virtual environment only.
import requests  # noqa: E402
from pyicloud.common.cloudkit import models as M  # noqa: E402
from pyicloud.common.cloudkit.client import (  # noqa: E402
    CloudKitApiError,
    CloudKitAuthError,
    CloudKitContainerClient,
    CloudKitRateLimited,
)
from pyicloud.services.invites.client import (  # noqa: E402
    CloudKitInvitesClient,
    InvitesApiError,
)

checks = Checks()
DEFAULT = M.CKZoneIDReq(zoneName="_defaultZone")
TEXTS = [
    "Nhân danh Allah, Đấng Rất mực Độ lượng, Đấng Rất mực Khoan dung",
    "Nha\u0302n danh \u2013 decomposed",
    "نَصُّ ٱلتَّجْرِبَةِ",
    '🕌 \u0001\t\n"\\\u2028',
    "",
    "\U0010ffff",
]
MOMENT = datetime.datetime(2026, 3, 4, 5, 6, 7, 89000, tzinfo=datetime.timezone.utc)
MOMENT_MS = 1_772_600_767_089


class Client:
    """pyicloud's client for one database, with shorter methods."""

    def __init__(self, service, token, environment="production", database="private", key=None):
        self.environment_root = f"{service.url}/database/1/{CONTAINER}/{environment}"
        self.root = f"{self.environment_root}/{database}"
        self.session = requests.Session()
        if "--tls-certificate" in service.options:
            self.session.trust_env = False  # It could name other authorities.
            self.session.verify = service.options[service.options.index("--tls-certificate") + 1]
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

    def lookup(self, zone, *record_names, keys=None):
        return self.cloud.lookup(record_names, zone_id=zone, desired_keys=keys).records

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


def write_operation(kind, name, fields=None, tag=None, record_type="FavoriteAyah"):
    return M.CKModifyOperation(
        operationType=kind,
        record=M.CKWriteRecord(
            recordName=name, recordType=record_type, fields=fields or {}, recordChangeTag=tag
        ),
    )


def favorite_fields(surah, ayah):
    fields = favorite_record("u", surah, ayah)["fields"]
    types = {"surahNumber": "INT64", "ayahNumber": "INT64"}
    return {key: {"type": types.get(key, "STRING"), **field} for key, field in fields.items()}


def query_filter(field, comparator, value, kind="INT64"):
    return M.CKQueryFilterBy(
        comparator=comparator, fieldName=field, fieldValue={"type": kind, "value": value}
    )


def check_refused(description, error, call, *, code=None, message=None):
    """Checks that a call raises an exception of exactly this type; returns the exception."""
    try:
        found = call()
    except Exception as caught:  # An exception of another type is a failed check.
        if not checks.that(description, type(caught) is error, repr(caught)):
            return caught
        if message is not None:
            checks.that(f"{description}: the message", message in str(caught), str(caught))
        if code is not None:
            payload = caught.payload if isinstance(caught.payload, dict) else {}
            checks.equal(f"{description}: the code", payload.get("serverErrorCode"), code)
        return caught
    checks.that(description, False, found)
    return None


def error_codes(error):
    """The error codes of the records in a response, by record name."""
    return {
        entry["recordName"]: entry.get("serverErrorCode")
        for entry in (error.payload or {}).get("records", [])
    }


def field_values(record):
    return {name: field.value for name, field in record.fields.items()}


def record_names(pages):
    return [record.recordName for page in pages for record in page]


def users(service, client, other_client):
    for path in ("/users/caller", "/users/current"):
        response = client.get(path)
        checks.equal(f"{path} status", response.status_code, 200)
        user = response.json().get("userRecordName", "")
        checks.that(
            f"{path} has a user record name", re.fullmatch("_[0-9a-f]{32}", user), response.text
        )
        checks.that(
            f"{path} differs for another account",
            user != other_client.get(path).json()["userRecordName"],
        )
    identity = M.CKUserIdentity.model_validate(client.get("/users/caller").json())
    checks.equal("the identity has the name", identity.nameComponents.givenName, "an nguyễn")
    checks.that(
        "the response has the newest token of the session",
        len(client.get("/users/caller").headers["X-Apple-CloudKit-Web-Auth-Token"]) >= 100,
    )
    public = Client(service, client.parameters["ckWebAuthToken"], database="public")
    check_refused(
        "users/discover is refused",
        CloudKitAuthError,
        lambda: public.cloud.raw_post("/users/discover", {"lookupInfos": []}),
    )


def zones(client):
    for _ in range(2):
        client.zone("Q")  # Creating it again changes nothing.
    listed = {zone.zoneID.zoneName: zone for zone in client.cloud.zones_list().zones}
    checks.equal("zones", set(listed), {"_defaultZone", "Q"})
    checks.equal("kind of zone", listed["Q"].zoneID.zoneType, "REGULAR_CUSTOM_ZONE")
    checks.equal("kind of the default zone", listed["_defaultZone"].zoneID.zoneType, "DEFAULT_ZONE")
    checks.that("a custom zone has a token", listed["Q"].syncToken)
    checks.that(
        "the default zone of the built-in container has a token", listed["_defaultZone"].syncToken
    )
    unknown_zone = client.cloud.raw_post("/zones/lookup", {"zones": [{"zoneName": "Nope"}]})
    checks.equal("an unknown zone", unknown_zone["zones"][0]["serverErrorCode"], "ZONE_NOT_FOUND")


def production_types(client):
    """Writes and reads every record type of the built-in container, with all fields."""
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
        client.modify(DEFAULT, write_operation("create", name, wire, record_type=record_type))
        (found,) = client.lookup(DEFAULT, name)
        checks.equal(f"{record_type} is looked up as a record", type(found), M.CKRecord)
        compare(record_type, found, fields)
    (progress,) = client.lookup(DEFAULT, "ReadingProgress-1", keys=["progressPercentage"])
    checks.equal("desired keys", set(progress.fields), {"progressPercentage"})
    for filters, expected in (
        ([query_filter("ownerRecordName", "EQUALS", "u", "STRING")], ["AyahNote-1"]),
        (
            [
                query_filter("ayahID", "EQUALS", "2:255", "STRING"),
                query_filter("ownerRecordName", "EQUALS", "u", "STRING"),
            ],
            ["AyahNote-1"],
        ),
        ([query_filter("ayahID", "BEGINS_WITH", "2:", "STRING")], ["AyahNote-1"]),
        ([query_filter("ayahID", "IN", ["9:9", "2:255"], "STRING_LIST")], ["AyahNote-1"]),
        ([query_filter("surahNumber", "GREATER_THAN", 2)], []),
    ):
        checks.equal(
            f"{filters}", record_names(client.query(DEFAULT, "AyahNote", filters)), expected
        )
    check_refused(
        "an unknown type",
        CloudKitApiError,
        lambda: client.modify(DEFAULT, write_operation("create", "x", record_type="Unheard")),
        message="x: BAD_REQUEST (Cannot create new type Unheard in production schema)",
    )
    check_refused(
        "an unknown field",
        CloudKitApiError,
        lambda: client.modify(
            DEFAULT, write_operation("create", "x", {"mới": {"type": "STRING", "value": ""}})
        ),
        message="x: BAD_REQUEST (",
    )
    check_refused(
        "a wrong type",
        CloudKitApiError,
        lambda: client.modify(
            DEFAULT,
            write_operation("create", "x", {"surahNumber": {"type": "STRING", "value": "2"}}),
        ),
        message="invalid attempt to set value type STRING for field 'surahNumber' for type "
        "'FavoriteAyah', defined to be: INT64",
    )
    for filters, sort, reason in (
        ([], None, "Field 'recordName' is not marked queryable"),
        (
            [query_filter("noteText", "EQUALS", "x", "STRING")],
            None,
            "Field 'noteText' is not marked queryable",
        ),
    ):
        error = check_refused(
            reason,
            CloudKitApiError,
            lambda: client.query(DEFAULT, "AyahNote", filters, sort),
            code="BAD_REQUEST",
        )
        checks.equal("the reason", error.payload.get("reason"), reason)


def compare(description, record, fields):
    """Checks types and values of all fields of a record."""
    checks.equal(f"{description}: the fields", set(record.fields), set(fields))
    for key, (kind, value) in fields.items():
        field = record.fields.get(key)
        if field is None:
            continue
        checks.equal(f"{description}.{key}: type", field.type_tag, kind)
        found = field.value
        if kind == "TIMESTAMP":
            epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            found = round((found - epoch).total_seconds() * 1000)
        elif kind == "BYTES":
            value = base64.b64decode(value)
        elif kind.startswith("REFERENCE"):
            is_single = kind == "REFERENCE"
            found_references = [
                (reference.recordName, reference.action)
                for reference in ([found] if is_single else found)
            ]
            expected = [
                (reference["recordName"], reference["action"])
                for reference in ([value] if is_single else value)
            ]
            checks.equal(f"{description}.{key}", found_references, expected)
            continue
        checks.equal(f"{description}.{key}", found, value)


def all_field_types(service, token):
    """Tests all field types in the development environment, which creates types on first use."""
    client = Client(service, token, environment="development")
    zone = client.zone("Types")
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
    client.modify(zone, write_operation("create", "all-0", record_type="Everything"))
    client.modify(zone, write_operation("create", "all-1", wire, record_type="Everything"))
    (found,) = client.lookup(zone, "all-1")
    compare("Everything", found, fields)
    # pyicloud writes back the values that it decoded.
    again = M.CKModifyOperation(
        operationType="update",
        record=M.CKWriteRecord(
            recordName="all-1",
            recordType="Everything",
            recordChangeTag=found.recordChangeTag,
            fields=dict(found.fields.items()),
        ),
    )
    client.modify(zone, again)
    (found,) = client.lookup(zone, "all-1")
    compare("Everything, written back", found, fields)
    pages = client.changes(zone)
    fed = {record.recordName: record for page in pages for record in page.records}
    compare("Everything, in the feed", fed["all-1"], fields)
    client.modify(
        zone,
        write_operation(
            "update",
            "all-1",
            {"texts": {"type": "STRING_LIST", "value": []}},
            found.recordChangeTag,
            "Everything",
        ),
    )
    (found,) = client.lookup(zone, "all-1")
    checks.equal("an empty list stays one", found.fields["texts"].value, [])
    # A whole number in JSON gets the type that the schema has for the field.
    client.modify(
        zone,
        write_operation(
            "forceUpdate",
            "all-1",
            {"whole": {"type": "DOUBLE", "value": 4}},
            record_type="Everything",
        ),
    )
    (found,) = client.lookup(zone, "all-1")
    checks.equal(
        "a whole double",
        (found.fields["whole"].type_tag, found.fields["whole"].value),
        ("DOUBLE", 4.0),
    )
    cleared = client.cloud.raw_post(
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
    check_refused(
        "production has no such type",
        CloudKitApiError,
        lambda: Client(service, token).modify(
            DEFAULT, write_operation("create", "e", wire, record_type="Everything")
        ),
        message="e: BAD_REQUEST (Cannot create new type Everything in production schema)",
    )


def assets(service, token):
    """Uploads and downloads with pyicloud, which sends bytes to HTTPS URLs only."""
    client = Client(service, token, environment="development")
    zone = client.zone("Files")
    small, large = bytes(range(256)), os.urandom(3_000_000)

    def asset(token):
        return {"type": "ASSETID", "value": token.model_dump(mode="json", exclude_none=True)}

    def uploaded(name, field, data):
        return client.cloud.upload_asset(
            record_type="File", field_name=field, record_name=name, data=data, zone_id=zone
        )

    # A save in the development environment creates the type and its fields.
    described = {"type": "ASSETID", "value": {"fileChecksum": "x", "size": 1}}
    check_refused(
        "an asset that was not uploaded",
        CloudKitApiError,
        lambda: client.modify(
            zone, write_operation("create", "a", {"file": described}, record_type="File")
        ),
        message="a: BAD_REQUEST (the asset in field 'file' has no valid receipt",
    )
    service.command(
        "schema",
        "import",
        "-",
        text=service.command("schema", "export", "--environment", "development")
        + "RECORD TYPE File (file ASSET, files LIST<ASSET>, title STRING QUERYABLE, "
        'GRANT READ, CREATE, WRITE TO "_creator");',
    )
    title = {"type": "STRING", "value": "một"}
    client.modify(
        zone,
        write_operation(
            "create",
            "a",
            {"file": asset(uploaded("a", "file", small)), "title": title},
            record_type="File",
        ),
    )
    several = [uploaded("a", "files", data) for data in (large, small)]
    (found,) = client.lookup(zone, "a")
    client.modify(
        zone,
        write_operation(
            "update",
            "a",
            {"files": {"type": "ASSETID_LIST", "value": [asset(one)["value"] for one in several]}},
            found.recordChangeTag,
            "File",
        ),
    )
    queried = client.query(zone, "File", [query_filter("title", "EQUALS", "một", "STRING")])[0]
    fed = [record for page in client.changes(zone) for record in page.records]
    for description, (record,) in (
        ("looked up", client.lookup(zone, "a")),
        ("queried", queried),
        ("in the feed", fed),
    ):
        checks.equal(
            f"an asset {description}: the types",
            (record.fields["file"].type_tag, record.fields["files"].type_tag),
            ("ASSETID", "ASSETID_LIST"),
        )
        file, files = record.fields["file"].value, record.fields["files"].value
        checks.equal(f"an asset {description}: its size", file.size, len(small))
        checks.equal(
            f"an asset {description}: its bytes",
            client.cloud.download_asset_bytes(file.downloadURL),
            small,
        )
        checks.equal(
            f"a list of assets {description}: their bytes",
            [b"".join(client.cloud.download_asset_stream(one.downloadURL)) for one in files],
            [large, small],
        )
    # A value that pyicloud decoded can be written back, without a receipt.
    (found,) = client.lookup(zone, "a")
    again = M.CKModifyOperation(
        operationType="update",
        record=M.CKWriteRecord(
            recordName="a",
            recordType="File",
            recordChangeTag=found.recordChangeTag,
            fields=dict(found.fields.items()),
        ),
    )
    client.modify(zone, again)
    (found,) = client.lookup(zone, "a")
    checks.equal(
        "an asset that was written back",
        client.cloud.download_asset_bytes(found.fields["file"].value.downloadURL),
        small,
    )
    (only_title,) = client.lookup(zone, "a", keys=["title"])
    checks.equal("desired keys leave assets out", set(only_title.fields), {"title"})
    check_refused(
        "an asset of another record",
        CloudKitApiError,
        lambda: client.modify(
            zone,
            write_operation("create", "b", {"file": asset(several[1])}, record_type="File"),
        ),
        message="b: BAD_REQUEST (the asset in field 'file' has no valid receipt",
    )
    check_refused(
        "a field that is not for assets",
        CloudKitApiError,
        lambda: uploaded("a", "title", small),
        code="BAD_REQUEST",
    )
    check_refused(
        "assets/rereference",
        CloudKitApiError,
        lambda: client.cloud.raw_post(
            "/assets/rereference", {"assets": [{"recordName": "a", "fieldName": "file"}]}
        ),
        code="BAD_REQUEST",
    )


def sharing(client):
    """The requests of pyicloud's invitations are refused, because sharing is not served."""
    invites = CloudKitInvitesClient(client.environment_root, client.session, client.parameters)
    zone_request = M.CKZoneChangesZoneReq(zoneID=M.CKZoneID(zoneName="Q"))
    for description, call in (
        ("a preview of a share", lambda: invites.resolve(["0abc"])),
        ("accepting a share", lambda: invites.accept(["0abc"])),
        ("the zones of the shared database", lambda: invites.zones_list("shared")),
        ("shared changes", lambda: invites.changes("shared", zone_req=zone_request)),
        (
            "shared records",
            lambda: invites.lookup("shared", ["a"], zone_id=M.CKZoneIDReq(zoneName="Q")),
        ),
    ):
        error = check_refused(description, InvitesApiError, call, code="BAD_REQUEST")
        checks.that(
            f"{description}: the reason",
            "sharing is not served" in str((getattr(error, "payload", None) or {}).get("reason")),
            error,
        )
    check_refused(
        "saving a share",
        CloudKitApiError,
        lambda: client.modify(
            client.zone("Q"), write_operation("create", "share", record_type="cloudkit.share")
        ),
        message="share: BAD_REQUEST (sharing is not served (cloudkit.share))",
    )
    check_refused(
        "an endpoint of Apple's own apps",
        CloudKitApiError,
        lambda: client.cloud.raw_post("/internal/records/query/batch", {"batch": []}),
        code="NOT_FOUND",
    )


def modifying(client):
    zone = client.zone("Modify")
    (made,) = client.modify(zone, write_operation("create", "f", favorite_fields(2, 255)))
    checks.equal("created", field_values(made)["ayahID"], "2:255")
    checks.equal(
        "the creator",
        made.created.userRecordName,
        client.get("/users/caller").json()["userRecordName"],
    )
    checks.equal("not deleted", made.deleted, False)
    (changed,) = client.modify(
        zone,
        write_operation(
            "update", "f", {"ayahNumber": {"type": "INT64", "value": 256}}, made.recordChangeTag
        ),
    )
    checks.equal(
        "an update keeps the rest",
        (field_values(changed)["ayahNumber"], field_values(changed)["surahNumber"]),
        (256, 2),
    )
    checks.that("an update changes the tag", changed.recordChangeTag != made.recordChangeTag)
    error = check_refused(
        "a stale tag",
        CloudKitApiError,
        lambda: client.modify(
            zone,
            write_operation(
                "update", "f", {"ayahNumber": {"type": "INT64", "value": 1}}, made.recordChangeTag
            ),
        ),
        message="f: CONFLICT (client oplock error updating record)",
    )
    checks.equal("error codes by record", error_codes(error), {"f": "CONFLICT"})
    check_refused(
        "a create with an existing name",
        CloudKitApiError,
        lambda: client.modify(zone, write_operation("create", "f", favorite_fields(1, 1))),
        message="f: EXISTS (record to insert already exists)",
    )
    check_refused(
        "an update of a missing record",
        CloudKitApiError,
        lambda: client.modify(zone, write_operation("update", "none", {}, "a")),
        message="none: NOT_FOUND",
    )
    check_refused(
        "a delete with a stale tag",
        CloudKitApiError,
        lambda: client.modify(zone, write_operation("delete", "f", tag=made.recordChangeTag)),
        message="f: CONFLICT",
    )
    # One failing operation fails an atomic request as a whole.
    error = check_refused(
        "an atomic request with a failing operation",
        CloudKitApiError,
        lambda: client.modify(
            zone,
            write_operation("create", "g", favorite_fields(1, 1)),
            write_operation("create", "f", favorite_fields(1, 1)),
            write_operation("create", "h", favorite_fields(1, 2)),
            atomic=True,
        ),
    )
    checks.equal(
        "error codes of an atomic request",
        error_codes(error),
        {"g": "ATOMIC_ERROR", "f": "EXISTS", "h": "ATOMIC_ERROR"},
    )
    missing = [type(entry).__name__ for entry in client.lookup(zone, "g", "h")]
    checks.equal("a failed atomic request stores nothing", missing, ["CKErrorItem", "CKErrorItem"])
    error = check_refused(
        "a request that is not atomic",
        CloudKitApiError,
        lambda: client.modify(
            zone,
            write_operation("create", "g", favorite_fields(1, 1)),
            write_operation("create", "f", favorite_fields(1, 1)),
            atomic=False,
        ),
    )
    checks.equal(
        "error codes of a request that is not atomic",
        error_codes(error),
        {"g": None, "f": "EXISTS"},
    )
    (replaced,) = client.modify(
        zone,
        write_operation(
            "replace", "f", {"ayahID": {"type": "STRING", "value": "1:1"}}, changed.recordChangeTag
        ),
    )
    checks.equal("a replacement removes other fields", field_values(replaced), {"ayahID": "1:1"})
    forced = client.modify(
        zone,
        write_operation("forceUpdate", "f", {"surahNumber": {"type": "INT64", "value": 7}}),
        write_operation("forceReplace", "g", {"ayahID": {"type": "STRING", "value": "7:7"}}),
        write_operation("forceUpdate", "new", {"ayahID": {"type": "STRING", "value": "8:8"}}),
    )
    checks.equal(
        "forced operations",
        [field_values(record) for record in forced],
        [{"ayahID": "1:1", "surahNumber": 7}, {"ayahID": "7:7"}, {"ayahID": "8:8"}],
    )
    deleted = client.modify(
        zone,
        write_operation("delete", "f", tag=forced[0].recordChangeTag),
        write_operation("forceDelete", "g"),
    )
    checks.equal(
        "deletions",
        [(entry.recordName, entry.deleted) for entry in deleted],
        [("f", True), ("g", True)],
    )
    checks.equal(
        "deletions are tombstones",
        [type(entry).__name__ for entry in deleted],
        ["CKTombstoneRecord"] * 2,
    )
    (again,) = client.modify(zone, write_operation("create", "f", favorite_fields(3, 3)))
    checks.that(
        "a deleted name can be used again, with a new tag",
        again.recordChangeTag
        not in (made.recordChangeTag, changed.recordChangeTag, replaced.recordChangeTag),
    )
    error = check_refused(
        "atomic in the default zone",
        CloudKitApiError,
        lambda: client.modify(
            DEFAULT, write_operation("create", "n", favorite_fields(1, 1)), atomic=True
        ),
    )
    many = [write_operation("create", f"m{index}") for index in range(201)]
    check_refused("201 operations", CloudKitApiError, lambda: client.modify(zone, *many))
    check_refused(
        "an unknown zone",
        CloudKitApiError,
        lambda: client.modify(M.CKZoneIDReq(zoneName="Nope"), write_operation("create", "n")),
    )
    found = client.lookup(zone, "f", "none", "g")
    checks.equal(
        "types of looked-up records",
        [type(entry).__name__ for entry in found],
        ["CKRecord", "CKErrorItem", "CKErrorItem"],
    )
    checks.equal("code of a missing record", found[1].serverErrorCode, "NOT_FOUND")


def paging(client):
    """Reads more records than a page has, by query and by feed."""
    count = 450
    zone = client.zone("Pages")
    start = client.changes(zone)[-1].syncToken
    for first in range(0, count, 150):
        client.modify(
            zone,
            *(
                write_operation("create", f"p{index:03}", favorite_fields(index % 114 + 1, index))
                for index in range(first, first + 150)
            ),
        )
    own_filter = [query_filter("ownerRecordName", "EQUALS", "u", "STRING")]
    pages = client.query(zone, "FavoriteAyah", own_filter)
    checks.equal(
        "a query returns each record once",
        sorted(record_names(pages)),
        [f"p{index:03}" for index in range(count)],
    )
    checks.that("pages of at most 200", max(map(len, pages)) <= 200, list(map(len, pages)))
    for ascending in (True, False):
        pages = client.query(zone, "FavoriteAyah", own_filter, ("ayahNumber", ascending), limit=70)
        expected = list(range(count)) if ascending else list(range(count))[::-1]
        checks.equal(
            f"sorted, ascending {ascending}",
            [field_values(record)["ayahNumber"] for page in pages for record in page],
            expected,
        )
        checks.that("pages of 70", max(map(len, pages)) <= 70)
    between = [
        query_filter("ayahNumber", "GREATER_THAN_OR_EQUALS", 100),
        query_filter("ayahNumber", "LESS_THAN", 350),
    ]
    pages = client.query(zone, "FavoriteAyah", between, ("ayahNumber", True), keys=["ayahNumber"])
    checks.equal(
        "a range",
        [field_values(record) for page in pages for record in page],
        [{"ayahNumber": number} for number in range(100, 350)],
    )
    feed = client.changes(zone)
    checks.equal(
        "the feed has each record once",
        sorted(record.recordName for page in feed for record in page.records),
        [f"p{index:03}" for index in range(count)],
    )
    checks.equal("pages of the feed", [len(page.records) for page in feed], [200, 200, 50])
    checks.equal(
        "moreComing is false on the last page only",
        [bool(page.moreComing) for page in feed],
        [True, True, False],
    )
    for page in feed:
        base64.b64decode(page.syncToken, validate=True)
    checks.equal(
        "pages of the feed with a limit",
        [len(page.records) for page in client.changes(zone, limit=100)],
        [100, 100, 100, 100, 50],
    )
    checks.equal(
        "records since the first token",
        sum(len(page.records) for page in client.changes(zone, start)),
        count,
    )
    for _ in range(2):
        rest = client.changes(zone, feed[0].syncToken)
        checks.equal(
            "a token can be used repeatedly",
            [len(page.records) for page in rest],
            [200, 50],
        )
    end = feed[-1].syncToken
    unchanged = client.changes(zone, end)
    checks.equal(
        "a page without changes",
        [(page.records, page.syncToken) for page in unchanged],
        [([], end)],
    )
    client.modify(zone, *(write_operation("forceDelete", f"p{index:03}") for index in range(200)))
    client.modify(
        zone, write_operation("forceUpdate", "p449", {"ayahNumber": {"type": "INT64", "value": 9}})
    )
    after = client.changes(zone, end)
    entries = [entry for page in after for entry in page.records]
    deleted = [entry for entry in entries if entry.deleted]
    checks.equal("deletions since the last token", len(deleted), 200)
    checks.equal(
        "deletions are tombstones of pyicloud",
        {type(entry).__name__ for entry in deleted},
        {"CKTombstoneRecord"},
    )
    checks.equal(
        "the change since the last token",
        [entry.recordName for entry in entries if not entry.deleted],
        ["p449"],
    )
    checks.equal(
        "a query does not return deleted records",
        len(record_names(client.query(zone, "FavoriteAyah", own_filter))),
        250,
    )
    filtered = client.changes(zone, end, desiredRecordTypes=["AyahNote"])
    checks.equal(
        "desiredRecordTypes excludes other types",
        [entry for page in filtered for entry in page.records if type(entry) is M.CKRecord],
        [],
    )
    reduced = client.changes(zone, end, desiredKeys=["ayahNumber"])
    checks.equal(
        "desiredKeys excludes other fields",
        [field_values(entry) for page in reduced for entry in page.records if not entry.deleted],
        [{"ayahNumber": 9}],
    )
    for invalid_token in ("AAAA", "no base64 at all", end[:-8], end[:8]):
        error = check_refused(
            f"the token {invalid_token[:12]}",
            CloudKitApiError,
            lambda: client.changes(zone, invalid_token),
            message="Zone changes failed: ",
        )
        checks.that(
            "error code of an invalid token",
            "BAD_REQUEST" in str(error) or "CHANGE_TOKEN_EXPIRED" in str(error),
            str(error),
        )
    other = client.zone("Other")
    check_refused(
        "another zone's token",
        CloudKitApiError,
        lambda: client.changes(other, end),
        message="Zone changes failed: ",
    )
    check_refused(
        "an unknown zone",
        CloudKitApiError,
        lambda: client.changes(M.CKZoneIDReq(zoneName="Nope")),
        message="Zone changes failed: ZONE_NOT_FOUND",
    )
    token = client.cloud.query_sync_token(
        query=M.CKQueryObject(recordType="FavoriteAyah", filterBy=own_filter), zone_id=zone
    )
    if token is not None:
        checks.equal("a query's token", client.changes(zone, token)[0].records, [])


def database_changes(client):
    first = client.cloud.database_changes()
    checks.that(
        "the first request returns all zones",
        {"_defaultZone", "Q", "Pages"} <= {zone.zoneID.zoneName for zone in first.zones},
        first.zones,
    )
    unchanged = client.cloud.database_changes(sync_token=first.syncToken)
    checks.equal("no changed zone", (unchanged.zones, bool(unchanged.moreComing)), ([], False))
    zone = client.zone("Brief")
    client.modify(zone, write_operation("create", "b", favorite_fields(1, 1)))
    after_creation = client.cloud.database_changes(sync_token=unchanged.syncToken)
    checks.equal(
        "a new zone",
        [(entry.zoneID.zoneName, bool(entry.deleted)) for entry in after_creation.zones],
        [("Brief", False)],
    )
    token = client.changes(zone)[-1].syncToken
    client.cloud.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": "Brief"}}}]},
    )
    after_deletion = client.cloud.database_changes(sync_token=after_creation.syncToken)
    checks.equal(
        "a deleted zone",
        [(entry.zoneID.zoneName, bool(entry.deleted)) for entry in after_deletion.zones],
        [("Brief", True)],
    )
    check_refused(
        "feed of a deleted zone",
        CloudKitApiError,
        lambda: client.changes(zone, token),
        message="ZONE_NOT_FOUND",
    )
    client.zone("Brief")
    check_refused(
        "a token of a zone that was deleted and created again",
        CloudKitApiError,
        lambda: client.changes(zone, token),
        message="Zone changes failed: ",
    )
    checks.equal("a zone that was created again is empty", client.changes(zone)[0].records, [])
    check_refused(
        "a zone's token for the database",
        CloudKitApiError,
        lambda: client.cloud.database_changes(sync_token=token),
    )


def default_zone(client):
    """The default zone of the built-in container has a change feed, too."""
    before = client.changes(DEFAULT)[-1].syncToken
    client.modify(DEFAULT, write_operation("create", "d", favorite_fields(36, 83)))
    client.modify(
        DEFAULT,
        write_operation("forceDelete", "d"),
        write_operation("create", "e", favorite_fields(1, 7)),
    )
    after = [entry for page in client.changes(DEFAULT, before) for entry in page.records]
    checks.equal(
        "the default zone's feed",
        sorted((entry.recordName, bool(entry.deleted)) for entry in after),
        [("d", True), ("e", False)],
    )


def isolation(client, other_client):
    types = [type(entry).__name__ for entry in other_client.lookup(DEFAULT, "FavoriteAyah-1", "e")]
    checks.equal("lookup of records of another account", types, ["CKErrorItem"] * 2)
    checks.equal(
        "query for records of another account",
        record_names(
            other_client.query(
                DEFAULT, "FavoriteAyah", [query_filter("ownerRecordName", "EQUALS", "u", "STRING")]
            )
        ),
        [],
    )
    check_refused(
        "a sync token of another account",
        CloudKitApiError,
        lambda: other_client.changes(DEFAULT, client.changes(DEFAULT)[-1].syncToken),
    )
    check_refused(
        "a zone of another account",
        CloudKitApiError,
        lambda: other_client.changes(M.CKZoneIDReq(zoneName="Q")),
        message="ZONE_NOT_FOUND",
    )


def errors(service, token):
    wrong_key_client = Client(service, token, key="0" * 64)
    check_refused(
        "a wrong API token",
        CloudKitAuthError,
        wrong_key_client.cloud.zones_list,
        message="HTTP 401: unauthorized",
    )
    for invalid_token in ("0" * 128, "106__54__abc+/="):
        error = check_refused(
            "an invalid web auth token",
            CloudKitApiError,
            Client(service, invalid_token).cloud.zones_list,
            code="AUTHENTICATION_REQUIRED",
            message="HTTP 421",
        )
        checks.that(
            "the redirect URL is a page",
            requests.get(error.payload["redirectURL"], timeout=30).status_code == 200,
            error.payload,
        )
    client = Client(service, token)
    check_refused(
        "no such endpoint",
        CloudKitApiError,
        lambda: client.cloud.raw_post("/records/none", {}),
        code="NOT_FOUND",
        message="HTTP 404",
    )
    check_refused(
        "an unknown zone in a query",
        CloudKitApiError,
        lambda: client.query(
            M.CKZoneIDReq(zoneName="Nope"),
            "FavoriteAyah",
            [query_filter("surahNumber", "EQUALS", 1)],
        ),
        code="ZONE_NOT_FOUND",
        message="HTTP 404",
    )
    check_refused(
        "an unknown type in a query",
        CloudKitApiError,
        lambda: client.query(DEFAULT, "Unheard", [query_filter("surahNumber", "EQUALS", 1)]),
    )
    check_refused(
        "a feed of the public database",
        CloudKitApiError,
        lambda: Client(service, token, database="public").changes(DEFAULT),
    )
    anonymous = Client(service, None)
    with many_anonymous_requests(service):
        for _ in range(2000):
            try:
                anonymous.cloud.zones_list()
            except CloudKitRateLimited as error:
                checks.that(
                    "the error has a retry time", (error.retry_after or 0) >= 1, error.retry_after
                )
                break
            except CloudKitApiError as error:
                if error.payload.get("serverErrorCode") != "AUTHENTICATION_REQUIRED":
                    checks.that(
                        "requests without a sign-in have an unexpected error", False, error.payload
                    )
                    break
        else:
            checks.that("requests without a sign-in are throttled", False)
    checks.that("signed-in requests are not throttled", client.cloud.zones_list().zones)


@contextlib.contextmanager
def many_anonymous_requests(service):
    """Sends many requests without a sign-in, for which the limit is 20 per second.

    A single client may be slower than that.
    """
    is_finished = threading.Event()

    def send_requests():
        client = Client(service, None)
        with contextlib.suppress(requests.RequestException):
            while not is_finished.is_set():
                client.session.post(
                    client.root + "/zones/list", params=client.parameters, json={}, timeout=60
                )

    threads = [threading.Thread(target=send_requests) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_finished.set()
        for thread in threads:
            thread.join()


def main():
    with Service() as service:
        token = service.add_user("An Nguyễn")
        client, other_client = Client(service, token), Client(service, service.add_user("Bình"))
        users(service, client, other_client)
        zones(client)
        production_types(client)
        all_field_types(service, token)
        modifying(client)
        paging(client)
        database_changes(client)
        default_zone(client)
        isolation(client, other_client)
        errors(service, token)
        sharing(client)
    with tempfile.TemporaryDirectory() as directory:
        cert, key = certificate(directory)
        with Service("--tls-certificate", cert, "--tls-key", key) as service:
            assets(service, service.add_user("An"))
    checks.finish(f"pyicloud {REQUIREMENT.split('==')[1]}")


if __name__ == "__main__":
    main()
