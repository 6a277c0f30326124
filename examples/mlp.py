"""Loss curves of three learning rates, and the boundary that a small net draws."""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import make_moons
from gramian.exceptions import ConvergenceWarning
from gramian.inspection import DecisionBoundaryDisplay
from gramian.neural_network import MLPClassifier

X, codes = make_moons(400, noise=0.2, random_state=0)
y = np.where(codes == 1, "lower", "upper")

figure, (curves, plane) = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
for rate in (0.0003, 0.003, 0.03):
    model = MLPClassifier((16, 16), learning_rate_init=rate, batch_size=50, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    curves.plot(range(1, model.n_iter_ + 1), model.loss_curve_, label=f"rate {rate:g}")
curves.set(xlabel="epoch", ylabel="loss")
curves.legend()
DecisionBoundaryDisplay.from_estimator(model, X, y=y, eps=0.3, ax=plane)
plane.set_title(f"two layers of 16 neurons: {model.score(X, y):.0%} right")
figure.savefig("mlp.svg")
