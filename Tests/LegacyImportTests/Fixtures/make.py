#!/usr/bin/env python3
"""Writes the fixtures of LegacyImportTests: python3 make.py

same/     one library, in every format that a dump may have
wrong/    good entries among wrong ones; counts.json has how many
hostile/  files that no correct program writes
large/    hostile files that need more time or memory than their size allows
"""

import base64
import gzip
import json
import pathlib
import plistlib
import re
import struct
import unicodedata
from plistlib import FMT_BINARY, FMT_XML, UID

HERE = pathlib.Path(__file__).parent

# ---------------------------------------------------------------- the library

FAVORITES = [
    "2:255",
    "1:1",
    "114:6",
    "36:1",
    "2:286",
    "18:10",
    "55:13",
    "112:1",
    "9:129",
    "1:7",
    "67:2",
    "3:200",
]
NOTES = {
    "2:255": ["Đọc mỗi tối", "Đọc mỗi tối", "Học thuộc\nđến hết tuần"],
    "1:1": ["Mở đầu – \"bắt đầu\" với 'ngoặc' & <dấu>"],
    "18:10": ["Hang động 🌙", "C:\\sách\\18"],
    "36:1": ["Nghe lại\n\n  lần hai"],
    "112:1": ["Đọc mỗi tối"],
    "114:6": ["Hết. ﷽ 𐤀"],
}
PROGRESS = {
    "1": (7, 7),
    "2": (45, 286),
    "18": (0, 110),
    "36": (83, 83),
    "67": (12, 30),
    "112": (4, 4),
    "114": (6, 6),
}
SYSTEM = {"AppleLanguages": ["vi-VN", "en"], "AppleLocale": "vi_VN", "fontSize": 18}
KEYS = ("favoriteAyahs", "ayahNotes", "ReadingProgressStore.progress")


def progress(key=str, value=None):
    value = value or (lambda last, total: {"lastReadAyah": last, "totalAyahs": total})
    return {key(surah): value(*entry) for surah, entry in PROGRESS.items()}


def native(**options):
    return dict(zip(KEYS, (FAVORITES, NOTES, progress(**options))))


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def each(convert, values=None):
    """The three keys, each converted."""
    return {key: convert(value) for key, value in (values or native()).items()}


def as_data(value):
    return compact(value).encode()


def as_base64(value):
    return base64.b64encode(as_data(value)).decode()


def flat(dictionary, key=str):
    return [part for name, value in dictionary.items() for part in (key(name), value)]


# ---------------------------------------------------------------- containers


def xml(value):
    return plistlib.dumps(value, fmt=FMT_XML, sort_keys=False)


def binary(value):
    return plistlib.dumps(value, fmt=FMT_BINARY, sort_keys=False)


def dense(data):
    """XML without white space around its tags."""
    return re.sub(rb">\s+<", b"><", data)


def packed(data):
    return gzip.compress(data, mtime=0)


def openstep_string(text, ascii_only):
    if text and all(c.isascii() and (c.isalnum() or c == "_") for c in text):
        return text
    result = ""
    for unit in struct.unpack(f"<{len(text.encode('utf-16-le')) // 2}H", text.encode("utf-16-le")):
        character = chr(unit)
        if character in '"\\':
            result += "\\" + character
        elif character == "\n":
            result += "\\n"
        elif unit < 128:
            result += character
        elif ascii_only or 0xD800 <= unit < 0xE000:
            result += f"\\U{unit:04x}"
        else:
            result += character
    return f'"{result}"'


def grouped(data):
    digits = data.hex()
    return " ".join(digits[i : i + 8] for i in range(0, len(digits), 8))


