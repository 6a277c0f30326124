"""Keep other libraries' threads from waiting for busy cores."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread_for_others():
    with threadpool_limits(1, user_api="openmp"):
        yield
