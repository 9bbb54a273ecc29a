"""Measures the reader beside other programs and prints Markdown tables."""

import argparse
import gc
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from statistics import median

import library
import measure
import syncing
import texts
from measure import Results, Unmeasured, log
from programs import all_programs

OURS, READ = "quran-vi", "`quran-vi read 2:255`"


def percentile(values, share):
    """The smallest value that `share` percent of the values do not exceed."""
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)]


class Table:
    """Rows of figures, each with the bound that our program has to hold."""

    def __init__(self, heads):
        self.lines = [["", *heads, "bound", ""], ["---"] * (len(heads) + 3)]
        self.exceeded = 0

    def row(self, label, cells, bound="—", held=None):
        """`held` is whether our program holds the bound; None without a bound."""
        self.exceeded += held is False
        verdict = "" if held is None else "holds" if held else "**exceeded**"
        self.lines.append([label, *cells, bound, verdict])

    def __str__(self):
        return "\n".join(f"| {' | '.join(line)} |" for line in self.lines)


def only_median(values):
    return f"{median(values):.1f}"


def median_and_p99(times):
    return f"{median(times):.1f} / {percentile(times, 99):.1f}"


def tabulate(programs, results):
    """The reader beside other programs."""
    table = Table([f"{program.name} {program.version}".strip() for program in programs])

    def row(label, readings, figure, bound, holds):
        """`figure` writes a program's readings; `holds` judges ours."""
        cells = [
            figure(readings[program.name]) if readings.get(program.name) else "—"
            for program in programs
        ]
        table.row(label, cells, bound, holds(readings[OURS]))

    fastest = 5 * median(results.reading["less"]) if results.reading["less"] else float("inf")
    for label, readings in (
        ("first paint, reading (ms)", results.reading),
        ("first paint, list of surahs (ms)", results.home_screen),
        ("first paint, four texts installed (ms)", {OURS: results.reading[texts.INSTALLED]}),
    ):
        row(
            label,
            readings,
            only_median,
            f"≤ 15 and ≤ 5 × less ({fastest:.1f})",
            lambda times: median(times) <= min(15, fastest),
        )
    for state, memory in (
        ("reading", results.memory),
        ("after keys and search", results.memory_after_keys),
    ):
        for column, (name, limit) in enumerate([("RssAnon", 12), ("VmRSS", 40)]):
            readings = {
                program: [both[column] for both in of]
                for program, of in full_as_ours(memory).items()
            }
            row(
                f"{name}, {state} (MB)",
                readings,
                only_median,
                f"≤ {limit}",
                lambda sizes: median(sizes) <= limit,
            )
    for label, readings in (
        ("key → last byte, median / p99 (ms)", results.keys),
        ("search as typed, key → last byte, median / p99 (ms)", results.searches),
    ):
        row(
            label,
            full_as_ours(readings),
            median_and_p99,
            "p99 ≤ 4",
            lambda times: percentile(times, 99) <= 4,
        )
    row(
        "page turn, median / largest (bytes)",
        full_as_ours(results.pages),
        lambda sizes: f"{median(sizes):.0f} / {max(sizes)}",
        "≤ 4096",
        lambda sizes: max(sizes) <= 4096,
    )
    slowest = max(
        row["p99"] for what, row in results.search.items() if what not in ("index", "all")
    )
    row(
        "search inside the program, median / p99 of the slowest query (ms)",
        {OURS: results.search["all"]},
        lambda all: f"{all['median']:.2f} / {slowest:.2f}",
        "p99 ≤ 3",
        lambda _: slowest <= 3,
    )
    row(
        "first paint, Arabic and two translations on the page (ms)",
        {OURS: results.reading[texts.SHOWN]},
        only_median,
        "≤ 15",
        lambda times: median(times) <= 15,
    )
    row(
        f"{READ}, exec → exit (ms)",
        {OURS: results.commands[READ]},
        only_median,
        "≤ 8",
        lambda times: median(times) <= 8,
    )
    return table


def full_as_ours(readings):
    """The readings, with those of the full library as the readings of the reader."""
    return {**readings, OURS: readings[library.FULL]}


