"""Tests requests that are signed by the openssl command with a server-to-server key."""

import base64
import datetime
import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile

from service import CONTAINER, Checks, Service, skip

SCHEMA = """
DEFINE SCHEMA
  RECORD TYPE Post (
    text STRING, "___recordID" REFERENCE QUERYABLE,
    GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
  );
"""
PREFIX = "X-Apple-CloudKit-Request-"
checks = Checks()


class Program:
    """A program with a key that it made with openssl, as Apple documents it."""

    def __init__(self, server, directory, *options):
        self.server = server
        directory = tempfile.mkdtemp(dir=directory)
        self.private_key = pathlib.Path(directory, "eckey.pem")
        public_key = pathlib.Path(directory, "eckey.pub")
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.private_key)
        openssl("ec", "-in", self.private_key, "-pubout", "-out", public_key)
        self.key_id = server.command(
            "key", "create", "import", str(public_key), "--user", "an", *options
        ).split()[0]

    def headers(self, path, body, age=0):
        """The headers of a request that was made `age` seconds ago."""
        now = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=age)
        date = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.private_key],
            input=f"{date}:{digest}:{path}".encode(),
            capture_output=True,
            check=True,
        ).stdout
        return {
            PREFIX + "KeyID": self.key_id,
            PREFIX + "ISO8601Date": date,
            PREFIX + "SignatureV1": base64.b64encode(signature).decode(),
        }

    def send(self, path, body, headers=None):
        """Sends a request; returns its status and the decoded answer."""
        with self.server.connection() as connection:
            connection.request("POST", path, body, headers or self.headers(path, body))
            response = connection.getresponse()
            return response.status, json.loads(response.read())


def openssl(*words):
    subprocess.run(["openssl", *words], capture_output=True, check=True)


def url(route, container=CONTAINER, database="public", environment="production"):
    return f"/database/1/{container}/{environment}/{database}/{route}"


def refusal(answer):
    return answer[0], answer[1].get("serverErrorCode")


def main():
    if not shutil.which("openssl"):
        skip("there is no openssl command")
    failed = (401, "AUTHENTICATION_FAILED")
    with tempfile.TemporaryDirectory() as directory, Service() as server:
        server.use_container("iCloud.org.example.keys", SCHEMA)
        container = server.container
        server.add_user("an")
        program = Program(server, directory, "--container", container)
        path = url("records/modify", container)
        record = {"recordName": "p", "recordType": "Post", "fields": {"text": {"value": "x"}}}
        operations = [{"operationType": "forceUpdate", "record": record}]
        body = json.dumps({"operations": operations}).encode()

        headers = program.headers(path, body)
        status, answer = program.send(path, body, headers)
        checks.that("a good signature", status == 200 and "recordChangeTag" in str(answer), answer)
        checks.equal("replayed", refusal(program.send(path, body, headers)), failed)
        checks.equal("signed again", program.send(path, body)[0], 200)
        lookup = url("records/lookup", container)
        checks.equal(
            "wrong path", refusal(program.send(lookup, body, program.headers(path, body))), failed
        )
        checks.equal(
            "wrong body",
            refusal(program.send(path, body + b" ", program.headers(path, body))),
            failed,
        )
        query = path + "?clientId=1"
        checks.equal("with its query", program.send(query, body)[0], 200)
        checks.equal("without it", program.send(query, body, program.headers(path, body))[0], 200)
        for age in (700, -700, 3600, -3600):
            answer = program.send(path, body, program.headers(path, body, age))
            checks.equal(f"{age} seconds old", refusal(answer), failed)
            checks.that("the reason names the clock", "seconds" in answer[1]["reason"], answer)
        checks.equal(
            "five minutes old", program.send(path, body, program.headers(path, body, 300))[0], 200
        )
        other = url("records/modify")
        checks.equal("wrong container", refusal(program.send(other, body)), failed)
        private = url("records/modify", container, "private")
        checks.equal("private database", program.send(private, body)[0], 400)
        narrow = Program(
            server, directory, "--container", container, "--environment", "development"
        )
        checks.equal("wrong environment", refusal(narrow.send(path, body)), failed)
        both = path + f"?ckAPIToken={server.api_token}"
        checks.equal("signed, with a token", refusal(program.send(both, body)), failed)
        keys = json.loads(server.command("key", "list", "--json"))
        for key in keys:
            server.command("key", "revoke", str(key["id"]))
        checks.equal("revoked", refusal(program.send(path, body)), failed)
    checks.finish("keys")


if __name__ == "__main__":
    main()
