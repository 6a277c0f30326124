"""The error of a forest against the number of its trees: out of the bag, and on new rows."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import make_classification
from gramian.ensemble import RandomForestClassifier
from gramian.model_selection import train_test_split

X, y = make_classification(3_000, 20, n_informative=8, flip_y=0.05, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1_000, random_state=0)
model = RandomForestClassifier(150, oob_score=True, random_state=0).fit(X_train, y_train)

shares = np.cumsum([tree.predict_proba(X_test) for tree in model.estimators_], axis=0)
test_error = (shares.argmax(axis=2) != y_test).mean(axis=1)

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
sizes = np.arange(1, len(model) + 1)
ax.plot(sizes, model.oob_error_curve_, label="out of the bag")
ax.plot(sizes, test_error, label="new rows")
ax.set(xlabel="trees", ylabel="share of wrong classes", ylim=(0.0, None))
ax.legend()
figure.savefig("forest_error_curve.svg")
