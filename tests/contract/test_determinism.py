"""The same data and seed give the same bits, however they are computed."""

import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from scipy import sparse
from tests.contract.cases import (
    affordable,
    each_estimator,
    fit,
    fresh,
    is_registered,
    make_data,
    registered,
    short_name,
    takes_sparse,
)
from tests.contract.processes import answering_python, run_python

import gramian
from gramian import _core

N_SAMPLES, N_FEATURES = 20_000, 20
"""Enough rows that every native loop spreads over threads."""
N_KERNEL_SAMPLES = 5_000
"""Enough for those that compare all rows with all."""
OF_PAIRS = {
    "AgglomerativeClustering",
    "Birch",
    "DBSCAN",
    "HDBSCAN",
    "KernelPCA",
    "LocalOutlierFactor",
    "MeanShift",
    "OPTICS",
    "SpectralClustering",
}

LEVELS = ("v2", "v3", "v4")
IS_X86 = platform.machine() in ("x86_64", "AMD64")


def _fingerprint(estimator, X, y):
    return gramian.fingerprint(fit(fresh(estimator), X, y))


def big_fingerprints(estimator) -> list[str]:
    """Return the fingerprints of an estimator on big data, dense and, if it takes it, sparse."""
    is_of_pairs = type(estimator).__module__.startswith(("gramian.manifold.", "gramian.svm."))
    is_of_pairs |= type(estimator).__name__ in OF_PAIRS
    n_samples = N_KERNEL_SAMPLES if is_of_pairs else N_SAMPLES
    X, y = make_data(estimator, affordable(estimator, n_samples), N_FEATURES)
    found = [_fingerprint(estimator, X, y)]
    if takes_sparse(estimator):
        X[X < 0.5] = 0.0
        found.append(_fingerprint(estimator, sparse.csr_array(X), y))
    return found


def big_fingerprints_by_name() -> Callable[[str], list[str]]:
    """Return `big_fingerprints` of an estimator by its name, for another process."""
    known = {short_name(estimator): estimator for estimator in registered()}
    return lambda name: big_fingerprints(known[name])


@pytest.fixture(scope="module")
def elsewhere():
    """Functions that return fingerprints from processes of other instruction sets and BLAS threads.

    SciPy's BLAS has threads of its own; their number must not matter either.
    """
    lower = LEVELS[: LEVELS.index(_core.cpu_level())] if IS_X86 else ()
    levels = [{"GRAMIAN_ISA": level} for level in lower]
    code = (
        "import gramian\n"
        "from tests.contract.test_determinism import big_fingerprints_by_name\n"
        "gramian.set_config(n_threads=1)\n"
        "answer = big_fingerprints_by_name()\n"
    )
    with ExitStack() as stack:
        yield [
            stack.enter_context(answering_python(code, OPENBLAS_NUM_THREADS=threads, **level))
            for threads, level in zip(("1", "2"), [*levels, {}, {}], strict=False)
        ]


@each_estimator("threads", where=is_registered)
def test_threads_and_instruction_set(estimator, elsewhere):
    with gramian.config(n_threads=1):
        reference = big_fingerprints(estimator)
    for n_threads in (2, 4):
        with gramian.config(n_threads=n_threads):
            assert big_fingerprints(estimator) == reference, n_threads
    for found in elsewhere:
        assert found(short_name(estimator)) == reference, found.__name__


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
