"""Least squares, Huber's regression and the regression of the median on data with outliers."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.linear_model import HuberRegressor, LinearRegression, QuantileRegressor

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0.0, 10.0, 60))
y = 2.0 * x + 1.0 + rng.normal(size=60)
y[-9:] -= rng.uniform(15.0, 30.0, 9)  # a meter that sticks

X = x[:, None]
models = {
    "least squares": LinearRegression(),
    "Huber": HuberRegressor(),
    "median": QuantileRegressor(alpha=0.0),
}
figure, axes = plt.subplots(figsize=(8.0, 4.5), layout="constrained")
outliers = HuberRegressor().fit(X, y).outliers_
axes.plot(x[~outliers], y[~outliers], "o", color="0.35", markersize=4)
axes.plot(x[outliers], y[outliers], "x", color="0.35", markersize=6, label="Huber's outliers")
for (name, model), style in zip(models.items(), ("--", "-", "-."), strict=True):
    axes.plot(x, model.fit(X, y).predict(X), style, linewidth=2.0, label=name)
axes.set(xlabel="x", ylabel="y")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
figure.savefig("robust_lines.svg")
