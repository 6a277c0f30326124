"""Models on more rows than fit in memory: the same classes, fed block by block.

A `Scan` stands for the rows of Parquet files, of a data set or of frames that somebody hands out.
Estimators whose fit is a sum over rows take it in the place of a data frame, with the names of
columns for ``y`` and ``sample_weight``; `apply` predicts or transforms frame by frame.

Examples
--------
>>> import numpy as np
>>> import pandas as pd
>>> from gramian import blocks
>>> from gramian.linear_model import LinearRegression
>>> frames = [pd.DataFrame({"size": np.arange(k, k + 50.0)}) for k in (0, 50)]
>>> frames = [frame.assign(price=3.0 * frame["size"] + 7.0) for frame in frames]
>>> model = LinearRegression().fit(blocks.scan(frames), y="price")
>>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
([3.0], 7.0)
"""

from gramian.blocks._apply import answering, apply
from gramian.blocks._dask import dask_fit_arguments
from gramian.blocks._dask_frames import is_dask
from gramian.blocks._matrix import BlockMatrix, is_blocks
from gramian.blocks._rows import BlockRows, is_block_rows
from gramian.blocks._scan import Reading, Scan, scan
from gramian.blocks._survey import encoded_blocks, number_blocks, raw_blocks, whole_columns

__all__ = [
    "BlockMatrix",
    "BlockRows",
    "Reading",
    "Scan",
    "answering",
    "apply",
    "dask_fit_arguments",
    "encoded_blocks",
    "is_block_rows",
    "is_blocks",
    "is_dask",
    "number_blocks",
    "raw_blocks",
    "scan",
    "whole_columns",
]
