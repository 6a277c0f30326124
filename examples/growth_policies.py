"""Eight leaves by each policy of growth, and the boosted sum of twenty such trees."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.boosting import BoostingRegressor

SIZES = {
    "leaf": {"max_leaves": 8},
    "level": {"max_depth": 3, "max_leaves": 0},
    "symmetric": {"max_depth": 3, "max_leaves": 0},
}
COLOURS = {"vmin": 0.0, "vmax": 1.0, "cmap": "viridis", "rasterized": True}


def ring(X):
    return np.exp(-4.0 * (np.hypot(X[:, 0], X[:, 1]) - 1.0) ** 2)


rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (2_000, 2))
y = ring(X) + 0.1 * rng.standard_normal(2_000)
side = np.linspace(-2.0, 2.0, 240)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

figure, axes = plt.subplots(
    2, 4, figsize=(9.2, 4.9), sharex=True, sharey=True, layout="constrained"
)
axes[0, 0].scatter(*X.T, c=y, s=3, **COLOURS)
axes[0, 0].set_title("2,000 rows", fontsize=10)
axes[1, 0].pcolormesh(side, side, ring(grid).reshape(240, 240), **COLOURS)
axes[1, 0].set_title("without noise", fontsize=10)
for column, (growth, size) in zip(axes.T[1:], SIZES.items(), strict=True):
    model = BoostingRegressor(growth=growth, n_estimators=20, learning_rate=0.5, **size)
    model.fit(X, y)
    alone = BoostingRegressor(growth=growth, n_estimators=1, learning_rate=1.0, **size).fit(X, y)
    for ax, part, what in zip(column, (alone, model), ("one tree", "20 trees"), strict=True):
        predicted = part.predict(grid)
        error = np.sqrt(np.mean((predicted - ring(grid)) ** 2))
        ax.pcolormesh(side, side, predicted.reshape(240, 240), **COLOURS)
        ax.set_title(f"{growth}, {what}: {error:.2f}", fontsize=10)
    leaf = alone.apply(grid)[:, 0].reshape(240, 240)
    for number in np.unique(leaf):
        column[0].contour(side, side, leaf == number, levels=[0.5], colors="white", linewidths=0.8)
for ax in axes.flat:
    ax.set(aspect="equal", xticks=[-2, 0, 2], yticks=[-2, 0, 2])
figure.savefig("growth_policies.svg")
