"""Coefficients of a penalised linear model against its penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import CYCLE, GUIDE, Display, legend_above, require_pyplot, style
from gramian._typing import Floats
from gramian.linear_model import enet_path
from gramian.validation import check_array


class RegularizationPathDisplay(Display):
    """The picture of coefficients along a path of penalties, and the numbers behind it.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        Penalties.
    coefs : ndarray of shape (n_features, n_alphas)
        Coefficients.
    names : list of str, optional
        Names of the features.
    alpha : float, optional
        The penalty that a model chose, marked by a line.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    ax_ : matplotlib.axes.Axes
        Its axes.

    Examples
    --------
    >>> from gramian.plot import RegularizationPathDisplay
    >>> display = RegularizationPathDisplay([1.0, 0.1], [[0.0, 2.0], [0.0, 0.5]])
    >>> display.frame()["coefficient"].tolist()
    [0.0, 2.0, 0.0, 0.5]
    """

    def __init__(
        self, alphas: Any, coefs: Any, *, names: Any = None, alpha: float | None = None
    ) -> None:
        self.alphas: Floats = np.asarray(alphas, dtype=np.float64)
        self.coefs: Floats = np.asarray(coefs, dtype=np.float64)
        if self.coefs.ndim != 2 or self.coefs.shape[1:] != self.alphas.shape:
            raise ValueError(
                f"coefs must have shape (n_features, {self.alphas.size}), one column for each "
                f"penalty. Got {self.coefs.shape}."
            )
        count = len(self.coefs)
        self.names = [f"x{j}" for j in range(count)] if names is None else [str(n) for n in names]
        self.alpha = alpha

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, alphas: Any = 100, ax: Any = None
    ) -> RegularizationPathDisplay:
        """Draw the path of a fitted `Lasso` or `ElasticNet`, or of their CV forms.

        Parameters
        ----------
        model : estimator
            Fitted model with one target; its fraction of the L1 penalty and its penalty are used.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Target.
        alphas : int or array, default=100
            Penalties, or the length of an automatic grid.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        display : RegularizationPathDisplay
        """
        ratio = getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0))
        names = getattr(model, "feature_names_in_", None)
        data = check_array(X, dtype=(np.float64, np.float32))
        target = np.asarray(y, dtype=np.float64)
        if model.fit_intercept:
            data, target = data - data.mean(axis=0), target - target.mean()
        found, coefs, _ = enet_path(
            data, target, l1_ratio=ratio, alphas=alphas, positive=getattr(model, "positive", False)
        )
        chosen = getattr(model, "alpha_", getattr(model, "alpha", None))
        return cls(found, coefs, names=names, alpha=chosen).plot(ax=ax)

    def plot(self, ax: Any = None, *, n_labels: int = 8) -> RegularizationPathDisplay:
        """Draw the path.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        n_labels : int, default=8
            How many of the largest coefficients have a colour and a name.

        Returns
        -------
        self
        """
        if ax is None:
            _, ax = require_pyplot().subplots()
        largest = np.argsort(-np.abs(self.coefs).max(axis=1), kind="stable")[:n_labels]
        for j in np.setdiff1d(np.arange(len(self.coefs)), largest):
            ax.plot(self.alphas, self.coefs[j], color=GUIDE, linewidth=0.6, alpha=0.6)
        for place, j in enumerate(largest):
            color = CYCLE[place % len(CYCLE)]
            ax.plot(self.alphas, self.coefs[j], color=color, linewidth=1.6, label=self.names[j])
        if self.alpha is not None:
            ax.axvline(self.alpha, color=GUIDE, linestyle="--", linewidth=1.0)
        ax.set_xscale("log")
        ax.invert_xaxis()
        style(ax, "Regularisation path", "penalty alpha", "coefficient")
        legend_above(ax, n_columns=4)
        self.figure_, self.ax_ = ax.figure, ax
        return self

    def _columns(self) -> Mapping[str, Any]:
        count = len(self.alphas)
        return {
            "feature": np.repeat(np.asarray(self.names, dtype=object), count).tolist(),
            "alpha": np.tile(self.alphas, len(self.coefs)),
            "coefficient": self.coefs.ravel(),
        }


def regularization_path(model: Any, X: Any, y: Any, **options: Any) -> RegularizationPathDisplay:
    """Draw how coefficients of a lasso or elastic net leave zero as the penalty falls.

    Parameters
    ----------
    model : estimator
        Fitted `Lasso`, `ElasticNet` or one of their CV forms.
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Target.
    **options
        `alphas` and `ax`, as in `RegularizationPathDisplay.from_estimator`.

    Returns
    -------
    display : RegularizationPathDisplay
        Holds the figure as `figure_`, its axes as `ax_`, and the numbers as `frame()`.

    Examples
    --------
    >>> from gramian.linear_model import Lasso
    >>> from gramian.plot import regularization_path
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.5]], [0.0, 1.0, 2.0]
    >>> display = regularization_path(Lasso(0.1).fit(X, y), X, y)  # doctest: +SKIP
    """
    return RegularizationPathDisplay.from_estimator(model, X, y, **options)
