"""The transformers of a column transformer: by name, their columns, what they say of themselves."""

from collections.abc import Callable
from typing import Any, Self

from numpy.typing import NDArray

from gramian._column_blocks import feature_names, prefixed_names
from gramian._composition import Composition
from gramian._parts import set_output_of
from gramian._routing import MetadataRouter, MethodMapping
from gramian._tags import tags_of
from gramian.base import Tags, TransformerMixin
from gramian.compose._columns import is_empty
from gramian.datasets import Bunch
from gramian.validation import check_is_fitted


def is_word(part: Any, word: str) -> bool:
    """Tell whether a part is "drop" or "passthrough", as asked."""
    return isinstance(part, str) and part == word


class ColumnParts(TransformerMixin, Composition):
    """Named transformers, each of some columns; their results stand side by side."""

    transformers: Any
    remainder: Any
    verbose_feature_names_out: Any
    transformers_: list[tuple[str, Any, Any]]
    _positions: dict[str, list[int]]
    _names_seen: dict[str, Any]

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which transformers, whatever their columns."""
        router = MetadataRouter(self)
        for name, part, *_ in (*self.transformers, ("remainder", self.remainder)):
            fits = ("fit_transform",) if hasattr(part, "fit_transform") else ("fit", "transform")
            mapping = MethodMapping(fit=fits, fit_transform=fits, transform="transform")
            router.add(**{name: part}, method_mapping=mapping)
        return router

    def _active(self) -> list[tuple[str, Any, list[int], Any]]:
        """Return name, transformer, positions and key of the parts that give columns."""
        return [
            (name, part, self._positions[name], key)
            for name, part, key in self.transformers_
            if not (is_word(part, "drop") or is_empty(key))
        ]

    @property
    def named_transformers_(self) -> Bunch:
        """The fitted transformers by name."""
        return Bunch(**{name: part for name, part, _ in self.transformers_})

    def __getitem__(self, key: str) -> Any:
        """Return a fitted transformer by name."""
        if "transformers_" not in vars(self):
            raise TypeError("ColumnTransformer is subscriptable after it is fitted")
        if key not in self.named_transformers_:
            raise KeyError(f"'{key}' is not a valid transformer name")
        return self.named_transformers_[key]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the resulting columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        check_is_fitted(self)
        names = feature_names(self, input_features)
        blocks = []
        for name, part, positions, _ in self._active():
            if hasattr(part, "get_feature_names_out"):
                blocks.append((name, part.get_feature_names_out(names[positions])))
            elif name in self._names_seen:
                blocks.append((name, self._names_seen[name]))
            else:
                raise AttributeError(
                    f"Transformer {name} (type {type(part).__name__}) does not provide "
                    "get_feature_names_out."
                )
        return prefixed_names(blocks, self._renaming())

    def _renaming(self) -> Callable[[str, str], str] | None:
        chosen = self.verbose_feature_names_out
        if callable(chosen):
            function: Callable[[str, str], str] = chosen
            return function
        if not isinstance(chosen, str):
            return "{}__{}".format if chosen else None
        return lambda part, name: chosen.format(transformer_name=part, feature_name=name)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what ``transform`` returns, here and in every transformer.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            None leaves the choice as it is.
        """
        super().set_output(transform=transform)
        fitted = [part for _, part, _ in vars(self).get("transformers_", [])]
        for part in [*(part for _, part in self._parts()), *fitted, self.remainder]:
            if not isinstance(part, str):
                set_output_of(part, transform)
        return self

    def _tags(self) -> Tags:
        tags = super()._tags()
        parts = [part for _, part in self._parts() if hasattr(part, "fit")]
        known = [tags_of(part) for part in parts]
        tags.sparse = all(part.sparse for part in known)
        tags.allow_nan = bool(known) and all(part.allow_nan for part in known)
        tags.required_y = any(part.required_y for part in known)
        tags.positive_only = any(part.positive_only for part in known)
        tags.non_deterministic = any(part.non_deterministic for part in known)
        return tags
