"""Command line of the benchmarks."""

import argparse
import sys

from benchmarks._harness import RowResult, run_row
from benchmarks._machine import machine_facts
from benchmarks._ratios import LEGEND, failures, has_failed, ratio_table, write_results
from benchmarks._row import OURS
from benchmarks._table import seconds_text
from benchmarks.rows import ROWS


def main() -> int:
    """Run the selected rows and print the ratio table; 1 if a contender raised."""
    arguments = _parse()
    rows = [row for row in ROWS if arguments.filter.lower() in row.name.lower()]
    if not rows:
        print(f"No benchmark has {arguments.filter!r} in its name; --list shows them all.")
        return 2
    if arguments.list:
        print("\n".join(row.name for row in rows))
        return 0
    facts = machine_facts()
    print("\n".join(f"{key}: {value}" for key, value in facts.items()), file=sys.stderr)
    results = []
    for row in rows:
        results.append(run_row(row, n_turns=arguments.repeat, quick=arguments.quick))
        print(_progress(results[-1]), file=sys.stderr, flush=True)
    table = ratio_table(results)
    table.show()
    print(LEGEND)
    print("\n".join(failures(results)))
    if arguments.write:
        write_results(table, facts, arguments.repeat)
    return int(any(has_failed(result) for result in results))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--filter", default="", metavar="TEXT", help="only names with TEXT in them")
    parser.add_argument("--repeat", type=_count, default=5, metavar="N", help="turns (default 5)")
    parser.add_argument("--quick", action="store_true", help="small data: does it all run?")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    arguments = parser.parse_args()
    if arguments.write and (arguments.quick or arguments.filter):
        parser.error("--write is for the whole table: leave out --quick and --filter.")
    return arguments


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}")
    return int(text)


def _progress(result: RowResult) -> str:
    times = ", ".join(f"{k} {seconds_text(v.best)}" for k, v in result.results.items() if k != OURS)
    return f"{result.name}: {OURS} {seconds_text(result.results[OURS].best)}, {times}"


if __name__ == "__main__":
    sys.exit(main())
