"""Whether more patients would help a linear model of diabetes."""

from gramian.datasets import load_diabetes
from gramian.linear_model import Ridge
from gramian.model_selection import LearningCurveDisplay

X, y = load_diabetes(return_X_y=True)
display = LearningCurveDisplay.from_estimator(
    Ridge(0.1), X, y, scoring="r2", shuffle=True, random_state=0
)
display.figure_.savefig("displays_learning_curve.svg")
