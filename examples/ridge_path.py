"""Coefficients of ridge regression against the strength of the penalty."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_diabetes
from gramian.linear_model import Ridge

patients = load_diabetes()
alphas = np.logspace(-4, 2, 80)
paths = np.array([Ridge(alpha).fit(patients.data, patients.target).coef_ for alpha in alphas])

figure, axes = plt.subplots(figsize=(8.0, 4.5), layout="constrained")
for column in np.argsort(-paths[0]):
    axes.semilogx(alphas, paths[:, column], label=patients.feature_names[column])
axes.axhline(0.0, color="0.6", linewidth=0.8)
axes.set(xlabel="penalty alpha", ylabel="coefficient", xlim=(alphas[0], alphas[-1]))
axes.spines[["top", "right"]].set_visible(False)
axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
figure.savefig("ridge_path.svg")
