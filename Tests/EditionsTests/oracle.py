"""Searches texts of the Quran without an index. SearchTableTests compares the search with it.

    python3 Tests/EditionsTests/oracle.py counts  > Tests/EditionsTests/Fixtures/word-counts.tsv
    python3 Tests/EditionsTests/oracle.py queries > Tests/EditionsTests/Fixtures/queries.tsv
    python3 Tests/EditionsTests/oracle.py arabic PHONE_APP_FILE \\
      > Tests/EditionsTests/Fixtures/arabic-queries.tsv

`counts` prints the most frequent words and pairs of words of the bundled text, with the number of
ayahs that have them. `queries` prints the first hit and the number of hits of each query in the
bundled text; `arabic` prints the same for the Arabic text, which is not in this repository. The
program does not use the code of the search: each query is listed with the words that it means.
"""

import collections
import json
import pathlib
import re
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = ROOT / "Resources/quran/vi.quranvi.txt"
WORD = re.compile(r"[^\W_]+")
APOSTROPHES = "'`´ʹʺʻʼʽʾʿ‘’‛′"
# The tone of oa, oe and uy stands on either vowel: hòa, hoà.
TONE = "[\u0300\u0301\u0303\u0309\u0323]"
TONE_BEFORE = re.compile(rf"(o)({TONE})([ae])(?![\u0300-\u036f])|(u)({TONE})(y)(?![\u0300-\u036f])")


def normalized(text):
    text = "".join(letter for letter in text.lower() if letter not in APOSTROPHES)
    text = unicodedata.normalize("NFD", text)
    text = TONE_BEFORE.sub(
        lambda m: f"{m[1] or m[4]}{m[3] or m[6]}{m[2] or m[5]}",
        text,
    )
    return unicodedata.normalize("NFC", text)


def folded(word):
    letters = unicodedata.normalize("NFD", word)
    return "".join(x for x in letters if not unicodedata.combining(x)).replace("đ", "d")


def words(text):
    return WORD.findall(normalized(text))


def bundled():
    """The ayahs of the bundled text with their words."""
    ayahs = []
    for line in TEXT.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            surah, ayah, text = line.split("|", 2)
            ayahs.append((f"{surah}:{ayah}", words(text)))
    return ayahs


# MARK: Counts


def print_counts():
    ayahs = [text for _, text in bundled()]
    single = collections.Counter(word for ayah in ayahs for word in set(ayah))
    pairs = collections.Counter(
        pair for ayah in ayahs for pair in set(zip(ayah, ayah[1:], strict=False))
    )
    for word, count in single.most_common(25):
        # A word that is typed without marks also matches words with marks.
        plain = sum(word in map(folded, ayah) for ayah in ayahs) if word == folded(word) else count
        print(f"{word}\t{plain}")
    frequent = [pair for pair, _ in pairs.most_common(60) if pair[0] != pair[1]][:25]
    for one, other in frequent:
        both = sum(one in ayah and other in ayah for ayah in map(set, ayahs))
        print(f"{one} {other}\t{both}")
    for one, other in frequent:
        print(f'"{one} {other}"\t{pairs[one, other]}')


# MARK: Queries


def all_of(text):
    """Every word of a text, each a clause of its own."""
    return [[[word]] for word in words(text)]


class Name(list):
    """A clause of the forms of a name, which match equally well regardless of their marks."""


def names(*forms):
    return [Name(words(form.replace("-", " ")) for form in forms)]


ISA = names("isa", "ysa", "giê-su", "giêsu", "jesus")
MUSA = names("musa", "môi-sê", "môisê", "mô-sê", "moses")
IBRAHIM = names("ibrahim", "áp-ra-ham", "apraham", "abraham")
NUH = names("nuh", "nô-ê", "noah")
MARYAM = names("maryam", "mariam", "ma-ri-a", "maria")
FIRAWN = names("firawn", "fir-aun", "pha-ra-ông", "pha-ra-ô", "pharaoh")
RAMADAN = names("ramadan", "ramadhan", "ramazan")
YUSUF = names("yusuf", "giô-sép", "giuse", "joseph")
DAWUD = names("dawud", "dawood", "daud", "đa-vít", "đavít", "david")
INJIL = names("injil", "injeel", "phúc âm", "tin lành")
TAWRAH = names("tawrah", "taurah", "tawrat", "torah", "ngũ kinh")

