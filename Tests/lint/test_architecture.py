"""Each rule of architecture.py finds a bad example of what it forbids.

python3 test_architecture.py
"""

import pathlib
import tempfile
import unittest

import architecture

DRAWING = """
| module | what it is | imports |
|---|---|---|
| `Quran` | the book | nothing |
| `Library` | the reader's data | Quran |
| `Messages` | sentences | Quran Library |
| `Reader` | the screens | Quran Library Messages |
"""


class RuleTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        for module in ("Quran", "Library", "Messages", "Reader"):
            text = "struct Good {}\n" if module == "Quran" else "import Quran\n\nstruct Good {}\n"
            self.write(f"Sources/{module}/Good.swift", text)
        self.write("Tests/GoodTests/GoodTests.swift", "import Quran\n")
        self.write("ARCHITECTURE.md", DRAWING)
        self.assertEqual(self.faults(), [], "the good example is found fault with")

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def faults(self):
        drawn = architecture.modules((self.root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
        return [
            *architecture.import_faults(self.root, drawn),
            *architecture.name_faults(self.root),
            *architecture.key_faults(self.root),
            *architecture.escape_faults(self.root),
            *architecture.sentence_faults(self.root),
            *architecture.comment_faults(self.root),
        ]

    def finds(self, text):
        found = self.faults()
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_an_import_that_is_not_drawn(self):
        self.write("Sources/Quran/Bad.swift", "public import Library\n")
        self.finds("Bad.swift imports Library, which Quran may not")

    def test_a_module_that_is_not_drawn(self):
        self.write("Sources/Stray/Stray.swift", "struct Stray {}\n")
        self.finds("the module Stray is missing in ARCHITECTURE.md")

    def test_a_module_that_is_not_there(self):
        self.write("ARCHITECTURE.md", DRAWING + "| `Gone` | nothing at all | nothing |\n")
        self.finds("the module Gone is missing in Sources")

    def test_messages_below(self):
        self.write("Sources/Library/Bad.swift", "import Messages\n")
        self.assertIn(
            "Sources/Library/Bad.swift imports Messages, which stands above Library", self.faults()
        )

    def test_a_drawing_that_lets_messages_below(self):
        drawing = DRAWING.replace("data | Quran |", "data | Quran Messages |")
        self.write("ARCHITECTURE.md", drawing)
        self.finds("lets Library import Messages")

    def test_foundation_networking(self):
        self.write("Sources/Library/Bad.swift", "import FoundationNetworking\n")
        self.finds("imports FoundationNetworking")

    def test_private_names(self):
        for name in architecture.PRIVATE_NAMES:
            for declaration in (f"struct {name} {{}}", f"final class Note{name} {{}}"):
                with self.subTest(declaration):
                    self.write("Sources/Library/Bad.swift", declaration + "\n")
                    self.finds(f"{name} is no term")

    def test_a_key_outside_the_table(self):
        for line in (
            "switch key.code {",
            'if key == "y" { return }',
            "case (.character(let typed), []):",
            "let hint = Key(.escape)",
            'events.contains(.key(.control("c")))',
        ):
            with self.subTest(line):
                self.write("Sources/Reader/Lists/Bad.swift", line + "\n")
                self.finds("handles a key outside Keys")
                self.write("Sources/Reader/Lists/Bad.swift", "")
                self.write("Sources/Reader/Keys/KeyTable.swift", line + "\n")
                self.assertEqual(self.faults(), [])

    def test_an_escape_sequence(self):
        for escape in (r"\u{1B}[1m", r"\u{001b}]52;c;", r"\u{9B}0m", r"\033[0m", r"\x1b[m"):
            with self.subTest(escape):
                self.write("Sources/Reader/Bad.swift", f'let text = "{escape}"\n')
                self.finds("has an escape sequence")

    def test_a_sentence_of_the_server(self):
        for line in (
            'throw Failure("the disk is full")',
            'print("""\n  All is well.\n  """)',
            'log("failed: \\(error)")',
        ):
            with self.subTest(line):
                self.write("Sources/RecordServer/Storage/Bad.swift", line + "\n")
                self.write("Sources/RecordServer/Messages/Good.swift", line + "\n")
                self.write("ARCHITECTURE.md", DRAWING + "| `RecordServer` | a server | nothing |\n")
                self.finds("RecordServer/Storage/Bad.swift")
        for line in ('"SELECT a FROM b"', '"a_label"', "// the disk is full"):
            self.write("Sources/RecordServer/Storage/Bad.swift", line + "\n")
            self.assertEqual(self.faults(), [])

    def test_a_document_that_is_not_there(self):
        self.write("Sources/Library/Bad.swift", "/// As design.md says.\n")
        self.finds("refers to design.md")
        self.write("Resources/design.md", "# Design\n")
        self.assertEqual(self.faults(), [])

    def test_a_wide_comment(self):
        self.write("Sources/Library/Bad.swift", "/// " + "a" * 96 + "\n")
        self.assertEqual(self.faults(), [])
        self.write("Sources/Library/Bad.swift", "\n/// " + "a" * 97 + "\n")
        self.finds("Bad.swift:2 is wider than 100 columns")

    def test_walks(self):
        good = "`Sources/Quran/Good.swift`: `run`\n"
        self.write("Sources/Quran/Good.swift", "func run() {}\n")
        self.assertEqual(list(architecture.walk_faults(self.root, good * 20)), [])
        for bad, fault in (
            ("`Sources/Quran/Gone.swift`: `run`\n", "Gone.swift, which is not there"),
            ("`Sources/Quran/Good.swift`: `walk`\n", "which has no such function"),
        ):
            self.assertIn(fault, "".join(architecture.walk_faults(self.root, good * 20 + bad)))
        self.assertIn("not understood", "".join(architecture.walk_faults(self.root, good)))


if __name__ == "__main__":
    unittest.main()
