"""Fuel use of cars against their weight: a straight line, and what it leaves."""

from gramian.datasets import load_auto_mpg
from gramian.linear_model import LinearRegression
from gramian.plot import residuals

cars = load_auto_mpg(library="polars")
X, y = cars.data.select("weight"), cars.target
model = LinearRegression().fit(X, y)

residuals(model, X, y).figure_.savefig("linear_regression_fit.svg")
