"""The same data and seed give the same bits, however they are computed."""

import json
import platform
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from scipy import sparse

import gramian
from gramian import _core
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

N_SAMPLES, N_FEATURES = 20_000, 30
"""Enough rows that every native loop spreads over threads."""

LEVELS = ("v2", "v3", "v4")


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
    return big_fingerprints()


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_number_of_threads(n_threads, reference):
    with gramian.config(n_threads=n_threads):
        assert big_fingerprints() == reference


def test_threads_of_other_libraries():
    """BLAS may use threads of its own, which are not set by our settings."""
    one = run_python(_REPORT, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    two = run_python(_REPORT, OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2", MKL_NUM_THREADS="2")
    assert json.loads(one) == json.loads(two)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="levels of x86-64")
@pytest.mark.parametrize("level", LEVELS)
def test_instruction_set(level, reference):
    if LEVELS.index(level) > LEVELS.index(_core.cpu_level()):
        pytest.skip(f"this processor has no {level}")
    assert json.loads(run_python(_REPORT, GRAMIAN_ISA=level)) == reference


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
    jobs = [make_data(estimator, 2_000, 12, seed=seed % 4) for seed in range(16)]
    expected = [_fingerprint(estimator, X, y) for X, y in jobs]
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(_fingerprint, estimator, X, y) for X, y in jobs]
        assert [future.result(timeout=60) for future in futures] == expected


@each_estimator("other_process")
def test_other_process(estimator):
    """Hashes of text differ between processes; models must not."""
    if type(estimator).__module__.startswith("tests."):
        pytest.skip("only registered estimators are looked up by name")
    X, y = make_data(estimator)
    code = (
        "import gramian\n"
        "from tests.contract.cases import fit, fresh, make_data, registered, short_name\n"
        "models = {short_name(e): e for e in registered()}\n"
        f"e = models[{short_name(estimator)!r}]\n"
        "print(gramian.fingerprint(fit(fresh(e), *make_data(e))))\n"
    )
    seed = "0" if sys.flags.hash_randomization else "1"
    assert run_python(code, PYTHONHASHSEED=seed).strip() == _fingerprint(estimator, X, y)
