"""A client that changes records, and knows which changes the service has acknowledged."""

import random

from load import ACCOUNTS, CUSTOM, DEFAULT, TYPES, Client, field_values, tag_number

# The number of records of each writer.
FAVORITES, NOTES = 14, 10
# A change tag that no record has.
STALE = "zzzz"


class Writer(Client):
    """Changes its own records of an account, and the counter if the account has two writers."""

    def __init__(self, account, number, seed, faults, acknowledge):
        """`acknowledge` is called with the writer and how many changes were acknowledged."""
        super().__init__(account, faults)
        self.number, self.acknowledge = number, acknowledge
        self.random = random.Random(f"{seed} {number}")
        self.request_number = 0
        self.names = [f"favorite-{number}-{i}" for i in range(FAVORITES)] + [
            f"note-{number}-{i}" for i in range(NOTES)
        ]
        # The expected records: the change tag and the fields, by zone and name.
        self.expected = {}
        # A request without a response: its zone, and the expected fields of each record.
        self.unanswered = None
        self.has_second_writer = ACCOUNTS.count(account.name) > 1
        self.requests = self.carried_out_count = self.lost_count = 0

    def begin(self):
        if self.unanswered:
            self.wait_for_transactions()
            self.check_records([self.unanswered[0]])

    def wait_for_transactions(self):
        """Waits until a request without a response is carried out or never will be.

        PostgreSQL can commit a transaction after the server that began it was killed, but not after
        a later transaction of the same owner.
        """
        operation = {
            "operationType": "update",
            "record": {"recordName": "absent", "recordChangeTag": STALE, "fields": {}},
        }
        self.call("records/modify", {"operations": [operation]})

    # Checks

    def check_records(self, zones=(DEFAULT, CUSTOM)):
        """Looks up all records.

        Each must be as acknowledged, or as the request without a response made it.
        """
        for zone in zones:
            response = self.call(
                "records/lookup",
                {
                    "zoneID": {"zoneName": zone},
                    "records": [{"recordName": name} for name in self.names],
                },
            )
            attempted = self.unanswered[1] if self.unanswered and self.unanswered[0] == zone else {}
            carried_out = set()
            for name, record in zip(self.names, response["records"]):
                if self.is_carried_out(zone, name, record, attempted):
                    carried_out.add(name)
            if attempted:
                if zone == CUSTOM and 0 < len(carried_out) < len(attempted):
                    self.faults.add(
                        f"an atomic request was carried out in part: "
                        f"{sorted(carried_out)} of {sorted(attempted)}"
                    )
                if carried_out:
                    self.carried_out_count += 1
                else:
                    self.lost_count += 1
            if self.unanswered and self.unanswered[0] == zone:
                self.unanswered = None

    def is_carried_out(self, zone, name, record, attempted):
        """Whether a record is as the request without a response made it."""
        label = f"{self.account.name} {zone} {name}"
        if "serverErrorCode" in record:
            if record["serverErrorCode"] != "NOT_FOUND":
                self.faults.add(f"{label}: {record}")
            found = None
        else:
            found = (record["recordChangeTag"], field_values(record))
        expected = self.expected.get((zone, name))
        if found == expected:
            return False
        if name in attempted:
            attempted_fields = attempted[name]
            if found is None and attempted_fields is None:
                del self.expected[zone, name]
                return True
            if found and found[1] == attempted_fields:
                if expected and tag_number(found[0]) <= tag_number(expected[0]):
                    self.faults.add(f"{label}: {found[0]} is no newer tag than {expected[0]}")
                self.expected[zone, name] = found
                return True
        self.faults.add(
            f"{label} is {found}, acknowledged was {expected}, attempted {attempted.get(name)}"
        )
        if found:
            self.expected[zone, name] = found
        else:
            self.expected.pop((zone, name), None)
        return False

    # Changes

    def work(self):
        if self.has_second_writer and self.random.random() < 0.15:
            self.increment_counter()
            return
        zone = CUSTOM if self.random.random() < 0.5 else DEFAULT
        names = self.random.sample(self.names, self.random.randint(1, 6))
        self.request_number += 1
        operations, attempted = [], {}
        for name in names:
            operation, fields = self.random_operation(zone, name)
            operations.append(operation)
            attempted[name] = fields
        invalid_index = None
        if self.random.random() < 0.1:
            invalid_index = self.random.randrange(len(names))
            operations[invalid_index] = {
                "operationType": "update",
                "record": {
                    "recordName": names[invalid_index],
                    "recordChangeTag": STALE,
                    "fields": {},
                },
            }
            if zone == CUSTOM:
                attempted = {}
            else:
                del attempted[names[invalid_index]]
        self.unanswered = (zone, attempted)
        self.requests += 1
        response = self.call(
            "records/modify", {"zoneID": {"zoneName": zone}, "operations": operations}
        )
        self.unanswered = None
        results = response["records"]
        if len(results) != len(names):
            raise ValueError(f"{len(results)} results of {len(names)} operations")
        for index, (name, result) in enumerate(zip(names, results)):
            self.store_result(
                zone, name, result, attempted, index == invalid_index, invalid_index is not None
            )
        if attempted:
            self.acknowledge(self, len(attempted))
            self.account.count_change()

    def store_result(self, zone, name, result, attempted, is_invalid, is_refused):
        """Checks and stores the result of an operation."""
        code = result.get("serverErrorCode")
        if is_refused and name not in attempted:
            exists = (zone, name) in self.expected
            expected_code = (
                ("CONFLICT" if exists else "NOT_FOUND") if is_invalid else "ATOMIC_ERROR"
            )
            if code != expected_code:
                self.faults.add(f"{zone} {name}: {result} instead of {expected_code}")
        elif code:
            self.faults.add(f"{zone} {name} was refused: {result}")
        elif result.get("deleted"):
            self.expected.pop((zone, name), None)
        else:
            expected = self.expected.get((zone, name))
            tag = result["recordChangeTag"]
            if field_values(result) != attempted[name]:
                self.faults.add(
                    f"{zone} {name}: the response has {field_values(result)} "
                    f"instead of {attempted[name]}"
                )
            if expected and tag_number(tag) <= tag_number(expected[0]):
                self.faults.add(f"{zone} {name}: {tag} is no newer tag than {expected[0]}")
            self.expected[zone, name] = (tag, attempted[name])

    def random_operation(self, zone, name):
        """A random operation, and the fields of the record afterwards; None for a deletion."""
        expected = self.expected.get((zone, name))
        record = {"recordName": name}
        if expected is None:
            kind = self.random.choice(("create", "create", "forceUpdate", "forceReplace"))
            fields = self.fields(name)
            change = fields
        else:
            kind = self.random.choice(
                (
                    "update",
                    "update",
                    "replace",
                    "forceUpdate",
                    "forceReplace",
                    "delete",
                    "forceDelete",
                )
            )
            record["recordChangeTag"] = expected[0]
            if kind in ("delete", "forceDelete"):
                return {"operationType": kind, "record": record}, None
            fields = self.fields(name)
            change = fields
            if kind in ("update", "forceUpdate"):
                keys = {"favoritedAt", "noteText", "modifiedAt"}
                change = {key: value for key, value in fields.items() if key in keys}
                fields = expected[1] | change
        if kind.startswith("force"):
            record.pop("recordChangeTag", None)
        record["recordType"] = TYPES[name.startswith("note")]
        record["fields"] = {key: {"value": value} for key, value in change.items()}
        return {"operationType": kind, "record": record}, fields

    def fields(self, name):
        surah, ayah = self.random.randint(1, 114), self.random.randint(1, 200)
        timestamp = 1_700_000_000_000 + self.number * 10_000_000 + self.request_number
        fields = {
            "ayahID": f"{surah}:{ayah}",
            "surahNumber": surah,
            "ayahNumber": ayah,
            "ownerRecordName": self.account.user,
        }
        if name.startswith("note"):
            text = "ghi chú " * self.random.choice((1, 5, 300))
            fields |= {
                "noteText": f"{self.request_number} {text}",
                "createdAt": timestamp,
                "modifiedAt": timestamp,
            }
        else:
            fields["favoritedAt"] = timestamp
        return fields

    def increment_counter(self):
        """Increments the counter, which another writer increments, too."""
        zone_id = {"zoneID": {"zoneName": DEFAULT}}
        record = self.call("records/lookup", zone_id | {"records": [{"recordName": "counter"}]})[
            "records"
        ][0]
        with self.account.lock:
            self.account.uncertain_increments += 1
        result = self.call(
            "records/modify",
            zone_id
            | {
                "operations": [
                    {
                        "operationType": "update",
                        "record": {
                            "recordName": "counter",
                            "recordChangeTag": record["recordChangeTag"],
                            "fields": {
                                "ayahNumber": {"value": record["fields"]["ayahNumber"]["value"] + 1}
                            },
                        },
                    }
                ]
            },
        )["records"][0]
        code = result.get("serverErrorCode")
        with self.account.lock:
            self.account.uncertain_increments -= 1
            if code is None:
                self.account.acknowledged_increments += 1
        if code is None:
            self.acknowledge(self, 1)
            self.account.count_change()
        elif code != "CONFLICT":
            self.faults.add(f"counter: {result}")
