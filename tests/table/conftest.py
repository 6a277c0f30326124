"""Data frames of several libraries."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def make_frame(request):
    """Return a function that makes a data frame of one library from a dict of lists."""
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[request.param]
