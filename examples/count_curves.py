"""Poisson regression beside a straight line, on counts that grow with the hour."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.linear_model import LinearRegression, PoissonRegressor

rng = np.random.default_rng(0)
hour = rng.uniform(0.0, 6.0, size=150)
calls = rng.poisson(np.exp(-1.5 + 0.75 * hour))
X, grid = hour[:, None], np.linspace(0.0, 6.0, 100)
model = PoissonRegressor(alpha=0.0).fit(X, calls)
band = model.summary(X, calls).predict(grid[:, None]).mean_conf_int
line = LinearRegression().fit(X, calls)

figure, axes = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
axes.scatter(hour, calls, s=10, color="0.6", label="counts")
axes.plot(grid, line.predict(grid[:, None]), color="C1", label="least squares")
axes.plot(grid, model.predict(grid[:, None]), color="C0", label="Poisson")
axes.fill_between(grid, *band.T, color="C0", alpha=0.2)
axes.axhline(0.0, color="0.8", linewidth=0.8)
axes.set_xlabel("hour")
axes.set_ylabel("calls")
axes.legend()
figure.savefig("count_curves.svg")
