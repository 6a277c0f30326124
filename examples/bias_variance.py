"""Error, squared bias and variance of polynomials against their degree."""

import numpy as np

from gramian.linear_model import LinearRegression
from gramian.model_selection import BiasVarianceDisplay
from gramian.pipeline import Pipeline
from gramian.preprocessing import PolynomialFeatures


def truth(x):
    return np.sin(3.0 * x)


rng = np.random.default_rng(0)
x_train, x_test = rng.uniform(-1, 1, size=(60, 1)), np.linspace(-1, 1, 100)[:, None]
y_train = truth(x_train[:, 0]) + rng.normal(0.0, 0.4, size=60)

polynomial = Pipeline([("powers", PolynomialFeatures()), ("line", LinearRegression())])
display = BiasVarianceDisplay.from_estimator(
    polynomial,
    x_train,
    y_train,
    x_test,
    truth(x_test[:, 0]),
    param_name="powers__degree",
    param_range=range(1, 9),
    random_seed=0,
)
display.figure_.savefig("bias_variance.svg")
