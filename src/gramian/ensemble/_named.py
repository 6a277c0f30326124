"""What votes and stacks share: unlike estimators with names, each fitted to all rows."""

from inspect import Parameter, signature
from typing import Any, ClassVar

from gramian._composition import Composition
from gramian._parts import elapsed, run_parts
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import MetadataRouter, MethodMapping, Routed, fitting, route
from gramian._tags import tags_of
from gramian.base import MetaEstimatorMixin, Tags, TransformerMixin, clone
from gramian.datasets import Bunch
from gramian.multiclass import type_of_target
from gramian.preprocessing import LabelEncoder

__all__ = ["NamedEnsemble", "class_codes", "fit_member", "is_dropped"]


def is_dropped(part: Any) -> bool:
    """Tell whether a part is the word "drop"."""
    return isinstance(part, str) and part == "drop"


def fit_member(
    model: Any,
    X: Any,
    y: Any,
    params: dict[str, Any],
    source: str = "",
    message: str | None = None,
) -> Any:
    """Fit a model and return it; raise TypeError if it cannot take the weights it is given."""
    if "sample_weight" in params and not routing_enabled():
        _require_weights(model)
    with elapsed(source, message):
        model.fit(X, y, **params)
    return model


def _require_weights(model: Any) -> None:
    taken = signature(model.fit).parameters
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in taken.values())
    if "sample_weight" not in taken and not takes_any:
        raise TypeError(
            f"Underlying estimator {type(model).__name__} does not support sample weights."
        )


def class_codes(owner: Any, y: Any) -> tuple[Any, LabelEncoder]:
    """Return the numbers of the classes of one target, and what numbers them."""
    kind = type_of_target(y, "y")
    if kind in ("unknown", "continuous"):
        raise ValueError(
            f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which "
            "expects discrete classes on a regression target with continuous values."
        )
    if kind not in ("binary", "multiclass"):
        raise NotImplementedError(
            f"{type(owner).__name__} only supports binary or multiclass classification. "
            "Multilabel and multi-output classification are not supported."
        )
    encoder = LabelEncoder()
    return encoder.fit_transform(y), encoder


class NamedEnsemble(MetaEstimatorMixin, TransformerMixin, Composition):
    """Base of ensembles whose parameter ``estimators`` lists (name, estimator) entries."""

    _parts_name = "estimators"
    _member_kind: ClassVar[str | None] = None
    estimators: Any
    n_jobs: int | None
    estimators_: list[Any]
    _names: list[str]
    _kept: list[bool]

    @property
    def named_estimators(self) -> Bunch:
        """The estimators by name, as they were given."""
        return Bunch(**dict(self.estimators))

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted estimators by name; "drop" for those that were left out."""
        fitted = iter(self.estimators_)
        kept = zip(self._names, self._kept, strict=True)
        return Bunch(**{name: next(fitted) if is_kept else "drop" for name, is_kept in kept})

    def _check_estimators(self) -> None:
        """Raise ValueError unless there are estimators, of the right kind."""
        entries = self.estimators
        are_pairs = all(
            isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str)
            for entry in entries
        )
        if not entries or not are_pairs:
            raise ValueError(
                "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of "
                "(string, estimator) tuples."
            )
        self._check_names([name for name, _ in entries])
        parts = [part for _, part in entries if not is_dropped(part)]
        if not parts:
            raise ValueError(
                "All estimators are dropped. At least one is required to be an estimator."
            )
        for part in parts:
            if self._member_kind not in (None, tags_of(part).estimator_type):
                raise ValueError(
                    f"The estimator {type(part).__name__} should be a {self._member_kind}."
                )

    def _active(self) -> list[tuple[str, Any]]:
        """Return the entries that are not dropped."""
        return [(name, part) for name, part in self.estimators if not is_dropped(part)]

    def _begin_fit(self, fit_params: dict[str, Any]) -> tuple[dict[str, Any], Routed]:
        """Check parameters; return the arguments that are given, and which estimator's they are."""
        raise_for_params(fit_params, self, "fit", allow=["sample_weight"])
        self._check_estimators()
        given = {name: value for name, value in fit_params.items() if value is not None}
        otherwise = Routed({name: fitting(given) for name, _ in self.estimators})
        return given, route(self, "fit", given, otherwise)

    def _fit_members(
        self, X: Any, y: Any, routed: Routed, source: str, *, verbose: bool
    ) -> list[Any]:
        """Fit a copy of each estimator to all rows."""
        active = self._active()
        calls = []
        for position, (name, part) in enumerate(active, 1):
            message = f"({position} of {len(active)}) Processing {name}" if verbose else None
            calls.append((clone(part), X, y, routed[name]["fit"], source, message))
        return run_parts(fit_member, calls, self.n_jobs)

    def _store(self, fitted: list[Any]) -> None:
        """Keep the fitted estimators, and what they say of the columns."""
        self.estimators_ = fitted
        self._names = [name for name, _ in self.estimators]
        self._kept = [not is_dropped(part) for _, part in self.estimators]
        self._copy_names(fitted)

    def _copy_names(self, fitted: list[Any]) -> None:
        vars(self).pop("feature_names_in_", None)
        for model in fitted:
            if hasattr(model, "feature_names_in_"):
                self.feature_names_in_ = model.feature_names_in_

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen at fit."""
        if "estimators_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} object has no attribute n_features_in_")
        return self.estimators_[0].n_features_in_  # type: ignore[no-any-return]

    def _kept_names(self) -> list[str]:
        """Return the names of the fitted estimators."""
        return [name for name, is_kept in zip(self._names, self._kept, strict=True) if is_kept]

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments of ``fit`` go to which estimators."""
        router = MetadataRouter(self)
        for name, part in self.estimators:
            router.add(**{name: part}, method_mapping=MethodMapping(fit="fit"))
        return router

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.preserves_dtype = ()
        known = [tags_of(part) for _, part in self._parts() if not is_dropped(part)]
        tags.sparse = bool(known) and all(part.sparse for part in known)
        tags.allow_nan = bool(known) and all(part.allow_nan for part in known)
        return tags