def tabulate_library(results):
    """The reader with a full library, and the cost of storing."""
    table = Table([f"{OURS} with {library.CONTENTS}", "beside it"])
    for label, readings in (
        ("first paint, reading (ms)", results.reading),
        ("first paint, list of surahs (ms)", results.home_screen),
    ):
        empty, full = median(readings[OURS]), median(readings[library.FULL])
        table.row(
            label,
            [f"{full:.1f}", f"with nothing in the library: {empty:.1f}"],
            f"adds < 10 ({full - empty:.1f})",
            full - empty < 10,
        )
    table.row(
        "opening it inside the program, median (ms)",
        [
            f"{results.openings[library.FULL]:.1f}",
            f"with nothing in it: {results.openings[OURS]:.1f}",
        ],
    )
    ratio = results.commit / results.append
    table.row(
        "commit of a favourite, median (ms)",
        [f"{results.commit:.2f}", f"append 4 KiB + fdatasync: {results.append:.2f}"],
        f"≤ 3 × ({ratio:.2f})",
        ratio <= 3,
    )
    ratio = results.load / results.insert
    table.row(
        "import of 6,236 favourites, 10,000 notes and 114 surahs from the phone app, median (ms)",
        [
            f"{results.load:.0f}, of it reading the file {results.decode:.0f}",
            f"the same rows inserted by SQLite alone: {results.insert:.0f}",
        ],
        f"≤ 3 × ({ratio:.2f})",
        ratio <= 3,
    )
    for label, is_locked in (
        ("`f` key → last byte, median / p99 (ms)", False),
        ("the same while another process keeps the library locked", True),
    ):
        times = results.favorites[is_locked]
        table.row(
            label,
            [median_and_p99(times), "—"],
            "p99 ≤ 4, nothing later",
            percentile(times, 99) <= 4 and not results.late[is_locked],
        )
    table.row(
        "list of all notes, key → last byte, median / p99 (ms)",
        [median_and_p99(results.note_keys), "—"],
        "p99 ≤ 4",
        percentile(results.note_keys, 99) <= 4,
    )
    table.row("key → the list of all notes complete (ms)", [only_median(results.note_lists), "—"])
    anonymous, resident = (median(of) for of in zip(*results.memory_with_notes))
    table.row("RssAnon / VmRSS with that list (MB)", [f"{anonymous:.1f} / {resident:.1f}", "—"])
    return table


def tabulate_sync(results):
    """The reader while it syncs."""
    table = Table([f"{OURS} with {syncing.NOTES:,} notes"])
    for label, times in (
        ("key → last byte while they are sent, median / p99 (ms)", results.sending),
        ("the same while they are received", results.receiving),
    ):
        table.row(label, [median_and_p99(times)], "p99 ≤ 4", percentile(times, 99) <= 4)
    table.row(
        "a change on one reader → shown on another, median / worst (ms)",
        [f"{median(results.shown):.0f} / {max(results.shown):.0f}"],
        "median ≤ 2000",
        median(results.shown) <= 2000,
    )
    return table


def footnotes(programs, results, runs):
    floors = ", ".join(
        f"{name} {median(times):.1f} ms" for name, times in results.commands.items() if name != READ
    )
    keys = ", ".join(
        f"{program.name} {len(full_as_ours(results.keys)[program.name])}"
        for program in programs
        if not program.missing
    )
    return "\n".join(
        [
            f"- Medians of {runs} interleaved runs in a terminal of 80×24; keys pressed: {keys}.",
            f"- First paints of {OURS} with nothing in its library yet, all else with "
            f"{library.CONTENTS}.",
            f"- Floors, exec → exit: {floors}. The search index is built in "
            f"{results.search['index']['median']:.0f} ms.",
            f"- `f` pressed {len(results.favorites[False])} times, and "
            f"{len(results.favorites[True])} times while the library was locked for a second "
            f"{results.holds} times; every favourite was then as it should be, and "
            f"{sum(results.late.values())} bytes came late. Keys in the list of notes: "
            f"{len(results.note_keys)}.",
            f"- {machine()}",
            *(
                [
                    f"- Keys pressed while sending: {len(results.sending)}, while receiving: "
                    f"{len(results.receiving)}; changes from one reader to the other: "
                    f"{len(results.shown)}."
                ]
                if results.shown
                else []
            ),
            *(
                f"- Not measured: {program.name}: {program.missing}."
                for program in programs
                if program.missing
            ),
        ]
    )


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return (
        f"Machine: {next(models, os.uname().machine)}, {len(os.sched_getaffinity(0))} cores, "
        f"Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}."
    )


