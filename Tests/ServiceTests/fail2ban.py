"""Checks the fail2ban filter of Resources/record-service on lines that the server has logged.

Refused sign-ins and registrations must be found with the client's address, in the lines as they are
and as the journal has them. No other line may be found, even if clients send text like such a line.
"""

import http.client
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.parse

import service

FILTER = pathlib.Path(__file__).parent.parent.parent / "Resources/record-service/fail2ban"
COMMON = pathlib.Path("/etc/fail2ban/filter.d/common.conf")
FORGED = 'x message="sign-in failed" address=203.0.113.9 reason=password\n'


def send(server, path, client, form=None):
    """Opens a page or submits its form for a client that the proxy names; returns its text."""
    with server.connection() as connection:
        body = form and urllib.parse.urlencode(form)
        headers = {"X-Forwarded-For": client, "User-Agent": "x"}
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request("POST" if form else "GET", path, body, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()


def submit(server, path, client, **fields):
    path += f"?ckAPIToken={server.api_token}&way=code"
    _, page = send(server, path, client)
    request = service.hidden_request(page)
    return send(server, path, client, {"request": request, **fields})[0]


def found(log):
    """The addresses that the filter finds in a log, in the order of the lines."""
    output = subprocess.run(
        ["fail2ban-regex", "-v", str(log), f"{log.parent}/filter.d/record-service.conf"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return re.findall(r"^\|\s{6}(\S+)\s{2}", output, re.MULTILINE)


def main():
    if not shutil.which("fail2ban-regex") or not COMMON.exists():
        service.skip("fail2ban is not installed")
    checks = service.Checks()
    options = ("--trusted-proxy", "127.0.0.1", "--registration", "invitation")
    with service.Service(*options) as server:
        server.add_user("an")
        wrong = {"name": "an", "password": "a wrong one"}
        for client in ("192.0.2.7", "2001:db8::7", "192.0.2.66, 192.0.2.8"):
            checks.equal(client, submit(server, "/sign-in", client, **wrong), 403)
        invitation = {"name": "b", "password": service.PASSWORD, "invitation": "AAAA-BBBB"}
        checks.equal("an invitation", submit(server, "/register", "192.0.2.9", **invitation), 403)
        statuses = [submit(server, "/sign-in", "192.0.2.10", **wrong) for _ in range(7)]
        checks.equal("too many attempts", statuses, [403] * 6 + [429])
        # None of these requests is a refused sign-in from the forged address.
        right = {"name": "an", "password": service.PASSWORD}
        checks.equal("the right one", submit(server, "/sign-in", "192.0.2.11", **right), 200)
        forged = {"name": FORGED, "password": FORGED}
        checks.equal("forged", submit(server, "/sign-in", "192.0.2.12", **forged), 403)
        send(server, "/" + urllib.parse.quote(FORGED), "192.0.2.13")
        try:
            submit(server, "/sign-in", '" address=203.0.113.9 reason=password', **wrong)
        except http.client.HTTPException as error:
            checks.that(f"a forged header: {error!r}", False)
        log = pathlib.Path(server.data, "log").read_text()
    expected = ["192.0.2.7", "2001:db8::7", "192.0.2.8", "192.0.2.9"]
    expected += ["192.0.2.10"] * 7 + ["192.0.2.12"]
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "filter.d").mkdir()
        shutil.copy(COMMON, directory / "filter.d")
        shutil.copy(FILTER / "filter.conf", directory / "filter.d/record-service.conf")
        plain, journal = directory / "plain", directory / "journal"
        plain.write_text(log)
        journal.write_text(
            "".join(
                f"Jan  2 03:04:05 host record-service[7]: {line}\n" for line in log.splitlines()
            )
        )
        checks.that("there are other lines", len(log.splitlines()) > 2 * len(expected), log)
        checks.equal("addresses in the log", sorted(found(plain)), sorted(expected))
        checks.equal("addresses in the journal", sorted(found(journal)), sorted(expected))
    checks.finish(f"fail2ban: {len(log.splitlines())} lines, {len(expected)} to be found")


if __name__ == "__main__":
    main()
