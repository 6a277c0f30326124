"""The fingerprints of every estimator on fixed data, to compare two versions of the library.

Usage, before and after a change that should leave all models as they are::

    python -m tests.contract.fingerprints before.json
    python -m tests.contract.fingerprints after.json --against before.json
"""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from tests.contract.cases import (
    fit,
    fresh,
    make_data,
    registered,
    short_name,
    takes_rows,
    takes_sparse,
    takes_table,
    takes_weight,
)
from tests.contract.frames import columns_for, make_frame, target_of

import gramian

SHAPES = {"small": (60, 4), "middle": (3_000, 12), "large": (20_000, 20)}
N_KERNEL_ROWS = 2_000
"""The most rows for machines that compare all rows with all."""


def fits(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, fitted model) on data of several shapes, types and kinds."""
    of_kernels = type(estimator).__module__.startswith("gramian.svm.")
    for name, (n_rows, n_columns) in SHAPES.items():
        n_rows = min(n_rows, N_KERNEL_ROWS) if of_kernels else n_rows
        yield name, fit(fresh(estimator), *make_data(estimator, n_rows, n_columns))
    X, y = make_data(estimator, 500, 8)
    if takes_rows(estimator):
        yield "single precision", fit(fresh(estimator), X.astype(np.float32), y)
        yield "column order", fit(fresh(estimator), np.asfortranarray(X), y)
    if takes_weight(estimator):
        weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(np.float64)
        yield "weights", fresh(estimator).fit(X, y, sample_weight=weight)
    if takes_sparse(estimator):
        yield "sparse", fit(fresh(estimator), sparse.csr_array(np.where(X < 0.5, 0.0, X)), y)
    if takes_table(estimator):
        columns = columns_for(estimator, 240)
        yield (
            "frame",
            fit(fresh(estimator), make_frame("pandas", columns), target_of(columns, estimator)),
        )


def fingerprints() -> dict[str, str]:
    """Return "estimator | data" -> fingerprint, or the error that the fit raises."""
    found = {}
    for estimator in registered():
        cases = fits(estimator)
        while True:
            try:
                name, model = next(cases)
            except StopIteration:
                break
            except Exception as error:  # a model may refuse data; then it must go on doing so
                found[f"{short_name(estimator)} | error"] = f"{type(error).__name__}: {error}"
                break
            found[f"{short_name(estimator)} | {name}"] = gramian.fingerprint(model)
    return found


def main() -> int:
    """Write the fingerprints; with ``--against``, list those that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found = fingerprints()
    arguments.out.write_text(json.dumps(found, indent=1, sort_keys=True))
    if arguments.against is None:
        return 0
    before = json.loads(arguments.against.read_text())
    differing = sorted(k for k in before.keys() | found.keys() if before.get(k) != found.get(k))
    print("\n".join(differing))
    print(f"{len(differing)} of {len(before.keys() | found.keys())} fingerprints differ")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
