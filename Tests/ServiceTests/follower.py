"""A client that follows the change feeds of an account, and compares them with other requests."""

import random

from load import CUSTOM, DEFAULT, TYPES, Client, field_values, tag_number


class Feed:
    """The token and the records that were read from the change feed of a zone."""

    def __init__(self):
        self.token, self.last_number = None, -1
        # The change tag, the type and the fields of each record, by name.
        self.records = {}


class FeedFollower(Client):
    """Follows the change feeds of an account with its tokens, through all kills."""

    def __init__(self, account, seed, faults):
        super().__init__(account, faults)
        self.random = random.Random(f"{seed} {account.name}")
        self.feeds = {DEFAULT: Feed(), CUSTOM: Feed()}
        self.pages = 0

    def work(self):
        with self.account.lock:
            before = self.account.changes
        self.catch_up()
        with self.account.lock:
            self.account.changed.wait_for(lambda: self.account.changes != before, timeout=0.1)

    def catch_up(self):
        for zone, feed in self.feeds.items():
            while self.read_page(zone, feed):
                pass

    def read_page(self, zone, feed):
        """Reads the next page; returns whether there are more."""
        zone_request = {
            "zoneID": {"zoneName": zone},
            "resultsLimit": self.random.choice((1, 7, 50, 200)),
        }
        if feed.token:
            zone_request["syncToken"] = feed.token
        page = self.call("changes/zone", {"zones": [zone_request]})["zones"][0]
        if "serverErrorCode" in page:
            raise AssertionError(f"feed of {zone}: {page}")
        for record in page["records"]:
            name, tag = record["recordName"], record["recordChangeTag"]
            # Every change has a number of its own, in the order of the feed. A record that is read
            # after one with a greater number has been missing before.
            if tag_number(tag) <= feed.last_number:
                self.faults.add(f"the feed of {zone} has {name}, {tag}, after {feed.last_number}")
            feed.last_number = tag_number(tag)
            if record.get("deleted"):
                feed.records.pop(name, None)
            else:
                feed.records[name] = (
                    tag,
                    record["recordType"],
                    field_values(record),
                )
        feed.token = page["syncToken"]
        self.pages += 1
        return page["moreComing"]

    def check(self, writers):
        """Compares the followed records with a listing, with queries and with the writers."""
        self.catch_up()
        for zone, followed in self.feeds.items():
            feed = Feed()
            while self.read_page(zone, feed):
                pass
            listed = feed.records
            self.compare(f"{zone}: followed and listed", followed.records, listed)
            for record_type in TYPES:
                self.compare(
                    f"{zone} {record_type}: queried and listed",
                    self.query(zone, record_type),
                    {name: record for name, record in listed.items() if record[1] == record_type},
                )
            expected = {
                name: expected_record
                for writer in writers
                for (entry_zone, name), expected_record in writer.expected.items()
                if entry_zone == zone
            }
            own_records = {
                name: (record[0], record[2]) for name, record in listed.items() if name != "counter"
            }
            self.compare(f"{zone}: acknowledged and listed", expected, own_records)
        counter = self.feeds[DEFAULT].records.get("counter")
        with self.account.lock:
            minimum, maximum = (
                self.account.acknowledged_increments,
                self.account.acknowledged_increments + self.account.uncertain_increments,
            )
        if counter is None or not minimum <= counter[2]["ayahNumber"] <= maximum:
            self.faults.add(
                f"{self.account.name}: the counter {counter} is not between {minimum} and {maximum}"
            )

    def query(self, zone, record_type):
        found, marker = {}, None
        while True:
            body = {
                "zoneID": {"zoneName": zone},
                "resultsLimit": self.random.choice((5, 200)),
                "query": {
                    "recordType": record_type,
                    "filterBy": [
                        {
                            "fieldName": "ownerRecordName",
                            "comparator": "EQUALS",
                            "fieldValue": {"value": self.account.user},
                        }
                    ],
                },
            }
            if marker:
                body["continuationMarker"] = marker
            response = self.call("records/query", body)
            for record in response["records"]:
                if record["recordName"] in found:
                    self.faults.add(f"queried twice: {record['recordName']}")
                found[record["recordName"]] = (
                    record["recordChangeTag"],
                    record["recordType"],
                    field_values(record),
                )
            marker = response.get("continuationMarker")
            if marker is None:
                return found

    def compare(self, description, first, second):
        if first != second:
            different = sorted(
                name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
            )
            self.faults.add(
                f"{self.account.name} {description} differ in {len(different)} records, "
                f"the first is {different[0]}: "
                f"{first.get(different[0])} / {second.get(different[0])}"
            )
