"""Tests the real server on a PostgreSQL database: every kind of request, restarts of the server,
and an outage of PostgreSQL, during which clients are asked to try again."""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import urllib.parse

import service
from postgresql import PASSWORD, PostgreSQL
from service import CONTAINER, Service, favorite_record, hidden_request, wait_until

FILES = "iCloud.org.example.files"
SCHEMA = """
DEFINE SCHEMA
  RECORD TYPE File (
    data ASSET, "___recordID" REFERENCE QUERYABLE,
    GRANT READ, CREATE, WRITE TO "_creator"
  );
"""
checks = service.Checks()


def send(server, method, path, body=None, headers=None):
    """Sends a request; returns the status and the body."""
    with server.connection() as connection:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read()


def sign_in_on_page(server, name, password):
    """Signs in on the page, as a browser does; returns the status and the web auth token."""
    path = "/sign-in?" + urllib.parse.urlencode({"ckAPIToken": server.api_token, "way": "code"})
    page = send(server, "GET", path)[1].decode()
    request = hidden_request(page)
    form = urllib.parse.urlencode({"request": request, "name": name, "password": password})
    status, page = send(
        server, "POST", path, form, {"Content-Type": "application/x-www-form-urlencoded"}
    )
    code = re.search(r"[A-Za-z0-9_]{128,}", page.decode())
    return status, code and code.group(0)


def names(server, token, surah):
    """The names of the favourites of a surah."""
    query = {
        "recordType": "FavoriteAyah",
        "filterBy": [
            {"fieldName": "surahNumber", "comparator": "EQUALS", "fieldValue": {"value": surah}}
        ],
        "sortBy": [{"fieldName": "favoritedAt", "ascending": True}],
    }
    status, answer = server.call("records/query", {"query": query}, token)
    return [record["recordName"] for record in answer["records"]] if status == 200 else answer


def changes(server, token, sync_token=None):
    zone = {"zoneID": {"zoneName": "_defaultZone"}}
    if sync_token:
        zone["syncToken"] = sync_token
    answer = server.call("changes/zone", {"zones": [zone]}, token)[1]["zones"][0]
    return [record["recordName"] for record in answer["records"]], answer["syncToken"]


def subscribe(server, token):
    subscription = {
        "subscriptionID": "favourites",
        "subscriptionType": "query",
        "query": {"recordType": "FavoriteAyah"},
        "firesOn": ["create", "update", "delete"],
    }
    operations = [{"operationType": "create", "subscription": subscription}]
    return server.call("subscriptions/modify", {"operations": operations}, token)[0]


def waiting_polls(server):
    text = send(server, "GET", "/metrics")[1].decode()
    return int(float(re.search(r"^record_service_polls (\S+)", text, re.MULTILINE).group(1)))


def records_and_notifications(server):
    """Signs in, saves and finds records, follows changes, and waits for a notification.

    Returns the tokens of two sessions of one account, and the user's record name.
    """
    server.add_user("an")
    checks.equal("a wrong password", sign_in_on_page(server, "an", "a wrong one")[0], 403)
    status, phone = sign_in_on_page(server, "an", service.PASSWORD)
    checks.equal("the password", (status, bool(phone)), (200, True))
    tablet = server.sign_in("an")
    user = server.call("users/caller", token=phone, method="GET")[1]["userRecordName"]
    one, two, three = (favorite_record(user, 2, ayah, at=ayah) for ayah in (255, 256, 257))

    status, answer = server.save(phone, two, one)
    checks.equal("saved", status, 200)
    tag = answer["records"][1]["recordChangeTag"]
    checks.equal("found", names(server, phone, 2), [one["recordName"], two["recordName"]])
    checks.equal("none in another surah", names(server, phone, 3), [])
    found, sync_token = changes(server, tablet)
    checks.equal("the feed", sorted(found), sorted([one["recordName"], two["recordName"]]))
    server.save(phone, {**one, "recordChangeTag": tag}, operation="update")
    status, answer = server.save(tablet, {**one, "recordChangeTag": tag}, operation="update")
    checks.equal("an old tag", answer["records"][0]["serverErrorCode"], "CONFLICT")
    checks.equal("changes since", changes(server, tablet, sync_token)[0], [one["recordName"]])

    checks.equal("subscribed", subscribe(server, tablet), 200)
    path = server.courier(tablet)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        poll = pool.submit(send, server, "GET", path)
        checks.that("the poll waits", wait_until(lambda: waiting_polls(server) == 1))
        server.save(phone, three)
        status, body = poll.result()
    checks.that("a notification", status == 200 and three["recordName"] in body.decode(), body)
    return phone, tablet, user


