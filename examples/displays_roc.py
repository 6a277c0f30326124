"""How well scores made of all features of a tumour, or of one, tell benign from malignant."""

from gramian.datasets import load_breast_cancer
from gramian.linear_model import Ridge
from gramian.metrics import RocCurveDisplay
from gramian.model_selection import cross_val_predict

X, y = load_breast_cancer(return_X_y=True)
axes = None
for name, columns in {"30 features": slice(30), "texture": slice(1, 2), "symmetry": [8]}.items():
    score = cross_val_predict(Ridge(), X[:, columns], y)
    display = RocCurveDisplay.from_predictions(
        y, score, name=name, ax=axes, plot_chance_level=name == "symmetry"
    )
    axes = display.ax_

display.figure_.savefig("displays_roc.svg")
