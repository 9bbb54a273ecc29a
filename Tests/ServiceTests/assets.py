"""Tests assets with the real server: memory, cut uploads, kills, and requests of strangers.

python3 assets.py [--files N] [--cuts N] [--kills N] [--seed N]
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import http.client
import itertools
import json
import pathlib
import random
import shutil
import socket
import tempfile
import urllib.parse

from service import Checks, Service, parse_seed, wait_until

CONTAINER = "iCloud.org.example.assets"
SCHEMA = """
DEFINE SCHEMA
  RECORD TYPE File (
    data ASSET, more LIST<ASSET>, note STRING, "___recordID" REFERENCE QUERYABLE,
    GRANT READ, CREATE, WRITE TO "_creator"
  );
  RECORD TYPE Diary (
    data ASSET, "___recordID" REFERENCE QUERYABLE,
    GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator"
  );
"""
# The largest asset, in bytes. Apple: 50 MB.
LARGEST = 50_000_000
# The bound of the server's memory while it transfers assets of 50 MB, in bytes.
MEMORY = 100 << 20
PART = 1 << 16
# Downloads that one account begins and does not read.
IDLE = 100
checks = Checks()


class Client:
    """Sends the requests of one account; `token` is None for someone who is not signed in."""

    def __init__(self, server, token):
        self.server, self.token = server, token

    def call(self, route, body, **options):
        return self.server.call(route, body, self.token, **options)

    def upload_url(self, field="data", kind="File", name=None, zone=None, **options):
        token = {"recordType": kind, "fieldName": field}
        if name:
            token["recordName"] = name
        body = {"tokens": [token]}
        if zone:
            body["zoneID"] = {"zoneName": zone}
        status, answer = self.call("assets/upload", body, **options)
        return answer["tokens"][0]["url"] if status == 200 else (status, answer)

    def save(self, name, fields, kind="File", operation="forceReplace", zone=None, **options):
        record = {"recordName": name, "recordType": kind, "fields": fields}
        body = {"operations": [{"operationType": operation, "record": record}]}
        if zone:
            body["zoneID"] = {"zoneName": zone}
        status, answer = self.call("records/modify", body, **options)
        return answer["records"][0] if status == 200 else answer

    def lookup(self, name, **options):
        return self.call("records/lookup", {"records": [{"recordName": name}]}, **options)[1][
            "records"
        ][0]


def content(number, size):
    """Bytes that are different for each number."""
    return random.Random(str(number)).randbytes(size)


def request(url, method, body=None, headers=None):
    """Sends a request to a URL; returns the response with its body unread, and its connection."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
    connection.request(method, parts.path, body, headers or {})
    return connection, connection.getresponse()


def upload(url, data):
    """Uploads bytes; returns the status and the decoded answer."""
    connection, response = request(url, "POST", data)
    with contextlib.closing(connection):
        return response.status, json.loads(response.read())


def download_hash(url):
    """Downloads a file in parts; returns the status and the hash of its bytes."""
    connection, response = request(url, "GET")
    with contextlib.closing(connection):
        digest = hashlib.sha256()
        while part := response.read(PART):
            digest.update(part)
        return response.status, digest.hexdigest()


def asset_field(asset):
    return {"data": {"value": asset, "type": "ASSETID"}}


def usage(server, name):
    """The bytes that count against the quota of an account."""
    rows = json.loads(server.command("user", "list", "--json"))
    return next(row["bytes"] for row in rows if row["name"] == name)


def transfer_large_files(server, client, count):
    """Uploads and downloads files of 50 MB, two at a time."""

    def transfer(number):
        data = content(number, LARGEST)
        status, answer = upload(client.upload_url(), data)
        if not checks.equal("a large upload", status, 200):
            return
        saved = client.save(f"large-{number}", asset_field(answer["singleFile"]))
        url = saved["fields"]["data"]["value"]["downloadURL"]
        checks.equal(
            "a large download", download_hash(url), (200, hashlib.sha256(data).hexdigest())
        )
        client.save(f"large-{number}", {})

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(transfer, range(count)))
    memory = server.resident_memory("VmHWM")
    checks.that("the memory of the server", memory < MEMORY, memory)
    print(f"{count} files of {LARGEST} bytes up and down, at most {memory / 1e6:.1f} MB of memory")
    # The server refuses the file before its bytes are sent.
    _, response = request(client.upload_url(), "POST", None, {"Content-Length": str(LARGEST + 1)})
    code = json.loads(response.read())["serverErrorCode"]
    checks.equal("a file that is too large", code, "LIMIT_EXCEEDED")
    checks.that("the bytes are deleted", wait_until(lambda: usage(server, "an") < 1_000_000))


def idle_downloads(server, client, other):
    """One account begins many downloads and reads none of them; another one is still served."""
    data = content("idle", 5_000_000)
    asset = upload(client.upload_url(), data)[1]["singleFile"]
    url = client.save("idle", asset_field(asset))["fields"]["data"]["value"]["downloadURL"]
    other_asset = upload(other.upload_url(), data)[1]["singleFile"]
    other_url = other.save("idle", asset_field(other_asset))["fields"]["data"]["value"][
        "downloadURL"
    ]
    parts = urllib.parse.urlsplit(url)
    statuses = collections.Counter()
    with contextlib.ExitStack() as stack:
        for _ in range(IDLE):
            connection = stack.enter_context(
                socket.create_connection((parts.hostname, parts.port), timeout=60)
            )
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            statuses[connection.recv(12)[-3:]] += 1
        checks.that("an account has a share of the downloads", statuses[b"200"] > 10, statuses)
        checks.that("and no more", statuses[b"503"] == IDLE - statuses[b"200"] > 10, statuses)
        checks.equal(
            "another one is served",
            download_hash(other_url),
            (200, hashlib.sha256(data).hexdigest()),
        )
    memory = server.resident_memory("VmHWM")
    checks.that("the memory of the server with idle downloads", memory < MEMORY, memory)
    print(f"{IDLE} idle downloads: {dict(statuses)}, at most {memory / 1e6:.1f} MB of memory")
    client.save("idle", {}, operation="forceDelete")


def cut_uploads(server, client, count, rng):
    """Uploads whose connection ends at a random byte, and that are sent again to the same URL."""
    for number in range(count):
        data = content(number, rng.randrange(1, 2_000_000))
        url = client.upload_url(name=f"cut-{number}")
        parts = urllib.parse.urlsplit(url)
        for _ in range(2):
            with server.connection() as connection:
                connection.putrequest("POST", parts.path)
                connection.putheader("Content-Length", str(len(data)))
                connection.endheaders()
                connection.send(data[: rng.randrange(len(data))])
        asset = upload(url, data)[1]["singleFile"]
        saved = client.save(f"cut-{number}", asset_field(asset))
        url = saved["fields"]["data"]["value"]["downloadURL"]
        checks.equal("sent again", download_hash(url)[1], hashlib.sha256(data).hexdigest())
        client.save(f"cut-{number}", {}, operation="forceDelete")
    checks.that("cut uploads are deleted", wait_until(lambda: usage(server, "an") < 1_000_000))


