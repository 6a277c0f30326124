"""The error of new rows by rounds for each policy of growth: much detail, and much noise."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.boosting import BoostingRegressor

SIZES = {
    "leaf": {"max_leaves": 8},
    "level": {"max_depth": 3, "max_leaves": 0},
    "symmetric": {"max_depth": 3, "max_leaves": 0},
}
COLOURS = {"leaf": "#3b6ea8", "level": "#c8553d", "symmetric": "#5a9367"}


def ring(X):
    return np.exp(-4.0 * (np.hypot(X[:, 0], X[:, 1]) - 1.0) ** 2)


def slope(X):
    return 0.5 * X[:, 0] + 0.3 * X[:, 1]


def curves(function, n_rows, noise, growth):
    """Return the errors of new rows after each round, by draw of the training rows."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, X_new = rng.uniform(-2.0, 2.0, (n_rows, 2)), rng.uniform(-2.0, 2.0, (2_000, 2))
        y = function(X) + noise * rng.standard_normal(n_rows)
        model = BoostingRegressor(
            growth=growth, min_samples_leaf=5, n_estimators=100, **SIZES[growth]
        ).fit(X, y)
        staged = model.staged_predict(X_new)
        found.append([np.sqrt(np.mean((p - function(X_new)) ** 2)) for p in staged])
    return np.array(found)


figure, axes = plt.subplots(1, 2, figsize=(9.2, 3.4), layout="constrained")
for ax, title, *data in (
    (axes[0], "a ring, 2,000 rows, little noise", ring, 2_000, 0.1),
    (axes[1], "a plane, 300 rows, much noise", slope, 300, 0.5),
):
    for growth, colour in COLOURS.items():
        errors = curves(*data, growth)
        ax.plot(np.arange(1, 101), errors.mean(axis=0), color=colour, label=growth)
    ax.set(title=title, xlabel="rounds", ylabel="error of new rows", ylim=(0.0, None))
axes[0].legend(title="growth")
figure.savefig("growth_curves.svg")
