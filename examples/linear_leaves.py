"""One tree of six leaves that are numbers, and one of six that are lines."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.boosting import BoostingRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-3.0, 3.0, 400))
y = np.sin(x) + 0.3 * x + 0.1 * rng.standard_normal(400)
grid = np.linspace(-3.0, 3.0, 1_000)

figure, axes = plt.subplots(1, 2, figsize=(7.0, 2.8), sharey=True, layout="constrained")
for ax, linear_leaves in zip(axes, (False, True), strict=True):
    model = BoostingRegressor(
        n_estimators=1, learning_rate=1.0, max_leaves=6, linear_leaves=linear_leaves
    ).fit(x[:, None], y)
    curve = model.predict(grid[:, None])
    curve[1:][np.diff(model.apply(grid[:, None])[:, 0]) != 0] = np.nan
    ax.plot(x, y, ".", color="0.8", markersize=3)
    ax.plot(grid, curve)
    ax.set_title(f"linear_leaves={linear_leaves}", fontsize=9)
figure.savefig("linear_leaves.svg")
