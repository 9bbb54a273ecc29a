"""The programs that are measured: the reader and its peers, each with its own data."""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from xml.sax.saxutils import escape

TEXT = pathlib.Path(__file__).resolve().parent.parent / "Resources/quran/vi.quranvi.txt"
DOWN, UP, SPACE, PAGE_UP, PAGE_DOWN, HALF_UP, HALF_DOWN, HOME, END = (
    b"j",
    b"k",
    b" ",
    b"\x1b[5~",
    b"\x1b[6~",
    b"\x15",
    b"\x04",
    b"\x1b[H",
    b"G",
)
LINES = [DOWN] * 14 + [UP] * 6


@dataclasses.dataclass
class Program:
    name: str
    argv: list  # opens a text
    markers: list  # what stands on the complete first screen
    version: str = ""
    home_screen: tuple = None  # argv and markers of another first screen
    quiet: float = 0.25  # seconds without a byte after which it has started
    before_keys: list = dataclasses.field(default_factory=list)  # lead to reading
    keys: list = dataclasses.field(default_factory=list)  # of one session
    page_key: bytes = None  # the one among them that turns a page
    search_key: bytes = None  # opens a search that answers while one types
    queries: list = dataclasses.field(default_factory=list)
    home: pathlib.Path = None
    missing: str = None  # why it cannot be measured

    def environment(self, scratch):
        """The environment of a run, with a new copy of the prepared home."""
        home = scratch / "home"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.home, home)
        folders = {
            "CONFIG": ".config",
            "DATA": ".local/share",
            "STATE": ".local/state",
            "CACHE": ".cache",
        }
        return {
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            **{f"XDG_{name}_HOME": f"{home}/{folder}" for name, folder in folders.items()},
        }


def all_programs(binary, scratch):
    """All programs, each with its own home. `missing` has the reason if one cannot be prepared."""
    programs = [quran_vi(binary)]
    for name, make in {"less": less, "ncdu": ncdu, "bible-tui": bible_tui, "epy": epy}.items():
        try:
            programs.append(make(scratch))
        except Exception as error:  # whatever one lacks, the others are measured
            programs.append(Program(name, [], [], missing=f"not installed ({error})"))
    for program in programs:
        program.home = scratch / program.name
        (program.home / ".config").mkdir(parents=True, exist_ok=True)
    return programs


def quran_vi(binary):
    pages = [SPACE] * 8 + [PAGE_UP] * 4 + [HALF_DOWN] * 4 + [HALF_UP] * 2 + [PAGE_DOWN] * 2
    return Program(
        "quran-vi",
        [binary, "2:1"],
        ["Al-Baqarah", "Alif. Lam. Mim."],
        home_screen=([binary], ["Al-Fatihah", "Mở Đầu"]),
        quiet=0.5,
        keys=(LINES + pages) * 3,
        page_key=SPACE,
        search_key=b"/",
        queries=["khoan dung", "dang rat muc", "dâng", "nhan tu"],
    )


def less(scratch):
    return Program(
        "less",
        [shutil.which("less"), str(TEXT)],
        ["1|1|Nhân danh Allah", TEXT.name],
        version=version_of("less", "--version"),
        keys=(LINES + [SPACE] * 8 + [PAGE_UP] * 4) * 3,
        page_key=SPACE,
    )


def ncdu(scratch):
    """Opens a directory with as many files as the book has surahs."""
    directory = scratch / "directory"
    for number in range(114):
        file = directory / f"part-{number // 5:02}" / f"file-{number:03}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * (number + 1) * 100)
    return Program(
        "ncdu",
        [shutil.which("ncdu"), str(directory)],
        ["Total disk usage", "/part-22"],
        version=version_of("ncdu", "-v"),
        keys=LINES * 3,
    )


def bible_tui(scratch):
    """Opens the first version that is bundled with it; its update check is off."""
    settings = scratch / "bible-tui/.config/bible-tui/config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"check_for_updates": False}))
    return Program(
        "bible-tui",
        [installed("bible-tui")],
        ["Bible TUI", "Genesis 1", "In the beginning"],
        version=metadata.version("bible-tui"),
        quiet=0.6,
        before_keys=[b"l", b"l"],
        keys=(LINES + [PAGE_DOWN] * 4 + [PAGE_UP] * 4) * 2,
        page_key=PAGE_DOWN,
        search_key=b"\x13",
        queries=["light", "mercy"],
    )


def epy(scratch):
    """Opens the bundled text as a book of 114 chapters, and reads in the second."""
    book = scratch / "quran.epub"
    write_epub(book)
    return Program(
        "epy",
        [installed("epy"), str(book)],
        ["Nhân danh Allah", "lầm lạc."],
        version=metadata.version("epy-reader"),
        quiet=0.6,
        before_keys=[b"L"],
        keys=LINES + [SPACE] * 8 + [PAGE_UP] * 4,
        page_key=SPACE,
    )


def installed(command):
    """The path of a command in the Python environment of this script."""
    path = pathlib.Path(sys.executable).parent / command
    if not path.exists():
        raise FileNotFoundError(f"no {command}")
    return str(path)


def version_of(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[1]


def write_epub(path):
    chapters = {}
    for line in TEXT.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            surah, ayah, text = line.split("|", 2)
            chapters.setdefault(surah, []).append(f"<p>{ayah} {escape(text)}</p>")
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        "<body>{}</body></html>"
    )
    item = '<item id="c{0}" href="{0}.xhtml" media-type="application/xhtml+xml" {1}/>'.format
    items = "".join(item(surah, "") for surah in chapters) + item("toc", 'properties="nav"')
    spine = "".join(f'<itemref idref="c{surah}"/>' for surah in chapters)
    links = "".join(f'<li><a href="{surah}.xhtml">{surah}</a></li>' for surah in chapters)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr(
            "META-INF/container.xml",
            (
                '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
                '<rootfiles><rootfile full-path="book.opf" '
                'media-type="application/oebps-package+xml"/>'
                "</rootfiles></container>"
            ),
        )
        book.writestr(
            "book.opf",
            (
                '<package version="3.0" unique-identifier="id" '
                'xmlns="http://www.idpf.org/2007/opf" '
                'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:identifier id="id">quran'
                "</dc:identifier><dc:title>Quran</dc:title><dc:language>vi</dc:language></metadata>"
                f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
            ),
        )
        book.writestr("toc.xhtml", page.format(f'<nav epub:type="toc"><ol>{links}</ol></nav>'))
        for surah, ayahs in chapters.items():
            book.writestr(f"{surah}.xhtml", page.format("".join(ayahs)))