# The query, its clauses (one phrase of each must match), and the phrases that must not match.
QUERIES = [
    *(
        (text, all_of(text), [])
        for text in [
            "khoan dung",
            "khoan dung nhan tu",
            "nhan tu",
            "nhân từ",
            "Nhân Từ",
            "NHÂN TỪ",
            "dang",
            "đấng",
            "dâng",
            "dang rat muc",
            "đấng rất mực",
            "kiên nhẫn",
            "kien nhan",
            "mat trang",
            "mặt trăng",
            "mặt trời",
            "thiên đàng",
            "hỏa ngục",
            "hoa nguc",
            "sứ giả",
            "su gia",
            "đức tin",
            "duc tin",
            "ngày phán xét",
            "trái đất",
            "mưa",
            "muối",
            "sữa",
            "ong",
            "kiến",
            "thượng đế của muôn loài",
            "cha mẹ",
            "người nghèo",
            "vay mượn",
            "lễ nguyện salah",
            # Both places of a tone.
            "hòa",
            "hoà",
            "hóa",
            "hoá",
            "thủy",
            "thuỷ",
            "khỏe",
            "khoẻ",
            # Punctuation and spaces are ignored.
            "nhan-danh",
            "nhân danh, allah!",
            "  allah  ",
        ]
    ),
    *(
        (f'"{text}"', [[words(text)]], [])
        for text in [
            "khoan dung",
            "nhan tu",
            "nhân từ",
            "mặt trời",
            "thượng đế của muôn loài",
            "dung khoan",
            "trời và đất",
            "troi va dat",
        ]
    ),
    ("khoan dung -nhân", all_of("khoan dung"), [["nhân"]]),
    ("mặt -trời", all_of("mặt"), [["trời"]]),
    ('khoan -"khoan dung"', all_of("khoan"), [["khoan", "dung"]]),
    ("troi -dat", all_of("troi"), [["dat"]]),
    ("allah -allah", all_of("allah"), [["allah"]]),
    ("lửa -ngục -trừng", all_of("lửa"), [["ngục"], ["trừng"]]),
    ("trăng|sao", [[["trăng"], ["sao"]]], []),
    ('trăng|"mặt trời"', [[["trăng"], ["mặt", "trời"]]], []),
    ('đêm trăng|"mặt trời"', [[["đêm"]], [["trăng"], ["mặt", "trời"]]], []),
    ("zzzz|sữa", [[["zzzz"], ["sữa"]]], []),
    ("mat|nuoc", [[["mat"], ["nuoc"]]], []),
    ("sữa|muối|mật ong", [[["sữa"], ["muối"], ["mật"]], [["ong"]]], []),
    *((text, ISA, []) for text in ["isa", "Giê-su", "gie su", "Giêsu", "Jesus"]),
    *((text, MUSA, []) for text in ["Môi-sê", "moses"]),
    *((text, IBRAHIM, []) for text in ["abraham", "Áp-ra-ham"]),
    ("noah", NUH, []),
    ("Ma-ri-a", MARYAM, []),
    ("pharaoh", FIRAWN, []),
    ("ramadhan", RAMADAN, []),
    ("giuse", YUSUF, []),
    ("Đa-vít", DAWUD, []),
    ("phúc âm", INJIL, []),
    ("torah", TAWRAH, []),
    ("moses pharaoh", MUSA + FIRAWN, []),
]


def has(phrase, text, form):
    wanted = [form(word) for word in phrase]
    count = len(wanted)
    return any(text[i : i + count] == wanted for i in range(len(text) - count + 1))


