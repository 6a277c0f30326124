"""The same data and seed give the same bits, however they are computed."""

import json
import platform
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from scipy import sparse
from tests.contract.cases import (
    each_estimator,
    fit,
    fresh,
    is_registered,
    make_data,
    registered,
    short_name,
    takes_sparse,
)
from tests.contract.processes import run_python

import gramian
from gramian import _core
from gramian.config import available_threads

N_SAMPLES, N_FEATURES = 20_000, 30
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


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    with gramian.config(n_threads=1):
        return big_fingerprints()


@pytest.mark.parametrize("n_threads", [2, 4])
def test_number_of_threads(n_threads, reference):
    with gramian.config(n_threads=n_threads):
        assert big_fingerprints() == reference


@cache
def _elsewhere(level: str, n_blas_threads: int) -> dict[str, str]:
    """Return the fingerprints from a process with these settings."""
    printed = run_python(_REPORT, GRAMIAN_ISA=level, OPENBLAS_NUM_THREADS=str(n_blas_threads))
    found: dict[str, str] = json.loads(printed)
    return found


@pytest.mark.skipif(not IS_X86, reason="levels of x86-64")
@pytest.mark.parametrize("level", LEVELS[:-1])
def test_instruction_set(level):
    best = _core.cpu_level()
    if LEVELS.index(level) >= LEVELS.index(best):
        pytest.skip(f"{level} is not below this processor's {best}")
    assert _elsewhere(level, 1) == _elsewhere(best, 1)


@pytest.mark.skipif(available_threads() < 2, reason="one thread only")
@each_estimator("blas_threads", where=is_registered)
def test_threads_of_blas(estimator):
    """SciPy's BLAS has threads of its own; their number must not matter either."""
    one, two = (_elsewhere(_core.cpu_level(), n_threads) for n_threads in (1, 2))
    names = [name for name in one if name.split(" on ")[0] == short_name(estimator)]
    assert {name: one[name] for name in names} == {name: two[name] for name in names}


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
