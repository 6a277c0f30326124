"""Training data that are read block by block, from a scan and the names of columns."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gramian._tags import tags_of
from gramian.blocks import (
    BlockMatrix,
    Scan,
    encoded_blocks,
    is_dask,
    number_blocks,
    raw_blocks,
)
from gramian.validation._data import FitData, encoding_for
from gramian.validation._features import names_of, remember
from gramian.validation._finite import require_finite
from gramian.validation._target import check_sample_weight, check_y

__all__ = ["fit_data_of_scan", "numbers_of_scan", "refuse_scan", "require_blocks"]


def fit_data_of_scan(
    estimator: Any,
    scan: Scan,
    y: Any,
    sample_weight: Any,
    *,
    multi_output: bool = False,
    y_numeric: bool = False,
    check_finite: bool = True,
) -> FitData:
    """Return the features of a scan as a matrix in blocks; target and weights are in memory.

    Sets on the estimator what `check_fit` sets.
    """
    _require_blocks(estimator, scan)
    targets = _target_names(estimator, y)
    vectors = scan.vectors([*targets, *_weight_names(sample_weight)])
    names = _feature_names(scan, [*targets, *_weight_names(sample_weight)])
    target = None
    if targets:
        found = vectors[y] if isinstance(y, str) else np.column_stack([vectors[c] for c in targets])
        target = check_y(found, multi_output=multi_output, y_numeric=y_numeric, estimator=estimator)
    weight = _weight(vectors, sample_weight)
    remember(estimator, names_of(names) if scan.has_names else None)
    estimator.n_features_in_ = len(names)
    if tags_of(estimator).native_table:
        estimator.encoding_ = None
        return FitData(raw_blocks(scan, names), target, weight)
    encoding = encoding_for(estimator, takes_sparse=True) if scan.has_names else None
    if encoding is None:
        matrix = number_blocks(scan, names, type(estimator).__name__)
    else:
        matrix = encoded_blocks(
            scan,
            names,
            encoding,
            weight,
            has_target=bool(targets),
            can_restart=_is_repeatable(estimator),
        )
    _require_tall(estimator, matrix)
    if check_finite:
        require_finite(matrix, "X", estimator)
    estimator.encoding_ = encoding
    return FitData(matrix, target, weight)


def _is_repeatable(estimator: Any) -> bool:
    """Tell whether a fit that starts again is the same: no generator was drawn from."""
    state = getattr(estimator, "random_state", None)
    return state is None or isinstance(state, (int, np.integer))


def numbers_of_scan(
    estimator: Any, scan: Scan, sample_weight: Any = None
) -> tuple[BlockMatrix, NDArray[np.float64] | None]:
    """Return the columns of numbers of a scan as they are, and the weights.

    Sets ``n_features_in_`` and ``feature_names_in_`` on the estimator.
    """
    _require_blocks(estimator, scan)
    vectors = scan.vectors(_weight_names(sample_weight))
    names = _feature_names(scan, _weight_names(sample_weight))
    matrix = number_blocks(scan, names, type(estimator).__name__)
    remember(estimator, names_of(names) if scan.has_names else None)
    estimator.n_features_in_ = len(names)
    return matrix, _weight(vectors, sample_weight)


def refuse_scan(X: Any, what: str) -> None:
    """Raise TypeError where rows in memory are needed and a scan is given."""
    if isinstance(X, Scan) or is_dask(X):
        kind = "scan" if isinstance(X, Scan) else "Dask collection"
        raise TypeError(
            f"{what} takes rows in memory, and X is a {kind}. gramian.blocks.apply(model, X) "
            "answers frame by frame."
        )


def _require_blocks(estimator: Any, scan: Scan) -> None:
    require_blocks(estimator)
    scan.require_repeatable(type(estimator).__name__)


def require_blocks(estimator: Any) -> None:
    """Raise TypeError unless an estimator can be fitted block by block."""
    if not tags_of(estimator).blocks:
        raise TypeError(
            f"{type(estimator).__name__} with these parameters needs all rows in memory and takes "
            "no scan. From blocks fit linear models, generalised linear models, boosting "
            "on histograms, KMeans, PCA, naive Bayes, scalers, imputers and encoders (the guide's "
            "page on blocks lists them); or fit on a sample of the rows."
        )


def _target_names(estimator: Any, y: Any) -> list[str]:
    if y is None:
        if tags_of(estimator).required_y:
            raise ValueError(
                f"{type(estimator).__name__} needs a target: name its column, as in y='price'."
            )
        return []
    return _names("y", y)


def _weight_names(sample_weight: Any) -> list[str]:
    if sample_weight is None:
        return []
    if not isinstance(sample_weight, str):
        _refuse_argument("sample_weight", sample_weight)
    return [sample_weight]


def _names(argument: str, value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    is_names = isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value)
    if not is_names:
        _refuse_argument(argument, value)
    return list(value)


def _refuse_argument(argument: str, value: Any) -> NoReturn:
    raise TypeError(
        f"With a scan, {argument} is the name of one of its columns. Got {type(value).__name__}. "
        "Beside a Dask collection it may be another one."
    )


def _feature_names(scan: Scan, others: Sequence[str]) -> list[str]:
    names = [name for name in scan.columns if name not in others]
    if not names:
        raise ValueError("The scan has no column besides the target and the weights.")
    return names


def _weight(
    vectors: dict[str, NDArray[Any]], sample_weight: str | None
) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weight = vectors[sample_weight]
    return check_sample_weight(weight, weight)


def _require_tall(estimator: Any, matrix: BlockMatrix) -> None:
    """Raise ValueError for more columns than rows: such data fit in memory."""
    n_rows, n_columns = matrix.shape
    if n_rows <= n_columns:
        raise ValueError(
            f"{type(estimator).__name__} from blocks takes more rows than columns. Got {n_rows} "
            f"rows and {n_columns} columns: fit on a data frame in memory."
        )
