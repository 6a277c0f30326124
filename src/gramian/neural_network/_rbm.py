"""Restricted Boltzmann machines of binary units."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._finite import FLOATS
from gramian._network.rows import contiguous_rows
from gramian._network.shape import Shape, native_network
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.config import core_context
from gramian.params import Boolean, Integer, RandomState, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict, is_sparse

__all__ = ["BernoulliRBM"]

_DRAWS = 1 << 18  # numbers drawn ahead of native steps
_LINE = 64  # bytes; rows of weights are padded to whole ones


class BernoulliRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Restricted Boltzmann machine: hidden binary units that explain visible ones.

    Visible units v and hidden units h have the energy ``-a'v - c'h - h'Wv``, and the probability of
    both is proportional to ``exp(-energy)``. The likelihood of the rows is climbed by persistent
    contrastive divergence: in each step the products of both layers, given a batch of rows, less
    those of Markov chains that sample the model.

    For the same integer `random_state` all draws are those of scikit-learn's class, so that the
    weights agree to rounding.

    Parameters
    ----------
    n_components : int, default=256
        Number of hidden units.
    learning_rate : float, default=0.1
        Size of the steps.
    batch_size : int, default=10
        Rows of a step, and number of Markov chains.
    n_iter : int, default=10
        Passes over the rows.
    verbose : bool or int, default=0
        Whether to print the mean pseudo-likelihood of the rows after each pass.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the first weights, the chains and the units that `score_samples` turns over.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The weights W.
    intercept_hidden_ : ndarray of shape (n_components,)
        Biases c of the hidden units.
    intercept_visible_ : ndarray of shape (n_features,)
        Biases a of the visible units.
    h_samples_ : ndarray of shape (batch_size, n_components)
        States of the hidden units of the chains, zeros and ones.
    random_state_ : RandomState
        What `partial_fit` and `gibbs` draw from; there once one of them was called.
    n_steps_ : int
        Steps so far, one for each batch. A time limit ends a fit before a step.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    Entries of X are states of units, zero or one, or probabilities between them.

    Examples
    --------
    >>> from gramian.neural_network import BernoulliRBM
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> BernoulliRBM(n_components=2, random_state=0).fit_transform(X).shape
    (4, 2)
    """

    n_components: int = param(256, Integer(1), positional=True)
    learning_rate: float = param(0.1, Real(0.0, closed="neither"))
    batch_size: int = param(10, Integer(1))
    n_iter: int = param(10, Integer(0))
    verbose: Any = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())

    components_: NDArray[Any]
    intercept_hidden_: NDArray[Any]
    intercept_visible_: NDArray[Any]
    h_samples_: NDArray[Any]
    random_state_: np.random.RandomState
    n_steps_: int

    _own_tags = tagged(sparse=True)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.preserves_dtype = ("float64", "float32")
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            States of the visible units, in [0, 1].
        y : None
            Not used.
        """
        rows = _native_rows(check_fit(self, X).X)
        vars(self).pop("random_state_", None)
        rng = random_state_of(self.random_state)
        self._begin(rows, rng)
        ctx = core_context()
        for number in range(1, self.n_iter + 1):
            begin = time.perf_counter()
            self._steps(rows, int(self.batch_size), rng, ctx)
            if self.verbose:
                print(
                    f"[{type(self).__name__}] Iteration {number}, pseudo-likelihood = "
                    f"{self._pseudo_likelihood(rows).mean():.2f}, time = "
                    f"{time.perf_counter() - begin:.2f}s"
                )
        self._require_finite(rows)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take one step, for all rows together, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            States of the visible units, in [0, 1].
        y : None
            Not used.
        """
        is_first = not hasattr(self, "components_")
        rows = _native_rows(check_fit(self, X).X if is_first else check_predict(self, X))
        if not hasattr(self, "random_state_"):
            self.random_state_ = random_state_of(self.random_state)
        if is_first:
            self._begin(rows, self.random_state_)
        rows = contiguous_rows(rows, self.components_.dtype)
        self._steps(rows, rows.shape[0], self.random_state_, core_context())
        self._require_finite(rows)
        return self

    def _begin(self, rows: Any, rng: np.random.RandomState) -> None:
        p, dtype = rows.shape[1], rows.dtype
        first = rng.normal(0, 0.01, (self.n_components, p))
        self.components_ = np.asarray(first, order="F", dtype=dtype)
        self.intercept_hidden_ = np.zeros(self.n_components, dtype=dtype)
        self.intercept_visible_ = np.zeros(p, dtype=dtype)
        self.h_samples_ = np.zeros((self.batch_size, self.n_components), dtype=dtype)
        self.n_steps_ = 0

    def _steps(
        self, rows: Any, batch_rows: int, rng: np.random.RandomState, ctx: _core.Context
    ) -> None:
        """Take a step for each batch of the rows, on a copy of what is fitted."""
        machine = _Machine.of(self, self.components_.dtype, copy=True)
        chains = self.h_samples_.copy()
        per_batch = len(chains) * sum(self.components_.shape)
        for part, n_batches in _parts(rows.shape[0], batch_rows, max(1, _DRAWS // per_batch)):
            if ctx.expired:
                break
            _core.boltzmann_steps(
                rows[part],
                *machine.arrays,
                chains=chains,
                draws=rng.random_sample(n_batches * per_batch),
                batch_rows=batch_rows,
                rate=float(self.learning_rate),
                ctx=ctx,
            )
            self.n_steps_ += n_batches
        n_hidden = len(self.components_)
        self.components_ = np.asfortranarray(machine.weights[:, :n_hidden].T)
        self.intercept_hidden_ = machine.hidden_bias[:n_hidden].copy()
        self.intercept_visible_, self.h_samples_ = machine.visible_bias, chains

    def _require_finite(self, rows: Any) -> None:
        """Refuse weights whose sums over a row are not numbers."""
        largest = float(abs(rows).max())
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.abs(self.components_).sum(axis=1) * largest
        if np.isfinite(sums).all():
            return
        raise ValueError(
            f"The weights are no longer finite: the entries of X reach {largest:.3g}. Visible "
            "units lie in [0, 1]; MinMaxScaler brings columns there, or choose a smaller "
            f"learning_rate than {self.learning_rate!r}."
        )

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the probabilities of the hidden units, given the visible ones.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            States of the visible units.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._mean_hiddens(check_predict(self, X))

    def _mean_hiddens(self, rows: Any) -> NDArray[Any]:
        """Return the probabilities for rows, or for a single one."""
        rows = rows if is_sparse(rows) else np.atleast_2d(rows)
        dtype = np.result_type(rows.dtype, self.components_.dtype)
        chances = np.empty((rows.shape[0], len(self.components_)), dtype=dtype)
        _core.boltzmann_hidden(
            contiguous_rows(rows, dtype),
            *_Machine.of(self, dtype).arrays,
            out=chances,
            ctx=core_context(),
        )
        return chances

    def gibbs(self, v: Any) -> NDArray[np.bool_]:
        """Draw hidden units given the visible ones, then visible ones given these.

        Parameters
        ----------
        v : table, array or sparse matrix of shape (n_samples, n_features)
            States of the visible units.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_features)
            States of the visible units after the step.
        """
        rows = check_predict(self, v)
        if not hasattr(self, "random_state_"):
            self.random_state_ = random_state_of(self.random_state)
        hidden = self._sample_hiddens(rows, self.random_state_).astype(self.components_.dtype)
        chances = self._mean_visibles(hidden)
        drawn: NDArray[np.bool_] = self.random_state_.random_sample(chances.shape) < chances
        return drawn

    def _sample_hiddens(self, rows: Any, rng: np.random.RandomState) -> NDArray[np.bool_]:
        chances = self._mean_hiddens(rows)
        drawn: NDArray[np.bool_] = rng.random_sample(chances.shape) < chances
        return drawn

    def _mean_visibles(self, hidden: NDArray[Any]) -> NDArray[Any]:
        dtype = hidden.dtype
        chances = np.empty((len(hidden), self.components_.shape[1]), dtype=dtype)
        shape = Shape(self.components_.shape, "identity", "logistic", "log_loss")
        network = native_network(shape, [self.components_], [self.intercept_visible_], dtype)
        network.predict(hidden, out=chances, ctx=core_context())
        return chances

    def score_samples(self, X: Any) -> Floats:
        """Return the pseudo-likelihood of each row.

        That is ``n_features`` times the log probability of one unit of the row, drawn by
        `random_state`, given all others.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            States of the visible units, zeros and ones.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._pseudo_likelihood(check_predict(self, X))

    def _pseudo_likelihood(self, rows: Any) -> Floats:
        n, p = rows.shape
        dtype = np.result_type(rows.dtype, self.components_.dtype)
        machine = _Machine.of(self, dtype)
        scores = np.empty(n)
        _core.boltzmann_pseudo_likelihood(
            contiguous_rows(rows, dtype),
            *machine.arrays,
            n_hidden=len(self.components_),
            flips=random_state_of(self.random_state).randint(0, p, n).astype(np.int64, copy=False),
            out=scores,
            ctx=core_context(),
        )
        return scores


@dataclass(frozen=True)
class _Machine:
    """Weights and biases in the native layout, (n_features, width); width in whole cache lines."""

    weights: NDArray[Any]
    hidden_bias: NDArray[Any]
    visible_bias: NDArray[Any]

    @staticmethod
    def of(model: BernoulliRBM, dtype: Any, *, copy: bool = False) -> "_Machine":
        """Return those of a model; a copy, or the arrays themselves where they have the layout."""
        bias, weights = model.intercept_hidden_, model.components_.T
        lanes = _LINE // np.dtype(dtype).itemsize
        width = -(-len(bias) // lanes) * lanes
        if copy or width > len(bias) or not _is_native(weights, dtype):
            padding = (0, width - len(bias))
            bias = np.pad(bias.astype(dtype), padding)
            weights = np.pad(weights.astype(dtype), ((0, 0), padding))
        return _Machine(
            np.ascontiguousarray(weights),
            np.array(bias, dtype=dtype),
            np.array(model.intercept_visible_, dtype=dtype),
        )

    @property
    def arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return all of them."""
        return self.weights, self.hidden_bias, self.visible_bias


def _is_native(weights: NDArray[Any], dtype: Any) -> bool:
    flags = weights.flags
    return weights.dtype == dtype and flags.c_contiguous and flags.aligned and flags.writeable


def _native_rows(rows: Any) -> Any:
    return contiguous_rows(rows, rows.dtype if rows.dtype in FLOATS else np.float64)


def _parts(n_rows: int, batch_rows: int, n_batches: int) -> Iterator[tuple[slice, int]]:
    """Yield slices of rows of at most so many batches, and how many they are."""
    for begin in range(0, n_rows, n_batches * batch_rows):
        end = min(begin + n_batches * batch_rows, n_rows)
        yield slice(begin, end), -(-(end - begin) // batch_rows)
