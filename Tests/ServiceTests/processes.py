"""Tests several servers on one PostgreSQL database: a long poll at one server is answered when a
record changes at another, and continues at another server when its server is killed."""

import concurrent.futures
import json
import pathlib
import urllib.parse

from postgresql import PostgreSQL
from service import CONTAINER, Checks, Service, favorite_record, wait_until
from storage import names, send, subscribe, waiting_polls

checks = Checks()


def poll(server, path):
    """Polls once; returns the name of the record in the notification, "" for none, and None if the
    connection was cut."""
    try:
        status, body = send(server, "GET", path)
    except (ConnectionError, EOFError, OSError):
        return None
    if status != 200:
        return f"status {status}"
    return json.loads(body)["ck"]["qry"]["rid"] if body else ""


def is_removed(database):
    """Waits until no notification is queued: each is removed after its response was written."""
    return wait_until(lambda: database.sql("SELECT count(*) FROM notification") == "0")


def processes(database, count):
    """Servers that are started at the same time on an empty database."""
    log = pathlib.Path(database.directory, "service-log")
    servers = [
        Service("--registration", "open", variables=database.variables, log=log)
        for _ in range(count)
    ]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(Service.start, servers))
    secrets = {server.api_token for server in servers if len(server.api_token) == 64}
    checks.equal("one API token", len(secrets), 1)
    for server in servers:
        server.api_token = next(iter(secrets))
    return servers


def main():
    with PostgreSQL() as database, concurrent.futures.ThreadPoolExecutor() as pool:
        servers = first, second, third = processes(database, 3)
        try:
            checks.equal("one key", database.sql("SELECT count(*) FROM secret"), "1")
            phone = first.add_user("an")
            tablet = second.sign_in("an")
            user = third.call("users/caller", token=phone, method="GET")[1]["userRecordName"]

            def record(ayah):
                return favorite_record(user, 2, ayah, at=ayah)

            checks.equal("subscribed at the first", subscribe(first, tablet), 200)
            path = first.courier(tablet)
            waiting = pool.submit(poll, first, path)
            checks.that("it waits", wait_until(lambda: waiting_polls(first) == 1))
            checks.equal("changed at the second", second.save(phone, record(1))[0], 200)
            checks.equal("notified at the first", waiting.result(), record(1)["recordName"])
            # No notification is sent twice.
            checks.that("it is removed", is_removed(database))
            waiting = pool.submit(poll, first, path)
            checks.that("it waits again", wait_until(lambda: waiting_polls(first) == 1))
            checks.that("no second notification", not waiting.done())

            first.kill()
            checks.equal("the poll is cut", waiting.result(), None)
            checks.equal("changed meanwhile", third.save(phone, record(2))[0], 200)
            checks.equal("at the second", poll(second, path), record(2)["recordName"])
            checks.that("this one, too", is_removed(database))
            waiting = pool.submit(poll, second, path)
            checks.that("it waits there", wait_until(lambda: waiting_polls(second) == 1))
            third.save(phone, record(3))
            checks.equal("notified at the second", waiting.result(), record(3)["recordName"])
            checks.equal(
                "what all know",
                [names(server, tablet, 2) for server in (second, third)],
                [[record(ayah)["recordName"] for ayah in (1, 2, 3)]] * 2,
            )
            # A poll survives a restart of PostgreSQL, too.
            checks.that("that one is removed", is_removed(database))
            waiting = pool.submit(poll, second, path)
            checks.that("it waits meanwhile", wait_until(lambda: waiting_polls(second) == 1))
            database.kill()
            database.start()
            checks.equal("changed afterwards", third.save(phone, record(5))[0], 200)
            checks.equal("notified afterwards", waiting.result(), record(5)["recordName"])
            # The session that makes the change gets no notification.
            checks.that("and this one", is_removed(database))
            waiting = pool.submit(poll, second, path)
            checks.that("it waits once more", wait_until(lambda: waiting_polls(second) == 1))
            third.save(tablet, record(4))
            queued = database.sql("SELECT count(*) FROM notification")
            checks.equal("nothing is queued", queued, "0")
            tokens = urllib.parse.urlencode(
                {"ckAPIToken": third.api_token, "ckWebAuthToken": tablet}
            )
            status = send(third, "POST", f"/session/1/{CONTAINER}/production/end?{tokens}")[0]
            checks.equal("signs out", status, 200)
            checks.equal("signed out", poll(third, path), "status 404")
        finally:
            for server in servers:
                server.__exit__()
    checks.finish("processes")


if __name__ == "__main__":
    main()
