"""Tests the rotation of web auth tokens: clients stay signed in, and ended sessions stay ended.

The tokens of a session change while many requests are in progress and responses are lost. The
server issues a new token at most every ten minutes, so its clock is changed. Its files are also
rolled back.
"""

import concurrent.futures
import contextlib
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

import timeshift
from service import CONTAINER, PASSWORD, Checks, Service, hidden_request

HEADER = "X-Apple-CloudKit-Web-Auth-Token"
PARALLEL_REQUESTS = 50
MINUTE, DAY = 60, 86_400

checks = Checks()


class RequestPool:
    """Threads that send requests at the same time, each on its own connection."""

    def __init__(self, server):
        self.server = server
        self.pool = concurrent.futures.ThreadPoolExecutor(PARALLEL_REQUESTS)
        self.barrier = threading.Barrier(PARALLEL_REQUESTS)
        self.local = threading.local()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()

    def send_all(self, tokens):
        """Sends 50 requests, one with each token; returns pairs of a status and a newest token."""

        def send(token):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                context = self.server.connection()
                self.local.scope = context
                connection = self.local.connection = context.__enter__()
            self.barrier.wait()
            return send_request(self.server, token, connection)

        return list(self.pool.map(send, tokens))


def send_request(server, token, connection=None):
    """Sends a request; returns its status, and the newest token of the session in the response."""
    if connection is None:
        with server.connection() as connection:
            return send_request(server, token, connection)
    connection.request("GET", server.path("users/caller", token))
    response = connection.getresponse()
    response.read()
    return response.status, response.headers[HEADER]


def is_valid(server, token):
    return send_request(server, token)[0] == 200


def parallel_requests(server, token):
    """Sends many simultaneous requests with one token."""
    with RequestPool(server) as pool:
        for _ in range(40):
            responses = pool.send_all([token] * PARALLEL_REQUESTS)
            if not checks.equal(
                "simultaneous requests with one token", set(responses), {(200, token)}
            ):
                break


def token_from_page(server, name, keep_signed_in):
    """Signs in on the web page; returns the code that it shows."""
    address = f"{server.url}/sign-in?way=code&lang=en&ckAPIToken={server.api_token}"
    with urllib.request.urlopen(address, timeout=30) as page:
        request_token = hidden_request(page.read().decode())
    fields = {"request": request_token, "name": name, "password": PASSWORD}
    if keep_signed_in:
        fields["keep"] = "1"
    with urllib.request.urlopen(
        address, urllib.parse.urlencode(fields).encode(), timeout=30
    ) as page:
        return re.search(r'<code id="code">(\w+)</code>', page.read().decode()).group(1)


def new_account(server, name):
    """Adds an account; returns a token of it that the server issued."""
    server.command("user", "add", name, text=PASSWORD + "\n")
    return token_from_page(server, name, True)


def end_session(server, token):
    """Ends a session; returns the status and the body of the response."""
    query = urllib.parse.urlencode({"ckAPIToken": server.api_token, "ckWebAuthToken": token})
    with server.connection() as connection:
        connection.request("POST", f"/session/1/{CONTAINER}/production/end?{query}")
        response = connection.getresponse()
        return response.status, response.read()


def check_ended(server, token, label):
    """Checks that the session of a token has ended."""
    status, body = server.call("users/caller", token=token, method="GET")
    checks.equal(f"{label}: status", status, 421)
    checks.equal(f"{label}: error code", body.get("serverErrorCode"), "AUTHENTICATION_REQUIRED")
    checks.equal(f"{label}: no newer token", send_request(server, token)[1], None)
    with urllib.request.urlopen(body["redirectURL"], timeout=30) as page:
        checks.that(
            f"{label}: the redirect URL has a sign-in form",
            page.status == 200 and 'name="password"' in page.read().decode(),
        )


