"""The loss of boosting against the number of rounds, for three learning rates."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import make_classification
from gramian.ensemble import HistGradientBoostingClassifier
from gramian.metrics import log_loss
from gramian.model_selection import train_test_split

X, y = make_classification(4_000, 20, n_informative=8, flip_y=0.05, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=2_000, random_state=0)

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for rate in (0.3, 0.1, 0.03):
    model = HistGradientBoostingClassifier(learning_rate=rate, max_iter=200, early_stopping=False)
    model.fit(X_train, y_train)
    rounds = np.arange(1, model.n_iter_ + 1)
    losses = {
        "new rows": [log_loss(y_test, p) for p in model.staged_predict_proba(X_test)],
        "training rows": [log_loss(y_train, p) for p in model.staged_predict_proba(X_train)],
    }
    (line,) = ax.plot(rounds, losses["new rows"], label=f"learning rate {rate}")
    ax.plot(rounds, losses["training rows"], color=line.get_color(), linestyle=":")
ax.set(xlabel="rounds", ylabel="log loss", ylim=(0.0, None))
ax.legend(title="new rows (dotted: training rows)")
figure.savefig("learning_rates.svg")
