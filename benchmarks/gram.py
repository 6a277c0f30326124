"""Which share of the machine's peak the least-squares fit reaches.

A fit by the normal equations is, up to lower orders, the Gram matrix X'X: n p^2 operations, as half
of it follows by symmetry. Their rate is held against a large matrix product by NumPy's BLAS, the
practical peak, and against a loop of fused multiply-adds in registers, the true one.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import THREADS
from benchmarks._measure import seconds_per_call
from benchmarks._table import TextTable
from benchmarks.rows.linear import dense
from gramian import _core
from gramian.config import core_context

ENTRIES = 20_000_000
COLUMNS = (20, 50, 100, 200, 500, 1_000)
PRODUCT = 3_000
_SOURCE = Path(__file__).parent / "fma_peak.cpp"


def main() -> None:
    """Print rates and shares for several numbers of columns in both precisions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gram", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="turns (default 7)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    arguments = parser.parse_args()
    n_turns, entries = arguments.repeat, ENTRIES // 10 if arguments.quick else ENTRIES
    peaks = _fma_peaks(n_turns)
    headers = ["data", "Gflop/s", "of BLAS product", "of FMA peak", "BLAS X'X of FMA peak"]
    table = TextTable(f"Gram product, {THREADS} threads", headers)
    for dtype in (np.float64, np.float32):
        product = _product_rate(dtype, n_turns)
        peak = peaks.get(np.dtype(dtype).name)
        shown = "no compiler" if peak is None else f"{peak / 1e9:.0f}"
        name = np.dtype(dtype).name
        print(f"{name}: BLAS product {product / 1e9:.0f} Gflop/s, FMA peak {shown} Gflop/s")
        for p in COLUMNS:
            rates = _fit_and_blas_rates(entries // p, p, dtype, n_turns)
            table.rows.append([f"{entries // p:,} x {p} {name}", *_cells(*rates, product, peak)])
    table.show()


def _cells(fit: float, blas: float, product: float, peak: float | None) -> list[str]:
    of_peak = ["-", "-"] if peak is None else [f"{fit / peak:.0%}", f"{blas / peak:.0%}"]
    return [f"{fit / 1e9:.0f}", f"{fit / product:.0%}", *of_peak]


def _fit_and_blas_rates(n: int, p: int, dtype: Any, n_turns: int) -> tuple[float, float]:
    """Return operations per second of the native fit and of the bare X'X by BLAS."""
    X, y = dense(n, p, dtype)
    arguments = (X, y.astype(np.float64).reshape(-1, 1), None, np.zeros(1))
    out = {
        "coef": np.empty((p, 1)),
        "mean_x": np.empty(p),
        "mean_y": np.empty(1),
        "sums": np.empty((3, 1)),
    }
    unused: dict[str, Any] = {"gram": None, "kernel": None}

    def fit() -> None:
        _core.least_squares(*arguments, fit_intercept=True, **out, **unused, ctx=core_context())

    work = float(n) * p * p
    fit_seconds, blas_seconds = _best([fit, partial(np.matmul, X.T, X)], n_turns)
    return work / fit_seconds, work / blas_seconds


def _product_rate(dtype: Any, n_turns: int) -> float:
    """Return operations per second of a large matrix product of different matrices."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((PRODUCT, PRODUCT)).astype(dtype)
    B = rng.standard_normal((PRODUCT, PRODUCT)).astype(dtype)
    (seconds,) = _best([partial(np.matmul, A, B)], n_turns)
    return 2.0 * PRODUCT**3 / seconds


def _best(calls: list[Callable[[], object]], n_turns: int) -> list[float]:
    """Return the least seconds of each call; they take turns, after one that does not count."""
    turns = [[seconds_per_call(call) for call in calls] for _ in range(n_turns + 1)]
    return [min(column) for column in zip(*turns[1:], strict=True)]


def _fma_peaks(n_turns: int) -> dict[str, float]:
    """Return operations per second of all threads by precision; nothing without a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("clang++")
    if compiler is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "fma_peak"
        options = ["-O3", "-march=native", "-ffp-contract=fast"]
        subprocess.run([compiler, *options, "-o", str(program), str(_SOURCE)], check=True)
        totals = [_run_on_all_threads(program) for _ in range(n_turns)]
    double, single = (max(column) for column in zip(*totals, strict=True))
    return {"float64": double, "float32": single}


def _run_on_all_threads(program: Path) -> tuple[float, float]:
    """Run one copy per thread at the same time and add up their rates."""
    copies = [
        subprocess.Popen([str(program)], stdout=subprocess.PIPE, text=True) for _ in range(THREADS)
    ]
    rates = [[float(number) for number in copy.communicate()[0].split()] for copy in copies]
    return sum(rate[0] for rate in rates) * 1e9, sum(rate[1] for rate in rates) * 1e9


if __name__ == "__main__":
    main()
