"""Compares the sources with ARCHITECTURE.md and with the rules on names, keys and escapes.

python3 architecture.py ROOT
"""

import json
import os
import pathlib
import re
import subprocess
import sys

IMPORT = re.compile(r"^(?:public |package |@testable )*import (\S+)", re.MULTILINE)
ROW = re.compile(r"^\| `([\w-]+)` \| [^|]* \| ([^|]*) \|$", re.MULTILINE)
# A file of the sources, and functions in it.
STEP = re.compile(r"`(Sources/[^`]+\.swift)`:\s+`(\w+)`")
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)")

# Names that say nothing to somebody who has not been told what they mean.
PRIVATE_NAMES = [
    "Belongings",
    "Courier",
    "Desk",
    "Graft",
    "Handover",
    "Returns",
    "Shelf",
    "Shipment",
    "Tally",
    "Teller",
    "Whereabouts",
]
# Sentences are made above everything whose facts they word.
ABOVE_MESSAGES = {"Reader", "Commands", "quran-vi", "record-service"}
# What the reader compiles of others.
READER_PRODUCTS = {"ArgumentParser", "FlyingSocks", "GRDB", "TOMLKit"}
# Which key does what is decided by the key table alone.
KEY_DECISION = re.compile(
    r"\bkey\.code\b|\bkey (?:==|!=) |\.character\(|\bKey\(\.|\.control\(\"|case \.key\(\.(?!init)"
)
ESCAPE = re.compile(r"\\u\{0*(?:1[bB]|9[bB])\}|\\e\[|\\x1[bB]|\\033")
# The server's sentences are made in one folder. Three words in a row are one, unless they are SQL.
SERVER = ("Sources/RecordServer", "Sources/record-service")
LITERAL = re.compile(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]+ [a-z]+|[A-Za-z]{2,} [a-z]+[.:]")
SQL = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|FROM|JOIN|ORDER BY|EXISTS)\b|\.\w+ [<>=]"
)
# Input of cryptographic functions, which must not change.
LABELS = {
    "record-service asset receipts",
    "record-service encrypted fields",
    "courier of session \\(session) at \\(now)",
    "user record name\\u{0}\\(container.name)",
}
# What swift format allows a line of code; it leaves comments as they are.
COLUMNS = 100
DOCUMENT = re.compile(r"\b[\w-]+\.md\b")


def modules(text):
    """What each module may import of this package."""
    return {
        name: set() if imports == "nothing" else set(imports.split())
        for name, imports in ROW.findall(text)
    }


def swift_files(root, folder):
    return sorted((root / folder).rglob("*.swift"))


def read(path):
    return path.read_text(encoding="utf-8")


def comments(text):
    return [line.strip() for line in text.splitlines() if line.strip().startswith("//")]


def code(text):
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("//"))


def import_faults(root, drawn):
    there = {path.name for path in (root / "Sources").iterdir() if path.is_dir()}
    for name in sorted(there ^ drawn.keys()):
        place = "Sources" if name in drawn else "ARCHITECTURE.md"
        yield f"the module {name} is missing in {place}"
    for name, allowed in drawn.items():
        if "Messages" in allowed and name not in ABOVE_MESSAGES:
            yield f"ARCHITECTURE.md lets {name} import Messages, which stands above it"
        for path in swift_files(root, f"Sources/{name}"):
            for imported in IMPORT.findall(read(path)):
                where = path.relative_to(root)
                if imported in drawn and imported not in allowed:
                    yield f"{where} imports {imported}, which {name} may not"
                if imported == "FoundationNetworking":
                    yield f"{where} imports FoundationNetworking; HTTP goes through libcurl"
                if imported == "Messages" and name not in ABOVE_MESSAGES:
                    yield f"{where} imports Messages, which stands above {name}"


def walk_faults(root, text):
    steps = STEP.findall(text)
    if len(steps) < 20:
        yield "the walks of ARCHITECTURE.md are not understood"
    for name, function in steps:
        path = root / name
        if not path.is_file():
            yield f"ARCHITECTURE.md names {name}, which is not there"
        elif not re.search(rf"func {function}\b", read(path)):
            yield f"ARCHITECTURE.md names {function} in {name}, which has no such function"


def name_faults(root):
    for path in swift_files(root, "Sources"):
        for name in TYPE.findall(code(read(path))):
            for private in PRIVATE_NAMES:
                if re.search(rf"{private}(?![a-z])", name):
                    yield f"{path.relative_to(root)} declares {name}: {private} is no term"


def key_faults(root):
    for path in swift_files(root, "Sources/Reader"):
        if path.parent.name == "Keys":
            continue
        for line in code(read(path)).splitlines():
            if KEY_DECISION.search(line):
                yield f"{path.relative_to(root)} handles a key outside Keys: {line.strip()}"


def escape_faults(root):
    for path in swift_files(root, "Sources"):
        module = path.relative_to(root).parts[1]
        if module not in ("Terminal", "Text") and ESCAPE.search(code(read(path))):
            yield f"{path.relative_to(root)} has an escape sequence, which is Terminal's"


def sentence_faults(root):
    for folder in SERVER:
        for path in swift_files(root, folder):
            if "Messages" in path.parts:
                continue
            text = code(read(path))
            for match in LITERAL.finditer(text):
                words = match[1] or match[2] or ""
                line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
                if words in LABELS or "precondition" in line or SQL.search(words):
                    continue
                if SENTENCE.search(words):
                    yield f"{path.relative_to(root)} has a sentence outside Messages: {words}"
            if re.search(r"\\\(error\)", text):
                yield f"{path.relative_to(root)} shows an error without making a sentence of it"


def comment_faults(root):
    """Comments are as wide as code, and refer only to documents that are there."""
    there = {path.name for path in root.rglob("*.md") if ".build" not in str(path)}
    for folder in ("Sources", "Tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".swift", ".py", ".c", ".h"):
                continue
            text = read(path)
            for number, line in enumerate(text.splitlines(), 1):
                if line.strip().startswith("//") and len(line) > COLUMNS:
                    yield f"{path.relative_to(root)}:{number} is wider than {COLUMNS} columns"
            for name in sorted(set(DOCUMENT.findall("\n".join(comments(text))))):
                if name not in there:
                    yield f"{path.relative_to(root)} refers to {name}, which is not there"


def manifest_faults(root, drawn):
    """The manifest's dependencies are the drawing's, and the reader needs no others."""
    environment = {**os.environ, "READER_ONLY": "1"}
    command = ["swift", "package", "--package-path", str(root), "dump-package"]
    output = subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout
    products = set()
    for target in json.loads(output)["targets"]:
        for dependency in target["dependencies"]:
            if "product" in dependency:
                products.add(dependency["product"][0])
                continue
            [(name, *_)] = dependency.values()
            if target["name"] in drawn and name not in drawn[target["name"]]:
                yield f"Package.swift gives {target['name']} the dependency {name}"
    for name in sorted(products ^ READER_PRODUCTS):
        yield f"the reader's products are not those agreed: {name}"


def faults(root):
    text = read(root / "ARCHITECTURE.md")
    drawn = modules(text)
    yield from import_faults(root, drawn)
    yield from walk_faults(root, text)
    yield from name_faults(root)
    yield from key_faults(root)
    yield from escape_faults(root)
    yield from sentence_faults(root)
    yield from comment_faults(root)
    yield from manifest_faults(root, drawn)


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