def strangers(server, owner, others):
    """Sends every request with the names, URLs and receipts of An, as other accounts."""
    secret = content("secret", 1000)
    places = []
    owner.call(
        "zones/modify",
        {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Secret"}}}]},
    )
    for kind, options in (
        ("File", {}),
        ("File", {"zone": "Secret"}),
        ("File", {"environment": "development"}),
        ("Diary", {"database": "public"}),
    ):
        zone = options.get("zone")
        url = owner.upload_url(kind=kind, **options)
        used = upload(url, secret)[1]["singleFile"]
        unused = upload(url, secret)[1]["singleFile"]
        place = {key: value for key, value in options.items() if key != "zone"}
        saved = owner.save("secret", asset_field(used), kind, zone=zone, **place)
        value = saved["fields"]["data"]["value"]
        places.append((kind, zone, place, value, used, unused))
    requests = leaks = 0

    def note(what, status, text):
        nonlocal requests, leaks
        requests += 1
        is_leak = (
            secret in text
            or any(value["fileChecksum"].encode() in text for *_, value, _, _ in places)
            or status >= 500
        )
        if is_leak:
            leaks += 1
            checks.that(f"{what}: {status} {text[:200]!r}", False)

    def post(client, route, body, **options):
        with server.connection() as connection:
            connection.request(
                "POST", server.path(route, client.token, **options), json.dumps(body)
            )
            response = connection.getresponse()
            note(route, response.status, response.read())

    for other, (kind, _, _, value, used, unused) in itertools.product(others, places):
        zones = [{"zoneName": name} for name in ("_defaultZone", "Secret")]
        zones += [{**zone_id, "ownerRecordName": owner.user} for zone_id in zones]
        for zone_id, database, environment in itertools.product(
            zones, ("private", "public", "shared"), ("production", "development")
        ):
            options = {"database": database, "environment": environment}
            body = {"zoneID": zone_id}
            post(
                other, "records/lookup", {**body, "records": [{"recordName": "secret"}]}, **options
            )
            post(other, "records/query", {**body, "query": {"recordType": kind}}, **options)
            post(other, "changes/zone", {"zones": [{"zoneID": zone_id}]}, **options)
            post(
                other,
                "assets/upload",
                {
                    **body,
                    "tokens": [{"recordName": "secret", "recordType": kind, "fieldName": "data"}],
                },
                **options,
            )
            post(
                other,
                "assets/rereference",
                {**body, "assets": [{"recordName": "secret", "fieldName": "data"}]},
                **options,
            )
            # Receipts of An: used, not yet used, and an asset as it is in answers.
            for asset in (used, unused, value, {**unused, "receipt": used["receipt"]}):
                for name, operation in (("secret", "forceUpdate"), ("mine", "create")):
                    record = {
                        "recordName": name,
                        "recordType": kind,
                        "fields": asset_field(asset),
                    }
                    operations = [{"operationType": operation, "record": record}]
                    with server.connection() as connection:
                        connection.request(
                            "POST",
                            server.path("records/modify", other.token, **options),
                            json.dumps({**body, "operations": operations}),
                        )
                        response = connection.getresponse()
                        answer = response.read()
                    requests += 1
                    is_saved = b'"recordChangeTag"' in answer or response.status >= 500
                    if is_saved:
                        leaks += 1
                        checks.that(f"a receipt of An was accepted: {answer[:200]!r}", False)
        # URLs with one character changed, cut, or of the other kind.
        path = urllib.parse.urlsplit(value["downloadURL"]).path
        permission = path.rsplit("/", 1)[1]
        for wrong in (
            permission[:-2],
            permission[1:],
            permission.swapcase(),
            permission[:40] + ("A" if permission[40] != "A" else "B") + permission[41:],
            permission + "A",
            used["wrappingKey"].replace("/", "_").replace("+", "-").rstrip("="),
            used["receipt"].replace("/", "_").replace("+", "-"),
        ):
            for method, prefix in (("GET", "download"), ("HEAD", "download"), ("POST", "upload")):
                connection, response = request(
                    f"{server.url}/assets/{prefix}/{wrong}",
                    method,
                    b"x" if method == "POST" else None,
                )
                with contextlib.closing(connection):
                    text = response.read()
                note(f"{method} {prefix}", response.status, text)
                if response.status == 200:
                    leaks += 1
                    checks.that(f"a URL that was made up: {method} {prefix} {wrong}", False)
    for kind, zone, place, _, _, unused in places:
        url = owner.lookup("secret", **place) if zone is None else None
        if url is not None:
            checks.equal(
                "An's asset is untouched",
                download_hash(url["fields"]["data"]["value"]["downloadURL"])[1],
                hashlib.sha256(secret).hexdigest(),
            )
        saved = owner.save("later", asset_field(unused), kind, zone=zone, **place)
        checks.that("An's other receipt is still good", "fields" in saved, saved)
    checks.equal("leaks", leaks, 0)
    print(f"{requests} requests of {len(others)} strangers, {leaks} leaks")


def kills(server, name, count, rng):
    """Kills the server at any instant; every record that is there has its bytes."""
    # For each record its possible contents, None if it may be missing: until a request is
    # acknowledged, both the former content and the new one.
    contents = {}
    for number in range(count):
        client = Client(server, server.sign_in(name))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            delay = rng.uniform(0, 0.4)
            killer = pool.submit(
                lambda delay=delay: (wait_until(lambda: False, delay), server.kill())
            )
            for step in itertools.count():
                record = f"k{rng.randrange(6)}"
                data = content((number, step), rng.choice([10, 300_000, 900_000]))
                former = contents.get(record, [None])
                try:
                    if rng.random() < 0.2:
                        contents[record] = [*former, None]
                        answer = client.save(record, {}, operation="forceDelete")
                        if "serverErrorCode" not in answer:
                            contents[record] = [None]
                        continue
                    asset = upload(client.upload_url(), data)[1]["singleFile"]
                    contents[record] = [*former, data]
                    answer = client.save(record, asset_field(asset))
                    if "serverErrorCode" not in answer:
                        contents[record] = [data]
                except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
                    break
            killer.result()
        start(server)
        client = Client(server, server.sign_in(name))
        for record, expected in list(contents.items()):
            found = client.lookup(record)
            if "fields" not in found:
                checks.that("an acknowledged record is there", None in expected)
                contents[record] = [None]
                continue
            status, digest = download_hash(found["fields"]["data"]["value"]["downloadURL"])
            checks.equal("a record has its bytes", status, 200)
            same = [
                data
                for data in expected
                if data is not None and hashlib.sha256(data).hexdigest() == digest
            ]
            checks.that("they are the acknowledged ones", same)
            contents[record] = same or expected
    checks.that("the files are sound", server.command("doctor"))
    print(f"{count} kills")


def start(server):
    """Starts the server again, for the same container."""
    api_token = server.api_token
    server.start()
    server.api_token = api_token


def back_up_and_restore(server, client):
    """A backup that is made during an upload has the assets of its records."""
    data = content("backup", 3_000_000)
    asset = upload(client.upload_url(), data)[1]["singleFile"]
    client.save("kept", asset_field(asset))
    with tempfile.TemporaryDirectory() as directory:
        backup = str(pathlib.Path(directory, "backup"))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            upload_url = client.upload_url()
            other = pool.submit(upload, upload_url, content("other", 20_000_000))
            server.command("backup", backup)
            other.result()
        client.save("kept", {}, operation="forceDelete")
        server.stop()
        server.command("restore", backup)
        start(server)
    found = client.lookup("kept")
    url = found["fields"]["data"]["value"]["downloadURL"]
    checks.equal("restored", download_hash(url)[1], hashlib.sha256(data).hexdigest())
    checks.that("the restored files are sound", server.command("doctor"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=parse_seed, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with Service("--quota-bytes", "200000000") as server:
        server.use_container(CONTAINER, SCHEMA)
        an = Client(server, server.add_user("an"))
        an.user = an.call("users/caller", None, method="GET", database="public")[1][
            "userRecordName"
        ]
        transfer_large_files(server, an, arguments.files)
        others = [Client(server, server.add_user(name)) for name in ("binh", "chi")]
        idle_downloads(server, an, others[0])
        cut_uploads(server, an, arguments.cuts, rng)
        strangers(server, an, [*others, Client(server, None)])
        back_up_and_restore(server, an)
        server.command("user", "add", "kim", text="mật khẩu dài\n")
        kills(server, "kim", arguments.kills, rng)
    shutil.rmtree(server.data, ignore_errors=True)
    checks.finish("assets")


if __name__ == "__main__":
    main()
