"""Rows with labels, weights and queries: LightGBM's Dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.ranking import with_queries
from gramian._boosting.rows import Part
from gramian._typing import Floats
from gramian.compat.lightgbm._columns import Columns, as_rows, fit_columns
from gramian.compat.lightgbm._parameters import PARAMETERS, only
from gramian.exceptions import InvalidParameterError
from gramian.validation import check_sample_weight, column_or_1d

__all__ = ["Dataset"]


_FIELDS = ("label", "weight", "group", "init_score")
_OF_READING = ("zero_as_missing", "use_missing", "categorical_feature")


class Dataset:
    """Rows for `train` and `cv`.

    Parameters
    ----------
    data : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features. NaN is a missing value.
    label : array-like of shape (n_samples,), optional
        Target.
    reference : Dataset, optional
        The training rows, whose columns those of evaluation sets are read like.
    weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    group : array-like of int, optional
        Sizes of the queries, whose rows follow each other.
    init_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Where the scores start.
    feature_name : list of str or "auto", default="auto"
        Names of the columns.
    categorical_feature : list of str or int, or "auto", default="auto"
        Which columns are categorical; "auto": those of a categorical type, or of text.
    params : dict, optional
        Parameters, which those of `train` precede.
    free_raw_data : bool, default=True
        Whether to let go of `data` once it has been read.
    position : None
        Positions of rows in a ranking are not supported.

    Examples
    --------
    >>> from gramian.compat.lightgbm import Dataset
    >>> data = Dataset([[0.0, 1.0], [2.0, 3.0]], label=[0, 1])
    >>> data.num_data(), data.num_feature()
    (2, 2)
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        reference: Dataset | None = None,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        feature_name: Any = "auto",
        categorical_feature: Any = "auto",
        params: Mapping[str, Any] | None = None,
        free_raw_data: bool = True,
        position: Any = None,
    ) -> None:
        if position is not None:
            raise InvalidParameterError("position is not supported by gramian; leave it at None.")
        if isinstance(data, str) or hasattr(data, "__fspath__"):
            raise TypeError("Dataset reads no files of data; pass an array or a data frame.")
        if reference is not None and not isinstance(reference, Dataset):
            raise TypeError(f"reference must be a Dataset. Got {type(reference).__name__}.")
        self.data, self.reference = data, reference
        self.feature_name, self.categorical_feature = feature_name, categorical_feature
        self.params: dict[str, Any] = dict(params or {})
        self.free_raw_data = free_raw_data
        self._rows: Any = None
        self._columns: Columns | None = None
        self._reading: dict[str, bool] = {}
        self._source: Any = as_rows(data)
        self._n_rows, self._n_features = self._source.shape
        self.set_label(label).set_weight(weight).set_group(group).set_init_score(init_score)

    # -- rows ------------------------------------------------------------------------------------

    def construct(self) -> Self:
        """Read the rows, if that has not been done; return self."""
        return self._construct({})

    def _construct(self, params: Mapping[str, Any]) -> Self:
        """Read the rows by the parameters of a fit."""
        if self.reference is not None:
            self.reference._construct(params)
            if self._rows is None:
                self._adopt(self.reference.columns)
            return self
        given = PARAMETERS.given(only({**self.params, **params}, *_OF_READING), "Dataset")
        if self._rows is not None:
            if any(given[name] != self._reading[name] for name in given.keys() & self._reading):
                raise ValueError(
                    "zero_as_missing and use_missing cannot change once a Dataset has been read."
                )
            return self
        categorical = self.categorical_feature
        if isinstance(categorical, str) and categorical == "auto":
            categorical = given.get("categorical_feature", "auto")
        reading = {
            "zero_as_missing": bool(given.get("zero_as_missing", False)),
            "use_missing": bool(given.get("use_missing", True)),
        }
        self._rows, self._columns = fit_columns(
            self._source,
            self.feature_name,
            categorical,
            weight=self.weight,
            zero_is_missing=reading["zero_as_missing"],
            uses_missing=reading["use_missing"],
        )
        self._reading = reading
        self._free()
        return self

    def _adopt(self, columns: Columns) -> None:
        """Read the rows like others."""
        if self._columns is columns:
            return
        if self._source is None:
            raise ValueError(
                "The Dataset has been read by the columns of another one. Make it anew, or with "
                "free_raw_data=False."
            )
        self._rows, self._columns = columns.read(self._source, fills=True), columns
        self._free()

    def _free(self) -> None:
        if self.free_raw_data:
            self.data = self._source = None

    @property
    def rows(self) -> Any:
        """The rows as the trees read them."""
        return self.construct()._rows

    @property
    def columns(self) -> Columns:
        """What is known of the columns."""
        columns = self.construct()._columns
        assert columns is not None
        return columns

    @property
    def offsets(self) -> NDArray[np.int64] | None:
        """Where the queries begin, and the last ends."""
        if self.group is None:
            return None
        part = Part(np.empty((self._n_rows, 0)), np.empty(self._n_rows), None)
        return with_queries(part, None, self.group).offsets

    def num_data(self) -> int:
        """Return the number of rows."""
        return int(self._n_rows)

    def num_feature(self) -> int:
        """Return the number of columns."""
        return int(self._n_features)

    def get_feature_name(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.columns.names)

    def get_data(self) -> Any:
        """Return the data as they were given; raise if they were let go of."""
        if self.data is None:
            raise ValueError(
                "The data have been let go of. Make the Dataset with free_raw_data=False to keep "
                "them."
            )
        return self.data

    def get_params(self) -> dict[str, Any]:
        """Return the parameters."""
        return dict(self.params)

    def set_reference(self, reference: Dataset) -> Self:
        """Set the training rows whose columns those of this set are read like; return self."""
        if self.reference is not reference:
            self.reference = reference
            if self._columns is not None and self._columns is not reference._columns:
                self._adopt(reference.columns)
        return self

    def set_feature_name(self, feature_name: Any) -> Self:
        """Set the names of the columns; return self."""
        return self._changed("feature_name", feature_name)

    def set_categorical_feature(self, categorical_feature: Any) -> Self:
        """Set which columns are categorical; return self."""
        return self._changed("categorical_feature", categorical_feature)

    def _changed(self, name: str, value: Any) -> Self:
        if self._rows is not None:
            raise ValueError(f"{name} cannot change once a Dataset has been read.")
        setattr(self, name, value)
        return self

    def create_valid(
        self,
        data: Any,
        label: Any = None,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        params: Mapping[str, Any] | None = None,
        position: Any = None,
    ) -> Dataset:
        """Return an evaluation set, whose columns are read like those of this one.

        Parameters
        ----------
        data, label, weight, group, init_score, params, position
            As for `Dataset`.
        """
        return Dataset(
            data,
            label,
            self,
            weight,
            group,
            init_score,
            params=params,
            free_raw_data=self.free_raw_data,
            position=position,
        )

    def subset(self, used_indices: Any, params: Mapping[str, Any] | None = None) -> Dataset:
        """Return some of the rows.

        Parameters
        ----------
        used_indices : array-like of int
            The rows, ascending.
        params : dict, optional
            Parameters of the new set; those of this one by default.
        """
        at = np.sort(np.asarray(used_indices, dtype=np.intp))
        rows = self.rows[at]
        part = Dataset(rows, params=self.params if params is None else params)
        part._rows, part._columns, part._reading = rows, self._columns, self._reading
        part.reference, part.data, part._source = self, None, None
        group = None
        if self.offsets is not None:
            n_queries = len(self.offsets) - 1
            query = np.repeat(np.arange(n_queries), np.diff(self.offsets))
            sizes = np.bincount(query[at], minlength=n_queries)
            group = sizes[sizes > 0]
        part.label = None if self.label is None else self.label[at]
        part.weight = None if self.weight is None else self.weight[at]
        part.init_score = None if self.init_score is None else self.init_score[at]
        part.group = group
        return part

    # -- what belongs to the rows ------------------------------------------------------------------

    def set_label(self, label: Any) -> Self:
        """Set the target; return self."""
        self.label: Floats | None = None if label is None else self._numbers("label", label)
        return self

    def set_weight(self, weight: Any) -> Self:
        """Set the weights of the rows; return self."""
        self.weight: Floats | None = None
        if weight is not None:
            self._numbers("weight", weight)
            rows = np.empty((self._n_rows, 0))
            found = check_sample_weight(np.asarray(weight, np.float64).ravel(), rows)
            self.weight = None if (found == 1.0).all() else found
        return self

    def set_group(self, group: Any) -> Self:
        """Set the sizes of the queries; return self."""
        self.group: NDArray[np.int64] | None = None
        if group is not None:
            sizes = np.asarray(group)
            if sizes.dtype.kind == "f" and (sizes == np.floor(sizes)).all():
                sizes = sizes.astype(np.int64)
            self.group = sizes
            _ = self.offsets  # checks the sizes
        return self

    def set_init_score(self, init_score: Any) -> Self:
        """Set where the scores start; return self."""
        self.init_score: Floats | None = None
        if init_score is not None:
            found = np.asarray(init_score, dtype=np.float64)
            n_groups = found.size // max(1, self._n_rows)
            if not found.size or n_groups * self._n_rows != found.size:
                raise ValueError(
                    f"init_score must have one number for each of the {self._n_rows} rows, or one "
                    f"for each row and class. Got shape {found.shape}."
                )
            # Scores in one dimension stand class by class.
            shape = (n_groups, self._n_rows)
            self.init_score = found.reshape(shape).T if found.ndim == 1 else found
        return self

    def _numbers(self, name: str, values: Any) -> Floats:
        found = np.asarray(column_or_1d(values), dtype=np.float64)
        if len(found) != self._n_rows:
            raise ValueError(
                f"{name} must have one entry for each of the {self._n_rows} rows. Got {len(found)}."
            )
        if not np.isfinite(found).all():
            raise ValueError(f"{name} must not hold NaN or infinite numbers.")
        return np.ascontiguousarray(found)

    def get_label(self) -> Floats | None:
        """Return the target."""
        return self.label

    def get_weight(self) -> Floats | None:
        """Return the weights; None if all are 1."""
        return self.weight

    def get_group(self) -> NDArray[np.int64] | None:
        """Return the sizes of the queries."""
        return self.group

    def get_init_score(self) -> Floats | None:
        """Return where the scores start."""
        return self.init_score

    def get_field(self, field_name: str) -> Any:
        """Return the label, weight, group or init_score by its name."""
        _check_field(field_name)
        return getattr(self, f"get_{field_name}")()

    def set_field(self, field_name: str, data: Any) -> Self:
        """Set the label, weight, group or init_score by its name; return self."""
        _check_field(field_name)
        getattr(self, f"set_{field_name}")(data)
        return self


def _check_field(name: str) -> None:
    if name not in _FIELDS:
        raise ValueError(f"field_name must be one of {', '.join(_FIELDS)}. Got {name!r}.")
