"""How many components: a table of criteria, and its picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import clone
from gramian.mixture._gaussian import GaussianMixture

__all__ = ["ComponentChoice", "choose_components"]


@dataclass(frozen=True)
class ComponentChoice:
    """Criteria of mixtures with several numbers of components.

    Attributes
    ----------
    n_components : ndarray of shape (n_candidates,)
        The numbers.
    bic, aic, score : ndarray of shape (n_candidates,)
        The criteria of Bayes and Akaike, and the mean log-likelihood.
    best : int
        The number of the smallest criterion of Bayes.
    model : GaussianMixture
        The mixture with so many.
    """

    n_components: NDArray[np.int64]
    bic: Floats
    aic: Floats
    score: Floats
    best: int
    model: GaussianMixture

    def __str__(self) -> str:
        lines = [f"{'components':>10}  {'BIC':>12}  {'AIC':>12}  {'log-likelihood':>14}"]
        for n, bic, aic, score in zip(
            self.n_components, self.bic, self.aic, self.score, strict=True
        ):
            mark = "  <" if n == self.best else ""
            lines.append(f"{n:>10}  {bic:>12.6g}  {aic:>12.6g}  {score:>14.6g}{mark}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw both criteria against the number of components.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1] if ax is None else ax
        ax.plot(self.n_components, self.bic, marker="o", label="BIC")
        ax.plot(self.n_components, self.aic, marker="o", label="AIC")
        ax.axvline(self.best, color="gray", linestyle=":")
        ax.set(xlabel="number of components", ylabel="criterion", xticks=self.n_components)
        ax.legend()
        return ax


def choose_components(
    X: Any,
    n_components: Iterable[int] = range(1, 11),
    *,
    model: GaussianMixture | None = None,
    sample_weight: Any = None,
) -> ComponentChoice:
    """Fit mixtures with several numbers of components, and compare their criteria.

    Parameters
    ----------
    X : table or array of shape (n_samples, n_features)
        Rows.
    n_components : iterable of int, default=range(1, 11)
        The numbers to try.
    model : GaussianMixture, optional
        Its other parameters are those of the mixtures.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    ComponentChoice

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.mixture import choose_components
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) + 8.0 * (np.arange(200) % 2)[:, None]
    >>> choose_components(X, range(1, 4)).best
    2
    """
    numbers = np.array(list(n_components), dtype=np.int64)
    if numbers.size == 0:
        raise ValueError("n_components must hold at least one number of components.")
    template = GaussianMixture(random_state=0) if model is None else model
    models = [
        clone(template).set_params(n_components=int(number)).fit(X, sample_weight=sample_weight)
        for number in numbers
    ]
    bic, aic = np.empty((2, len(numbers)))
    score = np.empty(len(numbers))
    total = len(X) if sample_weight is None else float(np.sum(sample_weight))
    for i, fitted in enumerate(models):
        score[i] = -fitted.certificate_.objective
        size = fitted._n_parameters()
        bic[i] = -2.0 * total * score[i] + size * np.log(total)
        aic[i] = -2.0 * total * score[i] + 2.0 * size
    best = int(bic.argmin())
    return ComponentChoice(numbers, bic, aic, score, int(numbers[best]), models[best])
