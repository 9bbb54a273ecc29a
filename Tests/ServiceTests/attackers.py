"""The attackers of attacks.py, each of which does one thing until its process ends.

A plan has the requests of an attacker; `counts` gets the number of each kind of response.
"""

import http.client
import json
import selectors
import socket
import time


def note(name, text):
    return {
        "operationType": "forceUpdate",
        "record": {
            "recordName": name,
            "recordType": "AyahNote",
            "fields": {"noteText": {"value": text}, "surahNumber": {"value": 2}},
        },
    }


# MARK: The honest client


class Address:
    """The address of the server, with the secrets that an attacker has."""

    def __init__(self, plan):
        self.plan = plan

    def connect(self):
        return http.client.HTTPConnection(self.plan["host"], self.plan["port"], timeout=60)

    def post(self, connection, path, body):
        connection.request("POST", path, json.dumps(body))
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None


def count(counts, key):
    counts[key] = counts.get(key, 0) + 1


def give_up(connection, counts):
    """Counts a request without a response; the next request opens the connection again."""
    count(counts, "error")
    connection.close()
    # A service that is down must not be asked in a busy loop.
    time.sleep(0.1)


def save_forever(plan, counts):
    """Saves batches of records."""
    address, number = Address(plan), 0
    connection = address.connect()
    while True:
        operations = [note(f"r{index}", f"{number}") for index in range(plan["batch"])]
        number += 1
        try:
            status, response = address.post(connection, plan["path"], {"operations": operations})
            count(counts, f"{status}")
            if status == 429:
                time.sleep(min(response.get("retryAfter", 1), 1))
        except (OSError, http.client.HTTPException):
            give_up(connection, counts)


def poll_forever(plan, counts):
    """Keeps long polls waiting, and polls again as soon as one is answered."""
    selector = selectors.DefaultSelector()

    def begin(path):
        try:
            connection = socket.create_connection((plan["host"], plan["port"]), timeout=60)
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {plan['host']}\r\n\r\n".encode())
            selector.register(connection, selectors.EVENT_READ, path)
        except OSError:
            count(counts, "error")

    due = [(0, path) for path in plan["couriers"]]
    while True:
        now = time.monotonic()
        for path in [path for begins, path in due if begins <= now]:
            begin(path)
        due = [(begins, path) for begins, path in due if begins > now]
        for key, _ in selector.select(0.5):
            try:
                head = key.fileobj.recv(65536)
            except OSError:
                head = b""
            count(counts, head[9:12].decode() or "error")
            selector.unregister(key.fileobj)
            key.fileobj.close()
            if head[9:12] == b"200":
                begin(key.data)
            elif head[9:12] == b"429":
                due.append((time.monotonic() + 1, key.data))


def query_forever(plan, counts):
    """Sends expensive queries; if the plan waits for responses, it follows their markers."""
    address = Address(plan)
    connection, marker = address.connect(), None
    while True:
        body = dict(plan["body"], **({"continuationMarker": marker} if marker else {}))
        try:
            if not plan["waits"]:
                connection.request("POST", plan["path"], json.dumps(body))
                # The service begins the query before the connection is closed.
                time.sleep(0.05)
                connection.close()
                count(counts, "abandoned")
                continue
            status, response = address.post(connection, plan["path"], body)
            marker = response.get("continuationMarker") if status == 200 else None
            count(counts, f"{status} with marker" if marker else f"{status}")
            if status == 429:
                time.sleep(min(response.get("retryAfter", 1), 1))
        except (OSError, http.client.HTTPException):
            give_up(connection, counts)


def repeat_forever(plan, counts):
    """Sends the same request again and again."""
    address, body = Address(plan), json.dumps(plan["body"])
    connection = address.connect()
    while True:
        try:
            connection.request("POST", plan["path"], body, plan["headers"])
            response = connection.getresponse()
            response.read()
            count(counts, f"{response.status}")
            if response.status == 429:
                time.sleep(1)
        except (OSError, http.client.HTTPException):
            give_up(connection, counts)


ROLES = {
    "save": save_forever,
    "poll": poll_forever,
    "query": query_forever,
    "write": repeat_forever,
    "read": repeat_forever,
}
