"""Odds ratios of a logistic regression with their confidence intervals."""

from gramian.datasets import load_breast_cancer
from gramian.linear_model import LogisticRegression
from gramian.plot import coefficients
from gramian.preprocessing import StandardScaler

tumours = load_breast_cancer(as_frame=True)
columns = ["mean texture", "mean smoothness", "mean concavity", "mean symmetry"]
X = StandardScaler().set_output(transform="pandas").fit_transform(tumours.data[columns])
model = LogisticRegression(C=float("inf")).fit(X, tumours.target)
display = coefficients(model.summary(X, tumours.target), exponentiate=True)
display.figure_.savefig("coefficient_intervals.svg")
