"""Tries to lock a client out of its session, and to keep a session that was ended.

The tokens of a session change while many requests are on their way and answers get lost. The
server makes a new one every ten minutes at most; its clock is moved by libfaketime (Debian
package faketime). The server's files are put back to an earlier state behind its back. Without that
library what needs no other time is tried, and the rest is said to be left out.
"""

import concurrent.futures
import glob
import os
import random
import re
import shutil
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

import service
from service import CONTAINER, PASSWORD, Checks, Service, skip

LIBRARIES = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
HEADER = "X-Apple-CloudKit-Web-Auth-Token"
AT_ONCE = 50
MINUTE, DAY = 60, 86_400

checks = Checks()


class Clock:
    """The time of servers started meanwhile, in seconds from now."""

    def __init__(self):
        # Open as long as the clock is there.
        self.file = tempfile.NamedTemporaryFile("w", prefix="clock-")  # noqa: SIM115
        self.variables = {
            "LD_PRELOAD": LIBRARIES[0],
            "FAKETIME_TIMESTAMP_FILE": self.file.name,
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        # The library changes the environment of the first program that has it, where Swift
        # then finds no arguments any more: the shell goes first.
        with tempfile.NamedTemporaryFile("w", prefix="record-service-", delete=False) as starter:
            starter.write(f"#!/bin/sh\nexec '{service.BINARY}' \"$@\"\n")
        self.starter = starter.name
        os.chmod(self.starter, 0o700)
        self.ahead = 0
        self.move(0)

    def move(self, seconds):
        self.ahead += seconds
        # In one write, as the server may read it at any moment.
        os.pwrite(self.file.fileno(), f"+{self.ahead:010d}s\n".encode(), 0)

    def start(self, server):
        os.environ.update(self.variables)
        binary, service.BINARY = service.BINARY, self.starter
        try:
            server.start()
        finally:
            service.BINARY = binary
            for name in self.variables:
                del os.environ[name]

    def stop(self):
        os.unlink(self.starter)


class Crowd:
    """Threads that ask at once, each on a connection of its own."""

    def __init__(self, server):
        self.server = server
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self.gate = threading.Barrier(AT_ONCE)
        self.local = threading.local()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()

    def ask(self, tokens):
        """Statuses and newest tokens, one for each of the 50 tokens."""

        def once(token):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                scope = self.server.connection()
                self.local.scope = scope
                connection = self.local.connection = scope.__enter__()
            self.gate.wait()
            return ask(self.server, token, connection)

        return list(self.pool.map(once, tokens))


def ask(server, token, connection=None):
    """The status, and the session's newest token as the answer has it."""
    if connection is None:
        with server.connection() as connection:
            return ask(server, token, connection)
    connection.request("GET", server.path("users/caller", token))
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers[HEADER]


def works(server, token):
    return ask(server, token)[0] == 200


def crowd(server, token):
    """Many rounds of many requests with one token."""
    with Crowd(server) as many:
        for _ in range(40):
            answers = many.ask([token] * AT_ONCE)
            if not checks.equal("a crowd with one token", set(answers), {(200, token)}):
                break


def form_token(server, name, keep):
    """Signs in by the page, and copies the code from it."""
    address = f"{server.url}/sign-in?way=code&lang=en&ckAPIToken={server.api_token}"
    with urllib.request.urlopen(address, timeout=30) as page:
        sealed = re.search(r'name="request" value="([^"]+)"', page.read().decode()).group(1)
    fields = {"request": sealed, "name": name, "password": PASSWORD}
    if keep:
        fields["keep"] = "1"
    with urllib.request.urlopen(
        address, urllib.parse.urlencode(fields).encode(), timeout=30
    ) as page:
        return re.search(r'<code id="code">(\w+)</code>', page.read().decode()).group(1)


def newcomer(server, name):
    """A token that is as old as the server's clock says; commands have another clock."""
    server.command("user", "add", name, text=PASSWORD + "\n")
    return form_token(server, name, True)


def end(server, token):
    query = urllib.parse.urlencode({"ckAPIToken": server.api_token, "ckWebAuthToken": token})
    with server.connection() as connection:
        connection.request("POST", f"/session/1/{CONTAINER}/production/end?{query}")
        answer = connection.getresponse()
        return answer.status, answer.read()


def ended(server, token, how):
    status, body = server.call("users/caller", token=token, method="GET")
    checks.equal(f"{how}: the status", status, 421)
    checks.equal(f"{how}: the code", body.get("serverErrorCode"), "AUTHENTICATION_REQUIRED")
    checks.equal(f"{how}: no newer token", ask(server, token)[1], None)
    with urllib.request.urlopen(body["redirectURL"], timeout=30) as page:
        checks.that(
            f"{how}: one can sign in again",
            page.status == 200 and 'name="password"' in page.read().decode(),
        )


def revocation(server):
    first, second = server.add_user("Chi"), server.sign_in("Chi")
    checks.equal("signing out", end(server, first)[0], 200)
    ended(server, first, "signed out")
    checks.that("another session stays", works(server, second))
    checks.equal("signing out twice", end(server, first)[0], 421)
    with Crowd(server) as many:
        dead = random.Random(1).sample(range(AT_ONCE), 2)
        answers = many.ask([first if index in dead else second for index in range(AT_ONCE)])
    checks.equal("the dead beside the living", [answers[index][0] for index in dead], [421] * 2)
    checks.equal(
        "the living beside the dead", sum(status == 200 for status, _ in answers), AT_ONCE - 2
    )
    if "sign-out" not in service.help_text("user"):
        print("left out: `record-service user sign-out`, which this program does not have")
        return
    server.command("user", "sign-out", "Chi")
    ended(server, second, "signed out by the operator")


def wrong_tokens(server, token):
    for wrong in (
        "0" * 128,
        token[:-1],
        token + "0",
        token[:-1] + "é",
        token.upper(),
        token.replace(token[0], "G"),
        "%00",
        "+" * 128,
    ):
        if wrong != token:
            checks.equal(f"the token {wrong[-8:]}", ask(server, wrong)[0], 421)
    checks.equal("an empty one is none", ask(server, "")[0], 421)
    checks.equal(
        "in another environment",
        server.call("users/caller", token=token, method="GET", environment="development")[0],
        200,
    )


def restarts(server, token, clock):
    server.kill()
    clock.start(server) if clock else server.start()
    checks.that("a token outlives the server", works(server, token))


# With another time


def rotation(server, clock):
    old = newcomer(server, "Dũng")
    checks.equal("at first", ask(server, old), (200, old))
    clock.move(9 * MINUTE)
    checks.equal("after nine minutes", ask(server, old), (200, old))
    with Crowd(server) as many:
        for turn in range(8):
            clock.move(10 * MINUTE + 1)
            answers = many.ask([old] * AT_ONCE)
            checks.equal(f"turn {turn}: all are served", {one[0] for one in answers}, {200})
            newest = {one[1] for one in answers}
            if not checks.that(
                f"turn {turn}: with one new token", len(newest) == 1 and old not in newest, newest
            ):
                return
            (new,) = newest
            clock.move(MINUTE * 3)
            checks.equal(
                "the former is good until its successor is used", ask(server, old), (200, new)
            )
            answers = many.ask([old, new] * (AT_ONCE // 2))
            checks.equal("both at once", set(answers), {(200, new)})
            clock.move(MINUTE - 5)
            checks.equal("the former, within a minute", ask(server, old), (200, new))
            clock.move(10)
            checks.equal("the former, after a minute", ask(server, old), (421, None))
            checks.equal("which harms nothing", ask(server, new), (200, new))
            old = new
    server.kill()
    clock.start(server)
    checks.equal("the newest outlives the server", ask(server, new), (200, new))


def lost_answers(server, clock):
    kept = newcomer(server, "Em")
    for turn in range(40):
        clock.move(11 * MINUTE)
        if not checks.equal(f"no answer comes in, turn {turn}", ask(server, kept)[0], 200):
            return
    clock.move(13 * DAY)
    checks.that("not after days either", works(server, kept))
    dice = random.Random(20261122)
    held, sent = ask(server, kept)[1], set()
    with Crowd(server) as many:
        for turn in range(80):
            clock.move(dice.choice([0, 1, 30, 61, 9 * MINUTE, 10 * MINUTE, 11 * MINUTE]))
            answers = many.ask([held] * AT_ONCE)
            if not checks.equal(
                f"some answers come in, turn {turn}", {one[0] for one in answers}, {200}
            ):
                return
            sent |= {one[1] for one in answers}
            if dice.random() < 0.5:
                held = dice.choice(answers)[1]
    checks.that("the token changed often", len(sent) > 10, len(sent))


def lifetimes(server, clock):
    server.command("user", "add", "Giang", text=PASSWORD + "\n")
    short, long = (form_token(server, "giang", keep) for keep in (False, True))
    for token in (short, long):
        checks.that("a fresh one", works(server, token))
    clock.move(29 * MINUTE)
    short = ask(server, short)[1]
    checks.that("used after 29 minutes", short)
    clock.move(29 * MINUTE)
    checks.that("and after 29 more", works(server, short))
    clock.move(31 * MINUTE)
    ended(server, short, "unused for 31 minutes")
    clock.move(13 * DAY)
    checks.that("kept signed in for 13 days", works(server, long))
    clock.move(15 * DAY)
    ended(server, long, "unused for 15 days")


class Files:
    """A copy of a server's database, made while the server is stopped."""

    def __init__(self, server):
        self.server = server
        self.copy = tempfile.mkdtemp(prefix="record-service-copy-")
        for path in self.database():
            shutil.copy2(path, self.copy)

    def database(self):
        return glob.glob(self.server.data + "/records.sqlite*")

    def put_back(self):
        for path in self.database():
            os.unlink(path)
        for path in glob.glob(self.copy + "/*"):
            shutil.copy2(path, self.server.data)

    def remove(self):
        shutil.rmtree(self.copy)


def put_back(server, clock):
    held = [newcomer(server, "Hoa"), form_token(server, "hoa", False)]
    server.stop()
    files = Files(server)
    first = list(held)
    for back in (0, 50 * MINUTE):
        clock.start(server)
        late = form_token(server, "hoa", True)
        for _ in range(5):
            clock.move(11 * MINUTE)
            held = [ask(server, token)[1] for token in held]
            checks.equal(
                "used", [ask(server, token) for token in held], [(200, token) for token in held]
            )
        server.kill()
        files.put_back()
        clock.move(-back)
        clock.start(server)
        how = f"files put back, and the clock by {back} s"
        checks.equal(
            f"{how}: nobody signs in again",
            [ask(server, token) for token in held],
            [(200, token) for token in held],
        )
        checks.equal(f"{how}: a session they do not have", ask(server, late)[0], 421)
        clock.move(MINUTE)
        checks.equal(
            f"{how}: dead tokens stay dead", [ask(server, token)[0] for token in first], [421] * 2
        )
        with Crowd(server) as many:
            answers = many.ask(held * (AT_ONCE // 2))
        checks.equal(f"{how}: a crowd", {one[0] for one in answers}, {200})
        server.kill()
        files.put_back()
    clock.start(server)
    # The clock of commands is not moved, so which sessions are over they do not know.
    server.command("user", "sign-out", "--all")
    for token in held:
        ended(server, token, "everybody signed out")
    files.remove()


def main():
    clock = Clock() if LIBRARIES else None
    server = Service()
    try:
        clock.start(server) if clock else server.start()
        token = server.add_user("An")
        crowd(server, token)
        wrong_tokens(server, token)
        restarts(server, token, clock)
        revocation(server)
        if clock:
            clock.move(MINUTE)
            rotation(server, clock)
            lost_answers(server, clock)
            lifetimes(server, clock)
            put_back(server, clock)
        else:
            print(
                "left out: what takes another time, as libfaketime is not installed"
                " (Debian package faketime)"
            )
    finally:
        server.__exit__()
        if clock:
            clock.stop()
    checks.finish("rotation")


if __name__ == "__main__":
    if os.name != "posix":
        skip("signals and processes are those of Unix")
    main()
