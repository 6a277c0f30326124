"""What both blends share: members tried on rows held out, weights, and fits to all rows."""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._parts import elapsed
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import MetadataRouter
from gramian._rows import indexable, require_rows
from gramian._tags import Tags
from gramian._typing import Floats
from gramian.base import clone
from gramian.certificate import Certificate
from gramian.datasets import Bunch
from gramian.ensemble._blend_members import auto_members, with_chances, with_weights
from gramian.ensemble._blend_weights import HeldOutLoss, blend_certificate, blend_weights
from gramian.ensemble._clock import ALL_ROWS, Clock, OutOfTimeError, TimedMember
from gramian.ensemble._held_out import HeldOutEnsemble, Split, out_of_fold
from gramian.ensemble._named import fit_member
from gramian.exceptions import ConvergenceWarning, FitFailedWarning, shared
from gramian.model_selection import KFold, StratifiedKFold
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_sample_weight,
    seed_of,
)

__all__ = ["BaseBlend"]

_BASELINE = "baseline"
_NO_TIME = "the time was up"


@dataclass
class Member:
    """A model that may become part of a blend, and what came of its folds."""

    name: str
    model: Any
    params: dict[str, Any] = field(default_factory=dict)
    column: Floats | None = None
    outcome: str = ""
    error: Exception | None = None
    share: float = math.inf
    loss: float | None = None
    weight: float = 0.0

    def row(self) -> dict[str, Any]:
        """Return the member's row of the leaderboard."""
        outcome = "in the blend" if self.weight > 0.0 else self.outcome or "not chosen"
        return {"name": self.name, "loss": self.loss, "weight": self.weight, "outcome": outcome}


