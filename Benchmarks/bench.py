"""Measures the reader beside other programs and prints one Markdown table."""

import argparse
import gc
import os
import pathlib
import shutil
import sys
import tempfile
from statistics import median

import measure
from measure import Results, Unmeasured, log
from programs import all_programs

OURS, READ = "quran-vi", "`quran-vi read 2:255`"


def percentile(values, share):
    """The smallest value that this many in a hundred of all do not exceed."""
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)]


class Table:
    """Rows of a figure for each program, with the bound that ours has to hold."""

    def __init__(self, programs):
        self.names = [program.name for program in programs]
        heads = [f"{program.name} {program.version}".strip() for program in programs]
        self.lines = [["", *heads, "bound", ""], ["---"] * (len(heads) + 3)]
        self.exceeded = 0

    def row(self, label, readings, figure, bound, holds):
        """`figure` writes a program's readings; `holds` judges ours."""
        held = holds(readings[OURS])
        self.exceeded += not held
        cells = [figure(readings[name]) if readings.get(name) else "—" for name in self.names]
        self.lines.append([label, *cells, bound, "holds" if held else "**exceeded**"])

    def __str__(self):
        return "\n".join(f"| {' | '.join(line)} |" for line in self.lines)


def tabulate(programs, results):
    table = Table(programs)
    fastest = 3 * median(results.reading["less"]) if results.reading["less"] else float("inf")
    for label, readings in (("first paint, reading (ms)", results.reading),
                            ("first paint, library (ms)", results.home_screen)):
        table.row(label, readings, lambda times: f"{median(times):.1f}",
                  f"≤ 25 and ≤ 3 × less ({fastest:.1f})",
                  lambda times: median(times) <= min(25, fastest))
    for state, memory in (("reading", results.memory), ("after keys and search", results.memory_after_keys)):
        for column, (name, limit) in enumerate([("RssAnon", 12), ("VmRSS", 40)]):
            readings = {program: [both[column] for both in of] for program, of in memory.items()}
            table.row(f"{name}, {state} (MB)", readings, lambda sizes: f"{median(sizes):.1f}",
                      f"≤ {limit}", lambda sizes: median(sizes) <= limit)
    for label, readings in (("key → last byte, median / p99 (ms)", results.keys),
                            ("search as typed, key → last byte, median / p99 (ms)", results.searches)):
        table.row(label, readings, lambda times: f"{median(times):.1f} / {percentile(times, 99):.1f}",
                  "p99 ≤ 3", lambda times: percentile(times, 99) <= 3)
    table.row("page turn, median / largest (bytes)", results.pages,
              lambda sizes: f"{median(sizes):.0f} / {max(sizes)}", "≤ 4096", lambda sizes: max(sizes) <= 4096)
    slowest = max(row["p99"] for what, row in results.search.items() if what not in ("index", "all"))
    table.row("search inside the program, median / p99 of the slowest query (ms)",
              {OURS: results.search["all"]}, lambda all: f"{all['median']:.2f} / {slowest:.2f}",
              "p99 ≤ 3", lambda _: slowest <= 3)
    table.row(f"{READ}, exec → exit (ms)", {OURS: results.commands[READ]},
              lambda times: f"{median(times):.1f}", "≤ 8", lambda times: median(times) <= 8)
    return table


def footnotes(programs, results, runs):
    floors = ", ".join(f"{name} {median(times):.1f} ms" for name, times in results.commands.items()
                       if name != READ)
    keys = ", ".join(f"{program.name} {len(results.keys[program.name])}"
                     for program in programs if not program.missing)
    return "\n".join([
        f"- Medians of {runs} interleaved runs in a terminal of 80×24; keys pressed: {keys}.",
        f"- Floors, exec → exit: {floors}. The search index is built in "
        f"{results.search['index']['median']:.0f} ms.", f"- {machine()}",
        *(f"- Not measured: {program.name}: {program.missing}." for program in programs if program.missing)])


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return (f"Machine: {next(models, os.uname().machine)}, {len(os.sched_getaffinity(0))} cores, "
            f"Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}.")


def in_turn(programs, work, *arguments):
    """A program that fails is left out from then on; without ours there is nothing to show."""
    for program in programs:
        if program.missing:
            continue
        try:
            work(program, *arguments)
        except (Unmeasured, OSError) as error:
            if program.name == OURS:
                raise
            program.missing = str(error)
            log(f"{program.name}: not measured: {error}")


def measure_all(programs, options, reader, scratch):
    runs, sessions, rounds = (3, 1, 10) if options.quick else (21, 3, 100)
    results = Results()
    in_turn(programs, measure.warm, scratch)
    for run in range(runs):
        log(f"first paint and memory: run {run + 1} of {runs}")
        results.commands["`true` in a terminal"].append(measure.terminal_floor())
        in_turn(programs, measure.first_paint, results, scratch)
    for session in range(sessions):
        log(f"keys and search: session {session + 1} of {sessions}")
        in_turn(programs, measure.key_session, results, scratch)
    commands = {READ: [reader, "read", "2:255"], "`true`": ["/bin/true"]}
    if sqlite := shutil.which("sqlite3"):
        commands["`sqlite3`"] = [sqlite, ":memory:", "select 1"]
    for _ in range(3 * runs):
        for name, argv in commands.items():
            results.commands[name].append(measure.one_shot(argv))
    results.search = measure.search_inside(options.search_bench, rounds)
    return results, runs


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("reader", type=pathlib.Path, help="release build of quran-vi")
    parser.add_argument("--search-bench", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="3 runs instead of 21")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bound is exceeded")
    options = parser.parse_args()
    reader = str(options.reader.resolve())

    gc.disable()  # collected between measurements, never inside one
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="quran-vi-bench-"))
    try:
        programs = all_programs(reader, scratch)
        results, runs = measure_all(programs, options, reader, scratch)
    except (Unmeasured, OSError) as error:
        log(f"The reader could not be measured: {error}")
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    table = tabulate([program for program in programs if not program.missing], results)
    print(table, footnotes(programs, results, runs), sep="\n\n")
    if table.exceeded:
        log(f"{table.exceeded} of the bounds exceeded.")
    return 1 if table.exceeded and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
