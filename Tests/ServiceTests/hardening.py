"""Checks the protections of a server that is open to the internet, with the real program.

TLS: only suites with authenticated encryption, strict transport security, no key that others can
read, certificates that are read again when they change. The API token is printed once. The limits
of the systemd unit allow the server's use of resources under load, and the server releases memory
after the load.
"""

import argparse
import concurrent.futures
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

import service

UNIT = pathlib.Path(__file__).parent.parent.parent / "Resources/record-service"
MEGABYTE = 1 << 20
# The memory that a server may keep after a drill, in bytes.
KEPT = 40 * MEGABYTE
RELEASE_SECONDS = 60 + 30
OLD_SUITES = ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"]
NEW_SUITES = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
]


# MARK: TLS


def handshake(server, suite=None):
    """Connects; returns the cipher suite and the serial number of the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if suite:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(suite)
    raw = socket.create_connection((server.host, server.port), timeout=20)
    with context.wrap_socket(raw) as connection:
        certificate = ssl.DER_cert_to_PEM_cert(connection.getpeercert(True))
        serial = subprocess.run(
            ["openssl", "x509", "-noout", "-serial"],
            input=certificate,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return connection.cipher()[0], serial


def is_refused(server, suite):
    try:
        return handshake(server, suite) and False
    except ssl.SSLError:
        return True


def check_tls(checks, directory):
    cert, key = service.certificate(directory)
    options = ("--tls-certificate", cert, "--tls-key", key)
    starts = {
        "without --url": ["serve", "--data", directory, "--port", "0", *options],
        "a plain --url": [
            *("serve", "--data", directory, "--port", "0", "--url", "http://127.0.0.1"),
            *options,
        ],
    }
    for name, words in starts.items():
        process = subprocess.run([service.BINARY, *words], capture_output=True, text=True)
        checks.equal(f"TLS {name}: status", process.returncode, 2)
        checks.that(f"TLS {name}", "--url https://HOST" in process.stderr, process.stderr)
    with service.Service(*options) as server:
        checks.equal("suites", [handshake(server, suite)[0] for suite in NEW_SUITES], NEW_SUITES)
        checks.equal(
            "suites that are refused",
            [suite for suite in OLD_SUITES if is_refused(server, suite)],
            OLD_SUITES,
        )
        context = ssl.create_default_context(cafile=cert)
        connection = http.client.HTTPSConnection(
            server.host, server.port, timeout=20, context=context
        )

        def request():
            connection.request("GET", "/healthz")
            response = connection.getresponse()
            response.read()
            return response.status, response.headers.get("Strict-Transport-Security")

        checks.equal("strict transport security", request(), (200, "max-age=31536000"))
        # A damaged file leaves the former certificate in use; a new one is used at once, and
        # open connections stay.
        first = handshake(server)[1]
        with open(cert, "w") as file:
            file.write("no certificate\n")
        checks.equal("a damaged certificate", handshake(server)[1], first)
        with tempfile.TemporaryDirectory() as other:
            new_cert, new_key = service.certificate(other)
            # Until the key is copied, too, it does not match the certificate.
            shutil.copy(new_cert, cert)
            checks.equal("a certificate with another key", handshake(server)[1], first)
            shutil.copy(new_key, key)
        second = handshake(server)[1]
        checks.that("the new certificate", second != first, (first, second))
        checks.equal("the open connection", request(), (200, "max-age=31536000"))
        connection.close()
        log = pathlib.Path(server.data, "log").read_text()
        checks.equal("warnings in the log", log.count("certificates not reloaded"), 2)
    os.chmod(key, 0o644)
    words = ["serve", "--data", directory, "--port", "0", "--url", "https://127.0.0.1", *options]
    process = subprocess.run([service.BINARY, *words], capture_output=True, text=True, timeout=60)
    checks.equal("a key that others can read: status", process.returncode, 1)
    checks.that("a key that others can read", "chmod o=" in process.stderr, process.stderr)


# MARK: The API token


def check_api_token(checks):
    with tempfile.TemporaryDirectory(prefix="record-service-") as data:
        printed = []
        for _ in range(2):
            process = subprocess.Popen(
                [service.BINARY, "serve", "--data", data, "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            printed.append("".join(iter(process.stdout.readline, f"Data directory: {data}\n")))
            process.terminate()
            process.communicate()
        token = pathlib.Path(data, "api-token").read_text().strip()
        checks.equal(
            "starts that print the API token", [token in it for it in printed], [True, False]
        )
        checks.that("where it is afterwards", f"{data}/api-token" in printed[1], printed)


# MARK: Limits and memory


def unit_limits():
    text = (UNIT / "record-service.service").read_text()
    return dict(re.findall(r"^(Limit\w+|\w+Max)=(\S+)$", text, re.MULTILINE))


def drill(server, token, seconds):
    """Sends large bodies and downloads large pages; returns the most tasks of the server."""
    body = {
        "operations": [
            {
                "operationType": "forceUpdate",
                "record": {
                    "recordName": f"note-{number}",
                    "recordType": "AyahNote",
                    "fields": {
                        "ayahID": {"value": "2:255"},
                        "noteText": {"value": "ghi chú " * 2000},
                        "ownerRecordName": {"value": "an"},
                    },
                },
            }
            for number in range(200)
        ]
    }
    tasks = 0
    deadline = time.monotonic() + seconds

    def work(number):
        nonlocal tasks
        statuses = []
        while time.monotonic() < deadline:
            if number % 2:
                statuses.append(server.call("records/modify", body, token)[0])
            else:
                zones = {"zones": [{"zoneID": {"zoneName": "_defaultZone"}}]}
                statuses.append(server.call("changes/zone", zones, token)[0])
            tasks = max(tasks, len(os.listdir(f"/proc/{server.process.pid}/task")))
        return statuses

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        statuses = [status for part in pool.map(work, range(16)) for status in part]
    return tasks, {status: statuses.count(status) for status in set(statuses)}


def check_memory(checks, seconds):
    limits = unit_limits()
    checks.equal("core dumps in the unit", limits.get("LimitCORE"), "0")
    memory_max = int(limits["MemoryMax"].removesuffix("G")) << 30
    with service.Service() as server:
        token = server.add_user("an")
        before = server.resident_memory()
        tasks, statuses = drill(server, token, seconds)
        checks.that("the drill was one", statuses.get(200, 0) >= 10, statuses)
        checks.that("the unit has tasks enough", 2 * tasks <= int(limits["TasksMax"]), tasks)
        peak = server.resident_memory("VmHWM")
        checks.that("the unit has memory enough", 2 * peak <= memory_max, peak)
        after = server.resident_memory()
        service.wait_until(lambda: server.resident_memory() <= before + KEPT, RELEASE_SECONDS)
        later = server.resident_memory()
        checks.that("the memory falls back", later <= before + KEPT, (before, peak, after, later))
        print(
            f"memory before the drill {before >> 20} MB, at most {peak >> 20}, after it "
            f"{after >> 20}, later {later >> 20}; {tasks} tasks; {statuses}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="duration of the drill")
    options = parser.parse_args()
    checks = service.Checks()
    check_api_token(checks)
    with tempfile.TemporaryDirectory(prefix="record-service-") as directory:
        if shutil.which("openssl"):
            check_tls(checks, directory)
        else:
            print("TLS was NOT TESTED, as there is no openssl")
    check_memory(checks, options.seconds)
    checks.finish("hardening")


if __name__ == "__main__":
    main()
