"""Held-out loss of logistic regression on each fold, against the inverse penalty."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_breast_cancer
from gramian.linear_model import LogisticRegressionCV
from gramian.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
model = LogisticRegressionCV(
    Cs=np.logspace(-4, 4, 60), l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
).fit(StandardScaler().fit_transform(X), y)
losses = -model.scores_[:, 0]

figure, axes = plt.subplots(figsize=(8.0, 4.5), layout="constrained")
axes.loglog(model.Cs_, losses.T, color="0.8", linewidth=1.0)
axes.loglog(model.Cs_, losses.mean(axis=0), label="mean of five folds")
axes.axvline(model.C_, color="0.6", linewidth=0.8)
axes.annotate(
    "C_",
    (model.C_, axes.get_ylim()[1]),
    color="0.4",
    va="top",
    xytext=(4, 0),
    textcoords="offset points",
)
axes.set(xlabel="inverse penalty C", ylabel="log loss of rows held out")
axes.set_xlim(model.Cs_[0], model.Cs_[-1])
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
figure.savefig("logistic_cv.svg")