@contextmanager
def _quietly() -> Iterator[None]:
    """Let pass what is no news for a blend, which judges its members by rows held out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Number of classes in training fold", RuntimeWarning)
        yield


class BaseBlend(HeldOutEnsemble):
    """A weighted mean of members, with weights from rows that they have not seen."""

    estimators: Any
    time_limit: float | None
    _method: ClassVar[str]
    n_steps: int
    random_state: Any
    verbose: Any

    weights_: dict[str, float]
    leaderboard_: list[dict[str, Any]]
    certificate_: Certificate

    # -- written by the classifier and the regressor ----------------------------------------------

    def _baseline(self) -> Any:
        """Return the model that looks at no column."""
        raise NotImplementedError(f"{type(self).__name__} must write _baseline.")

    def _judged(self, predicted: NDArray[Any], y: NDArray[Any]) -> Floats:
        """Return for each row what the loss is taken of: a chance or an error."""
        raise NotImplementedError(f"{type(self).__name__} must write _judged.")

    # -- parameters -------------------------------------------------------------------------------

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.estimators, str)

    @property
    def _is_classifier(self) -> bool:
        return bool(self._estimator_type == "classifier")

    @property
    def named_estimators(self) -> Bunch:
        """The estimators by name, as they were given."""
        return Bunch() if self._is_auto else super().named_estimators

    def _parts(self) -> list[tuple[str, Any]]:
        return [] if self._is_auto else super()._parts()

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments of ``fit`` go to which estimators."""
        if not self._is_auto:
            return super().get_metadata_routing()
        return MetadataRouter(self)

    def _tags(self) -> Tags:
        tags = super()._tags()
        if self._is_auto:
            tags.sparse = tags.allow_nan = True
        return tags

    def _splitter(self) -> Any:
        if self.cv is not None and not isinstance(self.cv, (int, np.integer)):
            return self.cv
        n_folds = 5 if self.cv is None else int(self.cv)
        kind = StratifiedKFold if self._is_classifier else KFold
        return kind(n_folds, shuffle=True, random_state=self._seed)

    # -- fitting ----------------------------------------------------------------------------------

    def _fit_to(self, X: Any, y: NDArray[Any], given: dict[str, Any]) -> None:
        """Try the members on rows held out, weigh them, and fit those that count to all rows."""
        clock = Clock(self.time_limit)
        X = indexable(X)
        require_rows(X, self)
        check_consistent_length(X, y)
        self._seed = seed_of(self.random_state) % 2**31
        weight = check_sample_weight(given.get("sample_weight"), X)
        members = self._members(X, y, given)
        splits = self._splits(X, y)
        for member in members:
            self._try(member, X, y, splits, clock)
        tried = [member for member in members if member.column is not None]
        if not tried:
            baseline = self._fall_back(members, X, y, splits, given, clock)
            members, tried = [*members, baseline], [baseline]
        self._weigh(tried, splits, weight)
        kept = [member for member in tried if member.weight > 0.0]
        fitted = [self._fit_last(member, X, y, clock) for member in kept]
        self._keep(kept, fitted, members)

    def _members(self, X: Any, y: NDArray[Any], given: dict[str, Any]) -> list[Member]:
        if not self._is_auto:
            _, routed = self._begin_fit(given)
            return [
                Member(name, self._ready(part), routed[name]["fit"])
                for name, part in self._active()
            ]
        raise_for_params(given, self, "fit", allow=["sample_weight"])
        weight = given.get("sample_weight")
        if given and routing_enabled():
            raise ValueError(
                "estimators='auto' takes sample_weight only while metadata routing is off; name "
                "estimators that request it."
            )
        entries = auto_members(
            X,
            y,
            self._seed,
            is_classifier=self._is_classifier,
            has_weights=weight is not None,
        )
        return [
            Member(name, model, {} if weight is None else with_weights(model, weight))
            for name, model in entries
        ]

    def _ready(self, part: Any) -> Any:
        return with_chances(part) if self._is_classifier else part

    def _try(
        self, member: Member, X: Any, y: NDArray[Any], splits: list[Split], clock: Clock
    ) -> None:
        """Predict the rows that the folds leave out, if there is time."""
        options = {"cv": splits, "params": member.params, "method": self._method}
        member.share = clock.begin(len(splits))
        message = f"Folds of {member.name}" if self.verbose else None
        try:
            with _quietly(), elapsed("Blend", message):
                timed = TimedMember(clone(member.model), clock)
                predicted = np.asarray(out_of_fold(timed, (X, y), options))
        except OutOfTimeError:
            member.outcome = _NO_TIME
            return
        except Exception as error:
            if not self._is_auto:
                raise
            member.outcome, member.error = f"failed: {error}", error
            warnings.warn(
                f"The member {member.name} failed: {error}. It is left out.",
                shared(FitFailedWarning),
                stacklevel=4,
            )
            return
        clock.end()
        member.column = self._judged(predicted, y)

    def _fall_back(
        self,
        members: list[Member],
        X: Any,
        y: NDArray[Any],
        splits: list[Split],
        given: dict[str, Any],
        clock: Clock,
    ) -> Member:
        """Return the baseline where no member came to its end; raise if none can be fitted."""
        if all(member.error is not None for member in members):
            raise next(member.error for member in members if member.error is not None)
        warnings.warn(
            f"No member was done with its {len(splits)} folds in the time limit of "
            f"{clock.seconds:g} seconds: the model is the baseline, which looks at no column. "
            "Raise time_limit.",
            shared(ConvergenceWarning),
            stacklevel=4,
        )
        weight = given.get("sample_weight")
        params = {} if weight is None else {"sample_weight": weight}
        baseline = Member(_BASELINE, self._baseline(), params)
        self._try(baseline, X, y, splits, Clock(math.inf))
        return baseline

    def _weigh(self, tried: list[Member], splits: list[Split], weight: Floats) -> None:
        """Weigh the members by their losses on rows held out."""
        folds = np.empty(len(weight), dtype=np.intp)
        for number, (_, test) in enumerate(splits):
            folds[test] = number
        columns = np.column_stack([m.column for m in tried if m.column is not None])
        loss = HeldOutLoss.of(columns, weight, is_log=self._is_classifier)
        weights, unseen = blend_weights(loss, folds[weight > 0.0], self.n_steps)
        losses = loss.of_mixtures(loss.columns).tolist()
        for member, share, own in zip(tried, weights.tolist(), losses, strict=True):
            member.weight, member.loss = share, own
        self.certificate_ = blend_certificate(loss, weights, unseen, [m.name for m in tried])

    def _fit_last(self, member: Member, X: Any, y: NDArray[Any], clock: Clock) -> Any:
        message = f"All rows for {member.name}" if self.verbose else None
        with _quietly(), clock.limit(ALL_ROWS * member.share):
            return fit_member(clone(member.model), X, y, member.params, "Blend", message)

    def _keep(self, kept: list[Member], fitted: list[Any], members: list[Member]) -> None:
        """Set the fitted attributes."""
        self.estimators_ = fitted
        self._names = [member.name for member in members]
        self._kept = [member.weight > 0.0 for member in members]
        self._copy_names(fitted)
        self.weights_ = {member.name: member.weight for member in kept}
        self.stack_method_ = [self._method] * len(fitted)
        n_classes = len(self.classes_) if self._is_classifier else 1
        self._widths = [1 if n_classes == 2 else n_classes] * len(fitted)
        judged = [member for member in members if member.loss is not None]
        others = [member for member in members if member.loss is None]
        judged.sort(key=lambda member: member.loss or 0.0)
        self.leaderboard_ = [member.row() for member in (*judged, *others)]

    # -- predicting -------------------------------------------------------------------------------

    def _blended(self, X: Any) -> Floats:
        """Return the weighted mean of what the members say."""
        said = self._said_of(X)
        total = np.zeros(np.shape(said[0]))
        for weight, values in zip(self.weights_.values(), said, strict=True):
            total += weight * np.asarray(values)
        return total

    def transform(self, X: Any) -> NDArray[Any]:
        """Return what the members say, side by side.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            For each member of the blend one column, or one for each of more than two classes.
        """
        return np.hstack(self._blocks_of(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of ``transform``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Must be the names of the columns of fit; not used otherwise.
        """
        check_is_fitted(self, "n_features_in_")
        if input_features is not None:
            feature_names(self, input_features)  # raises if they are not those of fit
        return np.array(self._block_names(), dtype=object)

    def _check_state(self) -> None:
        """Refuse weights of a model file that do not fit the members."""
        weights = vars(self).get("weights_", {})
        is_right = isinstance(weights, dict) and all(
            isinstance(weight, float) and 0.0 < weight <= 1.0 for weight in weights.values()
        )
        if not is_right or len(weights) != len(vars(self).get("estimators_", [])):
            raise ValueError("weights_ must give a number above 0 for each member of a blend.")
