"""The least C at which an L1 penalty leaves a coefficient."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import l1_min_c as reference

from gramian.datasets import make_classification
from gramian.linear_model import LogisticRegression
from gramian.svm import l1_min_c


@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaling", [None, 1.0, 10.0])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_same_as_scikit_learn(loss, n_classes, scaling, container):
    X, y = make_classification(
        60, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=0
    )
    params = {"loss": loss, "fit_intercept": scaling is not None}
    params["intercept_scaling"] = scaling or 1.0
    assert l1_min_c(container(X), y, **params) == pytest.approx(reference(X, y, **params))


def test_logistic_regression_is_empty_below_and_not_above():
    X, y = make_classification(60, 5, random_state=0)
    bound = l1_min_c(X, y, loss="log", fit_intercept=False)
    params = {"l1_ratio": 1.0, "solver": "saga", "fit_intercept": False, "tol": 1e-10}
    below, above = (
        LogisticRegression(C=factor * bound, **params).fit(X, y) for factor in (0.99, 1.01)
    )
    assert not below.coef_.any()
    assert above.coef_.any()


def test_bad_arguments():
    with pytest.raises(ValueError, match="Ill-posed"):
        l1_min_c([[0.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="loss"):
        l1_min_c([[0.0], [1.0]], [0, 1], loss="l1")
    with pytest.raises(ValueError, match="intercept_scaling"):
        l1_min_c([[0.0], [1.0]], [0, 1], intercept_scaling=0.0)
