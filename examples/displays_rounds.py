"""The log loss of a boosted model after each round, on training rows and on new ones."""

from gramian.boosting import BoostingClassifier
from gramian.datasets import load_breast_cancer
from gramian.model_selection import train_test_split
from gramian.plot import rounds

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, X_new, y, y_new = train_test_split(X, y, random_state=0)
model = BoostingClassifier(n_estimators=200, early_stopping_rounds=60, random_state=0)
model.fit(X, y, eval_set=[(X, y), (X_new, y_new)])
display = rounds(model, names=["training rows", "new rows"])
display.figure_.savefig("displays_rounds.svg")
