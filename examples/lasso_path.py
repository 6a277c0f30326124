"""Coefficients of a lasso along its path, with the penalty that cross-validation chose."""

from pathlib import Path

import numpy as np

from gramian.linear_model import LassoCV
from gramian.plot import regularization_path


def main() -> None:
    """Draw the path and save it beside the script's name."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 12))
    y = X[:, :4] @ np.array([3.0, -2.0, 1.0, 0.5]) + rng.standard_normal(80)
    display = regularization_path(LassoCV(cv=5).fit(X, y), X, y)
    display.figure_.savefig(Path(__file__).with_suffix(".svg").name, bbox_inches="tight")


if __name__ == "__main__":
    main()
