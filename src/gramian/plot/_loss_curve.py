"""The loss of a net by epochs, in a picture or as text."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from gramian._drawing import require_pyplot
from gramian.plot._rounds import RoundsDisplay
from gramian.validation import check_is_fitted


class LossCurveDisplay(RoundsDisplay):
    """Picture of the loss of a net after each epoch.

    Make it with `loss_curve`, which draws at once. ``print(display)`` shows the curve as text, for
    which matplotlib is not needed. Parameters and attributes are those of `RoundsDisplay`.

    Examples
    --------
    >>> from gramian.plot import LossCurveDisplay
    >>> print(LossCurveDisplay({"training rows": [0.9, 0.5, 0.3]}).text(width=12, height=3))
    loss
    0.9 │***
        │   ****
    0.3 │       *****
        └────────────
         1          3
         * training rows
    """

    _unit: ClassVar[str] = "epochs"


def loss_curve(model: Any, *, ax: Any = None) -> LossCurveDisplay:
    """Draw the loss of a net after each epoch.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        A net fitted with ``solver="adam"`` or ``"sgd"``: one with a ``loss_curve_``. Several nets
        have a curve each.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    display : LossCurveDisplay
        Drawn; without matplotlib there is a warning instead, and ``print(display)``.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.neural_network import MLPClassifier
    >>> from gramian.plot import loss_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier(5, tol=1e-2, learning_rate_init=0.1, random_state=0).fit(X, y)
    >>> len(loss_curve(model).curves["training rows"]) == model.n_iter_
    True
    """
    check_is_fitted(model)
    nets = getattr(model, "nets_", None)
    names = ["training rows"] if nets is None else [f"net {k + 1}" for k in range(len(nets))]
    curves = [getattr(net, "loss_curve_", None) for net in nets or [model]]
    if not all(curves):
        raise ValueError(
            f"This {type(model).__name__} has no loss_curve_: solver='adam' and 'sgd' keep one."
        )
    title = f"{type(model).__name__} by epochs"
    display = LossCurveDisplay(dict(zip(names, curves, strict=True)), title=title)
    try:
        require_pyplot()
    except ImportError as error:
        warnings.warn(f"{error}. print(display) shows the curve as text.", stacklevel=2)
        return display
    display.plot(ax)
    return display
