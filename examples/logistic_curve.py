"""The probability of a class against one column, for three strengths of the penalty."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_iris
from gramian.linear_model import LogisticRegression

irises = load_iris()
others = irises.target > 0
length, is_virginica = irises.data[others][:, 2:3], irises.target[others] == 2
grid = np.linspace(2.8, 7.0, 200)[:, None]

figure, axes = plt.subplots(figsize=(8.0, 4.0), layout="constrained")
axes.plot(length, is_virginica, "|", color="0.4", markersize=12)
for C in (0.01, 1.0, 100.0):
    model = LogisticRegression(C=C).fit(length, is_virginica)
    axes.plot(grid, model.predict_proba(grid)[:, 1], label=f"C = {C:g}")
axes.set(xlabel="petal length (cm)", ylabel="probability of virginica")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
figure.savefig("logistic_curve.svg")