def openstep(value, indent="", ascii_only=True, data="classic"):
    """The value as `defaults read` prints it."""
    inner = indent + "    "
    more = {"indent": inner, "ascii_only": ascii_only, "data": data}
    if isinstance(value, dict):
        lines = "".join(
            f"{inner}{openstep_string(key, ascii_only)} = {openstep(entry, **more)};\n"
            for key, entry in value.items()
        )
        return "{\n" + lines + indent + "}"
    if isinstance(value, list):
        lines = ",\n".join(inner + openstep(entry, **more) for entry in value)
        return f"(\n{lines}\n{indent})" if value else "(\n" + indent + ")"
    if isinstance(value, bytes):
        if data == "classic":
            return f"<{grouped(value)}>"
        if data == "shortened":
            return (
                f"{{length = {len(value)}, bytes = 0x{grouped(value[:16])} ... "
                f"{grouped(value[-8:])} }}"
            )
        return f"{{length = {len(value)}, bytes = 0x{value.hex()}}}"
    return openstep_string(str(value), ascii_only)


def printed(value, **options):
    """`defaults read` doubles the backslashes of its output."""
    return openstep(value, **options).replace("\\", "\\\\").encode() + b"\n"


# ---------------------------------------------------------------- keyed archives


class Archive:
    """The archive that NSKeyedArchiver makes of a set, array or dictionary."""

    def __init__(self, strings="plain", set_class="NSSet"):
        self.objects = ["$null"]
        self.classes = {}
        self.strings = strings
        self.set_class = set_class

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def class_of(self, name):
        if name not in self.classes:
            self.classes[name] = self.add({"$classname": name, "$classes": [name, "NSObject"]})
        return self.classes[name]

    def object(self, fields, name):
        reference = self.add(None)
        fields["$class"] = self.class_of(name)
        self.objects[reference.data] = fields
        return reference

    def encode(self, value):
        if isinstance(value, dict):
            return self.object(
                {
                    "NS.keys": [self.encode(key) for key in value],
                    "NS.objects": [self.encode(entry) for entry in value.values()],
                },
                "NSDictionary",
            )
        if isinstance(value, list):
            return self.object(
                {"NS.objects": [self.encode(entry) for entry in value]}, self.set_class
            )
        if isinstance(value, bytes):
            return self.object({"NS.data": value}, "NSMutableData")
        if isinstance(value, str) and self.strings == "NS.string":
            return self.object({"NS.string": value}, "NSMutableString")
        if isinstance(value, str) and self.strings == "NS.bytes":
            return self.object({"NS.bytes": value.encode()}, "NSString")
        return self.add(value)

    def top(self, value):
        return {
            "$version": 100000,
            "$archiver": "NSKeyedArchiver",
            "$top": {"root": self.encode(value)},
            "$objects": self.objects,
        }


def archived(value, **options):
    return Archive(**options).top(value)


