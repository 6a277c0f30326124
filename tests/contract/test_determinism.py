"""The same data and seed give the same bits, however they are computed."""

import json
import platform
from concurrent.futures import ThreadPoolExecutor

from scipy import sparse
from tests.contract.cases import (
    each_estimator,
    fit,
    fresh,
    make_data,
    registered,
    short_name,
    takes_sparse,
)
from tests.contract.processes import run_python

import gramian
from gramian import _core

N_SAMPLES, N_FEATURES = 20_000, 20
"""Enough rows that every native loop spreads over threads."""

LEVELS = ("v2", "v3", "v4")
IS_X86 = platform.machine() in ("x86_64", "AMD64")


def _fingerprint(estimator, X, y):
    return gramian.fingerprint(fit(fresh(estimator), X, y))


def big_fingerprints() -> dict[str, str]:
    """Return the fingerprint of every registered estimator on big data, dense and sparse."""
    found = {}
    for estimator in registered():
        X, y = make_data(estimator, N_SAMPLES, N_FEATURES)
        found[short_name(estimator)] = _fingerprint(estimator, X, y)
        if takes_sparse(estimator):
            X[X < 0.5] = 0.0
            name = f"{short_name(estimator)} on CSR"
            found[name] = _fingerprint(estimator, sparse.csr_array(X), y)
    return found


_REPORT = (
    "import json\n"
    "from tests.contract.test_determinism import big_fingerprints\n"
    "print(json.dumps(big_fingerprints()))\n"
)


def _elsewhere(**environment: str) -> dict[str, str]:
    """Return the fingerprints from a process with this environment."""
    found: dict[str, str] = json.loads(run_python(_REPORT, **environment))
    return found


def test_threads_and_instruction_set():
    """One test, which workers that share the suite cannot tear apart: the fits are many.

    SciPy's BLAS has threads of its own; their number must not matter either.
    """
    with gramian.config(n_threads=1):
        reference = big_fingerprints()
    for n_threads in (2, 4):
        with gramian.config(n_threads=n_threads):
            assert big_fingerprints() == reference, n_threads
    for n_blas_threads in ("1", "2"):
        assert _elsewhere(OPENBLAS_NUM_THREADS=n_blas_threads) == reference, n_blas_threads
    lower = LEVELS[: LEVELS.index(_core.cpu_level())] if IS_X86 else ()
    for level in lower:
        assert _elsewhere(GRAMIAN_ISA=level) == reference, level


@each_estimator("refit")
def test_refit(estimator):
    """A second fit, also after one on other data, leaves nothing of the first."""
    X, y = make_data(estimator)
    expected = _fingerprint(estimator, X, y)
    model = fit(fresh(estimator), *make_data(estimator, 30, 6, seed=5))
    assert gramian.fingerprint(fit(model, X, y)) == expected
    assert gramian.fingerprint(fit(model, X, y)) == expected


@each_estimator("python_threads")
def test_python_threads(estimator):
    """Models fitted at the same time do not disturb one another."""
    jobs = [make_data(estimator, 1_000, 8, seed=seed) for seed in range(8)]
    expected = [_fingerprint(estimator, X, y) for X, y in jobs]
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(_fingerprint, estimator, X, y) for X, y in jobs]
        assert [future.result(timeout=60) for future in futures] == expected


def test_seed_of_text_hashes():
    """Hashes of text differ between processes; models of text columns must not."""
    code = (
        "import gramian\n"
        "from tests.contract.cases import fit, fresh, registered, takes_table\n"
        "from tests.contract.frames import columns_for, make_frame, target_of\n"
        "for e in filter(takes_table, registered()):\n"
        "    columns = columns_for(e, 240)\n"
        "    y = target_of(columns, e)\n"
        "    print(gramian.fingerprint(fit(fresh(e), make_frame('pandas', columns), y)))\n"
    )
    assert run_python(code, PYTHONHASHSEED="1") == run_python(code, PYTHONHASHSEED="2")
