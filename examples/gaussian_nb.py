"""Gaussian naive Bayes on two columns of iris: the normal distribution of each class."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_iris
from gramian.inspection import DecisionBoundaryDisplay
from gramian.naive_bayes import GaussianNB

X, y = load_iris(return_X_y=True)
X = np.asarray(X)[:, [2, 3]]  # length and width of the petals
model = GaussianNB().fit(X, y)

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
colours = ["tab:blue", "tab:orange", "tab:green"]
DecisionBoundaryDisplay.from_estimator(
    model, X, ax=ax, response_method="predict", alpha=0.15, multiclass_colors=colours
)
angle = np.linspace(0.0, 2.0 * np.pi, 200)
for k, colour in enumerate(colours):
    ax.scatter(*X[y == model.classes_[k]].T, s=14, color=colour)
    width, height = np.sqrt(model.var_[k])
    for radius in (1, 2):
        x = model.theta_[k, 0] + radius * width * np.cos(angle)
        ax.plot(x, model.theta_[k, 1] + radius * height * np.sin(angle), color=colour, lw=1.2)
ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
ax.set_title("One and two standard deviations of each class: no ellipse is tilted")
figure.savefig("gaussian_nb.svg")
