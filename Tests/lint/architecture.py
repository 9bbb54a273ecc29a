"""Compares the sources with ARCHITECTURE.md: the imports of each module, its walks, and who writes
control sequences of terminals.

python3 architecture.py ROOT
"""

import pathlib
import re
import sys

IMPORT = re.compile(r"^(?:public |package |@testable )*import (\S+)", re.MULTILINE)
ROW = re.compile(r"^\| `([\w-]+)` \| [^|]* \| ([^|]*) \|$", re.MULTILINE)
# The escape character, written as Swift and C write it.
ESCAPE = re.compile(r"\\u\{0*1[Bb]\}|\\x1[Bb]|\\033|\\e\[|\x1b")
# A file of the sources, and functions in it.
STEP = re.compile(r"`(Sources/[^`]+\.swift)`:\s+`(\w+)`")


def modules(text):
    """What each module may import of this package."""
    return {
        name: set() if imports == "nothing" else set(imports.split())
        for name, imports in ROW.findall(text)
    }


def faults(root):
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = modules(text)
    there = {path.name for path in (root / "Sources").iterdir() if path.is_dir()}
    for name in sorted(there ^ drawn.keys()):
        place = "Sources" if name in drawn else "ARCHITECTURE.md"
        yield f"the module {name} is missing in {place}"
    for name, allowed in drawn.items():
        for path in sorted((root / "Sources" / name).rglob("*.swift")):
            for imported in IMPORT.findall(path.read_text(encoding="utf-8")):
                if imported in drawn and imported not in allowed:
                    yield f"{path.relative_to(root)} imports {imported}, which {name} may not"
    for path in sorted((root / "Sources").rglob("*.[chs]*")):
        if path.parts[len(root.parts) + 1] not in ("Terminal", "CCurses") and ESCAPE.search(
            path.read_text(encoding="utf-8")
        ):
            yield f"{path.relative_to(root)} has an escape character: only Terminal may write one"
    steps = STEP.findall(text)
    if len(steps) < 20:
        yield "the walks of ARCHITECTURE.md are not understood"
    for name, function in steps:
        path = root / name
        if not path.is_file():
            yield f"ARCHITECTURE.md names {name}, which is not there"
        elif not re.search(rf"func {function}\b", path.read_text(encoding="utf-8")):
            yield f"ARCHITECTURE.md names {function} in {name}, which has no such function"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
