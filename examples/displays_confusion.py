"""Which handwritten digits a linear model takes for which."""

import numpy as np

from gramian.datasets import load_digits
from gramian.linear_model import Ridge
from gramian.metrics import ConfusionMatrixDisplay
from gramian.model_selection import cross_val_predict

X, y = load_digits(return_X_y=True)
scores = cross_val_predict(Ridge(), X, np.eye(10)[y])  # one column for each digit

display = ConfusionMatrixDisplay.from_predictions(y, scores.argmax(axis=1), cmap="Blues")
display.figure_.savefig("displays_confusion.svg")
