"""The boundary of a perceptron after its first updates and at the end."""

import matplotlib.pyplot as plt

from gramian.datasets import make_classification
from gramian.inspection import DecisionBoundaryDisplay
from gramian.linear_model import Perceptron

X, codes = make_classification(
    n_samples=200,
    n_features=2,
    n_informative=2,
    n_redundant=0,
    n_clusters_per_class=1,
    random_state=50,
)
y = codes.astype(str)

figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
early = Perceptron(shuffle=False).partial_fit(X[:4], y[:4], classes=["0", "1"])
final = Perceptron(random_state=50).fit(X, y)
for model, title, ax in zip((early, final), ("after 4 rows", "fitted"), axes, strict=True):
    DecisionBoundaryDisplay.from_estimator(model, X, y=y, eps=0.5, ax=ax)
    ax.set_title(f"{title}: {model.score(X, y):.0%} right")
figure.savefig("perceptron_boundary.svg")
