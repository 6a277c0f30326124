"""Fixtures for all tests."""

import os

import pytest

N_SEEDS = 20


def _seeds() -> list[int]:
    """Return the seeds that ``GRAMIAN_TEST_SEEDS`` asks for: "all", or numbers with commas."""
    wanted = os.environ.get("GRAMIAN_TEST_SEEDS", "42")
    return list(range(N_SEEDS)) if wanted == "all" else [int(seed) for seed in wanted.split(",")]


@pytest.fixture(params=_seeds())
def global_random_seed(request):
    """A seed that must not matter: one by default, many with ``GRAMIAN_TEST_SEEDS=all``."""
    return request.param


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame_library(request):
    """The name of a data frame library; see ``tests.contract.frames``."""
    return request.param
