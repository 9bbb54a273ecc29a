"""The common parts of clients that write to a service while it is killed.

writer.py and follower.py have the clients. kill.py and outages.py decide when they work and what is
killed meanwhile.
"""

import argparse
import http.client
import threading

import service

DEFAULT, CUSTOM = "_defaultZone", "Notebook"
TYPES = ("FavoriteAyah", "AyahNote")
# The account of each writer; two accounts have two writers each.
ACCOUNTS = ("a", "b", "c", "d", "e", "e", "f", "f")


def tag_number(tag):
    return int(tag.split("-")[0], 36)


def field_values(record):
    return {name: field["value"] for name, field in record["fields"].items()}


def kill_options(doc, seed):
    """The options of a script that kills servers. `seed` is the default one."""
    options = argparse.ArgumentParser(description=doc.splitlines()[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--every", type=int, default=20, help="number of kills between checks")
    options.add_argument(
        "--longest", type=float, default=0.25, help="maximum number of seconds before a kill"
    )
    options.add_argument(
        "--seed",
        type=service.parse_seed,
        default=seed,
        help="a number, or `random` for a new one",
    )
    return options


class Faults:
    """Collects faults, and prints the first ones."""

    def __init__(self):
        self.found = []
        self.lock = threading.Lock()

    def add(self, text):
        with self.lock:
            self.found.append(text)
            if len(self.found) <= 20:
                print("FAULT:", text, flush=True)


class Account:
    def __init__(self, name, token, user):
        self.name, self.token, self.user = name, token, user
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        # The number of increments of the counter: acknowledged ones, and ones without a response.
        self.acknowledged_increments = self.uncertain_increments = 0
        # The number of changes so far, for the clients that wait for one.
        self.changes = 0

    def count_change(self):
        with self.lock:
            self.changes += 1
            self.changed.notify_all()


class Refusal(Exception):
    """A response other than a success."""

    def __init__(self, route, status, response):
        super().__init__(f"{route}: {status} {response}")
        self.status, self.response = status, response


class Connection:
    """A connection to a server."""

    def __init__(self, server):
        self.server = server
        self.http = http.client.HTTPConnection(server.host, server.port, timeout=30)

    def call(self, route, body, token):
        status, response = self.server.call(route, body, token=token, connection=self.http)
        if status != 200:
            raise Refusal(route, status, response)
        return response

    def close(self):
        self.http.close()


class Client:
    """A user of an account. `connection` is the current connection."""

    def __init__(self, account, faults):
        self.account, self.faults = account, faults
        self.connection = None

    def call(self, route, body):
        return self.connection.call(route, body, self.account.token)

    def begin(self):
        """Finds out whether a request without a response was carried out."""

    def work(self):
        """Sends some requests."""
        raise NotImplementedError


def add_accounts(server):
    """Adds the accounts, with a custom zone and a counter each."""
    accounts = {}
    for name in sorted(set(ACCOUNTS)):
        token = server.add_user(name)
        user = server.call("users/caller", token=token, method="GET")[1]["userRecordName"]
        accounts[name] = Account(name, token, user)
        zone = {"zoneID": {"zoneName": CUSTOM}}
        server.call(
            "zones/modify", {"operations": [{"operationType": "create", "zone": zone}]}, token
        )
        counter = {
            "recordName": "counter",
            "recordType": "AyahNote",
            "fields": {"ayahNumber": {"value": 0}, "ownerRecordName": {"value": user}},
        }
        server.save(token, counter, operation="create")
    return accounts
