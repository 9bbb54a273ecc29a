"""Fills a PostgreSQL database with the records of many accounts, by SQL alone."""

import concurrent.futures
import time

CONTAINER = "iCloud.org.example.notes"
OWNERS = 40  # that are asked for
# A mark of a zone's history. It can be any number, because marks are only compared.
MARK = "hashint8extended({owner} * 4 + {zone}, {number})"

# Each account has an owner with the default zone and a zone with a change feed. All records of that
# zone were saved in the owner's third transaction.
ACCOUNTS = """
INSERT INTO account (name, password, password_epoch, seed, created_at)
SELECT 'account-' || n, a.password, 1, decode(md5(n::text), 'hex'), a.created_at
FROM generate_series(1, {owners}) n, (SELECT * FROM account LIMIT 1) a;
INSERT INTO owner (container, environment, database, account, sequence)
SELECT '{container}', 'production', 'private', id, 3 FROM account
WHERE name LIKE 'account-%' ORDER BY id;
UPDATE owner SET mark = {database_mark} WHERE id IN ({filled});
INSERT INTO zone (owner_id, name, incarnation, sequence, changed, mark)
SELECT id, '_defaultZone', 1, 0, 1, {default_mark} FROM owner WHERE id IN ({filled}) UNION ALL
SELECT id, 'notes', 2, {each}, 3, {zone_mark} FROM owner WHERE id IN ({filled});
INSERT INTO history
SELECT id, zone, last, hashint8extended(id * 4 + zone, last), 1764000000000
FROM owner, (VALUES (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (2, {each})) AS h (zone, last)
WHERE id IN ({filled});
INSERT INTO usage SELECT id, account, 300 * {each}, {each} FROM owner WHERE id IN ({filled})
"""
FILLED = "SELECT o.id FROM owner o JOIN account a ON a.id = o.account WHERE a.name LIKE 'account-%'"

# With wal_level=minimal, rows that are inserted in the transaction that empties the table are not
# written to the log of changes.
RECORDS = """
TRUNCATE record;
INSERT INTO record
SELECT o.id, 2, 'note-' || to_char(n, 'FM000000'), 'Note', n + 1, 0, convert_to(
  '{{"editedAt":{{"type":"TIMESTAMP","value":' || 1764000000000 + n || '}},"kind":{{"type":'
  || '"STRING","value":"kind ' || n % 10 || '"}},"place":{{"type":"INT64","value":' || n || '}},'
  || '"text":{{"type":"STRING","value":"sáng chiều đọc lại một trang rồi ghi chép"}},"title":'
  || '{{"type":"STRING","value":"điều vừa học"}}}}', 'UTF8'),
  NULL, 300, 1764000000000, o.creator, 1764000000000, o.creator, NULL, NULL, o.mark, NULL, NULL
FROM (SELECT id, {zone_mark} AS mark, '_' || md5(id::text) AS creator FROM owner
  WHERE id IN ({filled}) ORDER BY id) o, generate_series(0, {each} - 1) n
"""
# The keys are those of IndexKey.swift: a byte for the kind of value, and bytes that sort like it.
ENTRIES = """
TRUNCATE entry;
INSERT INTO entry
SELECT o.id, 2, e.field, e.key, e.name
FROM ({filled} ORDER BY o.id) o, LATERAL (
  SELECT f.id AS field, n.name, CASE f.name
    WHEN '___recordID' THEN '\\x50' || convert_to(n.name, 'UTF8')
    WHEN 'kind' THEN '\\x30' || convert_to('kind ' || place % 10, 'UTF8')
    WHEN 'place' THEN '\\x10' || set_bit(float8send(place), 7, 1) || '\\x0000' END AS key
  FROM field f, (SELECT place, 'note-' || to_char(place, 'FM000000') AS name
    FROM generate_series(0, {each} - 1) place) n
  WHERE container = '{container}' AND environment = 'production' AND type = 'Note'
  AND f.name IN ('___recordID', 'kind', 'place')
  ORDER BY field, key) e
"""


def fill(database, owners, each):
    """Adds accounts with `each` records; returns the seconds that it took."""
    start = time.monotonic()

    def run(sql):
        marks = {
            f"{name}_mark": MARK.format(owner="id", zone=zone, number=number)
            for name, zone, number in (("database", 0, 3), ("default", 1, 0), ("zone", 2, each))
        }
        database.sql(
            sql.format(owners=owners, each=each, container=CONTAINER, filled=FILLED, **marks)
        )

    run(ACCOUNTS)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(run, (RECORDS, ENTRIES)))
    database.sql("ANALYZE")
    database.sql("CHECKPOINT")
    return time.monotonic() - start
