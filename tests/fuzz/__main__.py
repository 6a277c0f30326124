"""Try hostile inputs, model files and odd orders of calls, and tell what must not happen.

    python -m tests.fuzz inputs --minutes 10 --seed 3 --only Ridge

Each finding is told with its smallest case and code that runs it again.
"""

import argparse
import faulthandler
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.calls import call_cases
from tests.fuzz.inputs import input_cases
from tests.fuzz.isolation import Results, minimise, run_cases
from tests.fuzz.library_files import library_file_cases
from tests.fuzz.model_files import model_file_cases

KINDS: dict[str, Callable[[int, str], Iterator[Any]]] = {
    "inputs": input_cases,
    "calls": call_cases,
    "files": model_file_cases,
    "library-files": library_file_cases,
}


def main() -> int:
    """Run what the command line asks for; return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all kinds together")
    parser.add_argument("--count", type=int, help="cases of each kind, if the time suffices")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="one class, by its name")
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    faulthandler.enable()
    n_findings = 0
    for kind in kinds:
        seconds = 60.0 * options.minutes / len(kinds)
        n_findings += _run_kind(kind, options, seconds)
    return 1 if n_findings else 0


def _run_kind(kind: str, options: argparse.Namespace, seconds: float) -> int:
    """Run cases of a kind, and tell each minute how far they are."""
    print(f"{kind}: seed {options.seed}", flush=True)
    cases = itertools.islice(KINDS[kind](options.seed, options.only), options.count)
    results, deadline = Results(), time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        part = run_cases(cases, seconds=min(left, 60.0))
        if not part.n_cases:
            break
        for case, text in results.take(part):
            smallest, said = minimise(case, text)
            print(f"\nFOUND {said}\n{smallest.snippet()}\n", flush=True)
        counts = ", ".join(f"{count} {text}" for text, count in results.counts.most_common())
        slowest = f"slowest {results.slowest:.1f} s"
        print(f"{kind}: {results.n_cases} cases: {counts}; {slowest}", flush=True)
    return len(results.findings)


if __name__ == "__main__":
    sys.exit(main())
