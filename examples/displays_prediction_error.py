"""Fuel use of cars, predicted from all other columns, against what was measured."""

from gramian.datasets import load_auto_mpg
from gramian.linear_model import Ridge
from gramian.metrics import PredictionErrorDisplay
from gramian.model_selection import cross_val_predict

cars = load_auto_mpg(library="polars")
predicted = cross_val_predict(Ridge(), cars.data, cars.target)
display = PredictionErrorDisplay.from_predictions(
    cars.target, predicted, kind="actual_vs_predicted"
)
display.figure_.savefig("displays_prediction_error.svg")
