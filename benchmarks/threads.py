"""Whether threads ever cost time: all allowed threads against one, from few rows to many.

The work decides how many threads are woken, so no ratio should exceed 1 by more than noise.
"""

import argparse
import statistics
from collections.abc import Callable
from functools import partial

import gramian
from benchmarks import THREADS
from benchmarks._measure import calls_needed, seconds_per_call
from benchmarks._table import TextTable, seconds_text
from benchmarks.rows.linear import dense
from gramian.linear_model import LinearRegression

SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
COLUMNS = (5, 20)
NOISE = 1.05


def main() -> None:
    """Print time with all threads over time with one, by number of rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="turns (default 15)")
    parser.add_argument("--quick", action="store_true", help="no more than 10,000 rows")
    arguments = parser.parse_args()
    headers = ["call", "1 thread", f"{THREADS} threads / 1, best", "median", ""]
    table = TextTable(f"LinearRegression with {THREADS} threads against one", headers)
    for p in COLUMNS:
        for n in SIZES[:5] if arguments.quick else SIZES:
            for name, call in _calls(n, p).items():
                table.rows.append([f"{name} {n:,} x {p}", *_compare(call, arguments.repeat)])
    table.show()


def _calls(n: int, p: int) -> dict[str, Callable[[], object]]:
    X, y = dense(n, p)
    model = LinearRegression().fit(X, y)
    return {"fit": partial(LinearRegression().fit, X, y), "predict": partial(model.predict, X)}


def _compare(call: Callable[[], object], n_turns: int) -> list[str]:
    """Return the cells of a line: both settings take turns, and swap who comes first."""
    n_calls = calls_needed(call)
    seconds: dict[int, list[float]] = {1: [], THREADS: []}
    for turn in range(n_turns):
        for n_threads in (1, THREADS) if turn % 2 else (THREADS, 1):
            with gramian.config(n_threads=n_threads):
                seconds[n_threads].append(seconds_per_call(call, n_calls))
    best = min(seconds[THREADS]) / min(seconds[1])
    median = statistics.median(seconds[THREADS]) / statistics.median(seconds[1])
    verdict = "slower" if min(best, median) > NOISE else ""
    return [seconds_text(min(seconds[1])), f"{best:.2f}", f"{median:.2f}", verdict]


if __name__ == "__main__":
    main()
