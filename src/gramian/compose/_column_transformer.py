"""Transformers for some of the columns, their results side by side."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame, as_matrix, join_columns
from gramian._composition import Entries
from gramian._output import output_container
from gramian._parts import fit_transform_part, run_parts, transform_part
from gramian._requests import raise_for_params
from gramian._routing import process_routing
from gramian.base import clone
from gramian.compose._column_parts import ColumnParts, is_word
from gramian.compose._columns import Columns, is_empty, key_kind
from gramian.params import (
    REQUIRED,
    Boolean,
    Callables,
    Estimator,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    Real,
    Strings,
    param,
)
from gramian.preprocessing import FunctionTransformer
from gramian.validation import check_is_fitted

_WORDS = ("drop", "passthrough")


class ColumnTransformer(ColumnParts):
    """Transformers for some of the columns each, their results side by side.

    Parameters
    ----------
    transformers : list of (str, transformer, columns)
        Names, transformers, and the columns of each. A transformer is copied and fitted; "drop"
        leaves its columns out, "passthrough" leaves them as they are. Columns are a name, a
        position, a list or slice of either, a mask, or a function of `X` that returns one of
        these (`make_column_selector`). A single name or position gives the transformer a vector, a
        list of one gives it a table.
    remainder : {"drop", "passthrough"} or transformer, default="drop"
        What happens to the other columns.
    sparse_threshold : float, default=0.3
        If a transformer gives a sparse matrix and less than this fraction of the result is not
        zero, the result is sparse.
    n_jobs : int, optional
        How many transformers joblib fits at the same time; -1 for one on each processor.
    transformer_weights : dict of str to float, optional
        Factors for the results of some transformers, by name.
    verbose : bool, default=False
        Whether to print the time that each fit takes.
    verbose_feature_names_out : bool, str or callable, default=True
        Names of the resulting columns: True puts the transformer's name before, "__" between;
        False leaves them, if they are distinct; a text is a format of ``{transformer_name}`` and
        ``{feature_name}``; a function takes these two.

    Attributes
    ----------
    transformers_ : list of (str, transformer, columns)
        The fitted transformers; the last is "remainder", if columns are left for it.
    named_transformers_ : Bunch
        The fitted transformers by name, also as attributes.
    output_indices_ : dict of str to slice
        Which columns of the result are whose.
    sparse_output_ : bool
        Whether the result is a sparse matrix.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> import polars as pl
    >>> from gramian.compose import ColumnTransformer
    >>> from gramian.impute import SimpleImputer
    >>> flats = pl.DataFrame({"area": [55.0, None, 75.0], "rooms": [2, 3, 3], "id": [7, 8, 9]})
    >>> columns = ColumnTransformer(
    ...     [("filled", SimpleImputer(), ["area"]), ("same", "passthrough", ["rooms"])]
    ... )
    >>> columns.fit_transform(flats)
    array([[55.,  2.],
           [65.,  3.],
           [75.,  3.]])
    >>> columns.get_feature_names_out().tolist()
    ['filled__area', 'same__rooms']
    """

    _parts_name = "transformers"

    transformers: Any = param(REQUIRED, Entries("(name, transformer, columns)"), positional=True)
    remainder: Any = param("drop", OneOf(*_WORDS) | Estimator(("fit", "transform")))
    sparse_threshold: float = param(0.3, Real(0.0, 1.0, closed="both"))
    n_jobs: int | None = param(None, Integer() | Nothing())
    transformer_weights: Any = param(None, Mappings() | Nothing())
    verbose: Any = param(False, Boolean() | Integer(0))
    verbose_feature_names_out: Any = param(True, Boolean() | Strings() | Callables())

    # -- fitting -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit all transformers.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like, optional
            The target, given to every transformer.
        **params : dict
            Given to the transformers that request them, while metadata routing is on.
        """
        self._fit_blocks("fit", X, y, params)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit all transformers and return their results side by side; see `fit`."""
        n_rows, blocks = self._fit_blocks("fit_transform", X, y, params)
        return self._join(blocks, n_rows)

    def _fit_blocks(
        self, method: str, X: Any, y: Any, params: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        """Fit; return the number of rows and what each transformer made of its columns."""
        raise_for_params(params, self, method)
        routed = process_routing(self, method, params)
        columns = Columns(X)
        names_in = columns.text_names()
        entries = self._entries(X, columns, names_in)
        positions = {name: columns.positions(key) for name, _, key in entries}
        jobs = {
            name: (self._unfitted(part), columns.take(positions[name], scalar=_is_single(key)))
            for name, part, key in entries
            if not (is_word(part, "drop") or is_empty(key))
        }
        messages = [self._message(name, i, len(jobs)) for i, name in enumerate(jobs, 1)]
        results = self._run(
            fit_transform_part,
            [
                (part, data, y, routed[name], "ColumnTransformer", message)
                for (name, (part, data)), message in zip(jobs.items(), messages, strict=True)
            ],
        )
        fitted = dict(zip(jobs, results, strict=True))
        blocks = {name: block for name, (block, _) in fitted.items()}
        self._check_blocks(blocks)
        self.transformers_ = [
            (name, fitted[name][1] if name in fitted else part, key) for name, part, key in entries
        ]
        self.n_features_in_ = columns.n_columns
        vars(self).pop("feature_names_in_", None)
        if names_in is not None:
            self.feature_names_in_ = names_in
        self._positions = positions
        self._names_seen = _names_of_frames(blocks)
        self.sparse_output_ = self._is_sparse(list(blocks.values()))
        self.output_indices_ = self._indices(blocks)
        return columns.n_rows, blocks

    def _entries(
        self, X: Any, columns: Columns, names_in: NDArray[Any] | None
    ) -> list[tuple[str, Any, Any]]:
        """Return name, transformer and columns of each part, the remainder last."""
        entries = [
            (name, part, key(X) if callable(key) else key) for name, part, key in self.transformers
        ]
        self._check_names([name for name, _, _ in entries])
        self._check_transformers([part for _, part, _ in entries], _WORDS)
        taken = {place for _, _, key in entries for place in columns.positions(key)}
        left = [place for place in range(columns.n_columns) if place not in taken]
        if left:
            key = self._remainder_key(left, columns.n_columns, names_in)
            entries.append(("remainder", self.remainder, key))
        return entries

    def _remainder_key(
        self, left: list[int], n_columns: int, names_in: NDArray[Any] | None
    ) -> list[Any]:
        """Return the remaining columns in the way in which the user names columns, if in one."""
        try:
            kinds = {key_kind(key) for _, _, key in self.transformers}
        except ValueError:  # chosen by functions
            return left
        if kinds == {"str"} and names_in is not None:
            result: list[Any] = names_in[left].tolist()
            return result
        return [place in left for place in range(n_columns)] if kinds == {"bool"} else left

    def _unfitted(self, part: Any) -> Any:
        if is_word(part, "passthrough"):
            same = FunctionTransformer(
                accept_sparse=True, check_inverse=False, feature_names_out="one-to-one"
            )
            return same.set_output(transform=output_container(self))
        return clone(part)

    def _message(self, name: str, number: int, total: int) -> str | None:
        return f"({number} of {total}) Processing {name}" if self.verbose else None

    def _run(self, function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
        try:
            return run_parts(function, calls, self.n_jobs)
        except ValueError as error:
            if "Expected 2D array, got 1D array instead" in str(error):
                raise ValueError(
                    "1D data passed to a transformer that expects 2D data. Try to specify the "
                    "column selection as a list of one item instead of a scalar."
                ) from error
            raise

    def _check_blocks(self, blocks: dict[str, Any]) -> None:
        for name, block in blocks.items():
            if len(getattr(block, "shape", ())) != 2:
                raise ValueError(
                    f"The output of the '{name}' transformer should be 2D (numpy array, scipy "
                    "sparse array, dataframe)."
                )

    def _is_sparse(self, blocks: list[Any]) -> bool:
        if not any(hasattr(block, "tocsr") for block in blocks):
            return False
        sizes = [block.shape[0] * block.shape[1] for block in blocks]
        stored = [getattr(block, "nnz", size) for block, size in zip(blocks, sizes, strict=True)]
        result: bool = sum(stored) / max(sum(sizes), 1) < self.sparse_threshold
        return result

    def _indices(self, blocks: dict[str, Any]) -> dict[str, slice]:
        start, indices = 0, {}
        for name, block in blocks.items():
            indices[name] = slice(start, start + block.shape[1])
            start += block.shape[1]
        names = [*(name for name, _, _ in self.transformers), "remainder"]
        return {**indices, **{name: slice(0, 0) for name in names if name not in indices}}

    # -- transforming --------------------------------------------------------------------------

    def transform(self, X: Any, **params: Any) -> Any:
        """Return what the transformers make of their columns, side by side.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Columns of a data frame are found by name, in any order; others are ignored.
        **params : dict
            Given to the transformers that request them, while metadata routing is on.

        Returns
        -------
        ndarray, CSR matrix or data frame of shape (n_samples, n_features_out)
        """
        raise_for_params(params, self, "transform")
        check_is_fitted(self)
        routed = process_routing(self, "transform", params)
        columns = Columns(X)
        places = self._places(columns)
        active = self._active()
        calls = [
            (
                part,
                columns.take([places[place] for place in positions], scalar=_is_single(key)),
                routed[name],
            )
            for name, part, positions, key in active
        ]
        results = self._run(transform_part, calls)
        blocks = {name: block for (name, *_), block in zip(active, results, strict=True)}
        self._check_blocks(blocks)
        return self._join(blocks, columns.n_rows)

    def _places(self, columns: Columns) -> dict[int, int]:
        """Return the positions, in new data, of the columns of fit that are needed."""
        needed = sorted({place for _, _, places, _ in self._active() for place in places})
        names = columns.names
        fitted = vars(self).get("feature_names_in_")
        if names is None or fitted is None:
            for _, _, _, key in self._active():
                if names is None and key_kind(key) == "str":
                    columns.positions(key)  # raises: only data frames have names
            if columns.n_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {columns.n_columns} features, but ColumnTransformer is expecting "
                    f"{self.n_features_in_} features as input."
                )
            return {place: place for place in needed}
        where = {name: place for place, name in enumerate(names)}
        missing = {fitted[place] for place in needed} - set(names)
        if missing:
            raise ValueError(f"columns are missing: {missing}")
        return {place: where[fitted[place]] for place in needed}

    def _join(self, blocks: dict[str, Any], n_rows: int) -> Any:
        if not blocks:
            return np.zeros((n_rows, 0))
        weights = self.transformer_weights or {}
        parts = [
            block if weights.get(name) is None else block * weights[name]
            for name, block in blocks.items()
        ]
        if self.sparse_output_:
            return _join_sparse(parts)
        dense = [block.toarray() if hasattr(block, "tocsr") else block for block in parts]
        joined = join_columns(dense, output_container(self))
        if joined.shape[0] != n_rows:
            raise ValueError(
                f"Joining the transformers' results gave {joined.shape[0]} rows instead of "
                f"{n_rows}: a transformer changed the index or the number of rows."
            )
        return joined


def _is_single(key: Any) -> bool:
    return bool(np.isscalar(key))


def _names_of_frames(blocks: dict[str, Any]) -> dict[str, list[Any]]:
    frames = {name: as_frame(block) for name, block in blocks.items()}
    return {name: list(frame.columns) for name, frame in frames.items() if frame is not None}


def _join_sparse(parts: list[Any]) -> Any:
    from scipy import sparse

    try:
        matrices = [
            part if hasattr(part, "tocsr") else as_matrix(part).astype(np.float64) for part in parts
        ]
    except ValueError as error:
        raise ValueError(
            "For a sparse output, all columns should be a numeric or convertible to a numeric."
        ) from error
    return sparse.hstack(matrices).tocsr()
