"""Programs of course notes run with only the import changed, and give scikit-learn's results."""

import contextlib
import io

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.linear_model as reference
from numpy.testing import assert_allclose, assert_array_equal

LINE = """
import numpy as np
from PACKAGE.linear_model import LinearRegression
import matplotlib.pyplot as plt

np.random.seed(42)
X = 2 * np.random.rand(100, 1)
y = 4 + 3 * X + np.random.normal(0, 1, (100, 1))

model = LinearRegression()
model.fit(X, y)
predicted = model.predict(X)
print("Intercept:", model.intercept_)
print("Coefficient:", model.coef_)

plt.scatter(X, y, color="blue", label="points")
plt.plot(X, predicted, color="red", label="line")
plt.legend()
"""

CLASSES = """
import numpy as np
from PACKAGE.linear_model import LogisticRegression
from PACKAGE.datasets import make_classification
from PACKAGE.model_selection import train_test_split
from PACKAGE.metrics import accuracy_score, classification_report
import matplotlib.pyplot as plt

X, y = make_classification(n_samples=200, n_features=2, n_redundant=0, n_informative=2,
                           random_state=42, n_clusters_per_class=1)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=42)

model = LogisticRegression()
model.fit(X_train, y_train)
predicted = model.predict(X_test)
print("Accuracy:", accuracy_score(y_test, predicted))
print(classification_report(y_test, predicted))

x_min, x_max = X_test[:, 0].min() - 1, X_test[:, 0].max() + 1
y_min, y_max = X_test[:, 1].min() - 1, X_test[:, 1].max() + 1
xx, yy = np.meshgrid(np.linspace(x_min, x_max, 100), np.linspace(y_min, y_max, 100))
grid = model.predict(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape)
plt.scatter(X_test[:, 0], X_test[:, 1], c=y_test, cmap="bwr", edgecolor="k", s=30)
plt.contourf(xx, yy, grid, alpha=0.2, cmap="bwr")
"""

PERCEPTRON = """
import numpy as np
from PACKAGE.linear_model import Perceptron
from PACKAGE.model_selection import train_test_split
from PACKAGE.metrics import accuracy_score
import matplotlib.pyplot as plt
from PACKAGE.datasets import make_classification

X, y = make_classification(n_samples=200, n_features=2, n_informative=2, n_redundant=0,
                           n_clusters_per_class=1, n_classes=2, random_state=50)
model = Perceptron(max_iter=1000, tol=1e-3, random_state=50)
model.fit(X, y)
predicted = model.predict(X)
print("Accuracy:", accuracy_score(y, predicted))

x_min, x_max = X[:, 0].min() - 1, X[:, 0].max() + 1
y_min, y_max = X[:, 1].min() - 1, X[:, 1].max() + 1
xx, yy = np.meshgrid(np.linspace(x_min, x_max, 200), np.linspace(y_min, y_max, 200))
grid = model.predict(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape)
plt.contourf(xx, yy, grid)
plt.scatter(X[:, 0], X[:, 1], c=y, edgecolors="k")
"""


def run(program, package):
    """Return what a program leaves behind, and what it printed."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program.replace("PACKAGE", package), package, "exec"), names)
    return names, printed.getvalue()


@pytest.fixture(autouse=True)
def _no_window():
    backend = mpl.get_backend()
    mpl.use("agg")
    yield
    mpl.pyplot.close("all")
    mpl.use(backend)


def test_line():
    (ours, our_text), (theirs, their_text) = run(LINE, "gramian"), run(LINE, "sklearn")
    assert_array_equal(ours["X"], theirs["X"])
    assert_allclose(ours["model"].coef_, theirs["model"].coef_, rtol=1e-12)
    assert_allclose(ours["model"].intercept_, theirs["model"].intercept_, rtol=1e-12)
    assert_allclose(ours["predicted"], theirs["predicted"], rtol=1e-12)
    assert our_text == their_text


def test_classes():
    (ours, our_text), (theirs, their_text) = run(CLASSES, "gramian"), run(CLASSES, "sklearn")
    assert our_text == their_text
    assert_array_equal(ours["X_train"], theirs["X_train"])
    assert_array_equal(ours["predicted"], theirs["predicted"])
    assert_array_equal(ours["grid"], theirs["grid"])
    # scikit-learn stops at tol=1e-4: it has about four digits, and all of them if it goes on.
    assert_allclose(ours["model"].coef_, theirs["model"].coef_, rtol=1e-3, atol=1e-4)
    assert_allclose(ours["model"].intercept_, theirs["model"].intercept_, rtol=1e-3, atol=1e-4)
    precise = reference.LogisticRegression(tol=1e-12, solver="newton-cholesky")
    precise.fit(theirs["X_train"], theirs["y_train"])
    assert_allclose(ours["model"].coef_, precise.coef_, rtol=1e-7)
    assert_allclose(ours["model"].intercept_, precise.intercept_, rtol=1e-7)


def test_perceptron():
    (ours, our_text), (theirs, their_text) = run(PERCEPTRON, "gramian"), run(PERCEPTRON, "sklearn")
    assert our_text == their_text
    assert_allclose(ours["model"].coef_, theirs["model"].coef_, rtol=1e-12)
    assert_allclose(ours["model"].intercept_, theirs["model"].intercept_, rtol=1e-12)
    assert ours["model"].n_iter_ == theirs["model"].n_iter_
    assert_array_equal(ours["predicted"], theirs["predicted"])
    assert_array_equal(np.asarray(ours["grid"]), theirs["grid"])
