"""What classifiers with kernels share: one machine for each pair of classes, and their votes."""

import warnings
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._class_weight import class_weights
from gramian._composition import available_if
from gramian._kernel.hard_margin import no_boundary
from gramian._kernel.kernels import Kernel, kernel_of
from gramian._kernel.machine import Machine, Solved
from gramian._kernel.probability import couple, pair_probabilities, platt_parameters
from gramian._labels import encode_labels
from gramian._typing import Floats
from gramian.base import ClassifierMixin
from gramian.exceptions import NotFittedError, shared
from gramian.params import Boolean, Mappings, Nothing, OneOf, RandomState, param
from gramian.svm._base import KernelMachine, weights_of


def _has_probabilities(model: Any) -> bool:
    if model.probability == "deprecated" or not model.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of the classifiers: a machine for every pair of classes, first against second.

    ``dual_coef_`` has a row less than there are classes: that of a support vector of class i
    against class j stands in row j, or j - 1 if i < j.
    """

    probability: Any = param("deprecated", Boolean() | OneOf("deprecated"))
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | Nothing())
    decision_function_shape: str = param("ovr", OneOf("ovr", "ovo"))
    break_ties: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())

    classes_: NDArray[Any]
    class_weight_: Floats
    n_iter_: NDArray[np.int32]
    _probA: Floats
    _probB: Floats

    # -- fit --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a machine to every pair of classes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel of all pairs of rows.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), optional
            Factors of C by row. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        self._warn_of_probability()
        data = self._read(X, y, sample_weight, y_numeric=False)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        if len(classes) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(classes)} class"
            )
        by_class = class_weights(self.class_weight, classes, codes, data.sample_weight)
        weight = weights_of(data)
        members = _members(codes, weight, classes)
        kernel = kernel_of(self, data.X, data.sample_weight)
        factor = weight * by_class[codes]
        machines = [
            self._machine(members[i], members[j], factor)
            for i, j in combinations(range(len(classes)), 2)
        ]
        labels = list(combinations(map(str, classes.tolist()), 2))
        solved = self._solve(kernel, data.X, machines, labels)
        self._store_facts(solved)
        probA, probB = self._platt(kernel, data.X, machines, factor)
        self._store_pairs(kernel, data.X, X, members, solved)
        self.n_iter_ = np.array([part.n_iter for part in solved], dtype=np.int32)
        self.class_weight_ = by_class
        self._probA, self._probB = probA, probB
        self.classes_ = classes
        return self

    def _warn_of_probability(self) -> None:
        if self.probability != "deprecated":
            name = type(self).__name__
            warnings.warn(
                "The `probability` parameter was deprecated in 1.9 and will be removed in version "
                f"1.11. Use `CalibratedClassifierCV({name}(), ensemble=False)` instead of "
                f"`{name}(probability=True)`",
                FutureWarning,
                stacklevel=3,
            )

    def _machine(
        self, first: NDArray[np.int64], second: NDArray[np.int64], factor: Floats
    ) -> Machine:
        """Return the problem that sets the rows `first` (sign 1) apart from `second`.

        `factor` has the weight of every row times that of its class.
        """
        raise NotImplementedError

    def _scaled(self, part: Solved) -> tuple[Floats, float]:
        """Return coefficients and intercept of a machine's decision function."""
        return part.coef, -part.rho

    def _store_facts(self, solved: list[Solved]) -> None:
        """Keep what else there is to know of the machines."""

    def _contradiction(self, part: Solved, labels: tuple[str, str]) -> str:
        return no_boundary(part, labels)

    def _platt(
        self, kernel: Kernel, X: Any, machines: list[Machine], factor: Floats
    ) -> tuple[Floats, Floats]:
        if self.probability == "deprecated" or not self.probability:
            return np.empty(0), np.empty(0)
        return platt_parameters(self, kernel, X, machines, factor)

    def _store_pairs(
        self,
        kernel: Kernel,
        X: Any,
        given: Any,
        members: list[NDArray[np.int64]],
        solved: list[Solved],
    ) -> None:
        n_classes = len(members)
        coef = np.zeros((n_classes - 1, X.shape[0]))
        intercepts = []
        for (i, j), part in zip(combinations(range(n_classes), 2), solved, strict=True):
            own, constant = self._scaled(part)
            n_first = int((part.machine.sign > 0).sum())
            coef[j - 1, part.machine.rows[:n_first]] = own[:n_first]
            coef[i, part.machine.rows[n_first:]] = own[n_first:]
            intercepts.append(constant)
        is_used = (coef != 0.0).any(axis=0)
        by_class = [rows[is_used[rows]] for rows in members]
        support = np.concatenate(by_class)
        intercept = np.array(intercepts)
        if n_classes == 2:  # positive for the second class
            coef, intercept = -coef, -intercept
        self._store_vectors(kernel, X, given, support, np.ascontiguousarray(coef[:, support]))
        self._n_support = np.array([len(rows) for rows in by_class], dtype=np.int32)
        self.intercept_ = intercept

    # -- predict ----------------------------------------------------------------------------------

    def _pair_scores(self, X: Any) -> Floats:
        """Return the score of every pair: positive for its first class; for two classes below 0."""
        rows = self._rows(X)
        n_classes = len(self.classes_)
        if self.kernel == "linear":
            scores = self._linear_scores(rows)
        elif n_classes == 2:
            scores = self._sums(rows) + self.intercept_
        else:
            sums = self._group_sums(rows, np.cumsum(self._n_support).tolist())
            first, second = np.triu_indices(n_classes, 1)
            scores = (sums[first, second - 1] + sums[second, first]).T + self.intercept_
        return -scores if n_classes == 2 else scores

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes positive where the second one is chosen. For more: with
            ``decision_function_shape="ovr"`` the votes of each class, moved by less than a third
            by the sum of its scores; with "ovo" the scores of the pairs.
        """
        scores = self._pair_scores(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return -scores[:, 0]
        if self.decision_function_shape == "ovo":
            return scores
        votes, sums = np.zeros((2, len(scores), n_classes))
        for score, (i, j) in zip(scores.T, combinations(range(n_classes), 2), strict=True):
            votes[:, i] += score >= 0
            votes[:, j] += score < 0
            sums[:, i] += score
            sums[:, j] -= score
        shaped: Floats = votes + sums / (3.0 * (np.abs(sums) + 1.0))
        return shaped

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes, the first of equals.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if not hasattr(self, "classes_"):
            self._rows(X)
        n_classes = len(self.classes_)
        if self.break_ties and n_classes > 2:
            return self._labels(self.decision_function(X).argmax(axis=1))
        scores = self._pair_scores(X)
        if n_classes == 2:
            return self._labels((scores[:, 0] <= 0).astype(np.intp))
        first, second = np.triu_indices(n_classes, 1)
        # A pair's vote goes to its second class, or moves to the first; small whole numbers.
        classes = np.eye(n_classes, dtype=np.float32)
        move = classes[first] - classes[second]
        votes = (scores > 0).astype(np.float32) @ move + np.bincount(second, minlength=n_classes)
        return self._labels(votes.argmax(axis=1))

    def _labels(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, by Platt's sigmoids and pairwise coupling.

        The sigmoids are fitted to scores from cross-validation, so that the most probable class may
        differ from `predict`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._pair_scores(X)
        if not len(self._probA):
            raise shared(NotFittedError)(
                "predict_proba is not available when fitted with probability=False"
            )
        return couple(pair_probabilities(scores, self._probA, self._probB), len(self.classes_))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        logs: Floats = np.log(self.predict_proba(X))
        return logs

    @property
    def probA_(self) -> Floats:  # noqa: N802
        """Slopes of Platt's sigmoids, for every pair of classes; empty without `probability`."""
        _warn_of_platt("probA_")
        return self._probA

    @property
    def probB_(self) -> Floats:  # noqa: N802
        """Offsets of Platt's sigmoids, for every pair of classes; empty without `probability`."""
        _warn_of_platt("probB_")
        return self._probB

    def _linear_coef(self) -> Any:
        if len(self.classes_) == 2:
            return super()._linear_coef()
        ends = np.cumsum(self._n_support)
        parts = [slice(end - n, end) for end, n in zip(ends, self._n_support, strict=True)]
        coef, vectors = self._dense_dual_coef(), self.support_vectors_
        rows = []
        for i, j in combinations(range(len(self.classes_)), 2):
            first = coef[None, j - 1, parts[i]] @ vectors[parts[i]]
            rows.append(first + coef[None, i, parts[j]] @ vectors[parts[j]])
        dense = np.concatenate([np.atleast_2d(row) for row in rows])
        return type(vectors)(dense) if issparse(vectors) else dense


def _warn_of_platt(name: str) -> None:
    warnings.warn(
        f"Attribute `{name}` was deprecated in version 1.9 and will be removed in 1.11 as the "
        "`probability=True` option for SVC and NuSVC was deprecated and will be removed in 1.11.",
        FutureWarning,
        stacklevel=3,
    )


def _members(
    codes: NDArray[np.intp], weight: Floats, classes: NDArray[Any]
) -> list[NDArray[np.int64]]:
    """Return the rows of positive weight of each class, or raise where there are none."""
    used = weight > 0.0
    members = [np.flatnonzero((codes == k) & used) for k in range(len(classes))]
    empty = [label for label, rows in zip(classes, members, strict=True) if not len(rows)]
    if len(empty) >= len(classes) - 1:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class."
        )
    if empty:
        raise ValueError(f"Invalid input - no sample of class {empty[0]!r} has a positive weight.")
    return members
