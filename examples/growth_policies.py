"""One tree of eight leaves by each policy of growth, and the boosted sum of twenty such trees."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.boosting import BoostingRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (2_000, 2))
y = np.exp(-4.0 * (np.hypot(X[:, 0], X[:, 1]) - 1.0) ** 2) + 0.1 * rng.standard_normal(2_000)
side = np.linspace(-2.0, 2.0, 200)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

figure, axes = plt.subplots(
    2, 3, figsize=(7.0, 4.6), sharex=True, sharey=True, layout="constrained"
)
for column, growth in zip(axes.T, ("leaf", "level", "symmetric"), strict=True):
    model = BoostingRegressor(
        growth=growth, max_leaves=8, max_depth=0, n_estimators=20, learning_rate=0.5
    ).fit(X, y)
    for ax, part in zip(column, (model[:1], model), strict=True):
        surface = part.predict(grid).reshape(200, 200)
        ax.pcolormesh(side, side, surface, vmin=0.0, vmax=1.0, shading="auto", rasterized=True)
        ax.set_title(f"{growth}, rounds: {part.n_estimators_}", fontsize=9)
        ax.set_aspect("equal")
figure.savefig("growth_policies.svg")
