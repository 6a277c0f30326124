"""What estimators say about themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar


@dataclass
class Tags:
    """What an estimator can take and do; `gramian._sklearn` translates it for scikit-learn."""

    estimator_type: str | None = None
    transformer: bool = False
    preserves_dtype: tuple[str, ...] = ("float64",)
    requires_fit: bool = True
    required_y: bool = False
    single_output: bool = True
    multi_output: bool = False
    multi_class: bool = True
    multi_label: bool = False
    sparse: bool = False
    categorical: bool = False
    string: bool = False
    allow_nan: bool = False
    native_table: bool = False
    scales_tables: bool = False  # the encoding of a mixed table centres and scales its numbers
    reads_words: bool = False  # the encoding of free text has a sparse column for each word
    positive_only: bool = False
    positive_y: bool = False
    pairwise: bool = False
    one_d_array: bool = False
    two_d_array: bool = True
    non_deterministic: bool = False
    blocks: bool = False  # whether ``fit`` takes a scan of `gramian.blocks`
    no_validation: bool = False
    poor_score: bool = False


def tagged(**tags: bool) -> Mapping[str, bool]:
    """Return tags that all instances of a class have, to be set as its ``_own_tags``."""
    return MappingProxyType(tags)


class Tagged:
    """Base of our base class and of each mixin, which may stand over any other base class."""

    _estimator_type: ClassVar[str | None] = None
    _transforms: ClassVar[bool] = False
    _fixed_tags: ClassVar[dict[str, Any]] = {}  # the `_own_tags` of the class and its parents
    _tags_as_sklearn: ClassVar[bool] = False  # whether a class writes __sklearn_tags__, not _tags

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._fixed_tags = {}
        for parent in reversed(cls.__mro__):
            cls._fixed_tags |= vars(parent).get("_own_tags", {})
        cls._tags_as_sklearn = cls.__sklearn_tags__ is not Tagged.__sklearn_tags__

    def _tags(self) -> Tags:
        """Describe the estimator.

        Subclasses set ``_own_tags``, or extend what ``super()._tags()`` returns where it depends on
        their parameters.
        """
        theirs = getattr(super(), "__sklearn_tags__", None)
        tags = Tags() if theirs is None else _translated(theirs())
        vars(tags).update(self._fixed_tags)
        tags.estimator_type = self._estimator_type or tags.estimator_type
        tags.transformer = self._transforms or tags.transformer
        return tags

    def __sklearn_tags__(self) -> Any:
        from gramian._sklearn import to_sklearn_tags

        return to_sklearn_tags(self._tags())


def tags_of(estimator: Any) -> Tags:
    """Return our tags of an estimator, translated if they are written as for scikit-learn."""
    if isinstance(estimator, type):
        raise TypeError(f"{estimator!r} is a class; an instance of it is needed.")
    if hasattr(estimator, "_tags") and not getattr(estimator, "_tags_as_sklearn", False):
        found: Tags = estimator._tags()
        return found
    if not hasattr(estimator, "__sklearn_tags__"):
        kind = getattr(estimator, "_estimator_type", None)
        return Tags(estimator_type=kind, transformer=hasattr(estimator, "transform"))
    return _translated(estimator.__sklearn_tags__())


def _translated(theirs: Any) -> Tags:
    """Return scikit-learn's tags as ours."""
    target, features = theirs.target_tags, theirs.input_tags
    scored = theirs.classifier_tags or theirs.regressor_tags
    return Tags(
        estimator_type=theirs.estimator_type,
        transformer=theirs.transformer_tags is not None,
        preserves_dtype=tuple(getattr(theirs.transformer_tags, "preserves_dtype", ())),
        requires_fit=theirs.requires_fit,
        required_y=target.required,
        single_output=target.single_output,
        multi_output=target.multi_output,
        multi_class=theirs.classifier_tags is None or theirs.classifier_tags.multi_class,
        multi_label=theirs.classifier_tags is not None and theirs.classifier_tags.multi_label,
        sparse=features.sparse,
        categorical=features.categorical,
        string=features.string,
        allow_nan=features.allow_nan,
        positive_only=features.positive_only,
        positive_y=target.positive_only,
        pairwise=features.pairwise,
        one_d_array=features.one_d_array,
        two_d_array=features.two_d_array,
        non_deterministic=theirs.non_deterministic,
        no_validation=theirs.no_validation,
        poor_score=scored is not None and scored.poor_score,
    )
