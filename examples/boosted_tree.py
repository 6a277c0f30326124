"""The first tree of a boosted model, drawn."""

import matplotlib.pyplot as plt

from gramian.boosting import BoostingClassifier
from gramian.datasets import load_breast_cancer
from gramian.model_selection import train_test_split
from gramian.tree import plot_tree

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, _, y, _ = train_test_split(X, y, random_state=0)
model = BoostingClassifier(n_estimators=100, max_leaves=5, random_state=0).fit(X, y)

figure, axes = plt.subplots(figsize=(8.0, 5.4), layout="constrained")
plot_tree(model, tree_index=0, ax=axes)
figure.savefig("boosted_tree.svg")