def in_turn(programs, work, *arguments):
    """Measures each program. A peer that fails is left out afterwards; our program may not fail."""
    for program in programs:
        if program.missing:
            continue
        try:
            work(program, *arguments)
        except (Unmeasured, OSError) as error:
            if program.name.startswith(OURS):
                raise
            program.missing = str(error)
            log(f"{program.name}: not measured: {error}")


def measure_all(programs, options, scratch):
    runs, sessions, rounds, presses = (3, 1, 10, 40) if options.quick else (21, 3, 100, 100)
    results = Results()
    bench = options.built / "library-bench"
    in_turn(programs, measure.warm, scratch)
    full = library.seed(programs[0], bench, scratch)
    several = texts.seed(programs[0], scratch)
    os.sync()  # what was written so far is not to be written while something is measured
    order = [full, *several, *programs]
    for run in range(runs):
        log(f"first paint and memory: run {run + 1} of {runs}")
        results.commands["`true` in a terminal"].append(measure.terminal_floor())
        in_turn(order, measure.first_paint, results, scratch)
        order.reverse()  # nobody always comes after the same
    for session in range(sessions):
        log(f"keys and search: session {session + 1} of {sessions}")
        in_turn([full, *programs[1:]], measure.key_session, results, scratch)
        for is_locked in (False, True):
            library.favorite_session(full, results, scratch, is_locked, presses)
        library.notes_session(full, results, scratch)
    commands = {READ: [programs[0].argv[0], "read", "2:255"], "`true`": ["/bin/true"]}
    if sqlite := shutil.which("sqlite3"):
        commands["`sqlite3`"] = [sqlite, ":memory:", "select 1"]
    for _ in range(3 * runs):
        for name, argv in commands.items():
            results.commands[name].append(measure.one_shot(argv))
    results.search = measure.tabulated(options.built / "search-bench", rounds)
    if options.service:
        log("keys while it syncs")
        syncing.sessions(programs[0].argv[0], options.service.resolve(), results, scratch)
    library.inside(programs[0], full, bench, results, scratch, 3 * runs)
    return results, runs


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("reader", type=pathlib.Path, help="release build of quran-vi")
    parser.add_argument("--built", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--service", type=pathlib.Path, help="release build of record-service, to sync with"
    )
    parser.add_argument("--quick", action="store_true", help="3 runs instead of 21")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bound is exceeded")
    options = parser.parse_args()

    gc.disable()  # collected between measurements, never inside one
    # Temporary files may be in memory, but a commit must be measured on the disk.
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=options.built))
    try:
        # A copy, like that of `make install`: the linker leaves a file in memory in single pages,
        # and it starts more slowly than a file that was written or read as a whole.
        reader = shutil.copy(options.reader, scratch / "reader")
        programs = all_programs(reader, scratch)
        results, runs = measure_all(programs, options, scratch)
    except (Unmeasured, OSError, subprocess.SubprocessError) as error:
        log(f"The reader could not be measured: {error}")
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    tables = [
        tabulate([program for program in programs if not program.missing], results),
        tabulate_library(results),
    ]
    sync = []
    if options.service:
        tables.append(tabulate_sync(results))
        sync = ["While it syncs:", tables[2]]
    print(
        tables[0], "The library:", tables[1], *sync, footnotes(programs, results, runs), sep="\n\n"
    )
    if exceeded := sum(table.exceeded for table in tables):
        log(f"{exceeded} of the bounds exceeded.")
    return 1 if exceeded and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
