"""Rows whose surroundings are emptier than those of their neighbours, in two clusters."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.neighbors import LocalOutlierFactor

rng = np.random.default_rng(0)
X = np.vstack(
    [rng.normal(0.0, 0.1, (60, 2)), rng.normal([2.5, 2.0], 0.7, (60, 2)), [[0.8, 0.6], [-0.7, 0.5]]]
)
factors = -LocalOutlierFactor(n_neighbors=12).fit(X).negative_outlier_factor_

figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
ax.scatter(*X.T, s=10, color="tab:blue")
sizes = 60.0 * (factors - 1.0).clip(0.0, 12.0)
ax.scatter(*X.T, s=sizes, facecolors="none", edgecolors="tab:red", label="factor less 1")
ax.legend(loc="upper left")
ax.set_title("The local outlier factor judges each row by its own neighbours")
figure.savefig("local_outliers.svg")