def spelled(value):
    """XML property lists have no references; dictionaries stand for them."""
    if isinstance(value, UID):
        return {"CF$UID": value.data}
    if isinstance(value, dict):
        return {key: spelled(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [spelled(entry) for entry in value]
    return value


# ---------------------------------------------------------------- one library


def decomposed():
    """The notes in NFD, like file names of macOS, with the line ends of Windows."""

    def text(note):
        return unicodedata.normalize("NFD", note).replace("\n", "\r\n")

    return {**native(), "ayahNotes": {a: [text(n) for n in notes] for a, notes in NOTES.items()}}


def same():
    data = {**SYSTEM, **each(as_data)}
    plain = {**SYSTEM, **native()}
    text = json.dumps(native(), ensure_ascii=False, indent=2)
    yield "xml-data.plist", xml(data)
    yield "binary-data.plist", binary(data)
    yield "openstep-data.txt", openstep(data).encode()
    yield "openstep-described-data.txt", openstep(data, data="described").encode()
    yield "binary-utf16-data.plist", binary(each(lambda v: compact(v).encode("utf-16")))

    yield "xml-native.plist", xml(plain)
    yield "binary-native.plist", binary(plain)
    yield "openstep-native.txt", openstep(plain, ascii_only=False).encode()
    yield "openstep-ascii.txt", openstep(plain).encode()
    yield "defaults-read.txt", printed(plain)
    yield "json-native.json", text.encode()
    yield "json-escaped.json", json.dumps(plain, ensure_ascii=True).encode()
    yield "json-with-bom.json", b"\xef\xbb\xbf" + text.encode()
    yield "json-decomposed.json", compact(decomposed()).encode()

    yield "json-string.json", compact(each(compact)).encode()
    yield "xml-string.plist", xml(each(compact))
    yield "xml-string-openstep.plist", xml(each(openstep))
    yield "json-base64.json", compact(each(as_base64)).encode()
    yield "binary-base64.plist", binary(each(as_base64))
    yield "xml-data-base64.plist", xml(each(lambda v: as_base64(v).encode()))
    yield "xml-data-binary.plist", xml(each(binary))
    yield (
        "json-base64-xml.json",
        compact(each(lambda v: base64.b64encode(xml(v)).decode())).encode(),
    )

    flats = dict(zip(KEYS, (FAVORITES, flat(NOTES), flat(progress(), key=int))))
    yield "json-flat.json", compact(flats).encode()
    yield "binary-flat.plist", binary(flats)
    yield "xml-data-flat.plist", xml(each(as_data, flats))

    numbers = {**native(), KEYS[2]: {int(s): e for s, e in progress().items()}}
    yield "binary-data-archive.plist", binary(each(lambda v: binary(archived(v)), numbers))
    # Only texts: an archive in XML is long, and tests truncate each file at every byte.
    texts = {KEYS[0]: FAVORITES, KEYS[1]: NOTES}
    yield (
        "xml-data-xml-archive.plist",
        xml(
            {
                **each(lambda v: dense(xml(spelled(archived(v, strings="NS.string")))), texts),
                KEYS[2]: as_data(progress()),
            }
        ),
    )
    yield (
        "json-base64-archive.json",
        compact(
            each(lambda v: base64.b64encode(binary(archived(v, strings="NS.bytes"))).decode())
        ).encode(),
    )
    yield (
        "binary-data-archived-data.plist",
        binary(each(lambda v: binary(archived(as_data(v), set_class="NSArray")))),
    )
    yield "binary-archive.plist", binary(archived(native()))

    yield "json-bundle-id.json", compact({"com.Donald.Quranvn": native(), "other": 1}).encode()
    yield (
        "defaults-read-all.txt",
        printed({"Apple Global Domain": SYSTEM, "com.Donald.Quranvn": plain}),
    )
    yield "json-user-defaults.json", compact({"UserDefaults": each(as_base64)}).encode()
    yield "xml-user-defaults.plist", xml({"UserDefaults": data})

    yield "binary-data.plist.gz", packed(binary(data))
    yield "json-native.json.gz", packed(text.encode())
    half = len(text.encode()) // 2
    yield "json-two-members.json.gz", packed(text.encode()[:half]) + packed(text.encode()[half:])
    utf16 = xml(plain).decode().replace("UTF-8", "UTF-16")
    yield "xml-utf16-le.plist", b"\xff\xfe" + utf16.encode("utf-16-le")
    yield "xml-utf16-be-no-bom.plist", utf16.encode("utf-16-be")
    yield "json-utf16-le-no-bom.json", text.encode("utf-16-le")
    yield (
        "openstep-utf16-be.txt",
        b"\xfe\xff" + openstep(plain, ascii_only=False).encode("utf-16-be"),
    )
    yield "json-utf16.json.gz", packed(text.encode("utf-16"))

    ratios = native(
        value=lambda last, total: {
            "lastReadAyah": float(last),
            "totalAyahs": 1,
            "progressPercentage": last / total * 100,
        }
    )
    yield "json-percentages.json", compact(ratios).encode()
    yield (
        "xml-mixed.plist",
        xml(
            {
                KEYS[0]: binary(archived(FAVORITES)),
                KEYS[1]: as_base64(NOTES),
                KEYS[2]: flat(
                    progress(value=lambda last, total: {"lastReadAyah": str(last)}), key=int
                ),
            }
        ),
    )


# ---------------------------------------------------------------- wrong entries


def wrong():
    yield (
        "wrong.json",
        json.dumps(
            {
                "favoriteAyahs": [
                    "2:255",
                    "abc",
                    "2-255",
                    "2:255:1",
                    "",
                    ":",
                    "2:",
                    ":255",
                    "2:300",
                    "115:1",
                    "0:1",
                    "1:0",
                    "+2:1",
                    "-2:1",
                    "2:-1",
                    "99999999999999999999:1",
                    "1:99999999999999999999999999999999",
                    "2.0:1",
                    "0x2:1",
                    "2:255\u0000",
                    "二:1",
                    "½:1",
                    255,
                    2.5,
                    True,
                    None,
                    [],
                    {},
                    "\ud800:1",
                    " 2 : 255 ",
                    "２:２５５",
                    "٢:٢٥٥",
                    "02:007",
                    "2：1",
                    "1:1",
                ],
                "ayahNotes": {
                    "1:1": [
                        "tốt",
                        "",
                        " \n\t",
                        "\u0000",
                        5,
                        None,
                        False,
                        ["a"],
                        {"a": "b"},
                        "\udc00",
                        "\ud83d",
                        "hay",
                        "a\u0000b",
                    ],
                    "1:2": "một chuỗi",
                    "1:3": 5,
                    "1:4": None,
                    "1:5": {"a": ["b"]},
                    "1:6": "",
                    "1:7": [],
                    "1:8": ["mất", "cũng mất"],
                    "abc": ["mất"],
                    "": ["mất"],
                    "2-255": [],
                    "115:1": "mất",
                    " 2:1 ": ["giữ"],
                    "２:２": ["giữ"],
                },
                "ReadingProgressStore.progress": {
                    "2": {"lastReadAyah": 45, "totalAyahs": 1},
                    "3": {"lastReadAyah": -5},
                    "4": {"lastReadAyah": 10**30},
                    "5": {"lastReadAyah": "12", "totalAyahs": "many"},
                    "6": {"lastReadAyah": 3.0},
                    "7": {"lastReadAyah": 3.5},
                    "8": {"lastReadAyah": "x"},
                    "9": {"lastReadAyah": None},
                    "10": {"lastReadAyah": True},
                    "11": {"lastReadAyah": []},
                    "12": {},
                    "13": {"totalAyahs": 43},
                    "14": 5,
                    "15": [],
                    "16": None,
                    "17": "9",
                    "18": {"lastReadAyah": "0x10"},
                    "19": {"lastReadAyah": "inf"},
                    "20": {"lastReadAyah": "-3"},
                    "21": {"lastReadAyah": "\ud800"},
                    "0": {"lastReadAyah": 1},
                    "115": {"lastReadAyah": 1},
                    "-1": {"lastReadAyah": 1},
                    "x": {"lastReadAyah": 1},
                    "": {"lastReadAyah": 1},
                    "2:255": {"lastReadAyah": 1},
                    "99999999999999999999": {"lastReadAyah": 1},
                    "２２": {"lastReadAyah": 1e300},
                },
                "zzz": 1,
                "AppleLocale": "vi_VN",
            },
            ensure_ascii=True,
            indent=1,
        ).encode(),
    )

    # Types and bytes that JSON does not have.
    lone = b"\x63" + "a".encode("utf-16-be") + b"\xd8\x00" + "b".encode("utf-16-be")
    yield (
        "wrong.plist",
        objects(
            [
                dictionary(1, 2, 3, 4, 5, 6),
                text("favoriteAyahs"),
                text("ayahNotes"),
                text("ReadingProgressStore.progress"),
                array(7, 8, 9, 10, 11, 12, 13, 14),
                dictionary(15, 7, 8, 16, 16, 17),
                array(18, 19, 20, 21),
                text("1:1"),
                lone,
                b"\x42ab",
                b"\x33" + struct.pack(">d", 1.0),
                b"\x80\x01",
                b"\x52\xc3\x28",
                b"\x14" + bytes(15) + b"\x05",
                b"\x00",
                text("1:2"),
                array(8, 9, 10, 11, 12, 13, 17),
                text("tốt"),
                b"\x10\x02",
                dictionary(22, 18),
                b"\x10\x73",
                dictionary(22, 13),
                text("lastReadAyah"),
            ]
        ),
    )
    yield (
        "wrong-flat.json",
        compact(
            {
                "ayahNotes": ["1:1", ["tốt"], 5, ["mất"], "1:2"],
                "ReadingProgressStore.progress": [
                    1,
                    {"lastReadAyah": 3},
                    115,
                    {"lastReadAyah": 3},
                    2.0,
                    {"lastReadAyah": 3},
                    3,
                ],
            }
        ).encode(),
    )
    yield (
        "wrong-bytes.plist",
        xml(
            {
                "favoriteAyahs": ["1:1", "@@"],
                "ayahNotes": {"1:1": ["tốt", "@@", "hay"]},
            }
        ).replace(b"@@", b"\xff\xfe"),
    )
    yield (
        "wrong-keys.json",
        compact(
            {
                "favoriteAyahs": {"2:255": True},
                "ayahNotes": "chỉ là chữ",
                "ReadingProgressStore.progress": {"1": {"lastReadAyah": 3}},
            }
        ).encode(),
    )
    yield (
        "wrong-data.plist",
        xml(
            {
                "favoriteAyahs": b'["1:1",',
                "ayahNotes": b"",
                "ReadingProgressStore.progress": b'{"1":{"lastReadAyah":3}}',
            }
        ),
    )
    yield (
        "doubled-keys.json",
        (
            b'{"favoriteAyahs":["1:1"],"favoriteAyahs":["1:2"],'
            b'"ayahNotes":{"1:1":["a"],"1:1":["b"]},'
            b'"ReadingProgressStore.progress":{"1":{"lastReadAyah":3},"1":{"lastReadAyah":2}}}'
        ),
    )


# The numbers of entries in the files of `wrong`, valid or not: each favourite, each text of a list
# of notes, each ayah without a list or with an empty one, and each surah. A key that is unreadable
# as a whole counts once.
COUNTS = {
    "doubled-keys.json": [2, 2, 2],
    "wrong-bytes.plist": [2, 3, 0],
    "wrong-data.plist": [1, 1, 1],
    "wrong-flat.json": [0, 1 + 1 + 1, 4],
    "wrong-keys.json": [1, 1, 1],
    "wrong.json": [35, 13 + 5 + 2 + 4 + 2, 28],
    "wrong.plist": [8, 7 + 7 + 1, 2],
}


# ---------------------------------------------------------------- binary, by hand


def sized(marker, count):
    if count < 15:
        return bytes([marker << 4 | count])
    return bytes([marker << 4 | 15, 0x11]) + struct.pack(">H", count)


def text(value):
    if value.isascii():
        return sized(5, len(value)) + value.encode()
    units = value.encode("utf-16-be")
    return sized(6, len(units) // 2) + units


def array(*references):
    return sized(0xA, len(references)) + bytes(references)


def dictionary(*references):
    """The references of the keys come first, then those of the values."""
    return sized(0xD, len(references) // 2) + bytes(references)


def objects(parts, top=0, offsets=None, count=None, table=None, widths=(2, 1)):
    """A binary property list of these objects."""
    data = b"bplist00"
    places = []
    for part in parts:
        places.append(len(data))
        data += part
    places = offsets or places
    start = len(data)
    data += b"".join(place.to_bytes(widths[0], "big") for place in places)
    return (
        data
        + bytes(6)
        + bytes(widths)
        + struct.pack(
            ">QQQ", len(parts) if count is None else count, top, start if table is None else table
        )
    )


FAVORITES_KEY = text("favoriteAyahs")


def hostile():
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    yield (
        "billion-laughs.plist",
        (
            '<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e0 "ha">' + entities + "]>"
            "<plist><dict><key>favoriteAyahs</key><string>&e9;</string></dict></plist>"
        ).encode(),
    )
    yield (
        "external-entity.plist",
        (
            b'<!DOCTYPE plist [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
            b"<plist><dict><key>favoriteAyahs</key><string>&x;</string></dict></plist>"
        ),
    )
    yield (
        "undeclared-entity.plist",
        (b"<plist><dict><key>favoriteAyahs</key><string>&nbsp;</string></dict></plist>"),
    )
    yield (
        "latin-1.plist",
        (
            b'<?xml version="1.0" encoding="ISO-8859-1"?><plist><dict><key>favoriteAyahs</key>'
            b"<array/></dict></plist>"
        ),
    )
    yield (
        "two-values.plist",
        (b"<plist><dict><key>favoriteAyahs</key><array/></dict><dict/></plist>"),
    )
    yield "key-without-value.plist", b"<plist><dict><key>favoriteAyahs</key></dict></plist>"
    yield "value-without-key.plist", b"<plist><dict><array/></dict></plist>"
    yield (
        "crossed-tags.plist",
        (b"<plist><dict><key>favoriteAyahs</key><array></dict></array></plist>"),
    )

    # 60 lists, each holding the next one twice: 2⁶⁰ values.
    yield (
        "doubled-references.plist",
        objects(
            [dictionary(1, 2), FAVORITES_KEY]
            + [array(i + 3, i + 3) for i in range(60)]
            + [text("1:1")]
        ),
    )
    yield (
        "wide-doubled-references.plist",
        objects(
            [dictionary(1, 2), FAVORITES_KEY]
            + [array(*[i + 3] * 200) for i in range(8)]
            + [text("1:1")]
        ),
    )
    yield "cycle.plist", objects([dictionary(1, 2), FAVORITES_KEY, array(3), array(2)])
    yield "self.plist", objects([dictionary(1, 0), FAVORITES_KEY])
    yield "key-is-list.plist", objects([dictionary(1, 1), array()])
    yield "reference-outside.plist", objects([dictionary(1, 2), FAVORITES_KEY, array(9)])
    yield (
        "offset-outside.plist",
        objects([dictionary(1, 2), FAVORITES_KEY, array()], offsets=[8, 11, 60000]),
    )
    yield (
        "offset-in-header.plist",
        objects([dictionary(1, 2), FAVORITES_KEY, array()], offsets=[8, 11, 3]),
    )
    yield "table-outside.plist", objects([array()], table=60000)
    yield "table-in-trailer.plist", objects([array()], table=12)
    yield "top-outside.plist", objects([array()], top=1)
    yield "count-huge.plist", objects([array()], count=2**63)
    yield "count-most.plist", objects([array()], count=2**64 - 1, table=2**64 - 1)
    yield "widths-zero.plist", objects([array()], widths=(2, 1))[:-26] + bytes(26)
    yield (
        "string-huge.plist",
        objects([dictionary(1, 2), FAVORITES_KEY, b"\x5f\x13" + b"\x7f" + b"\xff" * 7]),
    )
    yield "string-over-end.plist", objects([dictionary(1, 2), FAVORITES_KEY, b"\x5e1"])
    yield "utf16-over-end.plist", objects([dictionary(1, 2), FAVORITES_KEY, b"\x6e1"])
    yield "array-over-end.plist", objects([dictionary(1, 2), FAVORITES_KEY, b"\xae\x00"])
    yield "size-is-text.plist", objects([dictionary(1, 2), FAVORITES_KEY, b"\x5f\x51\x31"])
    yield "unknown-marker.plist", objects([dictionary(1, 2), FAVORITES_KEY, b"\xf0"])
    yield "short.plist", b"bplist00"

    def keyed(objects):
        return binary(
            {
                "$version": 100000,
                "$archiver": "NSKeyedArchiver",
                "$top": {"root": UID(1)},
                "$objects": ["$null", *objects],
            }
        )

    listed = {"$class": UID(0)}
    yield (
        "archive-cycle.plist",
        binary(
            {
                "favoriteAyahs": keyed(
                    [{**listed, "NS.objects": [UID(2)]}, {**listed, "NS.objects": [UID(1)]}]
                )
            }
        ),
    )
    yield (
        "archive-doubled-references.plist",
        binary(
            {
                "favoriteAyahs": keyed(
                    [{**listed, "NS.objects": [UID(i + 2)] * 2} for i in range(29)] + ["1:1"]
                )
            }
        ),
    )
    yield (
        "archive-wide-references.plist",
        binary(
            {
                "favoriteAyahs": keyed(
                    [{**listed, "NS.objects": [UID(i + 2)] * 100} for i in range(5)] + ["1:1"]
                )
            }
        ),
    )
    yield (
        "archive-outside.plist",
        binary({"favoriteAyahs": keyed([{**listed, "NS.objects": [UID(9)]}])}),
    )
    yield (
        "archive-chain.plist",
        binary({"favoriteAyahs": keyed([UID(i + 2) for i in range(200)] + ["1:1"])}),
    )
    yield (
        "archive-text-of-text.plist",
        binary(
            {
                "favoriteAyahs": keyed(
                    [{**listed, "NS.string": UID(i + 2)} for i in range(100)] + ["1:1"]
                )
            }
        ),
    )
    yield (
        "archive-without-keys.plist",
        binary({"ayahNotes": keyed([{**listed, "NS.keys": [], "NS.objects": [UID(2)]}, "1:1"])}),
    )

    yield "deep.json", b'{"favoriteAyahs":' + b"[" * 40 + b"]" * 40 + b"}"
    yield (
        "deep.plist",
        (
            b"<plist><dict><key>favoriteAyahs</key>"
            + b"<array>" * 40
            + b"</array>" * 40
            + b"</dict></plist>"
        ),
    )
    yield "deep.txt", b"{favoriteAyahs=" + b"(" * 40 + b")" * 40 + b";}"
    yield "deep-wraps.plist", binary({"favoriteAyahs": wraps(10)})

    yield "concatenated.json", b'{"favoriteAyahs":[]}{"favoriteAyahs":[]}'
    yield "lines.json", b'{"favoriteAyahs":[]}\n{"ayahNotes":{}}\n'
    yield "nan.json", b'{"favoriteAyahs":[NaN]}'
    yield "trailing-comma.json", b'{"favoriteAyahs":["1:1",]}'
    yield "single-quotes.json", b"{'favoriteAyahs':['1:1']}"
    yield "comment.json", b'{"favoriteAyahs":[/* */]}'
    yield "control-character.json", b'{"favoriteAyahs":["\x01"]}'
    yield "no-keys.json", b'{"AppleLocale":"vi_VN","deeper":{"here":{"favoriteAyahs":[]}}}'
    yield "list.json", b'["1:1"]'
    yield "unreadable.json", b'{"favoriteAyahs":"abc","ayahNotes":5}'

    yield "trailing-garbage.json.gz", packed(b'{"favoriteAyahs":[]}') + b"more"
    yield "truncated.json.gz", packed(b'{"favoriteAyahs":[]}')[:-9]
    yield "wrong-sum.json.gz", packed(b'{"favoriteAyahs":[]}')[:-8] + bytes(8)
    yield "twice.json.gz", packed(packed(b'{"favoriteAyahs":[]}'))
    yield "lone-surrogate.json", '{"favoriteAyahs":["\ud800"]}'.encode("utf-16-le", "surrogatepass")
    yield "odd-utf16.json", '{"favoriteAyahs":[]}'.encode("utf-16-le") + b"\x00"

    yield "shortened.txt", openstep({**SYSTEM, **each(as_data)}, data="shortened").encode()
    yield (
        "shortened-classic.txt",
        (b"{\n    favoriteAyahs = <5b22323a 32353522 ... 3230305d>;\n    ayahNotes = {};\n}\n"),
    )
    yield (
        "shortened-one.txt",
        (
            b"{ayahNotes = {length = 2, bytes = 0x7b7d}; favoriteAyahs = "
            b"{length = 60, bytes = 0x5b22323a 32353522 ... 3230305d };}"
        ),
    )
    yield "half-digit.txt", b"{favoriteAyahs = <5b2>;}"
    yield "no-semicolon.txt", b"{favoriteAyahs = (); ayahNotes = {}}"
    yield "open-comment.txt", b"{favoriteAyahs = (); /* }"
    yield "empty.txt", b""
    yield "blank.txt", b" \n\t "
    yield "prose.txt", "Chỉ là chữ.".encode()


def large():
    def keyed(objects):
        return binary(
            {
                "$version": 100000,
                "$archiver": "NSKeyedArchiver",
                "$top": {"root": UID(1)},
                "$objects": ["$null", *objects],
            }
        )

    yield (
        "archive-wide-object.plist",
        binary(
            {
                "favoriteAyahs": keyed(
                    [
                        {"$class": UID(0), "NS.objects": [UID(2)] * 200},
                        {**{f"k{i}": 0 for i in range(2000)}, "NS.objects": []},
                    ]
                )
            }
        ),
    )
    yield "doubled-gzip.plist", doubled_gzip(900)
    yield "doubled-gzip.json", doubled_texts(4)
    yield "doubled-utf16.json", doubled_texts(4, "utf-16")
    yield "overlapping-texts.plist", overlapping(1 << 15)


def doubled_texts(count, encoding="utf-8"):
    entry = f'"favoriteAyahs":"{base64.b64encode(spaces(encoding)).decode()}"'
    return ("{" + ",".join([entry] * count) + "}").encode()


def spaces(encoding="utf-8"):
    """A list with 16 MB of white space, which gzip compresses to 16 kB."""
    text = "[]".encode(encoding)
    space = " ".encode("utf-16-le" if encoding == "utf-16" else encoding)
    return gzip.compress(text + space * (((16 << 20) - len(text)) // len(space)), mtime=0)


def doubled_gzip(count):
    """One key and one data object, with `count` references to each."""
    data = spaces()
    return objects(
        [
            b"\xdf\x11" + struct.pack(">H", count) + bytes([1] * count) + bytes([2] * count),
            FAVORITES_KEY,
            b"\x4f\x12" + struct.pack(">I", len(data)) + data,
        ],
        widths=(4, 1),
    )


def overlapping(size, count=1000):
    """Overlapping texts: each contains all that follow, and none is valid at its end."""
    heads = b"".join(
        b"\x6f\x12" + struct.pack(">I", size + 3 * (count - 1 - i)) for i in range(count)
    )
    tail = b"\x00a" * (size - 1) + b"\xd8\x00"
    parts = [
        b"\xd1" + struct.pack(">HH", 1, 2),
        FAVORITES_KEY,
        b"\xaf\x11"
        + struct.pack(">H", count)
        + b"".join(struct.pack(">H", i + 3) for i in range(count)),
    ]
    start = 8 + sum(map(len, parts))
    places = [8, 8 + len(parts[0]), 8 + len(parts[0]) + len(parts[1])]
    places += [start + 6 * i for i in range(count)]
    return objects([*parts, heads + tail], offsets=places, count=count + 3, widths=(4, 2))


def wraps(count):
    """Data that holds a property list, which is data that holds a property list …"""
    value = binary(["1:1"])
    for _ in range(count):
        value = binary(value)
    return value


def main():
    for folder, files in (
        ("same", same()),
        ("wrong", wrong()),
        ("hostile", hostile()),
        ("large", large()),
    ):
        directory = HERE / folder
        directory.mkdir(exist_ok=True)
        for old in directory.iterdir():
            old.unlink()
        for name, data in files:
            (directory / name).write_bytes(data)
        print(folder, len(list(directory.iterdir())))
    (HERE / "counts.json").write_text(json.dumps(COUNTS, indent=1) + "\n")


if __name__ == "__main__":
    main()
