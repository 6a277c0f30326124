"""What holds for the tests and for the examples of docstrings alike."""

import sys

import pytest


@pytest.fixture(autouse=True)
def closed_pictures():
    """Close the pictures of a test: matplotlib warns of more than twenty open ones."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
