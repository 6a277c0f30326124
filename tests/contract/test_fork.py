"""Nothing hangs in a child that is forked after a fit."""

import multiprocessing
import os
import time
import warnings

import numpy as np
import pytest
from tests.contract.cases import (
    affordable,
    each_estimator,
    fit,
    fresh,
    make_data,
    outputs,
    registered,
)

import gramian

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

TIME_LIMIT = 120.0  # a hang, not a busy machine


def _wait(pid: int) -> int | None:
    """Return the child's exit status, or None (and end it) if it takes too long."""
    end = time.monotonic() + TIME_LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return None


def _run_in_fork(function) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        pid = os.fork()
    if pid == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert _wait(pid) == 0, "the forked child hung or failed"


@each_estimator("fork")
def test_fork_after_fit(estimator):
    X, y = make_data(estimator, affordable(estimator, 20_000), 12)
    with gramian.config(n_threads=4):
        model = fit(fresh(estimator), X, y)
        expected = outputs(model, X)
        fingerprint = gramian.fingerprint(model)

        def child() -> None:
            again = fit(fresh(estimator), X, y)
            assert gramian.fingerprint(again) == fingerprint
            for method, values in outputs(model, X).items():
                assert np.array_equal(values, expected[method])

        _run_in_fork(child)
        assert gramian.fingerprint(fit(model, X, y)) == fingerprint


def _fit_and_hash(position: int) -> str:
    estimator = registered()[position]
    X, y = make_data(estimator, affordable(estimator, 5_000), 8)
    return gramian.fingerprint(fit(fresh(estimator), X, y))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_pool_of_forked_processes():
    """Searches with a fork-based pool fit in each worker."""
    jobs = list(range(len(registered())))
    expected = [_fit_and_hash(job) for job in jobs]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_fit_and_hash, jobs).get(timeout=TIME_LIMIT) == expected


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_fork_inside_fork():
    def child() -> None:
        _fit_and_hash(0)
        _run_in_fork(lambda: _fit_and_hash(len(registered()) - 1))

    _fit_and_hash(0)
    _run_in_fork(child)
