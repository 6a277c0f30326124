"""Fixtures for all tests."""

import importlib
import os

import hypothesis
import numpy as np
import pytest

# A busy machine fails no test.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

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


@pytest.fixture
def make_frame(frame_library):
    """A function that makes a data frame of one library from a dict of lists."""
    library = importlib.import_module(frame_library)
    return library.table if frame_library == "pyarrow" else library.DataFrame


@pytest.fixture
def many_levels():
    """A frame whose column "street" has more levels than are one-hot encoded, and a target."""
    import pandas as pd

    rng = np.random.default_rng(5)
    street = rng.integers(60, size=300)
    frame = pd.DataFrame(
        {
            "size": rng.normal(80.0, 20.0, size=300),
            "street": [f"street {number}" for number in street],
            "city": rng.choice(["Bern", "Oslo"], size=300),
        }
    )
    effect = rng.normal(size=60)[street]
    return frame, 0.05 * frame["size"].to_numpy() + effect + rng.normal(size=300)


@pytest.fixture
def pyplot():
    """``matplotlib.pyplot`` without a screen; its figures are closed at the end."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield pytest.importorskip("matplotlib.pyplot")
    matplotlib.pyplot.close("all")
