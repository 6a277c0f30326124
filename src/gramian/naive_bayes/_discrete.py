"""What the classifiers by counts share: counting, smoothing, priors, and linear answers."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._incremental import codes_of_known, further_rows, known_classes
from gramian._labels import encode_labels
from gramian._tags import Tags, tagged
from gramian._typing import Floats
from gramian.blocks import is_blocks
from gramian.config import core_context
from gramian.naive_bayes._classifier import BayesClassifier, log_or_infinity, room_for
from gramian.params import Arrays, Boolean, Nothing, Real, param
from gramian.validation import (
    FitData,
    check_fit,
    check_is_fitted,
    check_predict,
    is_sparse,
    refuse_scan,
)

if TYPE_CHECKING:
    from typing import Self

__all__ = ["DiscreteNB", "LinearJoint", "class_log_prior", "log_shares", "smallest", "smoothing"]

_LEAST_ALPHA = 1e-10


def smoothing(alpha: Any, force_alpha: bool, n_features: int) -> Any:
    """Return `alpha` as a number or one for each feature; wrong ones raise."""
    found: Any = float(alpha) if np.ndim(alpha) == 0 else np.asarray(alpha, dtype=np.float64)
    if np.ndim(alpha) > 0 and found.shape != (n_features,):
        raise ValueError(
            "When alpha is an array, it should contains `n_features`. Got "
            f"{found.shape[0]} elements instead of {n_features}."
        )
    if np.min(found) < 0:
        raise ValueError(f"All values in alpha must be greater than 0. Got alpha={alpha!r}.")
    if force_alpha or np.min(found) >= _LEAST_ALPHA:
        return found
    warnings.warn(
        f"alpha too small will result in numeric errors, setting alpha = {_LEAST_ALPHA:.1e}. Use "
        "`force_alpha=True` to keep alpha unchanged.",
        stacklevel=3,
    )
    return np.maximum(found, _LEAST_ALPHA)


def class_log_prior(class_prior: Any, fit_prior: bool, count: Floats) -> Floats:
    """Return the logarithms of the priors: as given, by the counts, or all the same."""
    if class_prior is None:
        if not fit_prior:
            return np.full(len(count), -np.log(len(count)))
        logs: Floats = log_or_infinity(count) - np.log(count.sum())
        return logs
    given = np.asarray(class_prior, dtype=np.float64)
    if given.shape != count.shape:
        raise ValueError(
            f"Number of priors must match number of classes: {len(count)}. Got {class_prior!r}."
        )
    if not (given >= 0).all():
        raise ValueError(f"Priors must be non-negative. Got class_prior={class_prior!r}.")
    return log_or_infinity(given)


def log_shares(
    count: Floats, alpha: Any, total: Floats, *, by_feature: bool, all_count: Any = None
) -> Floats:
    """Return ``log((count + alpha) / total)``, minus infinity for zeros.

    With `all_count` minus the logarithm of those outside the class: ``all_count - count`` takes the
    place of ``count``. Where `by_feature` the classes of a feature stand side by side, as sparse
    rows read them.
    """
    logs: Floats = np.empty(count.shape, order="F")
    n_features = count.shape[1]
    _core.log_shares(
        np.ascontiguousarray(count),
        np.zeros(n_features) if all_count is None else all_count,
        np.ascontiguousarray(np.broadcast_to(alpha, n_features), np.float64),
        np.where(total > 0, total, 1.0),
        sign=1.0 if all_count is None else -1.0,
        out=logs,
        ctx=core_context(),
    )
    return logs if by_feature else np.ascontiguousarray(logs)


def smallest(X: Any) -> float:
    """Return the least stored entry."""
    values = X.data if is_sparse(X) else X
    return float(values.min()) if values.size else 0.0


@dataclass(frozen=True, eq=False)
class LinearJoint:
    """Joint log-probabilities ``constant + X coef'``, minus infinity where ``never + X no'`` > 0.

    The second pair is for models without smoothing, in which some events cannot happen; it is
    None where there are none.
    """

    coef: Floats
    constant: Floats
    no: Floats | None = None
    never: Floats | None = None

    def answer(self, X: Any, log_prior: Floats, answer: str) -> NDArray[Any]:
        """Return an answer about each row, in double precision."""
        out = room_for(answer, X.shape[0], len(log_prior), np.float64)
        if self.no is None or self.never is None:
            return _ask(X, self.coef, self.constant, log_prior, answer, out)
        joint, refused = np.empty((2, X.shape[0], len(log_prior)))
        _ask(X, self.coef, self.constant, log_prior, "joint", joint)
        _ask(X, self.no, self.never, log_prior, "joint", refused)
        joint[refused > 0] = -np.inf
        _core.joint_answers(joint, log_prior, answer=answer, out=out, ctx=core_context())
        return out


def _ask(
    X: Any, coef: Floats, constant: Floats, log_prior: Floats, answer: str, out: NDArray[Any]
) -> NDArray[Any]:
    if not is_sparse(X):
        coef = np.ascontiguousarray(coef)
    _core.linear_answers(X, coef, constant, log_prior, answer=answer, out=out, ctx=core_context())
    return out


class DiscreteNB(BayesClassifier):
    """A classifier by sums of the rows of each class."""

    _own_tags = tagged(reads_words=True, blocks=True)

    alpha: Any = param(1.0, Real(0.0) | Arrays())
    force_alpha: bool = param(True, Boolean())
    fit_prior: bool = param(True, Boolean())
    class_prior: Any = param(None, Arrays() | Nothing())

    classes_: NDArray[Any]
    class_count_: Floats
    class_log_prior_: Floats
    feature_count_: Floats
    feature_log_prob_: Floats

    def _events(self, X: Any) -> Any:
        """Return what is counted in the rows; rows that cannot be counted raise."""
        if smallest(X) < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__} (input X): the least is "
                f"{smallest(X)}."
            )
        return X

    def _log_prob(self, alpha: Any, *, by_feature: bool) -> Floats:
        """Return the logarithms of the smoothed frequencies, for sparse rows by feature."""
        raise NotImplementedError

    def _linear(self) -> LinearJoint:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Self":
        """Count.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        data = check_fit(self, X, y, sample_weight)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        return self._count(classes, data, codes, is_first=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "Self":
        """Count further rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,)
            Their classes; not all need be there.
        classes : array-like of shape (n_classes,), optional
            All classes; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        refuse_scan(X, f"partial_fit of {type(self).__name__}")
        is_first = not hasattr(self, "feature_count_")
        check = check_fit if is_first else further_rows
        known = known_classes(self, classes)
        data = check(self, X, y, sample_weight)
        assert data.y is not None
        return self._count(known, data, codes_of_known(data.y, known), is_first)

    def _count(
        self, classes: NDArray[Any], data: FitData, codes: NDArray[np.intp], is_first: bool
    ) -> "Self":
        is_mapped = is_blocks(data.X)
        events = data.X.mapped(self._events) if is_mapped else self._events(data.X)
        count, total = np.empty(len(classes)), np.empty((len(classes), data.n_features))
        _core.class_sums(
            events,
            np.ascontiguousarray(codes, dtype=np.int64),
            data.sample_weight,
            class_weight=count,
            sum=total,
            ctx=core_context(),
        )
        if not is_first:
            count += self.class_count_
            total += self.feature_count_
        alpha = smoothing(self.alpha, self.force_alpha, data.n_features)
        log_prior = class_log_prior(self.class_prior, self.fit_prior, count)
        self.classes_, self.class_count_, self.feature_count_ = classes, count, total
        self.feature_log_prob_ = self._log_prob(alpha, by_feature=is_sparse(data.X))
        self.class_log_prior_ = log_prior
        return self

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        check_is_fitted(self)
        data = self._new_events(check_predict(self, X))
        return self._linear().answer(data, self.class_log_prior_, answer)

    def _new_events(self, X: Any) -> Any:
        return X

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.poor_score = True
        return tags