def find(ayahs, clauses, excluded):
    """The ayahs that match, the best ones first."""
    has_marks = any(
        folded(word) != word
        for clause in clauses
        if not isinstance(clause, Name)
        for phrase in clause
        for word in phrase
    )
    simple = all(len(clause) == 1 and len(clause[0]) == 1 for clause in clauses)
    run = [clause[0][0] for clause in clauses] if simple and len(clauses) > 1 else None
    found = []
    for number, (ayah, text) in enumerate(ayahs):
        bare = [folded(word) for word in text]

        def matches(phrase, exact):
            return has(phrase, text, str) if exact else has(phrase, bare, folded)

        if not all(any(matches(p, False) for p in clause) for clause in clauses):
            continue
        if any(matches(p, any(folded(w) != w for w in p)) for p in excluded):
            continue
        exact = has_marks and all(any(matches(p, True) for p in clause) for clause in clauses)
        follows = run is None or matches(run, exact)
        found.append((not exact, not follows, number, ayah))
    return [ayah for *_, ayah in sorted(found)]


def print_queries():
    ayahs = bundled()
    for query, clauses, excluded in QUERIES:
        found = find(ayahs, clauses, excluded)
        print(f"{query}\t{found[0] if found else ''}\t{len(found)}")


# MARK: Arabic

SIGNS = re.compile("[\u0610-\u061a\u0640\u064b-\u0653\u0656-\u065f\u06d6-\u06ed]")
SMALL_ALEF = "\u0670"

# The query as people write it, and the words of the printed text that it means: a regular
# expression for whole words without signs, in which A is the small alef above a letter and every
# alef is ا. Some words are written like others: قال in four ayahs like قل, and آلله in one.
ARABIC = [
    ("الرحمن", "الرحمAن"),
    ("الرحمان", "الرحمAن"),
    ("الرحيم", "الرحيم"),
    ("العالمين", "العAلمين"),
    ("العلمين", "العAلمين"),
    ("الصراط", "الصرAط"),
    ("صراط", "صرAط"),
    ("الصلاة", "الصلوAه"),
    ("الزكاة", "الزكوAه"),
    ("الكتاب", "الكتAب|الكتاب"),
    ("القرآن", "القرءان|القران"),
    ("آمنوا", "ءامنوا|امنوا"),
    ("السماوات", "السمAوAت|السمAوات"),
    ("السموات", "السمAوAت"),
    ("موسى", "موسيA?"),
    ("موسي", "موسيA?"),
    ("نعبد", "نعبد"),
    ("ماء", "ماء"),
    ("الله", "ء?الله"),
    ("قل", "قA?ل"),
]


def bare_arabic(text):
    text = re.sub("[\u0671\u0622\u0623\u0625]", "ا", unicodedata.normalize("NFC", text))
    text = text.replace("ى", "ي").replace("ة", "ه").replace("ی", "ي")
    return SIGNS.sub("", text).replace(SMALL_ALEF, "A")


def print_arabic(path):
    surahs = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["surahs"]
    basmala = bare_arabic(surahs[0]["ayahs"][0]["arabic"]).split()
    ayahs = []
    for surah in surahs:
        for ayah in surah["ayahs"]:
            text = bare_arabic(ayah["arabic"]).split()
            # The basmala above a surah is no part of its first ayah.
            if ayah["number"] == 1 and surah["number"] != 1 and text[:4] == basmala:
                text = text[4:]
            ayahs.append((f"{surah['number']}:{ayah['number']}", text))
    for query, wanted in ARABIC:
        pattern = re.compile(wanted)
        found = [ayah for ayah, text in ayahs if any(pattern.fullmatch(word) for word in text)]
        print(f"{query}\t{found[0] if found else ''}\t{len(found)}")


def main():
    kind, *paths = sys.argv[1:] or [""]
    if kind == "counts":
        print_counts()
    elif kind == "queries":
        print_queries()
    elif kind == "arabic" and paths:
        print_arabic(paths[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
