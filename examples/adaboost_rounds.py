"""AdaBoost by rounds: the error of the vote, its bound, and the errors of the members."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_breast_cancer
from gramian.ensemble import AdaBoostClassifier
from gramian.model_selection import train_test_split

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
model = AdaBoostClassifier(n_estimators=100, random_state=90).fit(X_train, y_train)

errors = model.estimator_errors_
bound = np.exp(-2.0 * np.cumsum((0.5 - errors) ** 2))
rounds = np.arange(1, len(errors) + 1)

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.plot(rounds, errors, ".", color="0.7", label="single members, on their weights")
ax.plot(rounds, bound, "--", label="bound of the training error")
ax.plot(rounds, 1.0 - np.array(list(model.staged_score(X_train, y_train))), label="training rows")
ax.plot(rounds, 1.0 - np.array(list(model.staged_score(X_test, y_test))), label="new rows")
ax.set(xlabel="rounds", ylabel="share of wrong classes", ylim=(0.0, 0.5))
ax.legend()
figure.savefig("adaboost_rounds.svg")
