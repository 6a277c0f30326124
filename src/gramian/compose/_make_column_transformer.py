"""A column transformer from transformers without names."""

from typing import TYPE_CHECKING, Any

from gramian._parts import name_estimators
from gramian.compose._column_transformer import ColumnTransformer

if TYPE_CHECKING:
    pass


def make_column_transformer(
    *transformers: tuple[Any, Any],
    remainder: Any = "drop",
    sparse_threshold: float = 0.3,
    n_jobs: int | None = None,
    verbose: bool = False,
    verbose_feature_names_out: Any = True,
) -> ColumnTransformer:
    """Return a `ColumnTransformer` whose transformers are named after their classes.

    Parameters
    ----------
    *transformers : (transformer, columns)
        Transformers and their columns.
    remainder, sparse_threshold, n_jobs, verbose, verbose_feature_names_out
        As for `ColumnTransformer`.

    Examples
    --------
    >>> from gramian.compose import make_column_transformer
    >>> from gramian.impute import SimpleImputer
    >>> make_column_transformer((SimpleImputer(), ["area"]), remainder="passthrough")
    ColumnTransformer(remainder='passthrough',
                      transformers=[('simpleimputer', SimpleImputer(), ['area'])])
    """
    named = name_estimators([part for part, _ in transformers])
    entries = [
        (name, part, key) for (name, part), (_, key) in zip(named, transformers, strict=True)
    ]
    return ColumnTransformer(
        entries,
        remainder=remainder,
        sparse_threshold=sparse_threshold,
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )
