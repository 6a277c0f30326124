"""Settings hold for a block, a thread or the whole program, and are checked."""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import gramian
from gramian.config import available_threads, core_context, n_threads_for
from gramian.exceptions import InvalidParameterError

MODULE = sys.modules["gramian.config"]  # `gramian.config` itself is the function


@pytest.fixture(autouse=True)
def _restore():
    before = gramian.get_config()
    yield
    gramian.set_config(**before)


def test_defaults():
    assert gramian.get_config() == {
        "n_threads": None,
        "time_limit": None,
        "memory_limit": None,
        "dask_timeout": 300.0,
        "assume_finite": False,
        "working_memory": 1024,
        "transform_output": "default",
        "display": "diagram",
        "print_changed_only": True,
        "enable_metadata_routing": False,
    }


def test_get_config_is_a_copy():
    gramian.get_config()["n_threads"] = 77
    assert gramian.get_config()["n_threads"] is None


def test_set_config():
    gramian.set_config(n_threads=3, display="text")
    assert gramian.get_config()["n_threads"] == 3
    gramian.set_config(display="diagram")
    assert gramian.get_config()["n_threads"] == 3


def test_block_restores_also_after_errors():
    with pytest.raises(KeyError), gramian.config(n_threads=2):
        with gramian.config(n_threads=1, assume_finite=True):
            assert gramian.get_config()["n_threads"] == 1
        assert gramian.get_config()["n_threads"] == 2
        assert not gramian.get_config()["assume_finite"]
        raise KeyError
    assert gramian.get_config()["n_threads"] is None


def test_block_restores_what_set_config_did_inside():
    with gramian.config(n_threads=2):
        gramian.set_config(n_threads=5)
    assert gramian.get_config()["n_threads"] is None


def test_sklearns_name_for_it():
    with gramian.config_context(assume_finite=True):
        assert gramian.get_config()["assume_finite"]


def test_as_decorator():
    @gramian.config(n_threads=4)
    def inside():
        return gramian.get_config()["n_threads"]

    assert inside() == inside() == 4
    assert gramian.get_config()["n_threads"] is None


def test_none_leaves_what_cannot_be_none():
    unset = gramian.config(assume_finite=None, working_memory=None, n_threads=None)
    with gramian.config(assume_finite=True, working_memory=5, n_threads=3), unset:
        settings = gramian.get_config()
    assert (settings["assume_finite"], settings["working_memory"]) == (True, 5)
    assert settings["n_threads"] is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_threads", 0),
        ("n_threads", -1),
        ("n_threads", 2.0),
        ("n_threads", True),
        ("n_threads", "2"),
        ("time_limit", 0),
        ("time_limit", -1.0),
        ("time_limit", float("nan")),
        ("time_limit", True),
        ("time_limit", "1s"),
        ("assume_finite", "no"),
        ("transform_output", "numpy"),
        ("display", "html"),
        ("print_changed_only", "yes"),
    ],
)
def test_bad_values(name, value):
    before = gramian.get_config()
    for change in (gramian.set_config, lambda **options: gramian.config(**options).__enter__()):
        with pytest.raises(
            InvalidParameterError, match=rf"setting '{name}' must be .*Got {value!r}"
        ):
            change(
                **{"assume_finite": True, name: value} if name != "assume_finite" else {name: value}
            )
    assert gramian.get_config() == before


@pytest.mark.parametrize("value", [1, 10**6])
def test_good_threads(value):
    with gramian.config(n_threads=value):
        assert n_threads_for(None) == value


@pytest.mark.parametrize("value", [1, 0.5, 1e12, float("inf"), None])
def test_good_time_limits(value):
    with gramian.config(time_limit=value):
        assert not core_context().expired


def test_unknown_setting():
    with pytest.raises(TypeError, match="Unknown setting 'threads'; the settings are n_threads, "):
        gramian.set_config(threads=2)


def test_threads_have_their_own_settings():
    barrier = threading.Barrier(8)

    def work(k):
        with gramian.config(n_threads=k):
            barrier.wait(timeout=20)
            seen = gramian.get_config()["n_threads"]
            barrier.wait(timeout=20)
        return seen, gramian.get_config()["n_threads"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(1, 9))) == [(k, None) for k in range(1, 9)]
    assert gramian.get_config()["n_threads"] is None


def test_tasks_have_their_own_settings():
    async def work(k):
        with gramian.config(n_threads=k):
            await asyncio.sleep(0.01)
            return gramian.get_config()["n_threads"]

    async def main():
        return await asyncio.gather(*(work(k) for k in range(1, 6)))

    assert asyncio.run(main()) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("setting", "n_jobs", "expected"),
    [
        (3, None, 3),
        (3, 2, 2),
        (3, 8, 3),
        (None, 8, 8),
        (None, 2**70, 2**16),
        (1, -1, 1),
    ],
)
def test_n_jobs(setting, n_jobs, expected):
    with gramian.config(n_threads=setting):
        assert n_threads_for(n_jobs) == expected
        assert core_context(n_jobs).n_threads == expected


def test_no_jobs():
    with pytest.raises(ValueError, match="n_jobs == 0 has no meaning"):
        n_threads_for(0)


def test_negative_n_jobs(monkeypatch):
    monkeypatch.setattr(MODULE, "_hardware_threads", lambda: 6)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [n_threads_for(k) for k in (-1, -2, -6, -7, -100)] == [6, 5, 1, 1, 1]
    assert n_threads_for(None) == 6


@pytest.mark.parametrize(
    ("ours", "omp", "expected"),
    [
        ("2", "3", 2),
        (None, "3", 3),
        (None, "4,2,1", 4),
        ("0", "3", 3),
        ("many", None, 8),
        ("99", None, 8),
        (None, None, 8),
    ],
)
def test_environment(monkeypatch, ours, omp, expected):
    monkeypatch.setattr(MODULE, "_hardware_threads", lambda: 8)
    for name, value in (("GRAMIAN_NUM_THREADS", ours), ("OMP_NUM_THREADS", omp)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert available_threads() == expected


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no CPU affinity here")
def test_affinity():
    assert 1 <= available_threads() <= len(os.sched_getaffinity(0))


def test_context_takes_any_seed():
    assert core_context(seed=-1).seed == 2**64 - 1
    assert core_context(seed=2**70 + 5).seed == 5
    assert core_context(seed=7).seed == 7


def test_time_limit_runs_from_the_start_of_the_computation():
    with gramian.config(time_limit=1e-9):
        assert core_context().expired
