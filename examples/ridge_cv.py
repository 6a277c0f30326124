"""Error of ridge regression on rows that were left out, against the penalty."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_diabetes
from gramian.linear_model import Ridge, RidgeCV

X, y = load_diabetes(return_X_y=True)
alphas = np.logspace(-4, 2, 200)
model = RidgeCV(alphas, store_cv_results=True).fit(X[:40], y[:40])
left_out = np.sqrt(model.cv_results_.mean(axis=0))
single = [Ridge(alpha).fit(X[:40], y[:40]) for alpha in alphas]
seen, new = (
    [np.sqrt(np.mean((fit.predict(X[part]) - y[part]) ** 2)) for fit in single]
    for part in (slice(40), slice(40, None))
)

figure, axes = plt.subplots(figsize=(8.0, 4.5), layout="constrained")
axes.semilogx(alphas, left_out, label="left out, one at a time")
axes.semilogx(alphas, new, label="402 new patients")
axes.semilogx(alphas, seen, label="the 40 patients of the fit")
axes.axvline(model.alpha_, color="0.6", linewidth=0.8)
axes.annotate(
    "alpha_",
    (model.alpha_, axes.get_ylim()[1]),
    color="0.4",
    va="top",
    xytext=(4, 0),
    textcoords="offset points",
)
axes.set(xlabel="penalty alpha", ylabel="root mean squared error", xlim=(alphas[0], alphas[-1]))
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
figure.savefig("ridge_cv.svg")
