"""The variance of a bag against the number of its members, and what the formula says."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.ensemble import BaggingRegressor
from gramian.linear_model import Ridge
from gramian.pipeline import make_pipeline
from gramian.preprocessing import SplineTransformer

N_SETS, N_MEMBERS, N_ROWS = 50, 20, 40
points = np.linspace(0.1, 0.9, 9).reshape(-1, 1)

rng = np.random.default_rng(0)
base = make_pipeline(SplineTransformer(n_knots=10), Ridge(alpha=0.01))
predictions = np.empty((N_SETS, N_MEMBERS, len(points)))
for of_set in predictions:
    x = rng.uniform(size=(N_ROWS, 1))
    y = np.sin(6.0 * x[:, 0]) + 0.5 * rng.standard_normal(N_ROWS)
    bag = BaggingRegressor(base, N_MEMBERS, random_state=int(rng.integers(2**31))).fit(x, y)
    of_set[:] = [member.predict(points) for member in bag]

deviations = predictions - predictions.mean(axis=0)
covariance = np.einsum("sap,sbp->ab", deviations, deviations) / ((N_SETS - 1) * len(points))
variance = np.trace(covariance) / N_MEMBERS
between = (covariance.sum() - np.trace(covariance)) / (N_MEMBERS * (N_MEMBERS - 1))
correlation = between / variance

sizes = np.arange(1, N_MEMBERS + 1)
turns = [rng.permutation(N_MEMBERS) for _ in range(10)]
means = [predictions[:, order].cumsum(axis=1) / sizes[:, None] for order in turns]
measured = np.mean([mean.var(axis=0, ddof=1).mean(axis=1) for mean in means], axis=0)

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.plot(sizes, measured, "o", markersize=4, label="measured")
formula = correlation * variance + (1.0 - correlation) * variance / sizes
ax.plot(sizes, formula, label=rf"formula with $\rho$ = {correlation:.2f}")
ax.axhline(between, color="grey", linestyle=":", label=r"$\rho\sigma^2$")
ax.set(xlabel="members B", ylabel="variance of the mean", ylim=(0.0, None), xticks=sizes[::3])
ax.legend()
figure.savefig("bagging_variance.svg")
