"""What forests of classifiers and of regressors share: bootstrap, and rows out of the bag."""

import warnings
from typing import Any, ClassVar

import numpy as np

from gramian._powers import times_power
from gramian._trees.forest_importance import shuffled_losses
from gramian._trees.forest_plan import ForestPlan
from gramian._trees.grow import TreeTarget
from gramian._trees.out_of_bag import OutOfBag
from gramian._typing import Floats
from gramian.base import Tags
from gramian.ensemble._forest_base import BaseForest
from gramian.params import Arrays, Boolean, Callables, Integer, Nothing, Real, param
from gramian.validation import check_y

__all__ = ["SupervisedForest"]


class SupervisedForest(BaseForest):
    """Base of forests that are fitted to a target."""

    bootstrap: bool = param(True, Boolean())
    oob_score: Any = param(False, Boolean() | Callables())
    ccp_alpha: float = param(0.0, Real(0.0))
    max_samples: Any = param(None, Nothing() | Integer(1) | Real(0.0, closed="neither"))
    monotonic_cst: Any = param(None, Arrays() | Nothing())
    early_stop: bool = param(False, Boolean())
    early_stop_trees: int = param(50, Integer(2))
    early_stop_tol: float = param(0.01, Real(0.0))

    oob_score_: float
    oob_error_curve_: Floats

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: with `bootstrap` how probable each is to be drawn, up to a factor.
        """
        self._check_together()
        data, levels = self._read(X, y, sample_weight)
        out = self._fit(data, levels)
        for name in ("oob_score_", "oob_error_curve_", *self._oob_names):
            vars(self).pop(name, None)  # of an earlier fit
        if out is not None:
            self._set_oob(out)
        return self

    _oob_names: ClassVar[tuple[str, ...]] = ()

    def _check_together(self) -> None:
        """Refuse parameters that exclude one another."""
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`."
            )
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.early_stop and not self.oob_score:
            raise ValueError(
                "early_stop=True looks at the out-of-bag error, and needs oob_score=True."
            )

    def _out_of_bag(self, plan: ForestPlan) -> OutOfBag | None:
        if not self.oob_score:
            return None
        n_classes = plan.target.n_classes
        if n_classes is not None and len(n_classes) > 1 and (n_classes > 2).any():
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got "
                "multiclass-multioutput while only the following are supported: continuous, "
                "continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        exponent = plan.scale.target
        return OutOfBag(plan.X, plan.target, plan.draws, self._votes_hard(), self.n_jobs, exponent)

    def _votes_hard(self) -> bool:
        return False

    def _batch_size(self, n_trees: int) -> int:
        return self.early_stop_trees if self.early_stop else super()._batch_size(n_trees)

    def _is_done(self, out: OutOfBag | None) -> bool:
        """Tell whether the error of the last trees is hardly below that of those before them."""
        if not self.early_stop or out is None or len(out.errors) < 2 * self.early_stop_trees:
            return False
        curve = np.array(out.errors[-2 * self.early_stop_trees :])
        before, last = curve.reshape(2, -1).mean(axis=1)
        return bool(before - last <= self.early_stop_tol * before)

    def _set_oob(self, out: OutOfBag) -> None:
        """Set score, error curve and predictions of the rows by trees that have not seen them."""
        if not out.n_trees.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used "
                "to compute any reliable OOB estimates.",
                UserWarning,
                stacklevel=4,
            )
        self.oob_error_curve_ = times_power(np.array(out.errors), 2 * out.exponent)
        self.oob_score_ = self._oob_scored(out)

    def _oob_scored(self, out: OutOfBag) -> float:
        """Set the predictions, and return their score."""
        raise NotImplementedError(f"{type(self).__name__} must write _oob_scored.")

    def _known_target(self, y: Any) -> TreeTarget:
        """Return the target of the training rows, read as in the fit."""
        raise NotImplementedError(f"{type(self).__name__} must write _known_target.")

    def _oob_shuffled_losses(self, X: Any, y: Any, rng: np.random.RandomState) -> Floats:
        """Return by how much shuffling a column raises each tree's loss, out of the bag."""
        rows, draws = self._rows(X), self._row_draws
        if not draws.n_draws:
            raise ValueError("Rows out of the bag need a forest with bootstrap=True.")
        labels = check_y(
            y, multi_output=True, y_numeric=self._estimator_type == "regressor", estimator=self
        )
        if rows.shape[0] != draws.n_samples or len(labels) != draws.n_samples:
            raise ValueError(
                f"X and y must be the {draws.n_samples} rows of the fit. Got {rows.shape[0]} and "
                f"{len(labels)}."
            )
        target = self._known_target(labels.reshape(len(labels), -1))
        return shuffled_losses(self._forest, rows, target, draws, rng, self.n_jobs)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = True
        return tags
