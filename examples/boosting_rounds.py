"""Gradient boosting by rounds: the sum of stumps grows to the curve, and then to the noise."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.ensemble import GradientBoostingRegressor
from gramian.metrics import mean_squared_error
from gramian.model_selection import train_test_split

rng = np.random.default_rng(10)
x = np.linspace(0.0, 2.0 * np.pi, 100)
y = 2.0 * x + np.sin(x) + rng.normal(0.0, 0.5, x.size)
X = x[:, None]

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
left.plot(x, y, ".", color="0.7")
model = GradientBoostingRegressor(n_estimators=20, max_depth=1, learning_rate=1.0).fit(X, y)
for n_rounds, predicted in enumerate(model.staged_predict(X), 1):
    if n_rounds in (1, 3, 20):
        left.plot(x, predicted, label=f"{n_rounds} round" + ("s" if n_rounds > 1 else ""))
left.set(xlabel="x", ylabel="y")
left.legend()

X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.3, random_state=30)
for rate, colour in ((1.0, "C0"), (0.1, "C1")):
    model = GradientBoostingRegressor(n_estimators=200, max_depth=1, learning_rate=rate)
    model.fit(X_train, y_train)
    errors = [mean_squared_error(y_new, predicted) for predicted in model.staged_predict(X_new)]
    right.plot(errors, colour, label=f"new rows, rate {rate}")
    right.plot(model.train_score_, colour, linestyle=":", label=f"training rows, rate {rate}")
right.set(xlabel="rounds", ylabel="mean squared error", ylim=(0.0, 2.0))
right.legend()
figure.savefig("boosting_rounds.svg")