def revocation(server):
    """Sessions end when the client or the operator signs out."""
    first, second = server.add_user("Chi"), server.sign_in("Chi")
    checks.equal("signing out", end_session(server, first)[0], 200)
    check_ended(server, first, "signed out")
    checks.that("another session of the account continues", is_valid(server, second))
    checks.equal("signing out twice", end_session(server, first)[0], 421)
    with RequestPool(server) as pool:
        ended_indexes = random.Random(1).sample(range(PARALLEL_REQUESTS), 2)
        responses = pool.send_all(
            [first if index in ended_indexes else second for index in range(PARALLEL_REQUESTS)]
        )
    checks.equal(
        "simultaneous requests: status of the ended session",
        [responses[index][0] for index in ended_indexes],
        [421] * 2,
    )
    checks.equal(
        "simultaneous requests: successes of the other session",
        sum(status == 200 for status, _ in responses),
        PARALLEL_REQUESTS - 2,
    )
    server.command("user", "sign-out", "Chi")
    check_ended(server, second, "signed out by the operator")


def wrong_tokens(server, token):
    for wrong_token in (
        "0" * 128,
        token[:-1],
        token + "0",
        token[:-1] + "é",
        token.upper(),
        token.replace(token[0], "G"),
        "%00",
        "+" * 128,
    ):
        if wrong_token != token:
            checks.equal(f"the token {wrong_token[-8:]}", send_request(server, wrong_token)[0], 421)
    checks.equal("an empty token", send_request(server, "")[0], 421)
    checks.equal(
        "the token in another environment",
        server.call("users/caller", token=token, method="GET", environment="development")[0],
        200,
    )


def restarts(server, token):
    server.kill()
    server.start()
    checks.that("a token is valid after a restart of the server", is_valid(server, token))


# Tests that change the clock


