"""How long an import takes, beyond the start of the interpreter: gramian against scikit-learn."""

import argparse
import subprocess
import sys
import time

from benchmarks._table import TextTable, ratio_text, seconds_text

PEER = "import sklearn.linear_model"
STATEMENTS = ("pass", "import gramian", "import gramian.linear_model", PEER)


def main() -> None:
    """Print the time of each import and how many times longer scikit-learn's takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="turns (default 7)")
    best = _best_of(parser.parse_args().repeat)
    bare = best.pop("pass")
    table = TextTable(
        f"Imports, above the bare {seconds_text(bare)}", ["statement", "time", "ratio"]
    )
    for statement, seconds in best.items():
        ratio = (best[PEER] - bare) / (seconds - bare)
        table.rows.append([statement, seconds_text(seconds - bare), ratio_text(ratio)])
    table.show()


def _best_of(n_turns: int) -> dict[str, float]:
    """Return the least wall time of a new process for each statement, after one unmeasured turn."""
    best = dict.fromkeys(STATEMENTS, float("inf"))
    for turn in range(n_turns + 1):
        for statement in STATEMENTS:
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            if turn > 0:
                best[statement] = min(best[statement], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
