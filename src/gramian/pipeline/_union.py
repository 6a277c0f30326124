"""Transformers side by side as one transformer."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import join_columns, prefixed_names
from gramian._composition import Composition, Entries
from gramian._output import output_container
from gramian._parts import (
    fit_part,
    fit_transform_part,
    is_fitted,
    name_estimators,
    run_parts,
    set_output_of,
    transform_part,
)
from gramian._requests import raise_for_params
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    fitting,
    process_routing,
    route,
)
from gramian._tags import tags_of
from gramian.base import Tags, TransformerMixin
from gramian.datasets import Bunch
from gramian.exceptions import NotFittedError
from gramian.params import REQUIRED, Boolean, Integer, Mappings, Nothing, param
from gramian.preprocessing import FunctionTransformer
from gramian.validation import check_is_fitted, n_samples_of


class FeatureUnion(TransformerMixin, Composition):
    """Transformers side by side: each gets the data, and their columns are joined.

    Parameters
    ----------
    transformer_list : list of (str, transformer)
        Names and transformers; "drop" leaves one out, "passthrough" gives the data themselves.
    n_jobs : int, optional
        How many transformers joblib fits at the same time; -1 for one on each processor.
    transformer_weights : dict of str to float, optional
        Factors for the columns of some transformers, by name.
    verbose : bool, default=False
        Whether to print the time that each fit takes.
    verbose_feature_names_out : bool, default=True
        Whether the names of the joined columns begin with their transformer's; without, they must
        be distinct.

    Attributes
    ----------
    named_transformers : Bunch
        The transformers by name, also as attributes.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray
        Their names, if the first transformer saw names.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.impute import MissingIndicator, SimpleImputer
    >>> from gramian.pipeline import FeatureUnion
    >>> union = FeatureUnion([("mean", SimpleImputer()), ("gaps", MissingIndicator())])
    >>> union.fit_transform([[1.0, np.nan], [3.0, 4.0]])
    array([[1., 4., 1.],
           [3., 4., 0.]])
    """

    _parts_name = "transformer_list"

    transformer_list: Any = param(REQUIRED, Entries("(name, transformer)"), positional=True)
    n_jobs: int | None = param(None, Integer() | Nothing())
    transformer_weights: Any = param(None, Mappings() | Nothing())
    verbose: bool = param(False, Boolean())
    verbose_feature_names_out: bool = param(True, Boolean())

    @property
    def named_transformers(self) -> Bunch:
        """The transformers by name."""
        return Bunch(**dict(self.transformer_list))

    def __getitem__(self, name: str) -> Any:
        """Return a transformer by name."""
        if not isinstance(name, str):
            raise KeyError(f"Only string keys are supported. Got {name!r}.")
        return self.named_transformers[name]

    def _active(self) -> list[tuple[str, Any]]:
        return [
            (name, self._same() if isinstance(part, str) and part == "passthrough" else part)
            for name, part in self.transformer_list
            if not (isinstance(part, str) and part == "drop")
        ]

    def _same(self) -> FunctionTransformer:
        """Return what "passthrough" stands for."""
        same = FunctionTransformer(
            accept_sparse=True, check_inverse=False, feature_names_out="one-to-one"
        )
        return same.set_output(transform=output_container(self))

    def _check_parts(self) -> None:
        names = [name for name, _ in self.transformer_list]
        self._check_names(names)
        self._check_transformers(self.named_transformers.values(), ("drop", "passthrough"))
        for name in self.transformer_weights or ():
            if name not in names:
                raise ValueError(
                    f'Attempting to weight transformer "{name}", but it is not present in '
                    "transformer_list."
                )

    def _run(self, function: Any, method: str, X: Any, y: Any, params: dict[str, Any]) -> list[Any]:
        """Call `function`, which fits, for each transformer."""
        active = self._active()
        unchanged = {name for name, part in self.transformer_list if isinstance(part, str)}
        otherwise = Routed({name: fitting(params) for name, _ in active})
        routed = route(self, method, params, otherwise)
        calls = []
        for position, (name, part) in enumerate(active, 1):
            message = f"(step {position} of {len(active)}) Processing {name}"
            given = RoutedMethods() if name in unchanged else routed[name]
            calls.append((part, X, y, given, "FeatureUnion", message * self.verbose or None))
        return run_parts(function, calls, self.n_jobs)

    def _store(self, fitted: list[Any]) -> None:
        following = iter(fitted)
        parts = [
            (name, part if isinstance(part, str) and part == "drop" else next(following))
            for name, part in self.transformer_list
        ]
        changed = zip(parts, self.transformer_list, strict=True)
        if any(new is not old for (_, new), (_, old) in changed):  # copies, or "passthrough"
            self.transformer_list = parts

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit every transformer.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like, optional
            The target, given to every transformer.
        **fit_params : dict
            Given to every transformer's ``fit``; while metadata routing is on, to those that
            request them.
        """
        self._check_parts()
        self._store(self._run(fit_part, "fit", X, y, fit_params))
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit every transformer and return their columns, joined; see `fit`."""
        self._check_parts()
        results = self._run(fit_transform_part, "fit_transform", X, y, params)
        self._store([part for _, part in results])
        return self._join([block for block, _ in results], X)

    def transform(self, X: Any, **params: Any) -> Any:
        """Return the columns that the transformers make of `X`, joined.

        `params` go to the transformers that request them, while metadata routing is on.
        """
        raise_for_params(params, self, "transform")
        routed = process_routing(self, "transform", params)
        calls = [(part, X, routed[name]) for name, part in self._active()]
        try:
            blocks = run_parts(transform_part, calls, self.n_jobs)
        except NotFittedError:
            check_is_fitted(self)  # whose words name the union, not its first transformer
            raise
        return self._join(blocks, X)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which transformers."""
        mapping = MethodMapping(
            fit="fit", fit_transform=("fit_transform", "fit", "transform"), transform="transform"
        )
        return MetadataRouter(self).add(**dict(self.transformer_list), method_mapping=mapping)

    def _join(self, blocks: list[Any], X: Any) -> Any:
        if not blocks:
            return np.zeros((n_samples_of(X), 0))
        weights = self.transformer_weights or {}
        names = [name for name, _ in self._active()]
        for position, (name, block) in enumerate(zip(names, blocks, strict=True)):
            shape = getattr(block, "shape", ())
            if len(shape) != 2:
                raise ValueError(
                    f"Transformer '{name}' returned an array or dataframe with {len(shape)} "
                    "dimensions, but expected 2 dimensions (n_samples, n_features)."
                )
            columns = list(getattr(block, "columns", ()))
            if columns and not hasattr(self.named_transformers[name], "get_feature_names_out"):
                self._names_seen = {**vars(self).get("_names_seen", {}), name: columns}
            if weights.get(name) is not None:
                blocks[position] = block * weights[name]
        return join_columns(blocks, output_container(self))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the joined columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        blocks = []
        for name, part in self._active():
            seen = vars(self).get("_names_seen", {}).get(name)
            if hasattr(part, "get_feature_names_out"):
                blocks.append((name, part.get_feature_names_out(input_features)))
            elif seen is not None:
                blocks.append((name, seen))
            else:
                raise AttributeError(
                    f"Transformer {name} (type {type(part).__name__}) does not provide "
                    "get_feature_names_out."
                )
        rename = "{}__{}".format if self.verbose_feature_names_out else None
        return prefixed_names(blocks, rename)

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen at fit."""
        return self.transformer_list[0][1].n_features_in_  # type: ignore[no-any-return]

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns seen at fit."""
        return self.transformer_list[0][1].feature_names_in_  # type: ignore[no-any-return]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what ``transform`` returns, here and in every transformer.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            None leaves the choice as it is.
        """
        super().set_output(transform=transform)
        for _, part in self._active():
            set_output_of(part, transform)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        words = ("drop", "passthrough")
        parts = [p for _, p in self.transformer_list if not (isinstance(p, str) and p in words)]
        return all(is_fitted(part) for part in parts)

    def _tags(self) -> Tags:
        tags = super()._tags()
        known = [tags_of(part) for _, part in self._active() if hasattr(part, "fit")]
        tags.sparse = bool(known) and all(part.sparse for part in known)
        tags.allow_nan = bool(known) and all(part.allow_nan for part in known)
        tags.positive_only = any(part.positive_only for part in known)
        tags.required_y = any(part.required_y for part in known)
        tags.non_deterministic = any(part.non_deterministic for part in known)
        return tags


def make_union(
    *transformers: Any,
    n_jobs: int | None = None,
    verbose: bool = False,
    verbose_feature_names_out: bool = True,
) -> FeatureUnion:
    """Return a `FeatureUnion` whose transformers are named after their classes.

    Parameters
    ----------
    *transformers : transformers
        The transformers.
    n_jobs, verbose, verbose_feature_names_out
        As for `FeatureUnion`.

    Examples
    --------
    >>> from gramian.impute import MissingIndicator, SimpleImputer
    >>> from gramian.pipeline import make_union
    >>> make_union(SimpleImputer(), MissingIndicator())
    FeatureUnion(transformer_list=[('simpleimputer', SimpleImputer()),
                                   ('missingindicator', MissingIndicator())])
    """
    return FeatureUnion(
        name_estimators(transformers),
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )
