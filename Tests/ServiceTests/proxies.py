"""Runs Caddy and nginx in front of the service, with the configurations of its Resources folder.

Each proxy must support everything that the protocol needs: TLS, long polls, large bodies, and the
client's address rather than one that the client claims. Silent connections must not block others. A
proxy that is not installed is skipped; both are packages of Debian.
"""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

import service

RESOURCES = pathlib.Path(__file__).parent.parent.parent / "Resources/record-service"
NAME = "records.example.org"
LARGE = 7 << 20
# The size of an asset, which may be larger than any other body.
FILE = 20_000_000
# The service ends a long poll after 50 seconds.
POLL_SECONDS = range(48, 60)
SILENT = 600
# The time limit of both proxies for a request's head, and some seconds for a busy machine.
HEAD_SECONDS = 10 + 10


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def caddy(directory, port, backend, cert, key):
    """Writes the configuration; returns the command that runs Caddy with it."""
    text = replaced(
        (RESOURCES / "Caddyfile").read_text(),
        ("127.0.0.1:8787", f"127.0.0.1:{backend}"),
        (f"\n{NAME} {{", f"\nhttps://{NAME}:{port} {{\n\ttls {cert} {key}"),
        ("\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n"),
    )
    path = pathlib.Path(directory, "Caddyfile")
    path.write_text(text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(path)]


def nginx(directory, port, backend, cert, key):
    """Writes the configuration; returns the command that runs nginx with it."""
    text = replaced(
        (RESOURCES / "nginx.conf").read_text(),
        ("http://127.0.0.1:8787", f"http://127.0.0.1:{backend}"),
        ("listen 443 ssl", f"listen {port} ssl"),
        ("  listen [::]:443 ssl;\n", ""),
        ("/var/log/nginx", directory),
    )
    text = re.sub(r"(ssl_certificate) .*;", rf"\1 {cert};", text)
    text = re.sub(r"(ssl_certificate_key) .*;", rf"\1 {key};", text)
    paths = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path = pathlib.Path(directory, "nginx.conf")
    user = "user root;\n" if os.getuid() == 0 else ""
    path.write_text(
        f"{user}daemon off;\npid {directory}/pid;\nerror_log {directory}/error.log;\n"
        "worker_rlimit_nofile 8192;\nevents { worker_connections 4096; }\n"
        f"http {{\naccess_log off;\n{paths}{text}}}\n"
    )
    return ["nginx", "-c", str(path), "-e", f"{directory}/error.log"]


PROXIES = {"caddy": caddy, "nginx": nginx}


class Client:
    """An HTTPS client of the proxy, from one address of this machine."""

    def __init__(self, server, port, cert, source="127.0.0.1"):
        self.server, self.port, self.source = server, port, source
        self.context = ssl.create_default_context(cafile=cert)

    @contextlib.contextmanager
    def connection(self):
        raw = socket.create_connection(
            ("127.0.0.1", self.port), timeout=90, source_address=(self.source, 0)
        )
        connection = http.client.HTTPConnection(NAME, self.port)
        connection.sock = self.context.wrap_socket(raw, server_hostname=NAME)
        try:
            yield connection
        finally:
            connection.close()

    def send(self, method, path, body=None, headers=None):
        """Sends a request; returns the status, the headers and the body of the response."""
        with self.connection() as connection:
            connection.request(method, path, body, {"Host": NAME, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def call(self, route, body, token):
        status, _, text = self.send("POST", self.server.path(route, token), json.dumps(body))
        return status, json.loads(text) if text else None


def large_body(client, token):
    """A body that only just fits must reach the service."""
    status, _, text = client.send(
        "POST", client.server.path("records/lookup", token), '{"records":[]}' + " " * LARGE
    )
    return status, text


def large_file(client, token):
    """Uploads the contents of an asset; returns the status, and the size in the answer."""
    path = client.server.path("assets/upload", token, environment="development")
    request = json.dumps({"tokens": [{"recordType": "File", "fieldName": "data"}]})
    url = json.loads(client.send("POST", path, request)[2])["tokens"][0]["url"]
    status, _, text = client.send("POST", urllib.parse.urlsplit(url).path, bytes(FILE))
    return status, json.loads(text)["singleFile"]["size"] if status == 200 else text


def sign_in(client):
    """Sends a wrong password, with a forged address of the client."""
    path = "/sign-in?" + urllib.parse.urlencode(
        {"ckAPIToken": client.server.api_token, "way": "code"}
    )
    headers = {
        "X-Forwarded-For": "192.0.2.99",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    _, _, page = client.send("GET", path)
    request = service.hidden_request(page)
    form = urllib.parse.urlencode({"request": request, "name": "an", "password": "a wrong one"})
    return client.send("POST", path, form, headers)[0]


def notified(client, token, other):
    """Waits in a long poll while another session saves a record; returns the host of its URL, the
    body of the response, and the duration in seconds."""
    _, body = client.call(
        "tokens/create", {"apnsEnvironment": "production", "clientId": "x"}, token
    )
    url = urllib.parse.urlsplit(body["webcourierURL"])
    client.call(
        "subscriptions/modify",
        {
            "operations": [
                {
                    "operationType": "create",
                    "subscription": {
                        "subscriptionID": "favourites",
                        "subscriptionType": "query",
                        "query": {"recordType": "FavoriteAyah"},
                        "firesOn": ["create", "update", "delete"],
                    },
                }
            ]
        },
        token,
    )
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.send, "GET", url.path)
        client.call(
            "records/modify",
            {
                "operations": [
                    {
                        "operationType": "forceUpdate",
                        "record": service.favorite_record("an", 2, 255, int(time.time() * 1000)),
                    }
                ]
            },
            other,
        )
        return url.netloc, answer.result()[2], time.monotonic() - start


def quiet_poll(client, token):
    """Waits in a long poll without a notification; returns its status, its body and its seconds."""
    _, body = client.call(
        "tokens/create", {"apnsEnvironment": "production", "clientId": "y"}, token
    )
    start = time.monotonic()
    status, _, text = client.send("GET", urllib.parse.urlsplit(body["webcourierURL"]).path)
    return status, text, time.monotonic() - start


def silent(port):
    """Opens connections that send nothing."""
    return [
        socket.create_connection(("127.0.0.1", port), source_address=("127.7.0.1", 0))
        for _ in range(SILENT)
    ]


def closed(connections, seconds):
    """Whether the other end has closed the connections."""
    deadline = time.monotonic() + seconds
    for connection in connections:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            while connection.recv(4096):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        finally:
            connection.close()
    return True


def check(name, make, directory, checks, lock):
    port = service.free_port()
    cert, key = service.certificate(directory, NAME)
    url = f"https://{NAME}:{port}"
    server = service.Service(
        *("--behind-proxy", "--trusted-proxy", "127.0.0.1", "--url", url),
    )
    backend = service.free_port()
    with server_on(server, backend):
        an = server.add_user("an")
        other, third = server.sign_in("an"), server.add_user("binh")
        environment = {**os.environ, "HOME": directory, "XDG_DATA_HOME": directory}
        with open(f"{directory}/{name}.log", "wb") as log:
            proxy = subprocess.Popen(
                make(directory, port, backend, cert, key),
                env=environment,
                stdout=log,
                stderr=log,
            )
        try:
            client = Client(server, port, cert)

            def is_ready():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    return client.send("GET", "/healthz")[0] == 200

            if not service.wait_until(is_ready):
                text = pathlib.Path(directory, f"{name}.log").read_text()
                checks.that(f"{name}: it starts: {text}", False)
                return
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                quiet = pool.submit(quiet_poll, client, third)
                facts = {
                    "large body": large_body(client, an),
                    "large file": large_file(client, an),
                    "sign-in": sign_in(Client(server, port, cert, "127.7.0.9")),
                    "notification": notified(client, an, other),
                    "transport security": client.send("GET", "/healthz")[1].get(
                        "Strict-Transport-Security"
                    ),
                    "metrics": client.send("GET", "/metrics")[0],
                }
                strangers = silent(port)
                facts["beside silent connections"] = [
                    client.send("GET", "/healthz")[0] for _ in range(20)
                ]
                facts["silent connections end"] = closed(strangers, HEAD_SECONDS)
                facts["quiet poll"] = quiet.result()
        finally:
            proxy.terminate()
            proxy.wait()
    log_text = pathlib.Path(server.data, "log").read_text()
    shutil.rmtree(server.data, ignore_errors=True)
    refused = [line for line in log_text.splitlines() if 'message="sign-in failed"' in line]
    with lock:
        status, text = facts["large body"]
        checks.that(f"{name}: a large body", status == 200, (status, text[:300]))
        checks.equal(f"{name}: a large file", facts["large file"], (200, FILE))
        checks.equal(f"{name}: a wrong password", facts["sign-in"], 403)
        checks.that(
            f"{name}: the log has the address of the client, not the forged one",
            len(refused) == 1 and "address=127.7.0.9 " in refused[0],
            refused,
        )
        netloc, answer, seconds = facts["notification"]
        checks.equal(f"{name}: the URL of long polls", netloc, f"{NAME}:{port}")
        checks.that(
            f"{name}: a notification ends a poll", "favourites" in answer and seconds < 20, facts
        )
        checks.equal(f"{name}: transport security", facts["transport security"], "max-age=31536000")
        checks.equal(f"{name}: the metrics", facts["metrics"], 404)
        checks.equal(
            f"{name}: requests beside {SILENT} silent connections",
            facts["beside silent connections"],
            [200] * 20,
        )
        checks.that(f"{name}: silent connections are closed", facts["silent connections end"])
        status, text, seconds = facts["quiet poll"]
        checks.that(
            f"{name}: a quiet poll is held",
            (status, text) == (200, "") and int(seconds) in POLL_SECONDS,
            facts["quiet poll"],
        )


@contextlib.contextmanager
def server_on(server, port):
    """Starts a service on a port; its URL is the proxy's."""
    server.start(port)
    server.host = "127.0.0.1"
    try:
        yield
    finally:
        server.stop()


def main():
    installed = {name: make for name, make in PROXIES.items() if shutil.which(name)}
    missing = [name for name in PROXIES if name not in installed]
    if missing:
        print(f"not installed, and NOT TESTED: {', '.join(missing)}")
    if not installed or not shutil.which("openssl"):
        service.skip("neither Caddy nor nginx is installed, or openssl is not")
    checks, lock = service.Checks(), threading.Lock()
    with tempfile.TemporaryDirectory(prefix="proxies-") as directory:
        threads = []
        for name, make in installed.items():
            own = f"{directory}/{name}"
            os.mkdir(own)
            threads.append(threading.Thread(target=check, args=[name, make, own, checks, lock]))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    checks.finish(f"proxies: {', '.join(installed)}")


if __name__ == "__main__":
    main()