def assets(server):
    """Uploads and downloads a file of several chunks."""
    token = server.sign_in("an")
    request = {"tokens": [{"recordType": "File", "fieldName": "data"}]}
    url = server.call("assets/upload", request, token)[1]["tokens"][0]["url"]
    data = bytes(range(256)) * 5000
    body = send(server, "POST", urllib.parse.urlsplit(url).path, data)[1]
    value = {"value": json.loads(body)["singleFile"], "type": "ASSETID"}
    record = {"recordName": "f", "recordType": "File", "fields": {"data": value}}
    answer = server.save(token, record)[1]["records"][0]
    download = urllib.parse.urlsplit(answer["fields"]["data"]["value"]["downloadURL"])
    checks.that("the file", send(server, "GET", download.path)[1] == data)
    return download.path, data


def outage(server, database, token, user):
    """Stops PostgreSQL and starts it again while the server runs."""
    record = favorite_record(user, 3, 1)
    database.stop()
    status, answer = server.save(token, record)
    checks.equal("a change", (status, answer["serverErrorCode"]), (503, "TRY_AGAIN_LATER"))
    checks.that("when to try again", answer.get("retryAfter", 0) > 0, answer)
    status, answer = server.call("records/lookup", {"records": [{"recordName": "a"}]}, token)
    checks.equal("a lookup", (status, answer["serverErrorCode"]), (503, "TRY_AGAIN_LATER"))
    checks.equal("not healthy", send(server, "GET", "/healthz")[0], 503)
    database.start()
    checks.equal("healthy", send(server, "GET", "/healthz")[0], 200)
    checks.equal("the same change", server.save(token, record)[0], 200)
    checks.equal("it is there", names(server, token, 3), [record["recordName"]])
    checks.equal("nothing lost", len(names(server, token, 2)), 3)


def operator(server, database):
    """Commands of the operator."""
    users = json.loads(server.command("user", "list", "--json"))
    checks.equal("users", [(row["name"], row["records"]) for row in users], [("an", 5)])
    checks.equal("records", len(server.records("an")), 4)
    findings = json.loads(server.command("doctor", "--json"))
    checks.that("the doctor", findings and all(row["ok"] for row in findings), findings)
    for words in (("backup", "/tmp/copy"), ("restore", "/tmp/copy")):
        status, errors = refusal(*words, database=database)
        checks.that(f"{words[0]} is refused", status == 1 and "pg_dump" in errors, errors)
    checks.equal("nothing in the data directory", list(pathlib.Path(server.data).iterdir()), [])


def refusal(*words, database=None, address=None):
    """The exit status and the errors of a command."""
    variables = {"RECORD_SERVICE_STORAGE": address or database.address}
    process = subprocess.run(
        [service.BINARY, *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**service.os.environ, **variables},
    )
    return process.returncode, process.stderr


def unusable_addresses(database):
    """Tests addresses of databases that cannot be used."""
    database.sql("CREATE DATABASE empty", database="postgres")
    status, errors = refusal("user", "list", address=database.address_of("empty"))
    checks.that("an empty database", status == 1 and "no record service" in errors, errors)
    status, errors = refusal("user", "list", address=database.address_of("absent"))
    checks.that("no such database", status == 1 and "does not exist" in errors, errors)
    for address in (f"mysql://u:{PASSWORD}@localhost/x", f"u:{PASSWORD}@localhost"):
        status, errors = refusal("user", "list", address=address)
        checks.that("another kind", status == 2 and "RECORD_SERVICE_STORAGE" in errors, errors)
        checks.that("the password is not repeated", PASSWORD not in errors, errors)


def main():
    with PostgreSQL() as database:
        unusable_addresses(database)
        log = pathlib.Path(database.directory, "service-log")
        with Service(variables=database.variables, log=log) as server:
            phone, tablet, user = records_and_notifications(server)
            api_token = server.api_token
            server.use_container(FILES, SCHEMA)
            download, data = assets(server)
            server.container, server.api_token, server.token_id = CONTAINER, api_token, None
            outage(server, database, phone, user)
            operator(server, database)

            server.stop()
            server.start()
            checks.equal("signed in after a restart", len(names(server, phone, 2)), 3)
            checks.that("the same file", send(server, "GET", download)[1] == data)
            server.kill()
            server.start()
            checks.equal("signed in after a kill", len(names(server, tablet, 2)), 3)
            checks.equal("the service", database.sql("SELECT count(*) FROM service"), "1")
            text = log.read_text()
            checks.that("the outage is in the log", "cannot be used" in text, text[-2000:])
            checks.that("the password is not", PASSWORD not in text)
    checks.finish("storage")


if __name__ == "__main__":
    main()