def rotation(server, clock):
    """A token is replaced after ten minutes; a minute after its successor is used it expires."""
    old_token = new_account(server, "Dũng")
    checks.equal("a new token", send_request(server, old_token), (200, old_token))
    clock.advance(9 * MINUTE)
    checks.equal("after nine minutes", send_request(server, old_token), (200, old_token))
    with RequestPool(server) as pool:
        for turn in range(8):
            clock.advance(10 * MINUTE + 1)
            responses = pool.send_all([old_token] * PARALLEL_REQUESTS)
            checks.equal(
                f"turn {turn}: all requests succeed", {answer[0] for answer in responses}, {200}
            )
            newest = {answer[1] for answer in responses}
            if not checks.that(
                f"turn {turn}: there is one new token",
                len(newest) == 1 and old_token not in newest,
                newest,
            ):
                return
            (new_token,) = newest
            clock.advance(MINUTE * 3)
            checks.equal(
                "the old token is valid until its successor is used",
                send_request(server, old_token),
                (200, new_token),
            )
            responses = pool.send_all([old_token, new_token] * (PARALLEL_REQUESTS // 2))
            checks.equal("both tokens at the same time", set(responses), {(200, new_token)})
            clock.advance(MINUTE - 5)
            checks.equal(
                "the old token within a minute", send_request(server, old_token), (200, new_token)
            )
            clock.advance(10)
            checks.equal(
                "the old token after a minute", send_request(server, old_token), (421, None)
            )
            checks.equal(
                "the new token after the old one was used",
                send_request(server, new_token),
                (200, new_token),
            )
            old_token = new_token
    server.kill()
    server.start()
    checks.equal(
        "the newest token after a restart of the server",
        send_request(server, new_token),
        (200, new_token),
    )


def lost_responses(server, clock):
    """A client stays signed in although it does not receive new tokens."""
    kept_token = new_account(server, "Em")
    for turn in range(40):
        clock.advance(11 * MINUTE)
        if not checks.equal(
            f"all responses are lost, turn {turn}", send_request(server, kept_token)[0], 200
        ):
            return
    clock.advance(13 * DAY)
    checks.that("all responses are lost, after days", is_valid(server, kept_token))
    rng = random.Random(20261122)
    client_token, issued_tokens = send_request(server, kept_token)[1], set()
    with RequestPool(server) as pool:
        for turn in range(80):
            clock.advance(rng.choice([0, 1, 30, 61, 9 * MINUTE, 10 * MINUTE, 11 * MINUTE]))
            responses = pool.send_all([client_token] * PARALLEL_REQUESTS)
            if not checks.equal(
                f"some responses are lost, turn {turn}", {answer[0] for answer in responses}, {200}
            ):
                return
            issued_tokens |= {answer[1] for answer in responses}
            if rng.random() < 0.5:
                client_token = rng.choice(responses)[1]
    checks.that("the token changed often", len(issued_tokens) > 10, len(issued_tokens))


def lifetimes(server, clock):
    """Sessions expire after 30 minutes without use, or after 14 days if kept signed in."""
    server.command("user", "add", "Giang", text=PASSWORD + "\n")
    short_token, long_token = (
        token_from_page(server, "giang", keep_signed_in) for keep_signed_in in (False, True)
    )
    for token in (short_token, long_token):
        checks.that("a new token", is_valid(server, token))
    clock.advance(29 * MINUTE)
    short_token = send_request(server, short_token)[1]
    checks.that("used after 29 minutes", short_token)
    clock.advance(29 * MINUTE)
    checks.that("used after 29 more minutes", is_valid(server, short_token))
    clock.advance(31 * MINUTE)
    check_ended(server, short_token, "unused for 31 minutes")
    clock.advance(13 * DAY)
    checks.that("kept signed in for 13 days", is_valid(server, long_token))
    clock.advance(15 * DAY)
    check_ended(server, long_token, "unused for 15 days")


class DatabaseCopy:
    """A copy of a server's database, made while the server is stopped."""

    def __init__(self, server):
        self.server = server
        self.copy = tempfile.mkdtemp(prefix="record-service-copy-")
        for path in self.database():
            shutil.copy2(path, self.copy)

    def database(self):
        return glob.glob(self.server.data + "/records.sqlite*")

    def restore(self):
        for path in self.database():
            os.unlink(path)
        for path in glob.glob(self.copy + "/*"):
            shutil.copy2(path, self.server.data)

    def remove(self):
        shutil.rmtree(self.copy)


def rolled_back_files(server, clock):
    """Clients stay signed in when the server's files are rolled back, with its clock or without."""
    tokens = [new_account(server, "Hoa"), token_from_page(server, "hoa", False)]
    server.stop()
    database_copy = DatabaseCopy(server)
    first_tokens = list(tokens)
    for seconds_back in (0, 50 * MINUTE):
        server.start()
        lost_token = token_from_page(server, "hoa", True)
        for _ in range(5):
            clock.advance(11 * MINUTE)
            tokens = [send_request(server, token)[1] for token in tokens]
            checks.equal(
                "tokens in use",
                [send_request(server, token) for token in tokens],
                [(200, token) for token in tokens],
            )
        server.kill()
        database_copy.restore()
        clock.advance(-seconds_back)
        server.start()
        label = f"files rolled back, and the clock by {seconds_back} s"
        checks.equal(
            f"{label}: newest tokens stay valid",
            [send_request(server, token) for token in tokens],
            [(200, token) for token in tokens],
        )
        checks.equal(f"{label}: a session that was lost", send_request(server, lost_token)[0], 421)
        clock.advance(MINUTE)
        checks.equal(
            f"{label}: expired tokens stay invalid",
            [send_request(server, token)[0] for token in first_tokens],
            [421] * 2,
        )
        with RequestPool(server) as pool:
            responses = pool.send_all(tokens * (PARALLEL_REQUESTS // 2))
        checks.equal(f"{label}: simultaneous requests", {answer[0] for answer in responses}, {200})
        server.kill()
        database_copy.restore()
    server.start()
    server.command("user", "sign-out", "--all")
    for token in tokens:
        check_ended(server, token, "all sessions ended by the operator")
    database_copy.remove()


def main():
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="rotation-"))
        clock = timeshift.Timeshift(timeshift.build(directory), directory + "/service.time")
        stack.callback(clock.close)
        server = stack.enter_context(Service(variables=clock.variables))
        token = server.add_user("An")
        parallel_requests(server, token)
        wrong_tokens(server, token)
        restarts(server, token)
        revocation(server)
        clock.advance(MINUTE)
        rotation(server, clock)
        lost_responses(server, clock)
        lifetimes(server, clock)
        rolled_back_files(server, clock)
    checks.finish("rotation")


if __name__ == "__main__":
    main()
